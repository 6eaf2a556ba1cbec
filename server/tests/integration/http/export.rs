//! Traces in other formats, and the viewers that they are handed to.

use std::io::Write as _;

use axum::body::{Body, Bytes};
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_engine::import;
use syclscope_language::api::TraceEntry;
use syclscope_language::event::{
    Category, Event, EventSink as _, Process, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;
use syclscope_server::access::Access;
use syclscope_server::page::Page;
use syclscope_server::storage::{Files, Storage};
use syclscope_server::viewers::Viewers;

use super::{TestServer, send, service_of, service_of_files};
use crate::recording;
use crate::support::Scratch;

#[tokio::test]
async fn a_recording_is_exported_without_loss() {
    let server = TestServer::new();
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
    // Every table is in the directory at the end, which is all that readers look at.
    for name in ["slices.parquet", "edges.parquet", "allocations.parquet"] {
        let places = tables.body.windows(name.len()).filter(|part| *part == name.as_bytes()).count();
        assert_eq!(places, 2, "{name}");
    }
}

/// A recording of one slice that began when the machine had run for so long.
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
    let server = TestServer::new();
    let entry: TraceEntry = server.upload("late.pftrace", recorded_after(7_000_000_000)).await.json();
    let place = format!("/api/v1/traces/{}/export/perfetto", entry.id);
    assert!(server.get(&place).await.body == recorded_after(7_000_000_000), "as it was recorded");
    let place = format!("{place}?times=zero");
    assert!(server.get(&place).await.body == recorded_after(0), "from zero");
    server.get(&place.replace("zero", "one")).await.is_error(400, "bad_request");
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
