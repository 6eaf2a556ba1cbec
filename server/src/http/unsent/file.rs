//! An unnamed file that a thread writes at its own pace while a client receives it.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use http_body::Frame;
use rustix::fs::fstatvfs;
use syclscope_engine::budget::Spent;
use tokio::sync::watch::{Receiver, Sender, channel};

use super::paced;
use crate::limits::fair_semaphore::Turn;

const PIECE_BYTES: usize = 256 << 10;
/// A twentieth of the disk stays free for other uses, but at most `RESERVED_BYTES`.
const RESERVED_PART: u64 = 20;
const RESERVED_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug, Default)]
struct State {
    bytes: u64,
    end: Option<Result<(), Unwritten>>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Unwritten {
    #[error(transparent)]
    Memory(#[from] Spent),
    #[error("{0}")]
    Io(Arc<io::Error>),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

/// The writer's side.
pub(crate) struct Writing {
    file: Arc<File>,
    state: Sender<State>,
    piece: Vec<u8>,
}

/// The reader's side.
pub(crate) struct UnsentFile {
    file: Arc<File>,
    state: Receiver<State>,
    /// One of the client's places for unsent files.
    _place: Turn,
}

/// Creates a file in a folder; `place` is one of the client's places for unsent files.
pub(crate) fn begin(folder: &Path, place: Turn) -> io::Result<(Writing, UnsentFile)> {
    let file = Arc::new(tempfile::tempfile_in(folder)?);
    let (sender, state) = channel(State::default());
    let writing = Writing { file: Arc::clone(&file), state: sender, piece: Vec::new() };
    Ok((writing, UnsentFile { file, state, _place: place }))
}

impl Writing {
    /// Runs `write`, and reports its result to the reader, too.
    pub(crate) fn run(self, write: impl FnOnce(Self) -> Result<(), Unwritten>) -> Result<(), Unwritten> {
        let state = self.state.clone();
        let end = write(self);
        state.send_modify(|state| state.end = Some(end.clone()));
        end
    }

    /// True if the reader has gone.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.state.is_closed()
    }

    /// Returns [`Self::is_unwanted`] as a closure, for code that passes the file on.
    pub(crate) fn watch(&self) -> impl Fn() -> bool + use<> {
        let state = self.state.clone();
        move || state.is_closed()
    }

    fn has_room(&self) -> io::Result<bool> {
        let disk = fstatvfs(&*self.file)?;
        let reserved = (disk.f_blocks.saturating_mul(disk.f_frsize) / RESERVED_PART).min(RESERVED_BYTES);
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize) >= reserved)
    }
}

impl Write for Writing {
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
        if self.is_unwanted() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if !self.has_room()? {
            return Err(io::ErrorKind::StorageFull.into());
        }
        (&*self.file).write_all(&self.piece)?;
        self.state.send_modify(|state| state.bytes += self.piece.len() as u64);
        self.piece.clear();
        Ok(())
    }
}

impl UnsentFile {
    /// Returns the body once there is something to send.
    ///
    /// # Errors
    /// Returns an error if the writer ended without any bytes.
    pub(crate) async fn body(mut self) -> Result<Body, Unwritten> {
        let state = self.state.wait_for(|state| state.bytes > 0 || state.end.is_some()).await;
        let state = state.map_err(|_| broken())?.clone();
        match state.end {
            Some(Err(error)) if state.bytes == 0 => Err(error),
            _ => Ok(paced(Reading { next: Box::pin(self.next(0)), at: 0 })),
        }
    }

    /// Returns the piece at an offset, and the reader for the next one; `None` at the end.
    async fn next(mut self, at: u64) -> io::Result<Option<(Bytes, Self)>> {
        let state = self.state.wait_for(|state| state.bytes > at || state.end.is_some()).await;
        let state = state.map_err(|_| broken())?.clone();
        let left = usize::try_from(state.bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        if left == 0 {
            return match state.end {
                Some(Err(error)) => Err(io::Error::other(error)),
                _ => Ok(None),
            };
        }
        let file = Arc::clone(&self.file);
        let read = move || {
            let mut piece = vec![0; left.min(PIECE_BYTES)];
            file.read_exact_at(&mut piece, at).map(|()| Bytes::from(piece))
        };
        let piece = tokio::task::spawn_blocking(read).await.map_err(io::Error::other)??;
        Ok(Some((piece, self)))
    }
}

/// Returns the error for a writer that ended without a result.
fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

type Next = Pin<Box<dyn Future<Output = io::Result<Option<(Bytes, UnsentFile)>>> + Send>>;

struct Reading {
    next: Next,
    at: u64,
}

impl http_body::Body for Reading {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = ready!(self.next.as_mut().poll(context));
        let Some((piece, unsent)) = next? else { return Poll::Ready(None) };
        self.at += piece.len() as u64;
        self.next = Box::pin(unsent.next(self.at));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}
