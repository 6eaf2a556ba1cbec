//! Uploads in parts: they survive whatever breaks, and become the same traces.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use sha2::{Digest as _, Sha256};
use syclscope_language::api::{TraceEntry, UploadAnswer, UploadEntry, UploadState};
use syclscope_server::auth::Access;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;
use syclscope_server::ingest::jobs::Jobs;

use super::{Answer, TestServer, app_of, hosted, page};
use crate::recording;
use crate::scratch::Scratch;

/// Large enough for two parts.
const LIMIT_BYTES: u64 = 40 << 20;

async fn working() -> (TestServer, Jobs) {
    let scratch = Scratch::new();
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let kept = storage.hosted().expect("what a server keeps").clone();
    let app = Arc::new(app_of(storage, page(), Access::Everybody, Viewers::default()));
    let jobs = Jobs::start(&app, &kept).expect("random numbers");
    (TestServer { router: router(app), scratch }, jobs)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a recording with so much white space before its end that it has two parts.
fn large() -> Vec<u8> {
    let mut bytes = recording::as_json();
    let end = bytes.iter().rposition(|byte| *byte == b']' || *byte == b'}').expect("JSON ends");
    let rest = bytes.split_off(end);
    bytes.resize(17 << 20, b' ');
    bytes.extend(rest);
    bytes
}

async fn begin(server: &TestServer, name: &str, bytes: &[u8]) -> Answer {
    let text = format!(r#"{{"name":"{name}","size_bytes":{},"sha256":"{}"}}"#, bytes.len(), sha256(bytes));
    let json = [("content-type", "application/json")];
    server.send("POST", "/api/v1/uploads", &json, Body::from(text)).await
}

async fn put(server: &TestServer, info: &UploadEntry, number: u64, bytes: &[u8]) -> Answer {
    let path = format!("/api/v1/uploads/{}/parts/{number}", info.id);
    server.send("PUT", &path, &[], Body::from(bytes.to_vec())).await
}

async fn complete(server: &TestServer, info: &UploadEntry) -> Answer {
    server.send("POST", &format!("/api/v1/uploads/{}/complete", info.id), &[], Body::empty()).await
}

async fn over(server: &TestServer, info: &UploadEntry) -> UploadEntry {
    loop {
        let now: UploadEntry = server.get(&format!("/api/v1/uploads/{}", info.id)).await.json();
        if !matches!(now.state, UploadState::Open | UploadState::Importing) {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn opened(server: &TestServer, name: &str, bytes: &[u8]) -> UploadEntry {
    match begin(server, name, bytes).await.json() {
        UploadAnswer::Open(entry) => entry,
        UploadAnswer::There(trace) => panic!("{trace:?} has these bytes"),
    }
}

fn failure(upload: UploadEntry) -> String {
    match upload.state {
        UploadState::Failed { message } => message,
        state => panic!("{state:?}"),
    }
}

fn parts_on_disk(server: &TestServer) -> usize {
    std::fs::read_dir(server.scratch.path("data/uploads")).expect("the folder of parts").count()
}

/// Waits until nothing of an upload is on the disk. Its files are removed after its state has changed.
async fn cleared(server: &TestServer) {
    while (server.incoming(), parts_on_disk(server)) != (0, 0) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn parts_become_a_trace_whatever_their_order() {
    let (server, _jobs) = working().await;
    let bytes = large();
    let info = opened(&server, "run.json", &bytes).await;
    assert_eq!((&info.state, info.parts.len()), (&UploadState::Open, 0));
    let cut = usize::try_from(info.part_bytes).expect("a size");
    assert!(cut < bytes.len() && bytes.len() < 2 * cut);
    assert_eq!(put(&server, &info, 1, &bytes[cut..]).await.status, StatusCode::NO_CONTENT);
    complete(&server, &info).await.is_error(409, "parts_missing");
    // The connection breaks; the client begins again with the same bytes.
    let again = opened(&server, "run.json", &bytes).await;
    assert_eq!((&again.id, &again.parts[..]), (&info.id, &[1][..]));
    for _ in 0..2 {
        assert_eq!(put(&server, &info, 0, &bytes[..cut]).await.status, StatusCode::NO_CONTENT);
    }
    assert_eq!(complete(&server, &info).await.status, StatusCode::ACCEPTED);
    let done = over(&server, &info).await.state;
    let traces: Vec<TraceEntry> = server.get("/api/v1/traces").await.json();
    assert_eq!(traces.len(), 1);
    assert_eq!(done, UploadState::Done { trace: traces[0].clone() });
    assert_eq!(traces[0].id, info.id);
    assert_eq!(server.get(&format!("/api/v1/traces/{}/file", info.id)).await.body, bytes);
    cleared(&server).await;
    // The upload has ended: it accepts no parts, and is not imported twice.
    put(&server, &info, 0, &bytes[..cut]).await.is_error(409, "upload_over");
    assert_eq!(complete(&server, &info).await.json::<UploadEntry>().state, done);
    let known: UploadAnswer = begin(&server, "again.json", &bytes).await.json();
    assert_eq!(known, UploadAnswer::There(traces[0].clone()));
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>(), traces);
}

#[tokio::test]
async fn what_is_no_trace_or_not_what_was_announced_fails_with_its_reason() {
    let (server, _jobs) = working().await;
    let info = opened(&server, "text", b"no trace").await;
    let large = put(&server, &info, 0, b"too large").await;
    large.is_error(400, "bad_request");
    assert!(large.text().contains("part 0 must have 8 bytes"), "{}", large.text());
    put(&server, &info, 0, b"short").await.is_error(400, "bad_request");
    put(&server, &info, 1, b"more").await.is_error(404, "no_such_part");
    assert_eq!(put(&server, &info, 0, b"no trace").await.status, StatusCode::NO_CONTENT);
    complete(&server, &info).await;
    assert!(failure(over(&server, &info).await).contains("text"), "it names the file");
    let metrics = server.get("/metrics").await.text();
    assert!(metrics.contains("syclscope_errors_total{error=\"not_a_trace\"} 1"), "{metrics}");

    let info = opened(&server, "other", b"[\"a\"]").await;
    assert_eq!(put(&server, &info, 0, b"[\"b\"]").await.status, StatusCode::NO_CONTENT);
    complete(&server, &info).await;
    assert!(failure(over(&server, &info).await).contains("SHA-256"));
    cleared(&server).await;
    assert_eq!(server.get("/api/v1/traces").await.body, "[]");
}

#[tokio::test]
async fn uploads_that_cannot_be_are_refused_at_once() {
    let (server, _jobs) = working().await;
    let json = [("content-type", "application/json")];
    let digest = sha256(b"x");
    for (text, status, code) in [
        (format!(r#"{{"name":"a","size_bytes":{},"sha256":"{digest}"}}"#, LIMIT_BYTES + 1), 413, "too_large"),
        (format!(r#"{{"name":"a","size_bytes":0,"sha256":"{digest}"}}"#), 422, "not_a_trace"),
        (r#"{"name":"a","size_bytes":1,"sha256":"abc"}"#.to_owned(), 400, "bad_request"),
        (
            format!(r#"{{"name":"a","size_bytes":1,"sha256":"{digest}","project":"nowhere"}}"#),
            404,
            "no_such_project",
        ),
        (
            format!(r#"{{"name":"a","size_bytes":1,"sha256":"{digest}","project":"../x"}}"#),
            400,
            "bad_request",
        ),
        (
            format!(r#"{{"name":"a","size_bytes":1,"sha256":"{digest}","labels":{{"":"x"}}}}"#),
            400,
            "bad_request",
        ),
        ("{".to_owned(), 400, "bad_request"),
    ] {
        server.send("POST", "/api/v1/uploads", &json, text.into()).await.is_error(status, code);
    }
    let missing = format!("/api/v1/uploads/{}", "a".repeat(26));
    server.get(&missing).await.is_error(404, "not_found");
    server.send("DELETE", &missing, &[], Body::empty()).await.is_error(404, "not_found");
}

#[tokio::test]
async fn an_upload_without_a_digest_goes_on_by_its_id() {
    let (server, _jobs) = working().await;
    let bytes = recording::as_json();
    let announce = || async {
        let text = format!(r#"{{"name":"run.json","size_bytes":{}}}"#, bytes.len());
        let json = [("content-type", "application/json")];
        match server.send("POST", "/api/v1/uploads", &json, Body::from(text)).await.json() {
            UploadAnswer::Open(entry) => entry,
            UploadAnswer::There(trace) => panic!("nobody knows whether {trace:?} has these bytes"),
        }
    };
    let (one, other) = (announce().await, announce().await);
    assert_ne!(one.id, other.id, "two files of one size may have nothing in common");
    let path = format!("/api/v1/uploads/{}/parts/0", one.id);
    let send = |digest: String| {
        let (server, path, bytes) = (&server, &path, bytes.clone());
        async move { server.send("PUT", path, &[("x-content-sha256", &*digest)], bytes.into()).await }
    };
    send(sha256(b"other")).await.is_error(400, "other_digest");
    assert_eq!(send(sha256(&bytes)).await.status, StatusCode::NO_CONTENT);
    assert_eq!(server.get(&format!("/api/v1/uploads/{}", one.id)).await.json::<UploadEntry>().parts, [0]);
    complete(&server, &one).await;
    let UploadState::Done { trace } = over(&server, &one).await.state else { panic!("it is a trace") };
    // Once uploaded, the same bytes are the same trace.
    assert_eq!(put(&server, &other, 0, &bytes).await.status, StatusCode::NO_CONTENT);
    complete(&server, &other).await;
    assert_eq!(over(&server, &other).await.state, UploadState::Done { trace });
}

#[tokio::test]
async fn a_temporary_failure_of_an_import_counts_as_an_error() {
    let (server, _jobs) = working().await;
    let bytes = recording::as_json();
    let info = opened(&server, "run.json", &bytes).await;
    assert_eq!(put(&server, &info, 0, &bytes).await.status, StatusCode::NO_CONTENT);
    // The server can't write its files.
    let incoming = server.scratch.path("data/incoming");
    std::fs::remove_dir(&incoming).expect("an empty folder");
    std::fs::write(&incoming, "").expect("a file in its place");
    complete(&server, &info).await;
    while !server.get("/metrics").await.text().contains("syclscope_errors_total{error=\"io\"} ") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_upload_can_be_dropped() {
    let (server, _jobs) = working().await;
    let info = opened(&server, "run.json", b"[]").await;
    assert_eq!(put(&server, &info, 0, b"[]").await.status, StatusCode::NO_CONTENT);
    let path = format!("/api/v1/uploads/{}", info.id);
    assert_eq!(server.send("DELETE", &path, &[], Body::empty()).await.status, StatusCode::NO_CONTENT);
    server.get(&path).await.is_error(404, "not_found");
    assert_eq!(parts_on_disk(&server), 0);
}

#[tokio::test]
async fn the_same_bytes_in_one_request_are_the_trace_that_is_there() {
    let server = TestServer::new().await;
    let first = server.with_trace().await;
    let again = server.upload("other.pftrace", recording::as_perfetto()).await;
    assert_eq!((again.status, again.json::<TraceEntry>()), (StatusCode::OK, first));
    let announce = |digest: String| {
        let server = &server;
        async move {
            let headers = [("x-content-sha256", digest.as_str())];
            server.send("POST", "/api/v1/traces?name=a.json", &headers, recording::as_json().into()).await
        }
    };
    announce(sha256(b"other")).await.is_error(400, "other_digest");
    assert_eq!(announce(sha256(&recording::as_json()).to_uppercase()).await.status, StatusCode::CREATED);
    assert_eq!(server.incoming(), 0);
    for (query, status, code) in [
        ("project=nowhere", 404, "no_such_project"),
        ("project=A%20B", 400, "bad_request"),
        ("label=branch", 400, "bad_request"),
        ("label=%3Dmain", 400, "bad_request"),
        ("lable=branch:main", 400, "bad_request"),
    ] {
        let path = format!("/api/v1/traces?name=x&{query}");
        server.send("POST", &path, &[], recording::as_json().into()).await.is_error(status, code);
    }
}

#[tokio::test]
async fn a_resumed_upload_has_the_last_name_and_labels() {
    let (server, _jobs) = working().await;
    let bytes = recording::as_json();
    let json = [("content-type", "application/json")];
    let mut begun = Vec::new();
    for (name, branch) in [("a.json", "dev"), ("b.json", "main")] {
        let text = format!(
            r#"{{"name":"{name}","size_bytes":{},"sha256":"{}","labels":{{"branch":"{branch}"}}}}"#,
            bytes.len(),
            sha256(&bytes)
        );
        match server.send("POST", "/api/v1/uploads", &json, Body::from(text)).await.json() {
            UploadAnswer::Open(info) => begun.push(info),
            UploadAnswer::There(trace) => panic!("{trace:?}"),
        }
    }
    assert_eq!(begun[0].id, begun[1].id);
    put(&server, &begun[1], 0, &bytes).await;
    complete(&server, &begun[1]).await;
    over(&server, &begun[1]).await;
    let traces: Vec<TraceEntry> = server.get("/api/v1/traces?label=branch:main").await.json();
    assert_eq!(traces.iter().map(|trace| &*trace.name).collect::<Vec<_>>(), ["b.json"]);
}
