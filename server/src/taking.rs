//! Takes uploads in: what is whole and can be imported becomes a trace, and of anything else nothing is kept.

use syclscope_language::api::TraceEntry;

use crate::app::App;
use crate::error::AppError;
use crate::loading::Original;
use crate::storage::{About, Hosted, Kept, Stored, Upload, Version};

/// Makes a whole upload a trace, unless its project has these bytes already.
///
/// # Errors
/// When it is no trace or can't be stored.
pub(crate) async fn in_whole(
    app: &App,
    hosted: &Hosted,
    upload: Upload,
    about: &About,
) -> Result<Kept, AppError> {
    if upload.size_bytes() == 0 {
        return Err(AppError::EmptyUpload);
    }
    if let Some(known) = hosted.with_bytes(&about.project, &upload.sha256()).await? {
        return Ok(Kept::Known(known));
    }
    let original = Original::uploaded(&upload);
    let import = move |budget| original.import(budget);
    let import = app.cache.get(upload.id(), &Version::Only, upload.size_bytes(), || None, import);
    if let Err(error) = import.await {
        let name = upload.name().to_owned();
        return Err(AppError::Load { name, error });
    }
    let id = upload.id().clone();
    let kept = hosted.keep(upload, about).await.inspect_err(|_| app.cache.forget(&id))?;
    match &kept {
        Kept::New(Stored { entry: TraceEntry { name, size_bytes, .. }, .. }) => {
            tracing::info!(%id, ?name, size_bytes, "stored a trace");
        }
        Kept::Known(_) => app.cache.forget(&id),
    }
    Ok(kept)
}
