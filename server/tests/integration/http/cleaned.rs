//! Cleaned copies of stored traces.

use axum::body::Body;
use syclscope_language::api::{Contents, ErrorBody, TraceEntry, TraceInfo};

use super::TestServer;
use crate::recording;

async fn clean(server: &TestServer, id: &str, wanted: &str) -> super::Answer {
    let headers = [("content-type", "application/json")];
    server
        .send("POST", &format!("/api/v1/traces/{id}/cleaned"), &headers, Body::from(wanted.to_owned()))
        .await
}

#[tokio::test]
async fn a_cleaned_copy_is_a_trace_of_its_own_without_what_was_chosen() {
    let server = TestServer::new().await;
    let original = server.with_trace().await;
    let answer = clean(&server, &original.id, r#"{"kinds": ["kernels", "paths", "sources"]}"#).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let copy: TraceEntry = answer.json();
    assert_ne!(copy.id, original.id);
    assert_eq!(answer.header("location"), format!("../{}", copy.id));
    let file = server.get(&format!("/api/v1/traces/{}/file", copy.id)).await.body;
    for gone in [recording::KERNEL, "heat.cpp", "int main()"] {
        assert!(!file.windows(gone.len()).any(|part| part == gone.as_bytes()), "{gone}");
    }
    let info = |id: &str| format!("/api/v1/traces/{id}");
    let before: TraceInfo = server.get(&info(&original.id)).await.json();
    let after: TraceInfo = server.get(&info(&copy.id)).await.json();
    assert_eq!(before.counts, after.counts);
    assert!(after.kernels.iter().all(|kernel| !kernel.name.contains(recording::KERNEL)));
    let contents: Contents = server.get(&format!("/api/v1/traces/{}/contents", original.id)).await.json();
    assert!(contents.kinds.iter().any(|kind| kind.examples.contains(&recording::KERNEL.to_owned())));
}

#[tokio::test]
async fn what_is_no_choice_is_refused_and_nothing_is_kept() {
    let server = TestServer::new().await;
    let original = server.with_trace().await;
    for wanted in [
        r#"{"kinds": []}"#,
        r#"{"kinds": ["everything"]}"#,
        r#"{"kinds": ["paths"], "remove": 1}"#,
        "no JSON",
    ] {
        let answer = clean(&server, &original.id, wanted).await;
        assert_eq!(answer.status, 400, "{wanted}: {}", answer.text());
        assert_eq!(answer.json::<ErrorBody>().error.code, "bad_request");
    }
    assert_eq!(clean(&server, "abcdefghijklmnopqrstuvwxyz", r#"{"kinds": ["paths"]}"#).await.status, 404);
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>().len(), 1);
    assert_eq!(server.incoming(), 0);
}
