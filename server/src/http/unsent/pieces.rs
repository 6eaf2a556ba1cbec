//! A response in memory, sent piece by piece, and freed once the last piece is taken.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use http_body::{Frame, SizeHint};

use crate::limits::Share;

pub(super) const PIECE_BYTES: usize = 64 << 10;

pub(super) struct Pieces {
    bytes: Bytes,
    _share: Share,
}

impl Pieces {
    pub(super) fn new(bytes: Bytes, share: Share) -> Self {
        Self { bytes, _share: share }
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.bytes.len().min(PIECE_BYTES);
        // A slice would keep the whole buffer alive.
        let piece = Bytes::copy_from_slice(&self.bytes.split_to(length));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
