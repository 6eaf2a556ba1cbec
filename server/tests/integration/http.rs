//! The HTTP interface, in process and without a socket.

mod access;
mod api;
mod cleaned;
mod comments;
mod compare;
mod export;
mod files;
mod list;
mod memory;
mod openapi;
mod overview;
mod packed;
mod page;
mod parts;
mod prefix;
mod projects;
mod rates;
mod restart;
mod safety;
mod shown;
mod tries;
mod upload;
mod watched;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use syclscope_language::api::{ErrorBody, TraceEntry};
use syclscope_server::app::{App, Hosts};
use syclscope_server::auth::{Access, AuthCache, Guesses, Proxies, Rates};
use syclscope_server::comments::Live;
use syclscope_server::db::Db;
use syclscope_server::http::address::Prefix;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::frame_ancestors::Frames;
use syclscope_server::http::metrics::Metrics;
use syclscope_server::http::page::Page;
use syclscope_server::http::router::router;
use syclscope_server::http::view_sync::ViewSync;
use syclscope_server::ingest::imports::Imports;
use syclscope_server::ingest::trace_cache::TraceCache;
use syclscope_server::limits::MemoryAccount;
use syclscope_server::limits::exports::Exports;
use syclscope_server::limits::query_executor::{Questions, STEPS};
use syclscope_server::storage::{DataFolder, Files, Hosted, Storage};
use tower::ServiceExt as _;

use crate::recording;
use crate::scratch::Scratch;

const LIMIT_BYTES: u64 = 100_000;

/// An index page with an inline script and a hashed module, as the real one may have.
const INDEX: &str =
    "<!doctype html><base href=\"./\"><script type=\"module\">alert('Hello, world.');</script>";
const MODULE: &str = "page-0123456789abcdef_bg.wasm";

struct TestServer {
    router: Router,
    scratch: Scratch,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl TestServer {
    async fn new() -> Self {
        Self::over(Scratch::new()).await
    }

    /// Starts a server over the data of an earlier one.
    async fn over(scratch: Scratch) -> Self {
        let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
        let db = storage.hosted().ok().map(|hosted| hosted.db().clone());
        let app = app_of(storage, page(), Access::Everybody, Viewers::default());
        Self { router: router(Arc::new(App { db, ..app })), scratch }
    }

    /// Returns the number of entries in the folder for uploads.
    fn incoming(&self) -> usize {
        std::fs::read_dir(self.scratch.path("data/incoming")).expect("the folder for uploads").count()
    }

    async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Body::empty()).await
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Answer {
        send(&self.router, method, path, headers, body).await
    }

    async fn upload(&self, name: &str, bytes: impl Into<Body>) -> Answer {
        self.send("POST", &format!("/api/v1/traces?name={name}"), &[], bytes.into()).await
    }

    async fn with_trace(&self) -> TraceEntry {
        let answer = self.upload("run.pftrace", recording::as_perfetto()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        answer.json()
    }
}

async fn hosted(root: &Path, limit_bytes: u64) -> Storage {
    let folder = DataFolder::open(root).expect("a data folder");
    let db = Db::in_folder(folder.path()).await.expect("a database");
    db.migrate().await.expect("its tables");
    let (hosted, complaints) = Hosted::in_folder(folder, db, limit_bytes).await.expect("a storage");
    assert_eq!(complaints, [] as [&str; 0]);
    Storage::Hosted(hosted)
}

fn service(storage: Storage) -> Router {
    service_with(storage, page())
}

fn page() -> Page {
    let file = |path: &str, bytes: &'static [u8], brotli: Option<&'static [u8]>| {
        (path.to_owned(), Bytes::from_static(bytes), brotli.map(Bytes::from_static))
    };
    Page::new([
        file("index.html", INDEX.as_bytes(), None),
        file(MODULE, b"\0asm, long", Some(b"short")),
        file("boot.js", b"boot()", None),
        file("docs/index.html", b"<h1>Documents</h1>", None),
        file("docs/problems/index.html", b"<h1>Problems</h1>", None),
    ])
}

fn service_with(storage: Storage, page: Page) -> Router {
    service_for(storage, page, Access::Everybody)
}

fn service_for(storage: Storage, page: Page, access: Access) -> Router {
    service_of(storage, page, access, Viewers::default())
}

fn service_of(storage: Storage, page: Page, access: Access, viewers: Viewers) -> Router {
    router(Arc::new(app_of(storage, page, access, viewers)))
}

fn app_of(storage: Storage, page: Page, access: Access, viewers: Viewers) -> App {
    let account = MemoryAccount::new(2 << 30);
    let (cache, hosts) = (TraceCache::new(1 << 20, Imports::within(&account, 1 << 30)), Hosts::local([]));
    let (questions, exports) = (Questions::new(STEPS, &account), Exports::new(&account, &storage));
    let (prefix, frames) = (Prefix::default(), Frames::default());
    let (proxies, auth_cache, guesses) = (Proxies::default(), AuthCache::default(), Guesses::default());
    App {
        storage,
        db: None,
        cache,
        page,
        prefix,
        hosts,
        public: None,
        access,
        proxies,
        auth_cache,
        guesses,
        rates: Rates::per_minute(0),
        metrics: Metrics::default(),
        is_watched_by_all: false,
        questions,
        exports,
        live: Live::default(),
        view_sync: ViewSync::default(),
        frames,
        viewers,
    }
}

fn service_of_files(scratch: &Scratch, name: &str) -> Router {
    service(Storage::Files(Files::at(&scratch.path(name)).expect("files")))
}

async fn send(router: &Router, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "127.0.0.1:4717");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body).expect("a request");
    let response = router.clone().oneshot(request).await.expect("an answer");
    let (parts, mut body) = response.into_parts();
    // An event stream has no end that could be awaited.
    let is_endless = parts.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
    let body = if is_endless {
        body.frame().await.and_then(|frame| frame.ok()?.into_data().ok()).unwrap_or_default()
    } else {
        body.collect().await.expect("a whole body").to_bytes()
    };
    Answer { status: parts.status, headers: parts.headers, body }
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or("?"))
    }

    #[track_caller]
    fn is_error(&self, status: u16, code: &str) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        let body: ErrorBody = self.json();
        assert_eq!(body.error.code, code);
        assert!(body.error.message.len() > 10, "{}", body.error.message);
    }
}
