//! `POST /api/v1/traces/{id}/cleaned` with `{"kinds": ["paths", …], "keep_file_names": true}`: stores a copy of a trace without
//! what is private, as a trace of its own.
//!
//! The copy takes the way of an upload, whose body this server writes itself. It is searched on that way: where something is
//! left of what was to go, the body breaks off, and nothing is kept.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use syclscope_engine::clean::{self, Choice, CleanError, Cleaning, Key, Look};
use syclscope_engine::convert::Out;
use syclscope_engine::import::ImportError;
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;
use tokio::sync::mpsc::channel;

use super::export::{MOST_WAITING, PIECE_BYTES, Pieces, Sent, starts_as_own};
use super::upload;
use crate::app::App;
use crate::db::labels::Labels;
use crate::error::AppError;
use crate::extract::{Asker, OnTrace, acts};
use crate::memory;
use crate::storage::About;
use crate::trace_cache::SharedTrace;
use crate::turns::TooMany;

/// Bytes of a key that nobody guesses.
const KEY_BYTES: usize = 32;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// What goes.
    kinds: Vec<ContentKind>,
    /// Of paths only the folders go.
    #[serde(default)]
    keep_file_names: bool,
}

pub(crate) async fn store(
    OnTrace { stored, principal, .. }: OnTrace<acts::Upload>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    wanted: Result<Json<Wanted>, JsonRejection>,
) -> Result<Response, AppError> {
    let Json(wanted) = wanted.map_err(|error| AppError::BadRequest(error.body_text()))?;
    if wanted.kinds.is_empty() {
        return Err(AppError::BadRequest("kinds names nothing that is to go".to_owned()));
    }
    let choice = Choice::of(wanted.kinds);
    let choice = if wanted.keep_file_names { choice.keeping_file_names() } else { choice };
    let key = key().map_err(|_| AppError::Internal("there are no random bytes"))?;
    // Before the trace is loaded: those who wait hold none.
    let turn = app.exports.take(client).await.map_err(|TooMany| AppError::Busy)?;
    let trace = app.load(&stored).await?;
    let original = app.storage.original(&stored).await?;
    let uploaded_by = principal.name().map(str::to_owned);
    let about = About { project: stored.project.clone(), labels: Labels::default(), uploaded_by };
    let (sender, pieces) = channel(MOST_WAITING);
    let writing = tokio::task::spawn_blocking(move || {
        // Also where the client has left: the thread is busy until it notices.
        let _turn = turn;
        let out = Box::new(Pieces::new(sender.clone()));
        let written = write(&original, &trace, choice, key, out);
        if written.is_err() {
            // Nothing is kept of a body that broke off. An upload that has ended already needs no end.
            let _ = sender.blocking_send(Err(io::ErrorKind::InvalidData.into()));
        }
        written
    });
    // The original's name may be one of the things that go.
    let name = Format::Perfetto.file_name("cleaned");
    let body = Body::new(Sent::new(pieces));
    let answer = upload::store(&app, &name, about, &HeaderMap::new(), body).await;
    match (answer, writing.await) {
        (Ok(answer), Ok(Ok(()))) => Ok(placed(answer.into_response())),
        // Who writes knows more of what went wrong than the upload that broke off.
        (Err(AppError::BrokenOff), Ok(Err(Failure::Clean(error)))) => Err(AppError::NotClean(error)),
        (Err(error), _) => Err(error),
        (Ok(_), _) => Err(AppError::Internal("a cleaned copy ended early")),
    }
}

/// The answer to the upload, with a place that counts from this address, two levels deeper.
fn placed(mut answer: Response) -> Response {
    let place = answer.headers().get(header::LOCATION).and_then(|place| place.to_str().ok());
    let id = place.and_then(|place| place.rsplit('/').next()).unwrap_or_default();
    if let Ok(place) = HeaderValue::from_str(&format!("../{id}")) {
        answer.headers_mut().insert(header::LOCATION, place);
    }
    answer
}

fn key() -> Result<Key, getrandom::Error> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(Key::new(bytes))
}

/// Why a copy was not written.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Clean(#[from] CleanError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Read(#[from] io::Error),
}

/// Writes the copy: of a recording event by event, of another tool's file as the store has it.
fn write(path: &Path, trace: &SharedTrace, choice: Choice, key: Key, out: Out<'_>) -> Result<(), Failure> {
    if !starts_as_own(path)? {
        clean::write(trace, choice, key, Format::Perfetto, out)?;
        return Ok(trace.check_whole()?);
    }
    let mut look = Look::new(memory::alone());
    pieces(path, |piece| look.feed(piece))?;
    let plan = look.finish(choice, key)??;
    let mut cleaning = Cleaning::new(&plan, Format::Perfetto, out, memory::alone());
    pieces(path, |piece| cleaning.feed(piece))?;
    cleaning.finish()??;
    Ok(())
}

/// Passes a file to `feed`, piece by piece.
fn pieces(path: &Path, mut feed: impl FnMut(&[u8]) -> Result<(), ImportError>) -> Result<(), Failure> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(()),
            read => feed(&piece[..read])?,
        }
    }
}
