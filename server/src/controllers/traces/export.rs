//! `GET /api/v1/traces/{id}/export/{format}`: a trace in another format, sent while it is written.
//!
//! With `?times=zero` times count from the start of the trace, as everywhere in the interface; without it they stay what
//! the recording has.
//!
//! A thread is busy with an export until the client has taken it, however slow that is: only as many as have a turn are
//! written at once, so that those who take their time hold no threads of others.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse as _, Response};
use http_body::Frame;
use serde::Deserialize;
use syclscope_engine::convert::{self, Out, Passing, START_BYTES, Times};
use syclscope_language::formats::Format;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::file::disposition;
use crate::app::App;
use crate::error::AppError;
use crate::extract::{Asker, FormatPath, OnTrace, acts::ReadTrace};
use crate::memory;
use crate::turns::TooMany;

/// Bytes that are sent at a time, and read of the file.
pub(super) const PIECE_BYTES: usize = 256 << 10;
/// Pieces that wait for a slow client; then writing waits, too.
pub(super) const MOST_WAITING: usize = 8;

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    #[serde(default)]
    times: String,
}

pub(crate) async fn download(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    FormatPath(format): FormatPath,
    Query(parameters): Query<Parameters>,
    Asker(client): Asker,
    method: Method,
) -> Result<Response, AppError> {
    let times = match parameters.times.as_str() {
        "" => Times::Recorded,
        "zero" => Times::FromZero,
        other => return Err(AppError::BadRequest(format!("times is not {other:?}, but zero or left out"))),
    };
    // Before the trace is loaded: those who wait hold none.
    let turn = match method {
        Method::HEAD => None,
        _ => Some(app.exports.take(client).await.map_err(|TooMany| AppError::Busy)?),
    };
    // A file that can't be read gets its error before the first byte goes out.
    let trace = app.load(&stored).await?;
    let original = app.storage.original(&stored).await?;
    let name = format.file_name(&stored.entry.name);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::CONTENT_DISPOSITION, disposition(&name)),
    ];
    let Some(turn) = turn else { return Ok(headers.into_response()) };
    let (sender, pieces) = channel(MOST_WAITING);
    tokio::task::spawn_blocking(move || {
        // Also where the client has left: the thread is busy until it notices.
        let _turn = turn;
        let out = Box::new(Pieces::new(sender.clone()));
        let is_own = starts_as_own(&original);
        let written = match is_own {
            Ok(is_own) if convert::is_direct(format, is_own) => {
                drop(trace);
                pass(&original, format, times, out, &sender)
            }
            Ok(_) => convert::write(&trace, format, out).and_then(|()| trace.check_whole()),
            Err(error) => Err(error),
        };
        if let Err(error) = written
            && !sender.is_closed()
        {
            tracing::warn!(id = %stored.id, ?format, "an export broke off: {error}");
            // A client that has gone needs no end.
            let _ = sender.blocking_send(Err(error));
        }
    });
    Ok((headers, Body::new(Sent::new(pieces))).into_response())
}

/// Whether a stored file is a recording of ours.
pub(super) fn starts_as_own(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(START_BYTES as u64).read_to_end(&mut start)?;
    convert::is_own(&start).map_err(io::Error::other)
}

/// Passes a recording on, event by event, until its end or until nobody wants more.
fn pass(
    path: &Path,
    format: Format,
    times: Times,
    out: Out<'_>,
    sender: &Sender<io::Result<Bytes>>,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut passing = Passing::new(format, times, out, memory::alone());
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return passing.finish().map_err(io::Error::other)?.map(drop);
        }
        if sender.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        passing.feed(&piece[..read]).map_err(io::Error::other)?;
    }
}

/// Collects what is written into pieces for the client.
pub(super) struct Pieces {
    sender: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Pieces {
    pub(super) fn new(sender: Sender<io::Result<Bytes>>) -> Self {
        Self { sender, piece: Vec::new() }
    }
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

/// The body of the answer.
pub(super) struct Sent {
    pieces: Receiver<io::Result<Bytes>>,
}

impl Sent {
    pub(super) fn new(pieces: Receiver<io::Result<Bytes>>) -> Self {
        Self { pieces }
    }
}

impl http_body::Body for Sent {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
