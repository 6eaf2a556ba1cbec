//! Links that show a part of a trace: no answer contains anything outside that part.

use axum::body::Body;
use syclscope_language::api::{
    LinkEntry, LinkRange, LinkState, MachineHistory, NewLink, TraceEntry, TrendPoint,
};

use super::gate::{Gate, bearer};
use crate::http::Answer;
use crate::recording;

const QUERIES: &str = include_str!("../../../../../docs/QUERIES.md");

/// Calls of the recording after its kernels.
const LATER: [&str; 2] = ["urEnqueueKernelLaunch", "zeCommandListAppend"];
/// The part in which the second and the third kernel run.
const PART: LinkRange = LinkRange { start_ns: 15_000, end_ns: 40_000 };

/// Returns every documented query, about contents that are in the trace or not.
fn questions() -> Vec<String> {
    let mut all = Vec::new();
    for line in QUERIES.lines().filter(|line| line.starts_with("| `")) {
        let cell = line.trim_start_matches("| ").split(" | ").next().expect("a first cell");
        for text in cell.split('`').filter(|text| !text.trim().is_empty() && *text != "or") {
            let mut text = text.replace('…', "").replace("SELECTION", "from=0&to=90000");
            for (word, value) in [
                ("ADDRESS_LEVEL", "12"),
                ("ADDRESS_INDEX", "1"),
                ("PATH", "heat.cpp"),
                ("LEVEL", "10"),
                ("INDEX", "0"),
                ("TRACK", "1"),
                ("KERNEL", "0"),
                ("COUNTER", "0"),
                ("OBJECT", "0"),
                ("SOURCE", "0"),
                ("SLICE", "0"),
                ("NODE", "0"),
                ("GROUP", "0"),
                ("FILTER", "ur"),
                ("NAME", "urEnqueueKernelLaunch"),
                ("TEXT", "ur"),
                ("TIMES", "2"),
                ("ORDER", "start"),
                ("POINTS", "9"),
                ("ID", "0"),
                ("NS", "42000"),
                ("=N", "=100"),
                ("=P", "=0"),
            ] {
                text = text.replace(word, value);
            }
            // A text that is no query but a filter of another table is requested, too.
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/?&=-_.".contains(letter);
            all.push(text.trim_end_matches(['?', '&']).replace(|letter| !is_plain(letter), "+"));
        }
    }
    all
}

async fn through(gate: &Gate, root: &str, path: &str) -> Answer {
    gate.send("GET", &format!("{root}/api/v1/traces/{path}"), &[], Body::empty()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_outside_the_part_is_answered() {
    let gate = Gate::new().await;
    for bytes in [recording::as_perfetto(), recording::as_json()] {
        let headers = [("authorization", &*bearer(&gate.admin))];
        let whole: TraceEntry =
            gate.send("POST", "/api/v1/traces?name=run.json", &headers, bytes).await.json();
        let wanted = serde_json::to_string(&NewLink { range: Some(PART), ..NewLink::default() }).unwrap();
        let answer = gate.post(&format!("/api/v1/traces/{}/links", whole.id), &gate.admin, &wanted).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let made: syclscope_language::api::MadeLink = answer.json();
        let (root, copy) = made.address.split_once("/t/").expect("a trace's address");
        let root = format!("/{root}");
        assert_ne!(copy, whole.id);
        assert_eq!(made.link.range, Some(PART));
        let listed: Vec<LinkEntry> =
            gate.get(&format!("/api/v1/traces/{}/links", whole.id), &gate.admin).await.json();
        assert_eq!(listed[0].range, Some(PART));

        let info: serde_json::Value = through(&gate, &root, copy).await.json();
        assert_eq!(info["duration_ns"], 25_000, "{info}");
        let mut paths = vec![copy.to_owned(), format!("{copy}/file"), format!("{copy}/summary.md")];
        paths.extend(["summary.html", "picture.svg", "export/json"].map(|path| format!("{copy}/{path}")));
        paths.extend(questions().iter().map(|question| format!("{copy}/{question}")));
        let mut answered = 0;
        for path in &paths {
            let answer = through(&gate, &root, path).await;
            assert!(matches!(answer.status.as_u16(), 200 | 400 | 404), "{path}: {}", answer.text());
            answered += usize::from(answer.status == 200);
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            for later in LATER {
                // An answer may name the requested part that is not there.
                let asked = path.contains(later);
                assert!(asked || !text.contains(later), "{path} tells {later}: {text}");
            }
        }
        assert!(paths.len() > 60 && answered > 30, "{answered} of {} questions were answered", paths.len());
        let calls = through(&gate, &root, &format!("{copy}/calls")).await;
        assert_eq!(calls.text(), "[]");
        let ran = through(&gate, &root, &format!("{copy}/kernel?name={}", recording::KERNEL)).await;
        assert!(ran.text().contains("\"count\":2"), "{}", ran.text());
        // This link does not open the whole trace.
        for path in [whole.id.clone(), format!("{}/report", whole.id), format!("{}/file", whole.id)] {
            through(&gate, &root, &path).await.is_error(404, "not_found");
        }
        // A second link to the same part has the same copy.
        let again = gate.post(&format!("/api/v1/traces/{}/links", whole.id), &gate.admin, &wanted).await;
        assert!(again.text().contains(&format!("/t/{copy}")), "{}", again.text());
        // Deleting the copy ends its links, and the next link makes another copy.
        let state = async || {
            let links: Vec<LinkEntry> =
                gate.get(&format!("/api/v1/traces/{}/links", whole.id), &gate.admin).await.json();
            links.iter().map(|link| link.state).collect::<Vec<_>>()
        };
        assert_eq!(state().await, [LinkState::Open; 2]);
        let path = format!("/api/v1/traces/{copy}");
        let deleted =
            gate.send("DELETE", &path, &[("authorization", &bearer(&gate.admin))], Body::empty()).await;
        assert_eq!(deleted.status, 204);
        assert_eq!(state().await, [LinkState::Withdrawn; 2]);
        let answer = gate.post(&format!("/api/v1/traces/{}/links", whole.id), &gate.admin, &wanted).await;
        let made: syclscope_language::api::MadeLink = answer.json();
        let (root, copy) = made.address.split_once("/t/").expect("a trace's address");
        let root = format!("/{root}");
        // Deleting the whole ends links to its parts; the project keeps the copy.
        let path = format!("/api/v1/traces/{}", whole.id);
        let deleted =
            gate.send("DELETE", &path, &[("authorization", &bearer(&gate.admin))], Body::empty()).await;
        assert_eq!(deleted.status, 204);
        for path in [copy.to_owned(), format!("{copy}/report"), format!("{copy}/file")] {
            assert_ne!(through(&gate, &root, &path).await.status, 200, "{path}");
        }
        assert_eq!(gate.get(&format!("/api/v1/traces/{copy}"), &gate.admin).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_is_no_run_of_the_program() {
    let gate = Gate::new().await;
    let whole = gate.trace().await.id;
    let wanted = serde_json::to_string(&NewLink { range: Some(PART), ..NewLink::default() }).unwrap();
    let made = gate.post(&format!("/api/v1/traces/{whole}/links"), &gate.admin, &wanted).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let listed: Vec<TraceEntry> = gate.get("/api/v1/traces", &gate.admin).await.json();
    assert_eq!(listed.len(), 2, "the list has the copy");
    let listed: Vec<TraceEntry> = gate.get("/api/v1/traces?whole=true", &gate.admin).await.json();
    assert_eq!(listed.iter().map(|trace| &trace.id).collect::<Vec<_>>(), [&whole]);
    let points: Vec<TrendPoint> = gate.get("/api/v1/projects/default/trends", &gate.admin).await.json();
    assert_eq!(points.iter().map(|point| &point.id).collect::<Vec<_>>(), [&whole]);
    let history: Vec<MachineHistory> = gate.get("/api/v1/projects/default/history", &gate.admin).await.json();
    assert_eq!(history.iter().map(|one| one.runs.len()).collect::<Vec<_>>(), [1]);
    let latest = gate.get("/latest/default", &gate.admin).await;
    assert_eq!(latest.header("location"), format!("../t/{whole}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_cannot_be_stored_leaves_no_link() {
    let gate = Gate::new().await;
    let path = format!("/api/v1/traces/{}/links", gate.trace().await.id);
    let headers = [("authorization", &*bearer(&gate.admin)), ("content-type", "application/json")];
    let limit = r#"{"quota_bytes":1}"#;
    assert_eq!(gate.send("PUT", "/api/v1/projects/default", &headers, limit).await.status, 204);
    let wanted = serde_json::to_string(&NewLink { range: Some(PART), ..NewLink::default() }).unwrap();
    gate.post(&path, &gate.admin, &wanted).await.is_error(413, "quota_used");
    assert_eq!(gate.get(&path, &gate.admin).await.text(), "[]");
}

#[tokio::test]
async fn a_part_is_some_time_of_the_trace() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let path = format!("/api/v1/traces/{trace}/links");
    for range in [
        "{\"start_ns\":5,\"end_ns\":5}",
        "{\"start_ns\":900000,\"end_ns\":900001}",
        "{\"start_ns\":-1,\"end_ns\":5}",
        "{\"start_ns\":1}",
        "{\"start_ns\":1,\"end_ns\":2,\"tracks\":3}",
    ] {
        gate.post(&path, &gate.admin, &format!("{{\"range\":{range}}}")).await.is_error(400, "bad_request");
    }
    assert_eq!(gate.get(&path, &gate.admin).await.text(), "[]");
}
