//! Traces in other formats, and external viewers.

use std::io::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use http_body_util::BodyExt as _;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::import;
use syclscope_language::api::TraceEntry;
use syclscope_language::event::{
    Category, Event, EventSink as _, Process, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;
use syclscope_server::app::App;
use syclscope_server::auth::{Access, Proxies};
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::page::Page;
use syclscope_server::http::router::router;
use syclscope_server::limits::exports::MAX_UNSENT_OF_CLIENT;
use syclscope_server::storage::{Files, Storage};
use tower::ServiceExt as _;

use super::{TestServer, app_of, hosted, send, service_of, service_of_files};
use crate::recording;
use crate::scratch::Scratch;

#[tokio::test]
async fn a_recording_is_exported_without_loss() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let export = |format: &str| format!("/api/v1/traces/{}/export/{format}", entry.id);
    for (format, name, expected) in
        [("perfetto", "run.pftrace", recording::as_perfetto()), ("json", "run.json", recording::as_json())]
    {
        let answer = server.get(&export(format)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.body == expected, "{format}");
        let disposition = answer.header("content-disposition");
        assert!(disposition.starts_with(&format!("attachment; filename=\"{name}\"")), "{disposition}");
        assert_eq!(answer.header("content-type"), "application/octet-stream");
    }
    let profile: serde_json::Value = server.get(&export("fxprof")).await.json();
    assert!(profile["meta"]["preprocessedProfileVersion"].is_number());
    let tables = server.get(&export("parquet")).await;
    assert!(tables.body.starts_with(b"PK\x03\x04"));
    // Readers read only the directory at the end, which names every table.
    for name in ["slices.parquet", "edges.parquet", "allocations.parquet"] {
        let places = tables.body.windows(name.len()).filter(|part| *part == name.as_bytes()).count();
        assert_eq!(places, 2, "{name}");
    }
}

/// Returns a recording of one slice, whose process began at this time of the machine's monotonic clock.
fn recorded_after(start_monotonic_ns: u64) -> Vec<u8> {
    let mut writer = perfetto::Writer::new();
    let process =
        Process { pid: 7, name: "program", recorder: "syclscope", start_monotonic_ns, ..Process::default() };
    writer.event(&Event::Process(process));
    let track = Track { track: 1, parent: None, kind: TrackKind::Thread, name: "main", tid: 7 };
    writer.event(&Event::Track(track));
    let (at, category) = (Timestamp(1_000), Category::Wait);
    let begin = SliceBegin {
        track: 1,
        at,
        category,
        name: "wait",
        node: None,
        location: SourceLocation::default(),
        args: &[],
    };
    writer.event(&Event::SliceBegin(begin));
    writer.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(5_000), args: &[] }));
    writer.event(&Event::Finish { at: Timestamp(9_000) });
    writer.finish();
    writer.take_bytes()
}

#[tokio::test]
async fn times_may_count_from_the_start_of_the_trace() {
    let server = TestServer::new().await;
    let entry: TraceEntry = server.upload("late.pftrace", recorded_after(7_000_000_000)).await.json();
    let place = format!("/api/v1/traces/{}/export/perfetto", entry.id);
    assert!(server.get(&place).await.body == recorded_after(7_000_000_000), "as it was recorded");
    let place = format!("{place}?times=zero");
    assert!(server.get(&place).await.body == recorded_after(0), "from zero");
    server.get(&place.replace("zero", "one")).await.is_error(400, "bad_request");
    server.get(&place.replace("times", "time")).await.is_error(400, "bad_request");
    server.get(&place.replace("perfetto", "svg")).await.is_error(404, "not_found");
}

#[tokio::test]
async fn a_file_of_another_tool_is_exported_through_the_store() {
    let scratch = Scratch::new();
    let mut file = Vec::new();
    write!(file, r#"{{"traceEvents":[{{"ph":"X","pid":1,"tid":2,"ts":1.5,"dur":2,"name":"a"}}]}}"#)
        .expect("memory");
    scratch.file("other.json", file);
    let router = service_of_files(&scratch, ".");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    let answer =
        send(&router, "GET", &format!("/api/v1/traces/{id}/export/perfetto"), &[], Body::empty()).await;
    assert_eq!(import::open(&answer.body).expect("a trace").info().counts.slices, 1);
}

#[tokio::test]
async fn the_page_is_told_of_viewers_that_the_settings_name() {
    let index = "<base href=\"./\"><meta name=\"syclscope-viewers\">";
    let page = || Page::new([("index.html".to_owned(), Bytes::from_static(index.as_bytes()), None)]);
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let service = |viewers| {
        let files = Files::at(&scratch.path("run.pftrace")).expect("files");
        service_of(Storage::Files(files), page(), Access::Everybody, viewers)
    };
    let plain = send(&service(Viewers::default()), "GET", "/t/x", &[], Body::empty()).await;
    assert!(plain.text().ends_with("<meta name=\"syclscope-viewers\">"), "{}", plain.text());
    let viewers = Viewers { perfetto: Some("http://ui:10000".into()), firefox: Some("https://fx".into()) };
    let told = send(&service(viewers), "GET", "/t/x", &[], Body::empty()).await;
    let expected =
        "<meta name=\"syclscope-viewers\" data-perfetto=\"http://ui:10000\" data-firefox=\"https://fx\">";
    assert!(told.text().ends_with(expected), "{}", told.text());
    assert_ne!(told.header("etag"), plain.header("etag"));
}

/// Returns a recording that the server reads and sends in more pieces than may wait for a client.
fn long_recording() -> Vec<u8> {
    let mut writer = perfetto::Writer::new();
    writer.event(&Event::Process(Process { pid: 7, name: "program", ..Process::default() }));
    writer.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "main",
        tid: 7,
    }));
    for at in 0..20_000 {
        let name = format!("{at} {}", "a name that is said once".repeat(16));
        let (category, location) = (Category::Wait, SourceLocation::default());
        let at = Timestamp(at * 2_000);
        let begin = SliceBegin { track: 1, at, category, name: &name, node: None, location, args: &[] };
        writer.event(&Event::SliceBegin(begin));
        writer.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at.0 + 1_000), args: &[] }));
    }
    writer.event(&Event::Finish { at: Timestamp(100_000_000) });
    writer.finish();
    let bytes = writer.take_bytes();
    assert!(bytes.len() > 4 << 20, "{} bytes would fit into what waits for a client", bytes.len());
    bytes
}

async fn only_trace(router: &Router) -> String {
    let list = send(router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    list.json::<Vec<TraceEntry>>().remove(0).id
}

#[test]
fn slow_clients_keep_nobody_from_anything() {
    const THREADS: usize = 8;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        runtime.worker_threads(2).max_blocking_threads(THREADS).enable_all().build().expect("threads");
    let scratch = Scratch::new();
    runtime.block_on(async {
        let storage = hosted(&scratch.path("data"), 64 << 20).await;
        let db = storage.hosted().ok().map(|hosted| hosted.db().clone());
        let app = app_of(storage, Page::embedded(), Access::Everybody, Viewers::default());
        // A request without a socket counts as a proxy's.
        let proxies = Proxies::at(vec!["0.0.0.0/32".parse().expect("an address")]);
        let router = router(Arc::new(App { db, proxies, ..app }));
        let from = |client| [("x-forwarded-for", client), ("content-type", "application/json")];
        let slow_client = from("192.0.2.1");
        let upload = send(&router, "POST", "/api/v1/traces?name=run", &slow_client, long_recording().into());
        let id = upload.await.json::<TraceEntry>().id;
        let place = format!("/api/v1/traces/{id}/export/json");
        let request = || {
            let request =
                Request::get(&place).header("host", "127.0.0.1").header("x-forwarded-for", "192.0.2.1");
            router.clone().oneshot(request.body(Body::empty()).expect("a request"))
        };
        // Each answered request is held, and nothing of its response is read.
        let slow: Vec<_> = (0..2 * MAX_UNSENT_OF_CLIENT).map(|_| tokio::spawn(request())).collect();
        let answered = || slow.iter().filter(|client| client.is_finished()).count();
        while answered() < MAX_UNSENT_OF_CLIENT {
            tokio::task::yield_now().await;
        }
        for client in ["192.0.2.2", "192.0.2.3"] {
            let client = from(client);
            for format in ["json", "perfetto", "fxprof", "parquet"] {
                let place = format!("/api/v1/traces/{id}/export/{format}");
                let export = send(&router, "GET", &place, &client, Body::empty()).await;
                assert_eq!(export.status, 200, "{format}");
                assert!(!export.body.is_empty());
            }
            let cleaned = format!("/api/v1/traces/{id}/cleaned");
            let copy = send(&router, "POST", &cleaned, &client, r#"{"kinds": ["programs"]}"#.into()).await;
            assert_eq!(copy.status, 201, "{}", copy.text());
        }
        for client in ["192.0.2.1", "192.0.2.2"] {
            let asked = format!("/api/v1/traces/{id}/report");
            assert_eq!(send(&router, "GET", &asked, &from(client), Body::empty()).await.status, 200);
        }
        // A finished or dropped export frees a place for the client's next one, so all are answered, one after the
        // other.
        let mut waiting = slow;
        while !waiting.is_empty() {
            let (done, others): (Vec<_>, Vec<_>) =
                waiting.into_iter().partition(|client| client.is_finished());
            for (number, client) in done.into_iter().enumerate() {
                let answer = client.await.expect("no panic").expect("an answer");
                // An export that waited too long on a busy machine was dropped.
                if number % 2 == 0
                    && let Ok(body) = answer.into_body().collect().await
                {
                    assert!(import::open(&body.to_bytes()).is_ok(), "all of it");
                }
            }
            waiting = others;
            tokio::task::yield_now().await;
        }
    });
}

#[tokio::test]
async fn whoever_asks_for_the_head_of_an_export_starts_none() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let storage = Storage::Files(Files::at(scratch.folder()).expect("files"));
    let app = app_of(storage, Page::embedded(), Access::Everybody, Viewers::default());
    let exports = app.exports.clone().closed();
    let router = router(Arc::new(App { exports, ..app }));
    let place = format!("/api/v1/traces/{}/export/perfetto", only_trace(&router).await);
    let head = send(&router, "HEAD", &place, &[], Body::empty()).await;
    assert_eq!(head.status, 200);
    assert!(
        head.header("content-disposition").contains("run.pftrace"),
        "{}",
        head.header("content-disposition")
    );
    send(&router, "GET", &place, &[], Body::empty()).await.is_error(503, "busy");
}
