//! The page of tries.

use axum::body::Body;
use syclscope_report::trial::{Attempt, Ledger, Measurement};

use super::{TestServer, send, service_of_files};
use crate::recording;
use crate::scratch::Scratch;

fn tries() -> Scratch {
    let scratch = Scratch::new();
    for folder in ["syclscope-try/runs-1", "syclscope-try/runs-2"] {
        std::fs::create_dir_all(scratch.path(folder)).expect("a folder");
        scratch.file(&format!("{folder}/run-1.pftrace"), recording::as_perfetto());
    }
    let mut ledger = Ledger::new(Measurement { program: "heat".to_owned(), ..Measurement::default() });
    ledger.attempts.push(Attempt {
        before_folder: "runs-1".to_owned(),
        folder: "runs-2".to_owned(),
        ..Attempt::default()
    });
    scratch.file("syclscope-try/ledger.json", ledger.write().expect("JSON"));
    scratch
}

#[tokio::test]
async fn a_ledger_is_a_page_and_its_runs_are_compared() {
    let scratch = tries();
    for place in ["syclscope-try", "syclscope-try/ledger.json", "."] {
        let router = service_of_files(&scratch, place);
        let get = async |path: &str| send(&router, "GET", path, &[], Body::empty()).await;
        let page = get("/tries").await;
        assert_eq!((page.status.as_u16(), page.header("content-type")), (200, "text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
        let text = page.text();
        assert!(text.contains("<h1>Tries of heat</h1>"), "{text}");
        let link = text
            .split_once("<a href=\"./")
            .and_then(|(_, rest)| rest.split_once("\">Compare"))
            .expect("a link")
            .0;
        let link = link.rsplit("href=\"./").next().expect("the last one").to_owned();
        assert_eq!(get(&format!("/{link}")).await.status, 307, "{link}");
        let ids = link.strip_prefix("compare/").expect("two ids").split_once('/').expect("two ids");
        let answer = get(&format!("/api/v1/traces/{}/compare/{}/overview", ids.0, ids.1)).await;
        assert_eq!(answer.status, 200, "{place}: {}", answer.text());
        let health: serde_json::Value = get("/api/v1/health").await.json();
        assert_eq!(health["has_tries"], true);
    }
}

#[tokio::test]
async fn without_a_ledger_the_page_says_how_to_begin_one() {
    let server = TestServer::new().await;
    let answer = server.get("/tries").await;
    assert!(answer.text().contains("`syclscope try -- ./program` creates one"), "{}", answer.text());
    answer.is_error(404, "not_found");
    let scratch = tries();
    scratch.file("syclscope-try/ledger.json", "{\"format\": \"syclscope ledger 9\"}");
    let router = service_of_files(&scratch, "syclscope-try");
    let accepts = [("accept", "text/html")];
    let other = send(&router, "GET", "/tries", &accepts, Body::empty()).await;
    assert_eq!(other.status, 422);
    assert!(other.text().contains("ledger.json: the ledger is of another version"), "{}", other.text());
}
