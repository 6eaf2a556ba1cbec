//! Two traces side by side over HTTP.

use syclscope_language::api::{
    Anchor, ComparedGraph, Comparison, LiveMemory, MatchedCommands, NewLink, TraceEntry, Verdict,
};

use super::TestServer;
use super::access::gate::Gate;
use crate::recording;

async fn second(server: &TestServer) -> TraceEntry {
    let answer = server.upload("now.pftrace", recording::of_process(43)).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn every_question_about_two_traces_is_answered() {
    let server = TestServer::new().await;
    let (a, b) = (server.with_trace().await, second(&server).await);
    let root = format!("/api/v1/traces/{}/compare/{}", a.id, b.id);
    let answer = server.get(&format!("{root}/overview")).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"));
    let comparison: Comparison = answer.json();
    assert_eq!((comparison.a.name.as_str(), comparison.b.name.as_str()), ("run.pftrace", "now.pftrace"));
    assert_eq!((comparison.duration.verdict, comparison.matched), (Verdict::Same, comparison.a.commands));
    let commands: MatchedCommands = server.get(&format!("{root}/commands?row=0&limit=2")).await.json();
    assert_eq!((commands.total, commands.commands.len()), (3, 2));
    let anchors: Vec<Anchor> = server.get(&format!("{root}/anchors")).await.json();
    assert!(anchors.len() > 2, "{anchors:?}");
    server.get(&format!("{root}/live?at=1000")).await.json::<LiveMemory>();
    let graph: ComparedGraph = server.get(&format!("{root}/graph")).await.json();
    assert_eq!(graph.nodes.len(), comparison.rows.len());
    server.get(&format!("{root}/counterpart?node=1")).await.json::<serde_json::Value>();

    // A browser that has the answer revalidates it.
    let etag = server.get(&format!("{root}/overview")).await.header("etag").to_owned();
    if !etag.is_empty() {
        let headers = [("if-none-match", etag.as_str())];
        let again =
            server.send("GET", &format!("{root}/overview"), &headers, axum::body::Body::empty()).await;
        assert_eq!(again.status, 304);
    }
    server.get(&format!("{root}/report")).await.is_error(404, "not_found");
    server.get(&format!("{root}/commands")).await.is_error(400, "bad_request");
    server.get(&format!("{root}/counterpart?node=99")).await.is_error(404, "not_found");
    let nobody = "a".repeat(26);
    for (a, b) in [(&a.id, &nobody), (&nobody, &b.id)] {
        server.get(&format!("/api/v1/traces/{a}/compare/{b}/overview")).await.is_error(404, "not_found");
    }
}

#[tokio::test]
async fn a_side_may_have_several_runs() {
    let server = TestServer::new().await;
    let (a, b) = (server.with_trace().await, second(&server).await);
    let mut more = Vec::new();
    for process in 44..48 {
        let answer = server.upload(&format!("{process}.pftrace"), recording::of_process(process)).await;
        more.push(answer.json::<TraceEntry>().id);
    }
    let root = format!("/api/v1/traces/{}/compare/{}/overview", a.id, b.id);
    // The displayed run counts once, and so does a run that is named twice.
    let of_a = format!("{}.{}.{}", more[0], a.id, more[0]);
    let path = format!("{root}?more_a={of_a}&limit=3&more_b={}.{}", more[1], more[2]);
    let comparison: Comparison = server.get(&path).await.json();
    assert_eq!((comparison.a.runs, comparison.b.runs), (2, 3));
    assert_eq!((comparison.a.shown, comparison.a.name.as_str()), (0, "run.pftrace"));
    assert_eq!((comparison.duration.a_runs, comparison.duration.b_runs), (2, 3));
    let single: Comparison = server.get(&root).await.json();
    assert_eq!((single.a.runs, single.b.runs), (1, 1));
    let nobody = "a".repeat(26);
    server.get(&format!("{root}?more_a={nobody}")).await.is_error(404, "not_found");
    server.get(&format!("{root}?more_b=..%2F..%2Fme")).await.is_error(404, "not_found");
    server.get(&format!("{root}?more_c={nobody}")).await.is_error(400, "bad_request");
}

#[tokio::test]
async fn a_part_of_the_runs_is_compared() {
    let server = TestServer::new().await;
    let (a, b) = (server.with_trace().await, second(&server).await);
    let root = format!("/api/v1/traces/{}/compare/{}", a.id, b.id);
    let of = async |query: &str| server.get(&format!("{root}/overview{query}")).await.json::<Comparison>();
    let whole = of("").await;
    let end_ns = whole.a.duration_ns / 2;
    let part = of(&format!("?part_to={end_ns}&more_b={}", a.id)).await;
    assert!(part.part.starts_with("up to ") && whole.part.is_empty(), "{}", part.part);
    assert_eq!((part.duration.a_ns, part.duration.verdict), (Some(end_ns), Verdict::Incomparable));
    // The cached comparison of another part is not reused.
    assert_eq!(of("").await.duration, whole.duration);
    server.get(&format!("{root}/commands?row=0&part_to={end_ns}")).await.json::<MatchedCommands>();
    let refused = server.get(&format!("{root}/overview?region=solve")).await;
    assert!(
        refused.text().contains("run.pftrace: no region of the trace is named 'solve'"),
        "{}",
        refused.text()
    );
    refused.is_error(404, "not_found");
    for query in ["part_from=9&part_to=2", "iterations=0", "part_from=1&iterations=2"] {
        server.get(&format!("{root}/overview?{query}")).await.is_error(400, "bad_request");
    }
}

#[tokio::test]
async fn an_address_of_two_traces_leads_to_their_page() {
    let server = TestServer::new().await;
    let (a, b) = (server.with_trace().await.id, second(&server).await.id);
    let place = async |query: &str| {
        let answer = server.get(&format!("/compare/{a}/{b}{query}")).await;
        assert_eq!(answer.status, 307, "{}", answer.text());
        answer.header("location").to_owned()
    };
    assert_eq!(place("").await, format!("../../t/{a}?v=compare&xb={b}"));
    assert_eq!(place("?xo=ratio").await, format!("../../t/{a}?v=compare&xb={b}&xo=ratio"));
    server.get(&format!("/compare/{a}/..%2Fb")).await.is_error(404, "not_found");
}

#[tokio::test]
async fn a_link_to_one_trace_does_not_show_another_beside_it() {
    let gate = Gate::new().await;
    let a = gate.trace().await.id;
    let b = gate.trace_of(&gate.admin).await.id;
    let (_, root) = gate.link(&a, &NewLink::default()).await;
    let compare = |one: &str, other: &str| format!("{root}/api/v1/traces/{one}/compare/{other}/overview");
    let send = async |path: String| gate.send("GET", &path, &[], axum::body::Body::empty()).await;
    assert_eq!(send(compare(&a, &a)).await.status, 200);
    if a != b {
        send(compare(&a, &b)).await.is_error(404, "not_found");
        send(compare(&b, &a)).await.is_error(404, "not_found");
        send(format!("{}?more_b={b}", compare(&a, &a))).await.is_error(404, "not_found");
    }
}
