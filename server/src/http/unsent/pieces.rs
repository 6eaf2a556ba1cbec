//! An answer in memory, piece by piece: the whole of it is free as soon as the last piece is taken.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use http_body::{Frame, SizeHint};

use crate::limits::Share;

/// Bytes that are taken at a time.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// The unsent rest of an answer.
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
        // A part of the whole would keep all of it.
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
