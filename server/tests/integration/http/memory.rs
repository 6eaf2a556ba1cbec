//! Unsent answers and comparisons are bounded and delay no other client.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use syclscope_language::api::TraceEntry;
use syclscope_server::app::App;
use syclscope_server::auth::{Access, Proxies};
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;
use syclscope_server::ingest::imports::Imports;
use syclscope_server::ingest::trace_cache::TraceCache;
use syclscope_server::limits::MemoryAccount;
use syclscope_server::limits::exports::Exports;
use syclscope_server::limits::query_executor::{Questions, STEPS};
use syclscope_server::storage::{Files, Storage};
use tower::ServiceExt as _;

use super::{LIMIT_BYTES, app_of, hosted, page, send};
use crate::recording;
use crate::scratch::Scratch;

/// Memory of a small server, of which 16 MiB are for one client's unsent answers.
const MEMORY: u64 = 256 << 20;
const UNSENT_OF_CLIENT: u64 = 16 << 20;
const UNSENT: u64 = 64 << 20;

fn server(storage: Storage, steps: u64) -> Router {
    let account = MemoryAccount::new(MEMORY);
    let db = storage.hosted().ok().map(|hosted| hosted.db().clone());
    let exports = Exports::new(&account, &storage);
    let app = app_of(storage, page(), Access::Everybody, Viewers::default());
    // A request without a socket counts as a proxy's.
    let proxies = Proxies::at(vec!["0.0.0.0/32".parse().expect("an address")]);
    let cache = TraceCache::new(64 << 20, Imports::within(&account, 128 << 20));
    let questions = Questions::new(steps, &account);
    router(Arc::new(App { db, proxies, cache, questions, exports, is_watched_by_all: true, ..app }))
}

fn talkative() -> Vec<u8> {
    let text = "an argument that says the same again and again, ".repeat(40);
    let events = (0..1_500).map(|at| {
        format!(r#"{{"ph":"X","ts":{at},"dur":1,"tid":1,"name":"f","args":{{"text":"{at} {text}"}}}}"#)
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",")).into_bytes()
}

async fn unsent_bytes(server: &Router) -> u64 {
    let metrics = send(server, "GET", "/metrics", &[], Body::empty()).await.text();
    let line = metrics.lines().find(|line| line.starts_with("syclscope_unsent_bytes")).expect("a count");
    line.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a number")
}

/// The clock advances only when nothing else runs.
#[tokio::test(start_paused = true)]
async fn answers_that_nobody_takes_are_bounded_and_given_up() {
    for (clients, each) in [(1, 24), (3, 8), (12, 2)] {
        let scratch = Scratch::new();
        scratch.file("run.json", talkative());
        let server = server(Storage::Files(Files::at(&scratch.path("run.json")).expect("files")), STEPS);
        let list = send(&server, "GET", "/api/v1/traces", &[], Body::empty()).await;
        let id = list.json::<Vec<TraceEntry>>().remove(0).id;
        let path = format!("/api/v1/traces/{id}/slices?limit=10000&args=true");
        let whole = send(&server, "GET", &path, &[("x-forwarded-for", "192.0.2.200")], Body::empty()).await;
        assert!(whole.status == 200 && whole.body.len() > 2 << 20, "{} bytes", whole.body.len());
        let ask = |client: u8| {
            let request = Request::get(&path).header("host", "127.0.0.1");
            let request = request.header("x-forwarded-for", format!("192.0.2.{client}"));
            server.clone().oneshot(request.body(Body::empty()).expect("a request"))
        };
        let mut asked = Vec::new();
        for client in 1..=clients {
            asked.extend((0..each).map(|_| tokio::spawn(ask(client))));
        }
        let most = UNSENT.min(u64::from(clients) * UNSENT_OF_CLIENT);
        let mut answers = Vec::new();
        for asked in asked {
            answers.push(asked.await.expect("no panic").expect("an answer"));
            let unsent = unsent_bytes(&server).await;
            assert!(unsent <= most, "{unsent} bytes for {clients} clients");
            let other = [("x-forwarded-for", "192.0.2.201")];
            let report = format!("/api/v1/traces/{id}/report");
            assert_eq!(send(&server, "GET", &report, &other, Body::empty()).await.status, 200);
        }
        let status = |answer: &axum::response::Response| answer.status().as_u16();
        assert!(answers.iter().all(|answer| matches!(status(answer), 200 | 503)));
        tokio::time::sleep(std::time::Duration::from_secs(100)).await;
        assert_eq!(unsent_bytes(&server).await, 0, "nobody took anything for long");
        let again = send(&server, "GET", &path, &[("x-forwarded-for", "192.0.2.1")], Body::empty()).await;
        assert_eq!(again.body, whole.body, "who asks again and takes it gets all of it");
    }
}

#[tokio::test]
async fn comments_that_a_stream_repeats_count_until_they_are_taken() {
    let scratch = Scratch::new();
    let server = server(hosted(&scratch.path("data"), LIMIT_BYTES).await, STEPS);
    let bytes = recording::of_process(1);
    let stored = send(&server, "POST", "/api/v1/traces?name=run", &[], bytes.into()).await;
    let id = stored.json::<TraceEntry>().id;
    let path = format!("/api/v1/traces/{id}/comments");
    let comment = format!(r#"{{"text":"{}"}}"#, "x".repeat(4_000));
    for _ in 0..20 {
        let json = [("content-type", "application/json")];
        let made = send(&server, "POST", &path, &json, comment.clone().into()).await;
        assert_eq!(made.status, 201, "{}", made.text());
    }
    let request = Request::get(format!("{path}/events?after=0")).header("host", "127.0.0.1");
    let request = request.body(Body::empty()).expect("a request");
    let stream = server.clone().oneshot(request).await.expect("an answer");
    let unsent = unsent_bytes(&server).await;
    assert!(unsent > 80_000, "{unsent} bytes");
    drop(stream);
    assert_eq!(unsent_bytes(&server).await, 0);
}

#[tokio::test]
async fn comparisons_have_the_limits_of_questions() {
    let scratch = Scratch::new();
    let server = server(hosted(&scratch.path("data"), LIMIT_BYTES).await, 5_000_000);
    let mut ids = Vec::new();
    for process in 0..24 {
        let bytes = recording::of_process(100 + process);
        let place = format!("/api/v1/traces?name={process}");
        ids.push(send(&server, "POST", &place, &[], bytes.into()).await.json::<TraceEntry>().id);
    }
    for runs in [1, 8, 12] {
        let (a, b) = (&ids[..runs], &ids[12..12 + runs]);
        let mut path = format!("/api/v1/traces/{}/compare/{}/overview", a[0], b[0]);
        if runs > 1 {
            path += &format!("?more_a={}&more_b={}", a[1..].join("."), b[1..].join("."));
        }
        for _ in 0..3 {
            let compared = send(&server, "GET", &path, &[], Body::empty()).await;
            match runs {
                1 => assert_eq!(compared.status, 200, "{}", compared.text()),
                _ => compared.is_error(422, "too_dear"),
            }
            let report = format!("/api/v1/traces/{}/report", ids[0]);
            assert_eq!(send(&server, "GET", &report, &[], Body::empty()).await.status, 200);
        }
    }
}
