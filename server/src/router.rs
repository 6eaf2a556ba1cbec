//! The table of contents of the HTTP interface.

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post, put};

use crate::app::App;
use crate::controllers::{self as at, traces, uploads};
use crate::error::AppError;
use crate::middleware::{account, cross_site, headers, host, panics, prefix, requests};

/// The whole server as a service.
pub fn router(app: Arc<App>) -> Router {
    let api = Router::new()
        .route("/health", get(at::health::show))
        .route("/traces", get(traces::list::list).merge(post(traces::upload::upload)))
        .route("/traces/{id}", get(traces::info::show).delete(traces::delete::delete))
        .route("/traces/{id}/file", get(traces::file::download))
        .route("/traces/{id}/export/{format}", get(traces::export::download))
        .route("/traces/{id}/summary.md", get(traces::overview::markdown))
        .route("/traces/{id}/picture.svg", get(traces::overview::picture))
        .route("/traces/{id}/{*question}", get(traces::question::show))
        .route("/uploads", post(uploads::begin::begin))
        .route("/uploads/{id}", get(uploads::show::show).delete(uploads::cancel::cancel))
        .route("/uploads/{id}/parts/{number}", put(uploads::part::put))
        .route("/uploads/{id}/complete", post(uploads::complete::complete))
        .fallback(|| async { AppError::NoSuchAddress })
        .method_not_allowed_fallback(|| async { AppError::WrongMethod });

    let path = app.prefix.clone();
    let server = Router::new()
        .nest("/api/v1", api)
        .route("/api", get(|| async { AppError::NoSuchAddress }))
        .route("/api/{*rest}", get(|| async { AppError::NoSuchAddress }))
        .route("/", get(at::page::index))
        .route("/t/{id}", get(at::page::index))
        .fallback(get(at::page::file).fallback(|| async { AppError::WrongMethod }))
        .method_not_allowed_fallback(|| async { AppError::WrongMethod })
        .layer(from_fn(cross_site::refuse))
        .layer(from_fn_with_state(Arc::clone(&app), account::check))
        .layer(from_fn_with_state(Arc::clone(&app), host::check))
        .layer(from_fn(panics::catch))
        .layer(from_fn_with_state(Arc::clone(&app), headers::add))
        .layer(from_fn(requests::log))
        .with_state(app);
    prefix::before(server, &path)
}
