//! A trace at a glance: Markdown and a picture.

use std::sync::Arc;

use axum::body::Body;
use syclscope_engine::export::{Exporter as _, chrome_json};
use syclscope_language::event::{
    Category, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder, SliceBegin,
    SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::question::GapsQuestion;
use syclscope_language::time::Timestamp;
use syclscope_report::overview;
use syclscope_server::app::App;
use syclscope_server::auth::Access;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::frame_ancestors::Frames;
use syclscope_server::http::router::router;
use syclscope_server::storage::{Files, Storage};

use super::{TestServer, app_of, page, send};
use crate::recording;
use crate::scratch::Scratch;

#[tokio::test]
async fn markdown_is_the_report_of_the_trace() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let answer = server.get(&format!("/api/v1/traces/{}/summary.md", entry.id)).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, "text/markdown; charset=utf-8")
    );
    let text = answer.text();
    for part in ["### heat\n", "`run.pftrace`: 50.00 µs", "| `heat_step` | kernel | 3 | 6.000 µs | 100.0 % |"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let trace = syclscope_engine::import::open(&recording::as_perfetto()).expect("a trace");
    let gaps = trace.gaps(&GapsQuestion { limit: 3, ..GapsQuestion::default() }).ok();
    let reported = overview::markdown("run.pftrace", &trace.info(), &trace.report(), gaps.as_ref(), None);
    assert_eq!(text.trim_end(), reported.trim_end());
    server.get("/api/v1/traces/abcdefghijklmnopqrstuvwxyz/summary.md").await.is_error(404, "not_found");

    let address = |query: &str| format!("/api/v1/traces/{}/summary.md?{query}", entry.id);
    let part = server.get(&address("from=11500&to=22000")).await.text();
    assert!(part.contains("\n**Part**: from 11.50 µs to 22.00 µs\n"), "{part}");
    assert!(part.contains("| `heat_step` | kernel | 2 |"), "{part}");
    let part = server.get(&address("iterations=2-3")).await.text();
    assert!(part.contains("\n**Part**: iterations 2\\-3\n"), "{part}");
    server.get(&address("iterations=4")).await.is_error(404, "not_found");
    server.get(&address("form=11500")).await.is_error(400, "bad_request");
    let report = server.get(&address("region=solve").replace(".md", ".html")).await;
    assert_eq!(report.status, 404, "{}", report.text());
}

#[tokio::test]
async fn the_report_is_a_page_that_loads_nothing() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let address = format!("/api/v1/traces/{}/summary.html", entry.id);
    let answer = server.get(&address).await;
    let headers = ["content-type", "content-disposition"].map(|name| answer.header(name));
    assert_eq!(answer.status, 200);
    assert_eq!(headers, ["text/html; charset=utf-8", "inline; filename=\"report.html\""]);
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("frame-ancestors 'none'") && !policy.contains("script-src"), "{policy}");
    let trace = syclscope_engine::import::open(&recording::as_perfetto()).expect("a trace");
    let contents = overview::HtmlContents::of_run(&trace).expect("a report");
    let view = format!("../../../../t/{}", entry.id);
    let reported = overview::html("run.pftrace", &trace, &contents, Some(&view)).expect("a report");
    assert_eq!(answer.text().trim_end(), reported.trim_end());
    assert!(answer.text().contains(&format!("href=\"{view}\"")));
}

#[tokio::test]
async fn the_picture_shows_devices_and_commands_and_is_not_sent_twice() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let address = format!("/api/v1/traces/{}/picture.svg", entry.id);
    let answer = server.get(&address).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "image/svg+xml"));
    let picture = answer.text();
    for part in [
        "<title>heat: 50.00 µs, devices busy 12.0 %, 3 executions</title>",
        ">heat_step</text>",
        "6.000 µs · 100.0 % · 3 runs",
        "<view id=\"activity\" viewBox=\"190 76 654 22\" preserveAspectRatio=\"none\"/>",
    ] {
        assert!(picture.contains(part), "{part} is not in\n{picture}");
    }
    assert_eq!(picture.matches("<path fill=\"#4f7fd6\"").count(), 1, "one queue, of kernels:\n{picture}");
    let again =
        server.send("GET", &address, &[("if-none-match", answer.header("etag"))], Body::empty()).await;
    assert_eq!(again.status, 304);
    assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
}

#[tokio::test]
async fn in_the_picture_devices_that_copy_are_busy() {
    let server = TestServer::new().await;
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../e2e/traces/heat.pftrace.gz");
    let stored = server.upload("heat.pftrace.gz", std::fs::read(kept).expect("the recording is there")).await;
    let address = format!("/api/v1/traces/{}", stored.json::<syclscope_language::api::TraceEntry>().id);
    let report = server.get(&format!("{address}/report")).await.json::<syclscope_language::api::Report>();
    let (split, busy_ns) = (report.split, report.covered.device_ns);
    assert!(0 < split.copy_ns && split.copy_ns < busy_ns, "{split:?}");
    let busy = format!("devices busy {:.1} %", busy_ns as f64 * 100.0 / split.run_ns as f64);
    let picture = server.get(&format!("{address}/picture.svg")).await.text();
    assert!(picture.contains(&busy), "{busy} is not in\n{}", picture.lines().next().unwrap_or_default());
}

#[tokio::test]
async fn names_are_only_text() {
    const HOSTILE: &str = "<script>alert(1)</script>&\"|`@all";
    let mut writer = chrome_json::Writer::new();
    let location = SourceLocation { function: HOSTILE, file: HOSTILE, line: 1, column: 1 };
    writer.event(&Event::Process(Process { pid: 1, name: HOSTILE, ..Process::default() }));
    writer.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: HOSTILE,
        tid: 1,
    }));
    let (at, category) = (Timestamp(10), Category::Other);
    writer.event(&Event::SliceBegin(SliceBegin {
        track: 1,
        at,
        category,
        name: HOSTILE,
        node: None,
        location,
        args: &[],
    }));
    writer.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(90), args: &[] }));
    writer.finish();
    let server = TestServer::new().await;
    let stored = server.upload("a%60b%7C.json", writer.take_bytes()).await;
    let id = stored.json::<syclscope_language::api::TraceEntry>().id;
    for kind in ["summary.md", "summary.html", "picture.svg"] {
        let text = server.get(&format!("/api/v1/traces/{id}/{kind}")).await.text();
        let plain = text.replace("\\<", "");
        assert!(text.contains("script") && !plain.contains("<script"), "{text}");
    }
}

#[tokio::test]
async fn names_of_commands_leave_a_picture_that_xml_allows() {
    const NAME: &str = "a\u{1}b\u{202e}c";
    let mut writer = chrome_json::Writer::new();
    writer.event(&Event::Process(Process { pid: 1, name: "app", ..Process::default() }));
    writer.event(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(1),
        runtime_id: 1,
        handle: 1,
        order: QueueOrder::InOrder,
        device: "device",
        device_type: "GPU",
        device_handle: 2,
        context: 3,
    }));
    let (kind, queue, args) = (NodeKind::Kernel, 1, &[][..]);
    writer.event(&Event::Node(Node {
        node: 1,
        at: Timestamp(10),
        kind,
        name: NAME,
        queue: Some(queue),
        tid: 1,
        location: SourceLocation::default(),
        args,
    }));
    let (queued, submitted, start, end) = (None, None, Timestamp(20), Timestamp(90));
    writer.event(&Event::Execution(Execution {
        node: 1,
        queue,
        kind,
        name: NAME,
        queued,
        submitted,
        start,
        end,
        args,
    }));
    writer.event(&Event::Finish { at: Timestamp(100) });
    writer.finish();
    let server = TestServer::new().await;
    let stored = server.upload("run.json", writer.take_bytes()).await;
    let id = stored.json::<syclscope_language::api::TraceEntry>().id;
    let picture = server.get(&format!("/api/v1/traces/{id}/picture.svg")).await.text();
    assert!(picture.contains(">a\u{fffd}b\u{fffd}c</text>"), "{picture}");
    assert!(!picture.contains(|letter: char| letter.is_control() && letter != '\n'), "{picture}");
}

#[tokio::test]
async fn those_who_may_frame_the_page_may_show_its_pictures() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let files = Files::at(&scratch.path("run.pftrace")).expect("files");
    let id = files.only().expect("one file").expect("a trace").id;
    let frames = Frames::new(vec!["https://wiki.example".parse().expect("an origin")]);
    let app = app_of(Storage::Files(files), page(), Access::Everybody, Viewers::default());
    let router = router(Arc::new(App { frames, ..app }));
    for (path, policy) in [
        ("picture.svg", "cross-origin"),
        ("summary.md", "same-origin"),
        ("summary.html", "same-origin"),
        ("file", "same-origin"),
    ] {
        let answer = send(&router, "GET", &format!("/api/v1/traces/{id}/{path}"), &[], Body::empty()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("cross-origin-resource-policy")),
            (200, policy),
            "{path}"
        );
    }
}
