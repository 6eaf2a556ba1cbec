//! A copy of a part of a trace's time, for links to that part. It is a separate trace in the same project:
//! its visitors never query the whole one, so no answer can contain the rest.

use std::io;
use std::path::Path;
use std::sync::Arc;

use syclscope_engine::budget::{Budget, Spent};
use syclscope_engine::convert::Out;
use syclscope_engine::cut::{self, Cutting, Look, Part};
use syclscope_engine::import::ImportError;
use syclscope_language::api::LinkRange;
use syclscope_language::formats::Format;

use super::copying::{self, NoCopy, pieces};
use super::export::starts_as_own;
use crate::app::App;
use crate::auth::{Client, Principal, change};
use crate::db::labels::Labels;
use crate::db::links::{self, LinkRow};
use crate::http::error::AppError;
use crate::http::extract::{Guard as _, OnTrace, acts::DeleteTrace};
use crate::ingest::trace_cache::SharedTrace;
use crate::limits::exports::ExportTurn;
use crate::storage::{About, Stored, UploadResult};
use syclscope_system::id::Id;

/// Adds a link to a part of a trace, whose copy is created now or was by an earlier request. Sets the part of `link`,
/// with its actual range, clamped to the trace.
///
/// The row of the link is added before the copy. If this server dies in between, the copy still counts as a part of a
/// trace, and not as a run of the program.
pub(in crate::http::controllers) async fn add_link(
    app: &Arc<App>,
    client: Client,
    stored: &Stored,
    principal: &Principal,
    range: LinkRange,
    link: &mut LinkRow,
) -> Result<(), AppError> {
    // Before the trace is loaded, so that waiting requests keep none in memory.
    let turn = app.exports.take(client.clone()).await?;
    let trace = app.load(stored).await?;
    let range = LinkRange { end_ns: range.end_ns.min(trace.info().duration_ns.saturating_add(1)), ..range };
    let part = Part::new(range.start_ns, range.end_ns);
    let part =
        part.ok_or_else(|| AppError::BadRequest("the range is not within the trace's time".to_owned()))?;
    let original = app.storage.original(stored).await?;
    let turn = app.exports.begin(turn, client).await?;
    let write = move |out: Out<'_>, budget| write(&original, &trace, part, out, &budget);
    let id = Id::random().map_err(|_| AppError::no_randomness())?;
    link.part = Some((id.clone(), range));
    links::add(&mut *app.database()?.reading().await?, link).await?;
    match copy(app, stored, principal, turn, id, write).await {
        Ok(copy) => {
            links::show(&mut *app.database()?.reading().await?, &link.id, &copy).await?;
            link.part = Some((copy, range));
            Ok(())
        }
        Err(error) => {
            links::remove(&mut *app.database()?.reading().await?, &link.id).await?;
            Err(error)
        }
    }
}

/// Returns the id of the copy that `write` writes: the given one, unless the project already has these bytes.
async fn copy(
    app: &Arc<App>,
    stored: &Stored,
    principal: &Principal,
    turn: ExportTurn,
    id: Id,
    write: impl FnOnce(Out<'static>, Budget) -> Result<(), Failure> + Send + 'static,
) -> Result<Id, AppError> {
    let uploaded_by = principal.identity();
    let about = About { project: stored.project.clone(), labels: Labels::default(), uploaded_by };
    let name = Format::Perfetto.file_name(&format!("part of {}", stored.entry.name));
    match copying::keep(app, turn, id, &name, about, write).await {
        Ok(UploadResult::New(copy)) => {
            if let Err(gone) = copying::check_original(app, stored).await {
                // No link will show the copy.
                remove(app, principal, &copy).await?;
                return Err(gone);
            }
            Ok(copy.id)
        }
        Ok(UploadResult::Existing(copy)) => Ok(copy.id),
        Err(NoCopy::Store(error)) => Err(error),
        Err(NoCopy::Write(Failure::Memory(spent))) => Err(AppError::TooMuchMemory(spent)),
        Err(NoCopy::Write(error)) => {
            copying::check_original(app, stored).await?;
            tracing::warn!(id = %stored.id, "can't write a part of a trace: {error}");
            Err(AppError::Internal("can't write a part of a trace"))
        }
    }
}

async fn remove(app: &App, principal: &Principal, copy: &Stored) -> Result<(), AppError> {
    let (project, name) = (copy.project.as_str(), copy.entry.name.clone());
    let line = change(principal, OnTrace::<DeleteTrace>::ACTION, Some(project), copy.id.as_str(), Some(name));
    app.storage.delete(&copy.id, &line).await?;
    app.cache.forget(&copy.id);
    Ok(())
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Memory(#[from] Spent),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Memory(spent) => Self::Memory(spent),
            other => Self::Io(io::Error::other(other)),
        }
    }
}

/// Writes the part: of a recording event by event, of another tool's file from the stored trace.
fn write(path: &Path, trace: &SharedTrace, part: Part, out: Out<'_>, budget: &Budget) -> Result<(), Failure> {
    if !starts_as_own(path)? {
        cut::write(trace, part, Format::Perfetto, out)?;
        return Ok(trace.check_whole()?);
    }
    let mut look = Look::new(part, budget.clone());
    pieces(path, |piece| Ok::<_, Failure>(look.feed(piece)?))?;
    let plan = look.finish()?;
    let mut cutting = Cutting::new(&plan, Format::Perfetto, out, budget.clone());
    pieces(path, |piece| Ok::<_, Failure>(cutting.feed(piece)?))?;
    Ok(cutting.finish()?.map(drop)?)
}
