//! Views that pages report, and their opening programs query.

use axum::body::Body;
use serde_json::{Value, json};
use syclscope_language::api::TraceEntry;

use super::access::gate::Gate;
use super::{send, service_of_files};
use crate::recording;
use crate::scratch::Scratch;

const NAME: &str = "0123456789abcdef0123456789abcdef";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn what_a_page_tells_is_for_those_who_know_its_name() {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::as_perfetto());
    let router = service_of_files(&scratch, "a.pftrace");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    let place = format!("/api/v1/traces/{id}/shown/{NAME}");
    send(&router, "GET", &place, &[], Body::empty()).await.is_error(404, "not_found");
    for query in ["", "?v=graph&s=n3", "?s=12"] {
        let told = send(&router, "PUT", &place, &[JSON], json!({"query": query}).to_string().into()).await;
        assert_eq!(told.status, 204, "{}", told.text());
        let answer = send(&router, "GET", &place, &[], Body::empty()).await;
        assert_eq!(answer.json::<Value>(), json!({"query": query}));
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    let other = format!("/api/v1/traces/{id}/shown/{}", NAME.replace('0', "1"));
    send(&router, "GET", &other, &[], Body::empty()).await.is_error(404, "not_found");
    // A page of another site can't report a view in its place.
    let site = [JSON, ("origin", "http://evil.example"), ("sec-fetch-site", "cross-site")];
    let lie = send(&router, "PUT", &place, &site, "{\"query\":\"?s=1\"}".into()).await;
    lie.is_error(403, "cross_site");
}

#[tokio::test]
async fn what_can_not_be_shown_is_refused() {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::as_perfetto());
    let router = service_of_files(&scratch, "a.pftrace");
    let list = send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let id = list.json::<Vec<TraceEntry>>().remove(0).id;
    let long = json!({"query": "x".repeat(70_000)}).to_string();
    for (name, body) in
        [("short", "{\"query\":\"\"}"), (NAME, &long), (NAME, "{}"), (NAME, "{\"query\":\"\",\"more\":1}")]
    {
        let place = format!("/api/v1/traces/{id}/shown/{name}");
        let answer = send(&router, "PUT", &place, &[JSON], body.to_owned().into()).await;
        answer.is_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_server_of_many_keeps_nothing_of_it() {
    let gate = Gate::new().await;
    let place = format!("/api/v1/traces/{}/shown/{NAME}", gate.trace().await.id);
    gate.get(&place, &gate.admin).await.is_error(409, "keeps_no_views");
}
