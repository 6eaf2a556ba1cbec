//! Computes metrics of the user's own files after a list has named them.

use std::sync::Arc;

use syclscope_language::api::ListedTrace;

use crate::app::App;
use crate::ingest::trace_metrics::StoredMetrics;
use crate::ingest::upload;
use crate::storage::{Storage, TraceId};

/// Computes the missing metrics of listed files, one after the other, in the background.
pub(crate) fn compute_missing(app: &Arc<App>, traces: &[ListedTrace]) {
    let Storage::Files(files) = &app.storage else { return };
    if !files.metrics().request(traces) {
        return;
    }
    let (app, files) = (Arc::clone(app), files.clone());
    tokio::spawn(async move {
        while let Some((id, version)) = files.metrics().next() {
            let metrics = compute(&app, &id).await;
            files.metrics().set(&id, version, metrics);
        }
    });
}

/// Returns `None` if the file is gone or is no trace.
async fn compute(app: &App, id: &TraceId) -> Option<StoredMetrics> {
    let stored = app.storage.find(id).await.ok()?;
    let trace = app.ready(&stored).await.ok()?;
    upload::compute_metrics(app, id, trace).await
}
