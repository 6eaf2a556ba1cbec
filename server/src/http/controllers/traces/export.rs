//! `GET /api/v1/traces/{id}/export/{format}`: a trace in another format, sent while it is written.
//!
//! With `?times=zero` times count from the start of the trace, as elsewhere in the API; otherwise they are as
//! recorded.
//!
//! The output is written to a file that the client reads meanwhile, so a slow client holds neither a thread nor a
//! turn.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{Method, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use syclscope_engine::budget::Budget;
use syclscope_engine::cancel::{self, Stopped, Work};
use syclscope_engine::convert::{self, Passing, START_BYTES, Times};
use syclscope_engine::import::ImportError;
use syclscope_language::formats::Format;

use super::file::disposition;
use crate::app::App;
use crate::http::controllers::answer::CACHING;
use crate::http::error::AppError;
use crate::http::extract::{Asker, CheckedQuery, FormatPath, OnTrace, Parameters, acts::ReadTrace};
use crate::http::unsent::{self, Unwritten, Writing};
use crate::ingest::trace_cache::SharedTrace;
use crate::storage::StorageError;

const PIECE_BYTES: usize = 256 << 10;

#[derive(Debug, Deserialize)]
pub(crate) struct ExportQuery {
    #[serde(default)]
    times: String,
}

impl Parameters for ExportQuery {
    const NAMES: &'static [&'static str] = &["times"];
}

pub(crate) async fn download(
    OnTrace { stored, .. }: OnTrace<ReadTrace>,
    State(app): State<Arc<App>>,
    FormatPath(format): FormatPath,
    CheckedQuery(query): CheckedQuery<ExportQuery>,
    Asker(client): Asker,
    method: Method,
) -> Result<Response, AppError> {
    let times = match query.times.as_str() {
        "" => Times::Recorded,
        "zero" => Times::FromZero,
        other => {
            return Err(AppError::BadRequest(format!(
                "invalid `times` {other:?}: use zero, or leave it out"
            )));
        }
    };
    // Before the trace is loaded, so that waiting requests keep none in memory.
    let (place, turn) = match method {
        Method::HEAD => (None, None),
        _ => (Some(app.exports.place(client.clone()).await?), Some(app.exports.take(client.clone()).await?)),
    };
    // The error of an unreadable file must be sent before the first byte.
    let trace = app.load(&stored).await?;
    let original = app.storage.original(&stored).await?;
    let name = format.file_name(&stored.entry.name);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CACHE_CONTROL, CACHING.to_owned()),
        (header::CONTENT_DISPOSITION, disposition(&name)),
    ];
    let (Some(place), Some(turn)) = (place, turn) else { return Ok(headers.into_response()) };
    let written = app.exports.begin(turn, client).await?;
    let (writing, unsent) = unsent::begin(app.exports.folder(), place).map_err(StorageError::Io)?;
    tokio::task::spawn_blocking(move || {
        // The thread keeps the turn until it notices that the client has left, because it is busy until then.
        let budget = written.share.budget();
        let is_unwanted = writing.watch();
        let done = writing.run(|out| {
            let write = || write(trace, &original, (format, times), out, &budget);
            cancel::within(&Work::default(), budget.clone(), write).map_err(stopped)?
        });
        if let Err(error) = done
            && !is_unwanted()
        {
            tracing::warn!(id = %stored.id, ?format, "an export failed: {error}");
        }
    });
    Ok((headers, unsent.body().await?).into_response())
}

fn stopped(why: Stopped) -> Unwritten {
    match why {
        Stopped::TooLarge(spent) => spent.into(),
        other => io::Error::other(other).into(),
    }
}

/// Writes a trace. A recording's file is converted event by event if the format allows it.
fn write(
    trace: SharedTrace,
    original: &Path,
    (format, times): (Format, Times),
    out: Writing,
    budget: &Budget,
) -> Result<(), Unwritten> {
    if convert::is_direct(format, starts_as_own(original)?) {
        drop(trace);
        return pass(original, (format, times), out, budget);
    }
    convert::write(&trace, format, Box::new(out))?;
    Ok(trace.check_whole()?)
}

/// True if a stored file is a recording of syclscope.
pub(super) fn starts_as_own(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(START_BYTES as u64).read_to_end(&mut start)?;
    convert::is_own(&start).map_err(io::Error::other)
}

/// Forwards a recording, event by event, until its end or until the client leaves.
fn pass(
    path: &Path,
    (format, times): (Format, Times),
    out: Writing,
    budget: &Budget,
) -> Result<(), Unwritten> {
    let failed = |error| match error {
        ImportError::Memory(spent) => spent.into(),
        other => Unwritten::from(io::Error::other(other)),
    };
    let mut file = File::open(path)?;
    let is_unwanted = out.watch();
    let mut passing = Passing::new(format, times, Box::new(out), budget.clone());
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(passing.finish().map_err(failed)?.map(drop)?);
        }
        if is_unwanted() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        }
        passing.feed(&piece[..read]).map_err(failed)?;
    }
}
