//! Copies of a trace that this server writes itself. They take the way of an upload, whose body breaks off where writing fails,
//! so that nothing is kept of a copy that is not whole.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderMap;
use syclscope_engine::convert::Out;
use tokio::sync::mpsc::channel;

use super::export::{MOST_WAITING, PIECE_BYTES, Pieces, Sent};
use super::upload;
use crate::app::App;
use crate::error::AppError;
use crate::storage::{About, Kept};
use crate::turns::Turn;

/// Why there is no copy.
pub(super) enum NoCopy<E> {
    /// It could not be written.
    Write(E),
    /// It could not be stored.
    Store(AppError),
}

/// Stores what `write` writes as a trace. The turn lasts for as long as it writes.
pub(super) async fn keep<E: Send + 'static>(
    app: &Arc<App>,
    turn: Turn,
    name: &str,
    about: About,
    write: impl FnOnce(Out<'static>) -> Result<(), E> + Send + 'static,
) -> Result<Kept, NoCopy<E>> {
    let (sender, pieces) = channel(MOST_WAITING);
    let writing = tokio::task::spawn_blocking(move || {
        // Also where the client has left: the thread is busy until it notices.
        let _turn = turn;
        let written = write(Box::new(Pieces::new(sender.clone())));
        if written.is_err() {
            // Nothing is kept of a body that broke off. An upload that has ended already needs no end.
            let _ = sender.blocking_send(Err(io::ErrorKind::InvalidData.into()));
        }
        written
    });
    let body = Body::new(Sent::new(pieces));
    let kept = upload::keep(app, name, about, &HeaderMap::new(), body).await;
    match (kept, writing.await) {
        (Ok(kept), Ok(Ok(()))) => Ok(kept),
        // Who writes knows more of what went wrong than the upload that broke off.
        (Err(AppError::BrokenOff), Ok(Err(error))) => Err(NoCopy::Write(error)),
        (Err(error), _) => Err(NoCopy::Store(error)),
        (Ok(_), _) => Err(NoCopy::Store(AppError::Internal("a copy ended early"))),
    }
}

/// Passes a file to `feed`, piece by piece.
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
