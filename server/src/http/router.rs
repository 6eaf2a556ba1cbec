//! The routes of the HTTP interface.

mod routes;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;

pub use self::routes::Route;
use self::routes::Routes;
use crate::app::App;
use crate::http::controllers::{self as at, comments, links, members, projects, traces, uploads};
use crate::http::error::AppError;
use crate::http::middleware::{
    account, cross_site, drain_body, headers, host, limits, measure, panics, prefix, principal,
};

/// Routes of the API under `/api/v1`.
fn api() -> Routes {
    Routes::new()
        .get("/health", at::about::health)
        .get("/openapi.json", at::about::openapi)
        .get("/me", at::about::me)
        .get("/traces", traces::list::list)
        .post("/traces", traces::upload::upload)
        .get("/traces/{id}", at::answer::info)
        .delete("/traces/{id}", traces::changes::delete)
        .get("/traces/{id}/file", traces::file::download)
        .get("/traces/{id}/export/{format}", traces::export::download)
        .get("/traces/{id}/summary.md", traces::overview::markdown)
        .get("/traces/{id}/summary.html", traces::overview::html)
        .get("/traces/{id}/picture.svg", traces::overview::picture)
        .post("/traces/{id}/cleaned", traces::cleaned::store)
        .get("/traces/{id}/links", links::list)
        .post("/traces/{id}/links", links::make)
        .delete("/traces/{id}/links/{link}", links::withdraw)
        .put("/traces/{id}/labels/{key}", traces::changes::set_label)
        .delete("/traces/{id}/labels/{key}", traces::changes::remove_label)
        .put("/traces/{id}/pin", traces::changes::pin)
        .delete("/traces/{id}/pin", traces::changes::unpin)
        .put("/traces/{id}/shown/{name}", traces::shown::set)
        .get("/traces/{id}/shown/{name}", traces::shown::get)
        .get("/traces/{id}/comments", comments::list)
        .post("/traces/{id}/comments", comments::make)
        .get("/traces/{id}/comments/events", comments::events::listen)
        .put("/traces/{id}/comments/{comment}", comments::edit)
        .delete("/traces/{id}/comments/{comment}", comments::delete)
        .get("/mentions", comments::mentions)
        .post("/uploads", uploads::begin)
        .get("/uploads/{id}", uploads::show)
        .delete("/uploads/{id}", uploads::cancel)
        .put("/uploads/{id}/parts/{number}", uploads::put_part)
        .post("/uploads/{id}/complete", uploads::complete)
        .get("/projects", projects::list)
        .get("/projects/{project}", projects::show)
        .put("/projects/{project}", projects::change)
        .get("/projects/{project}/labels", projects::labels)
        .get("/projects/{project}/trends", projects::trends)
        .get("/projects/{project}/history", projects::history)
        .get("/projects/{project}/members", members::list)
        .put("/projects/{project}/members/{name}", members::set)
        .delete("/projects/{project}/members/{name}", members::remove)
        .get("/projects/{project}/audit", at::audit::list)
        .get("/traces/{id}/compare/{other}/{question}", at::answer::compare)
        .get("/traces/{id}/{*question}", at::answer::question)
}

/// Routes of sign-in, sign-out, redirects and monitoring.
fn doors() -> Routes {
    let doors = Routes::new()
        .get("/compare/{a}/{b}", at::latest::comparison)
        .get("/latest/{project}", at::latest::page)
        .get("/latest/{project}/summary.md", at::latest::markdown)
        .get("/latest/{project}/picture.svg", at::latest::picture)
        .get("/history/{project}", at::history::page)
        .get("/tries", at::tries::page)
        .get("/sign-in", at::sign_in::show)
        .post("/sign-in", at::sign_in::sign_in)
        .post("/sign-out", at::sign_in::sign_out)
        .get("/healthz", at::about::healthz)
        .get("/readyz", at::about::ready)
        .get("/metrics", at::about::metrics);
    doors.get("/signed-in", at::sign_in::provider::end)
}

/// Returns every guarded route with its action: API, sign-in and monitoring. All other URLs are the page's
/// files, which are public.
pub fn routes() -> Vec<Route> {
    let api = api();
    let below = |route: &Route| Route { path: format!("/api/v1{}", route.path), ..route.clone() };
    let mut all: Vec<Route> = api.table().iter().map(below).collect();
    all.extend_from_slice(doors().table());
    all
}

/// Returns the page's router, with the API below it.
fn site(api: Router<Arc<App>>) -> Router<Arc<App>> {
    let api = api
        .fallback(|| async { AppError::NoSuchAddress })
        .method_not_allowed_fallback(|| async { AppError::WrongMethod });
    Router::new()
        .nest("/api/v1", api)
        .route("/api", get(|| async { AppError::NoSuchAddress }))
        .route("/api/{*rest}", get(|| async { AppError::NoSuchAddress }))
        .route("/", get(at::page::index))
        .route("/t/{id}", get(at::page::index))
        .fallback(get(at::page::file).fallback(|| async { AppError::WrongMethod }))
        .method_not_allowed_fallback(|| async { AppError::WrongMethod })
}

pub fn router(app: Arc<App>) -> Router {
    let (api, linked) = api().into_routers();
    let path = app.prefix.clone();
    // Not for the page's files, which are in memory anyway.
    let count = || from_fn_with_state(Arc::clone(&app), limits::count_unsent);
    let server = site(api.layer(count()))
        .merge(doors().into_routers().0.layer(count()))
        // Below a link's secret there are only the page and the routes that a link may use.
        .nest("/s/{secret}", site(linked.layer(count())))
        .layer(from_fn_with_state(Arc::clone(&app), limits::count_change))
        .layer(from_fn(cross_site::refuse))
        .layer(from_fn_with_state(Arc::clone(&app), limits::admit))
        .layer(from_fn_with_state(Arc::clone(&app), principal::find))
        .layer(from_fn_with_state(Arc::clone(&app), account::welcome))
        .layer(from_fn_with_state(Arc::clone(&app), host::check))
        .layer(from_fn(drain_body::read))
        .layer(from_fn(panics::catch))
        .layer(from_fn_with_state(Arc::clone(&app), headers::add))
        .layer(from_fn_with_state(Arc::clone(&app), measure::count))
        .layer(from_fn(measure::log))
        .with_state(app);
    prefix::before(server, &path)
}
