//! The list of traces: metrics, filters, and pages.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use syclscope_language::api::{Figures, ListedTrace, Report, TraceEntry, TraceInfo};
use syclscope_server::auth::Access;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;
use syclscope_server::ingest::jobs::Jobs;

use super::{LIMIT_BYTES, TestServer, app_of, hosted, page, send, service_of_files};
use crate::recording;
use crate::scratch::Scratch;

async fn list(server: &TestServer, query: &str) -> Vec<ListedTrace> {
    server.get(&format!("/api/v1/traces?{query}")).await.json()
}

async fn upload(server: &TestServer, name: &str, process: u32, more: &str) -> String {
    let path = format!("/api/v1/traces?name={name}{more}");
    let answer = server.send("POST", &path, &[], recording::of_process(process).into()).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json::<TraceEntry>().id
}

fn names(traces: &[ListedTrace]) -> Vec<&str> {
    traces.iter().map(|trace| trace.name.as_str()).collect()
}

async fn of_summary(server: &TestServer, id: &str) -> Figures {
    let info: TraceInfo = server.get(&format!("/api/v1/traces/{id}")).await.json();
    let report: Report = server.get(&format!("/api/v1/traces/{id}/report")).await.json();
    let kernel = &report.commands[0];
    assert_eq!((kernel.name.as_str(), report.commands.len()), (recording::KERNEL, 1));
    Figures {
        program: info.process.name,
        duration_ns: info.duration_ns,
        busy_ns: report.covered.device_ns,
        commands: info.counts.commands,
        launches: kernel.count,
        devices: vec!["Test device".to_owned()],
        busiest: Some(syclscope_language::api::Busiest {
            name: kernel.name.clone(),
            total_ns: kernel.total_ns,
            share: 1.0,
        }),
        findings: report.findings.len() as u64,
        problems: info.findings.len() as u64,
    }
}

#[tokio::test]
async fn figures_are_those_of_the_summary() {
    let server = TestServer::new().await;
    let id = upload(&server, "run.pftrace", 1, "&label=branch=main").await;
    let listed = list(&server, "").await.remove(0);
    assert_eq!((listed.id.as_str(), listed.project.as_str()), (id.as_str(), "default"));
    assert_eq!(listed.labels.len(), 1);
    let figures = listed.figures.expect("they are worked out before the upload is answered");
    assert_eq!((figures.launches, figures.commands, figures.duration_ns), (3, 3, 50_000));
    let expected = of_summary(&server, &id).await;
    // The recording's own problems are counted by severity.
    assert_eq!(figures, Figures { problems: figures.problems, ..expected });
}

#[tokio::test]
async fn a_trace_that_was_stored_before_gets_its_figures_from_a_job() {
    let before = TestServer::new().await;
    let id = upload(&before, "run.pftrace", 1, "&label=branch=main").await;
    let known = list(&before, "").await;
    let TestServer { router: gone, scratch } = before;
    drop(gone);
    for file in ["syclscope.db", "syclscope.db-wal", "syclscope.db-shm"] {
        // Some of these files may be missing.
        let _ = std::fs::remove_file(scratch.path(&format!("data/{file}")));
    }
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let kept = storage.hosted().expect("what a server keeps").clone();
    let app = Arc::new(app_of(storage, page(), Access::Everybody, Viewers::default()));
    let server = TestServer { router: router(Arc::clone(&app)), scratch };
    let without = list(&server, "").await;
    assert_eq!((without[0].id.as_str(), &without[0].figures), (id.as_str(), &None));
    assert_eq!(list(&server, "q=heat_step").await, [], "nobody has looked at its kernels");
    let _jobs = Jobs::start(&app, &kept).expect("random numbers");
    while list(&server, "q=heat_step").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(list(&server, "").await, known);
}

#[tokio::test]
async fn traces_are_found_by_what_is_known_of_them() {
    let server = TestServer::new().await;
    upload(&server, "one.pftrace", 1, "&label=branch=main&label=commit=ab:12").await;
    upload(&server, "two.pftrace", 2, "&label=branch=feature/x").await;
    upload(&server, "three.pftrace", 3, "").await;
    for (query, expected) in [
        ("", &["three", "two", "one"][..]),
        ("sort=name", &["one", "three", "two"]),
        ("sort=-name&limit=2", &["two", "three"]),
        ("q=TWO", &["two"]),
        ("q=heat_step+t", &["three", "two", "one"]),
        ("q=test+device+on", &["one"]),
        ("q=feature", &["two"]),
        ("label=branch:main", &["one"]),
        ("label=branch=main", &["one"]),
        ("label=branch:main&label=commit:ab:12", &["one"]),
        ("label=branch:main&label=commit:other", &[]),
        ("label=branch:mai", &[]),
        ("program=heat&project=default", &["three", "two", "one"]),
        ("program=hea", &[]),
        ("to=2020-01-01", &[]),
        ("from=2020-01-01&to=2200-01-01", &["three", "two", "one"]),
    ] {
        let got = list(&server, query).await;
        let expected: Vec<String> = expected.iter().map(|name| format!("{name}.pftrace")).collect();
        assert_eq!(names(&got), expected, "{query}");
    }
    for path in ["traces", "projects/default/trends", "projects/default/history"] {
        let answer = server.get(&format!("/api/v1/{path}?lable=branch:main")).await;
        let text = answer.text();
        assert!(
            text.contains("unknown parameter `lable`; this URL accepts project, id, q, label,"),
            "{text}"
        );
        answer.is_error(400, "bad_request");
    }
    for query in ["label=branch", "whole=1", "from=today", "sort=x", "limit=0", "limit=100000", "after=x"] {
        server.get(&format!("/api/v1/traces?{query}")).await.is_error(400, "bad_request");
    }
}

#[tokio::test]
async fn an_answer_names_the_part_that_follows() {
    let server = TestServer::new().await;
    for number in 0..5 {
        upload(&server, &format!("{number}.pftrace"), number, "").await;
    }
    let (mut path, mut seen, mut parts) = ("/api/v1/traces?sort=size&q=pf&limit=2".to_owned(), Vec::new(), 0);
    loop {
        let answer = server.get(&path).await;
        assert_eq!(answer.header("cache-control"), "no-store");
        seen.extend(answer.json::<Vec<ListedTrace>>().into_iter().map(|trace| trace.name));
        parts += 1;
        let Some(next) = answer.header("link").strip_prefix('<') else { break };
        let (next, rel) = next.split_once('>').expect("an address");
        assert_eq!(rel, "; rel=\"next\"");
        path = format!("/api/v1/{next}");
        assert!(path.contains("sort=size&q=pf&limit=2&after="), "{path}");
    }
    seen.sort();
    assert_eq!((parts, seen.len()), (3, 5));
    assert_eq!(seen[0], "0.pftrace");
}

#[tokio::test]
async fn letters_beyond_ascii_end_no_list() {
    let server = TestServer::new().await;
    for number in 0..2 {
        upload(&server, &format!("gr%C3%B6%C3%9Fe-{number}.pftrace"), number, "").await;
    }
    for query in ["q=gr%C3%B6%C3%9Fe", "q=größe"] {
        let answer = server.get(&format!("/api/v1/traces?{query}&limit=1")).await;
        assert_eq!(answer.json::<Vec<ListedTrace>>().len(), 1, "{query}");
        assert!(answer.header("link").starts_with("<traces?q=gr%C3%B6%C3%9Fe&limit=1&after="), "{query}");
    }
}

#[tokio::test]
async fn the_users_own_files_are_found_too() {
    let scratch = Scratch::new();
    for name in ["b.pftrace", "a.pftrace", "c.json"] {
        scratch.file(name, recording::as_json());
    }
    let router = service_of_files(&scratch, "");
    let list = async |query: &str| -> Vec<ListedTrace> {
        send(&router, "GET", &format!("/api/v1/traces?{query}"), &[], Body::empty()).await.json()
    };
    assert_eq!(names(&list("sort=name").await), ["a.pftrace", "b.pftrace", "c.json"]);
    assert_eq!(names(&list("q=PFTRACE&sort=-name").await), ["b.pftrace", "a.pftrace"]);
    assert_eq!(list("label=branch:main").await, []);
}
