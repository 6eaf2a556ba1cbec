//! `POST /api/v1/traces/{id}/cleaned` with `{"kinds": ["paths", …], "keep_file_names": true}`: stores a copy
//! of a trace without private data as a separate trace.
//!
//! The copy is scanned on its way into the store: if any removed data is left, nothing is stored.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::Response;
use serde::Deserialize;
use syclscope_engine::budget::{Budget, Spent};
use syclscope_engine::clean::{self, Choice, CleanError, Cleaning, Key, Look};
use syclscope_engine::convert::Out;
use syclscope_engine::import::ImportError;
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;

use super::copying::{self, NoCopy, pieces};
use super::export::starts_as_own;
use super::upload::created_response;
use crate::app::App;
use crate::db::labels::Labels;
use crate::http::error::AppError;
use crate::http::extract::{Asker, OnTrace, acts};
use crate::ingest::trace_cache::SharedTrace;
use crate::storage::{About, TraceId};

const KEY_BYTES: usize = 32;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CleanRequest {
    kinds: Vec<ContentKind>,
    /// Removes only the folders of paths.
    #[serde(default)]
    keep_file_names: bool,
}

pub(crate) async fn store(
    OnTrace { stored, principal, .. }: OnTrace<acts::Upload>,
    State(app): State<Arc<App>>,
    Asker(client): Asker,
    request: Result<Json<CleanRequest>, JsonRejection>,
) -> Result<Response, AppError> {
    let Json(request) = request.map_err(|error| AppError::BadRequest(error.body_text()))?;
    if request.kinds.is_empty() {
        return Err(AppError::BadRequest("`kinds` must name at least one kind to remove".to_owned()));
    }
    let choice = Choice::new(request.kinds);
    let choice = if request.keep_file_names { choice.keeping_file_names() } else { choice };
    let key = key().map_err(|_| AppError::no_randomness())?;
    // Before the trace is loaded, so that waiting requests keep none in memory.
    let turn = app.exports.take(client.clone()).await?;
    let trace = app.load(&stored).await?;
    let original = app.storage.original(&stored).await?;
    let uploaded_by = principal.identity();
    let about = About { project: stored.project.clone(), labels: Labels::default(), uploaded_by };
    // The original name may be among the removed data.
    let name = Format::Perfetto.file_name("cleaned");
    let write = move |out: Out<'_>, budget| write(&original, &trace, choice, key, out, &budget);
    let turn = app.exports.begin(turn, client).await?;
    let id = TraceId::random().map_err(|_| AppError::no_randomness())?;
    let result = copying::keep(&app, turn, id, &name, about, write).await;
    match result {
        Ok(result) => Ok(created_response(&result, "../")),
        Err(NoCopy::Write(
            Failure::Memory(spent)
            | Failure::Clean(CleanError::Memory(spent))
            | Failure::Import(ImportError::Memory(spent)),
        )) => Err(AppError::TooMuchMemory(spent)),
        Err(NoCopy::Write(Failure::Clean(error))) => Err(AppError::NotClean(error)),
        Err(NoCopy::Write(_)) => {
            copying::check_original(&app, &stored).await?;
            Err(AppError::BrokenOff)
        }
        Err(NoCopy::Store(error)) => Err(error),
    }
}

fn key() -> Result<Key, getrandom::Error> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(Key::new(bytes))
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Clean(#[from] CleanError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Memory(#[from] Spent),
    #[error(transparent)]
    Read(#[from] io::Error),
}

/// Writes the copy: of a recording event by event, of another tool's file from the stored trace.
fn write(
    path: &Path,
    trace: &SharedTrace,
    choice: Choice,
    key: Key,
    out: Out<'_>,
    budget: &Budget,
) -> Result<(), Failure> {
    if !starts_as_own(path)? {
        clean::write(trace, choice, key, Format::Perfetto, out, budget)?;
        return Ok(trace.check_whole()?);
    }
    let mut look = Look::new(budget.clone());
    pieces(path, |piece| Ok::<_, Failure>(look.feed(piece)?))?;
    let plan = look.finish(choice, key)??;
    let mut cleaning = Cleaning::new(&plan, Format::Perfetto, out, budget.clone());
    pieces(path, |piece| Ok::<_, Failure>(cleaning.feed(piece)?))?;
    cleaning.finish()??;
    Ok(())
}
