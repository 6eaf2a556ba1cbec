//! `GET /api/v1/traces/{id}/tiles/{view}/{track}/{level}/{index}`: what a track shows of a span at a resolution.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use syclscope_trace::source::TileView;

use crate::app::App;
use crate::controllers::answer::ask;
use crate::error::AppError;
use crate::extract::{TilePath, TracePath};

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    TracePath(stored): TracePath,
    TilePath(key): TilePath,
    request: HeaderMap,
) -> Result<Response, AppError> {
    match key.view {
        TileView::Timeline => ask(&app, &stored, &request, move |trace| trace.timeline_tile(key)).await,
        TileView::Counter => ask(&app, &stored, &request, move |trace| trace.counter_tile(key)).await,
        TileView::Density => ask(&app, &stored, &request, move |trace| trace.density_tile(key)).await,
    }
}
