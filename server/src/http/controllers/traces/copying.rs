//! Copies of a trace that this server writes. They are stored like uploads; a failed write aborts the body,
//! so that no incomplete copy is stored.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use http_body::Frame;
use syclscope_engine::budget::{Budget, Spent};
use syclscope_engine::cancel::{self, Stopped, Work};
use syclscope_engine::convert::Out;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::upload;
use crate::app::App;
use crate::http::error::AppError;
use crate::limits::exports::ExportTurn;
use crate::storage::{self, About, Stored, TraceId, UploadResult};

const PIECE_BYTES: usize = 256 << 10;
/// Maximum number of pieces waiting for the disk, after which the writer waits.
const MAX_WAITING: usize = 8;

pub(super) enum NoCopy<E> {
    Write(E),
    Store(AppError),
}

/// Stores the output of `write` as the trace `id`. The turn and its memory are held until the trace is written.
pub(super) async fn keep<E: From<Spent> + From<io::Error> + Send + 'static>(
    app: &Arc<App>,
    turn: ExportTurn,
    id: TraceId,
    name: &str,
    about: About,
    write: impl FnOnce(Out<'static>, Budget) -> Result<(), E> + Send + 'static,
) -> Result<UploadResult, NoCopy<E>> {
    let (sender, pieces) = channel(MAX_WAITING);
    let writing = tokio::task::spawn_blocking(move || {
        // The thread keeps the turn until it notices that the client has left, because it is busy until then.
        let budget = turn.share.budget();
        let out = Box::new(Pieces { sender: sender.clone(), piece: Vec::new() });
        let written = cancel::within(&Work::default(), budget.clone(), || write(out, budget));
        let written = written.unwrap_or_else(|why| match why {
            Stopped::TooLarge(spent) => Err(spent.into()),
            other => Err(io::Error::other(other).into()),
        });
        if written.is_err() {
            // An aborted body is not stored. An upload that has already ended needs no abort.
            let _ = sender.blocking_send(Err(io::ErrorKind::InvalidData.into()));
        }
        written
    });
    let body = Body::new(Handed(pieces));
    let result = upload::keep(app, id, name, about, &HeaderMap::new(), body).await;
    match (result, writing.await) {
        (Ok(result), Ok(Ok(()))) => Ok(result),
        // The writer's error is more specific than the aborted upload.
        (Err(AppError::BrokenOff), Ok(Err(error))) => Err(NoCopy::Write(error)),
        (Err(error), _) => Err(NoCopy::Store(error)),
        (Ok(_), _) => Err(NoCopy::Store(AppError::Internal("a copy ended early"))),
    }
}

/// Returns an error if the copied trace was deleted meanwhile.
pub(super) async fn check_original(app: &App, stored: &Stored) -> Result<(), AppError> {
    let connection = &mut *app.database()?.reading().await?;
    storage::still_there(connection, &stored.id).await?;
    Ok(())
}

pub(super) fn pieces<E: From<io::Error>>(
    path: &Path,
    mut feed: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(()),
            read => feed(&piece[..read])?,
        }
    }
}

/// Collects the output into pieces for the upload.
struct Pieces {
    sender: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        self.sender.blocking_send(Ok(piece)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

struct Handed(Receiver<io::Result<Bytes>>);

impl http_body::Body for Handed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
