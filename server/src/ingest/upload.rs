//! Turns complete uploads into traces, if they can be imported. Nothing of other uploads is stored.

use syclscope_language::api::TraceEntry;

use crate::app::App;
use crate::db::jobs::Job;
use crate::http::error::AppError;
use crate::ingest::loading::Original;
use crate::ingest::trace_cache::SharedTrace;
use crate::ingest::trace_metrics::{self, StoredMetrics};
use crate::storage::{About, Hosted, StorageError, Stored, TraceId, Upload, UploadResult, Version};

/// Turns a complete upload into a trace, unless its project already has these bytes.
///
/// # Errors
/// Returns an error if the upload is not a trace, or can't be stored.
pub(crate) async fn in_whole(
    app: &App,
    hosted: &Hosted,
    upload: Upload,
    about: &About,
) -> Result<UploadResult, AppError> {
    if upload.size_bytes() == 0 {
        return Err(AppError::EmptyUpload);
    }
    if let Some(stored) = hosted.repeated(&about.project, &upload.sha256()).await? {
        return Ok(UploadResult::Existing(stored));
    }
    let original = Original::uploaded(&upload);
    let import = move |budget| original.import(budget);
    let import = app.cache.get(upload.id(), &Version::Only, upload.size_bytes(), || None, import);
    let trace = match import.await {
        Ok(trace) => trace,
        Err(error) => return Err(AppError::Load { name: upload.name().to_owned(), error }),
    };
    let id = upload.id().clone();
    let metrics = compute_metrics(app, &id, trace).await;
    let result = hosted.keep(upload, about, metrics.as_ref()).await.inspect_err(|_| app.cache.forget(&id))?;
    match &result {
        UploadResult::New(Stored { entry: TraceEntry { name, size_bytes, .. }, .. }) => {
            tracing::info!(%id, ?name, size_bytes, "stored a trace");
        }
        UploadResult::Existing(_) => app.cache.forget(&id),
    }
    Ok(result)
}

/// Computes the metrics of a trace. `None` if that fails or exceeds the limits of a query, which is no reason
/// to reject the trace.
pub(super) async fn compute_metrics(app: &App, id: &TraceId, trace: SharedTrace) -> Option<StoredMetrics> {
    let (steps, memory_bytes) = app.questions.limits();
    let metrics = app.cache.in_turn(steps, memory_bytes, move || trace_metrics::compute(&trace)).await;
    metrics.inspect_err(|error| tracing::error!(%id, "can't compute the metrics: {error}")).ok()
}

/// Computes the missing metrics of a stored trace, and ends their job.
///
/// # Errors
/// Returns an error if the trace can't be read now. If it is permanently unreadable, it stays without metrics.
pub(crate) async fn add_figures(app: &App, hosted: &Hosted, job: &Job) -> Result<(), AppError> {
    let metrics = match app.storage.find(&job.subject).await {
        Ok(stored) => match app.load(&stored).await {
            Ok(trace) => compute_metrics(app, &job.subject, trace).await,
            Err(error) if error.is_passing() => return Err(error),
            Err(error) => {
                tracing::warn!(id = %job.subject, "can't compute the metrics of a trace, which stays without: {error}");
                None
            }
        },
        // Deleted meanwhile.
        Err(StorageError::NotFound) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(hosted.end_figures(&job.subject, &job.id, metrics.as_ref()).await?)
}
