//! Labels that change, addresses that stay, trends, and the limits of projects.

use std::sync::Arc;

use axum::body::Body;
use syclscope_language::api::{
    AuditEntry, LabelKey, ListedTrace, MachineHistory, ProjectEntry, TraceEntry, TrendPoint, UploadAnswer,
};
use syclscope_server::auth::Access;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;

use super::{Answer, LIMIT_BYTES, TestServer, app_of, hosted, page};
use crate::recording;
use crate::scratch::Scratch;

async fn upload(server: &TestServer, process: u32, more: &str) -> Answer {
    let path = format!("/api/v1/traces?name=run{process}.pftrace{more}");
    let bytes = recording::of_process(process);
    let length = bytes.len().to_string();
    server.send("POST", &path, &[("content-length", &length)], bytes.into()).await
}

async fn stored(server: &TestServer, process: u32, more: &str) -> String {
    let answer = upload(server, process, more).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json::<TraceEntry>().id
}

async fn put(server: &TestServer, path: &str, body: &str) -> Answer {
    server.send("PUT", path, &[("content-type", "application/json")], body.to_owned().into()).await
}

async fn list(server: &TestServer, query: &str) -> Vec<ListedTrace> {
    server.get(&format!("/api/v1/traces?{query}")).await.json()
}

async fn audit(server: &TestServer) -> Vec<(String, String)> {
    let lines: Vec<AuditEntry> = server.get("/api/v1/projects/default/audit").await.json();
    lines.into_iter().map(|line| (line.action, line.detail.unwrap_or_default())).collect()
}

async fn project_of(server: &TestServer) -> ProjectEntry {
    server.get("/api/v1/projects/default").await.json()
}

#[tokio::test]
async fn labels_are_set_and_taken_away() {
    let server = TestServer::new().await;
    let id = stored(&server, 1, "&label=branch=main").await;
    let path = |key: &str| format!("/api/v1/traces/{id}/labels/{key}");
    assert_eq!(put(&server, &path("branch"), "{\"value\":\"release 2\"}").await.status, 204);
    assert_eq!(put(&server, &path("CI%2Frun"), "{\"value\":\"7\"}").await.status, 204);
    assert_eq!(list(&server, "label=branch:main").await, []);
    assert_eq!(list(&server, "label=branch:release+2&q=ci/run:7").await.len(), 1);
    let known: Vec<LabelKey> = server.get("/api/v1/projects/default/labels").await.json();
    let known: Vec<_> = known.iter().map(|key| (key.key.as_str(), key.values.join(","))).collect();
    assert_eq!(known, [("CI/run", "7".to_owned()), ("branch", "release 2".to_owned())]);
    for _ in 0..2 {
        // A missing label can be removed.
        assert_eq!(server.send("DELETE", &path("branch"), &[], Body::empty()).await.status, 204);
    }
    assert_eq!(list(&server, "q=release").await, []);
    assert_eq!(list(&server, "").await[0].labels.len(), 1);
    for body in ["{}", "{\"value\":\"a\\nb\"}", "not JSON", "{\"value\":\"a\",\"key\":\"b\"}"] {
        put(&server, &path("branch"), body).await.is_error(400, "bad_request");
    }
    // A filter would search for them without their spaces, and find nothing.
    put(&server, &path("branch"), "{\"value\":\" main\"}").await.is_error(400, "bad_request");
    for key in ["%01", "a%3Ab", "a%3Db", "%20a", "a%20"] {
        put(&server, &path(key), "{\"value\":\"x\"}").await.is_error(400, "bad_request");
    }
    for number in 0..63 {
        assert_eq!(put(&server, &path(&format!("k{number}")), "{\"value\":\"x\"}").await.status, 204);
    }
    put(&server, &path("one-more"), "{\"value\":\"x\"}").await.is_error(400, "bad_request");
    server.get("/api/v1/projects/default/audit?befor=1").await.is_error(400, "bad_request");
    let lines = audit(&server).await;
    assert_eq!(lines.len(), 1 + 3 + 63);
    assert_eq!(lines[63], ("change_trace".to_owned(), "label branch removed".to_owned()));
    assert_eq!(lines[65], ("change_trace".to_owned(), "label branch=release 2".to_owned()));
}

#[tokio::test]
async fn the_latest_of_a_label_has_an_address_that_stays() {
    let server = TestServer::new().await;
    server.get("/latest/default?label=branch:main").await.is_error(404, "not_found");
    let mut newest = String::new();
    for process in 1..=3 {
        newest = stored(&server, process, "&label=branch=main").await;
    }
    stored(&server, 4, "&label=branch=other").await;
    let place = async |path: &str| {
        let answer = server.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (307, "no-store"), "{path}");
        answer.header("location").to_owned()
    };
    assert_eq!(place("/latest/default?label=branch:main").await, format!("../t/{newest}"));
    let view = place("/latest/default?v=graph&label=branch:main&s=n1%2C2&program=heat").await;
    assert_eq!(view, format!("../t/{newest}?v=graph&s=n1%2C2"));
    for (kind, inside) in [("summary.md", "heat"), ("picture.svg", "<svg")] {
        let path = place(&format!("/latest/default/{kind}?label=branch:main")).await;
        let path = path.strip_prefix("../..").expect("two folders up").to_owned();
        assert!(path.contains(&newest));
        assert!(server.get(&path).await.text().contains(inside), "{kind}");
    }
    let part = place("/latest/default/summary.md?from=0&label=branch:main&v=graph&to=20000").await;
    assert_eq!(part, format!("../../api/v1/traces/{newest}/summary.md?from=0&to=20000"));
    server.get("/latest/default?label=branch:none").await.is_error(404, "not_found");
    server.get("/latest/nowhere?label=branch:main").await.is_error(404, "no_such_project");
    server.get("/latest/default?label=branch").await.is_error(400, "bad_request");
    assert_eq!(
        place("/latest/default?label=branch=main").await,
        place("/latest/default?label=branch:main").await
    );
    server.send("DELETE", &format!("/api/v1/traces/{newest}"), &[], Body::empty()).await;
    assert!(!place("/latest/default?label=branch:main").await.contains(&newest), "the one before it now");
}

#[tokio::test]
async fn trends_are_the_figures_of_what_is_wanted() {
    let server = TestServer::new().await;
    for process in 1..=4 {
        stored(&server, process, if process == 2 { "&label=branch=x" } else { "&label=branch=main" }).await;
    }
    let trends = async |query: &str| -> Vec<TrendPoint> {
        server.get(&format!("/api/v1/projects/default/trends?{query}")).await.json()
    };
    let points = trends("label=branch:main&sort=size&after=x").await;
    let names: Vec<_> = points.iter().map(|point| point.name.as_str()).collect();
    assert_eq!(names, ["run1.pftrace", "run3.pftrace", "run4.pftrace"], "the oldest first");
    let point = &points[0];
    assert_eq!((point.duration_ns, point.busy_ns, point.busiest_ns), (50_000, 6_000, 6_000));
    assert_eq!(point.busiest, recording::KERNEL);
    assert_eq!(trends("program=heat&limit=2").await[0].name, "run3.pftrace", "the newest two");
    assert_eq!(trends("program=other").await, []);
}

#[tokio::test]
async fn a_history_says_at_which_commit_a_figure_went_on_differently() {
    let server = TestServer::new().await;
    for number in 1..=18 {
        let bytes = recording::of_kernels(number, if number <= 10 { 3 } else { 4 });
        let labels = format!("label=branch=main&label=machine=node7&label=commit=c{number}");
        let path = format!("/api/v1/traces?name=run{number}.pftrace&{labels}");
        let length = bytes.len().to_string();
        let stored = server.send("POST", &path, &[("content-length", &length)], bytes.into()).await;
        assert_eq!(stored.status, 201, "{}", stored.text());
    }
    stored(&server, 99, "&label=branch=main&label=machine=other").await;
    let history = async |query: &str| -> Vec<MachineHistory> {
        server.get(&format!("/api/v1/projects/default/history?{query}")).await.json()
    };
    let histories = history("label=branch:main").await;
    let machines: Vec<_> = histories.iter().map(|one| (one.machine.as_str(), one.runs.len())).collect();
    assert_eq!(machines, [("node7", 18), ("other", 1)]);
    let MachineHistory { program, runs, series, .. } = &histories[0];
    assert_eq!(program, "heat");
    let of = |name: &str| series.iter().find(|series| series.name == name).unwrap();
    let [step] = &of("launches").steps[..] else { panic!("{:?}", of("launches")) };
    assert_eq!((step.run, step.before, step.after), (10, 3, 4));
    let commit = |run: usize| runs[run].commit.as_deref();
    assert_eq!((commit(step.run as usize - 1), commit(step.run as usize)), (Some("c10"), Some("c11")));
    assert_eq!(of("findings").steps, []);
    // The launches after the first one take 2 and 3 µs.
    assert_eq!(of(recording::KERNEL).values[..2], [Some(2_500); 2]);
    // The list has the same metrics under the same names.
    let listed: Vec<ListedTrace> = server.get("/api/v1/traces?label=machine:node7").await.json();
    assert_eq!(listed.len(), runs.len());
    for trace in listed {
        let number = runs.iter().position(|run| run.id == trace.id).unwrap();
        let told = ["duration", "busy", "commands", "launches", "findings", "problems"]
            .map(|name| of(name).values[number].unwrap());
        let figures = trace.figures.unwrap();
        let shown = [figures.duration_ns, figures.busy_ns, figures.commands, figures.launches];
        assert_eq!(told, [&shown[..], &[figures.findings, figures.problems]].concat()[..]);
    }
    assert_eq!(history("label=branch:main&label=machine:other").await.len(), 1);
    assert_eq!(history("program=none").await, []);
    let page = server.get("/history/default?label=branch:main").await;
    assert_eq!(
        (page.status.as_u16(), page.headers["content-type"].to_str().unwrap()),
        (200, "text/html; charset=utf-8")
    );
    let heading = format!("Since <a href=\"../t/{}\">c11 (run11.pftrace)</a> (", runs[10].id);
    let link =
        format!("<a href=\"../compare/{}/{}\">compared with c10 (run10.pftrace)", runs[9].id, runs[10].id);
    let text = page.text();
    assert!(text.contains(&link) && text.contains(&heading), "{text}");
    assert!(text.contains("<b>launches</b>: 3 → 4</li>"), "{text}");
    assert!(text.contains("Only label branch:main.") && text.contains("there is 1."), "{text}");
    // Its policy allows exactly its own contents.
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!text.contains(" style="), "{text}");
    server.get("/history/nowhere").await.is_error(404, "no_such_project");
    let browser = [("accept", "text/html")];
    let refused = server.send("GET", "/history/nowhere", &browser, Body::empty()).await;
    assert_eq!((refused.status.as_u16(), refused.header("content-type")), (404, "text/html; charset=utf-8"));
    assert!(refused.text().contains("no such project"), "{}", refused.text());
    server.get("/api/v1/projects/nowhere/history").await.is_error(404, "no_such_project");
}

#[tokio::test]
async fn a_project_takes_what_its_quota_has_room_for() {
    let server = TestServer::new().await;
    let size_bytes = recording::of_process(1).len() as u64;
    let empty = ProjectEntry {
        id: "default".into(),
        name: "Default".into(),
        grace_days: 7,
        ..ProjectEntry::default()
    };
    assert_eq!(project_of(&server).await, empty);
    let change = async |body: &str| put(&server, "/api/v1/projects/default", body).await.status.as_u16();
    let quota_bytes = 2 * size_bytes + 10;
    assert_eq!(change(&format!("{{\"quota_bytes\":{quota_bytes},\"name\":\"All\"}}")).await, 204);
    let first = stored(&server, 1, "").await;
    stored(&server, 2, "").await;
    let used = ProjectEntry {
        name: "All".into(),
        traces: 2,
        used_bytes: 2 * size_bytes,
        quota_bytes: Some(quota_bytes),
        ..empty
    };
    assert_eq!(project_of(&server).await, used);
    let refused = upload(&server, 3, "").await;
    refused.is_error(413, "quota_used");
    assert!(refused.text().contains("syclscope project set default --quota"), "{}", refused.text());
    // The upload is refused before its body is read.
    let never = Body::new(Unread);
    let length = [("content-length", "4000"), ("expect", "100-continue")];
    let answer = server.send("POST", "/api/v1/traces?name=x", &length, never).await;
    answer.is_error(413, "quota_used");
    // A body of unannounced size is rejected once its size is known.
    let unannounced = server.upload("run3.pftrace", recording::of_process(3)).await;
    unannounced.is_error(413, "quota_used");
    assert_eq!((server.incoming(), project_of(&server).await), (0, used.clone()));
    let in_parts = |size_bytes: u64, digit: &str| {
        format!("{{\"name\":\"x\",\"size_bytes\":{size_bytes},\"sha256\":\"{}\"}}", digit.repeat(64))
    };
    let json = [("content-type", "application/json")];
    let begin = async |body: String| server.send("POST", "/api/v1/uploads", &json, body.into()).await;
    begin(in_parts(11, "a")).await.is_error(413, "quota_used");
    // Unfinished uploads of others count, too. The client's own one still exists.
    for _ in 0..2 {
        assert!(matches!(begin(in_parts(10, "b")).await.json(), UploadAnswer::Open(_)));
    }
    begin(in_parts(1, "c")).await.is_error(413, "quota_used");
    server.send("DELETE", &format!("/api/v1/traces/{first}"), &[], Body::empty()).await;
    // Also for uploads in one piece.
    let larger = (size_bytes + 1).to_string();
    let length = [("content-length", larger.as_str()), ("expect", "100-continue")];
    let answer = server.send("POST", "/api/v1/traces?name=x", &length, Body::new(Unread)).await;
    answer.is_error(413, "quota_used");
    // Also if their size is unknown until they have come.
    assert_eq!(change(&format!("{{\"quota_bytes\":{}}}", quota_bytes - 1)).await, 204);
    server.upload("run3.pftrace", recording::of_process(3)).await.is_error(413, "quota_used");
    assert_eq!(change(&format!("{{\"quota_bytes\":{quota_bytes}}}")).await, 204);
    stored(&server, 3, "").await;
    assert_eq!(change("{\"quota_bytes\":null}").await, 204);
    stored(&server, 4, "").await;
    assert_eq!((change("{\"retention_days\":0}").await, change("{\"colour\":1}").await), (400, 400));
    let lines = audit(&server).await;
    assert!(lines.contains(&("change_project".to_owned(), "quota none".to_owned())), "{lines:?}");
    let all: Vec<ProjectEntry> = server.get("/api/v1/projects").await.json();
    assert_eq!(all, [project_of(&server).await]);
}

struct Unread;

impl http_body::Body for Unread {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        panic!("the body of a refused upload is read")
    }
}

#[tokio::test]
async fn uploads_of_one_moment_share_a_quota() {
    let server = TestServer::new().await;
    let size_bytes = recording::of_process(1).len() as u64;
    let body = format!("{{\"quota_bytes\":{}}}", 3 * size_bytes + 10);
    assert_eq!(put(&server, "/api/v1/projects/default", &body).await.status, 204);
    let uploads = (0..8).map(|process| {
        let (router, bytes) = (server.router.clone(), recording::of_process(process));
        tokio::spawn(async move {
            let path = format!("/api/v1/traces?name={process}.pftrace");
            super::send(&router, "POST", &path, &[], bytes.into()).await.status.as_u16()
        })
    });
    let mut stored = 0;
    for upload in uploads.collect::<Vec<_>>() {
        match upload.await.expect("an answer") {
            201 => stored += 1,
            status => assert_eq!(status, 413),
        }
    }
    assert_eq!((stored, project_of(&server).await.traces), (3, 3));
}

#[tokio::test]
async fn each_trace_that_goes_has_an_entry_of_its_own_time() {
    let scratch = Scratch::new();
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let kept = storage.hosted().expect("what a server keeps").clone();
    let app = app_of(storage, page(), Access::Everybody, Viewers::default());
    let server = &TestServer { router: router(Arc::new(app)), scratch };
    for process in 1..=3 {
        stored(server, process, "").await;
    }
    let change = put(server, "/api/v1/projects/default", "{\"retention_days\":5}").await;
    assert_eq!(change.status, 204);
    let connection = &mut *kept.db().reading().await.expect("a connection");
    let old = sqlx::query("UPDATE traces SET stored_unix_ns = 1, leaves_unix_ns = 2");
    old.execute(&mut *connection).await.expect("a database");
    kept.sweep().await.expect("a sweep");
    // Each is found before the one after it.
    let mut before = u64::MAX;
    for number in (1..=3).rev() {
        let path = format!("/api/v1/projects/default/audit?before={before}");
        let lines: Vec<AuditEntry> = server.get(&path).await.json();
        let gone: Vec<_> = lines.iter().filter(|line| line.action == "delete_trace").collect();
        assert_eq!(gone.len(), number, "{lines:?}");
        before = gone[0].at_unix_ns;
    }
}

#[tokio::test]
async fn old_traces_are_marked_before_they_go_and_pins_stay() {
    let scratch = Scratch::new();
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let kept = storage.hosted().expect("what a server keeps").clone();
    let app = app_of(storage, page(), Access::Everybody, Viewers::default());
    let server = &TestServer { router: router(Arc::new(app)), scratch };
    let ids = [stored(server, 1, "").await, stored(server, 2, "").await, stored(server, 3, "").await];
    let connection = &mut *kept.db().reading().await.expect("a connection");
    // The first two are ten days old.
    let (now, day) = (syclscope_server::db::now_unix_ns() as i64, 24 * 3600 * 1_000_000_000_i64);
    for id in &ids[..2] {
        let age =
            sqlx::query("UPDATE traces SET stored_unix_ns = $2 WHERE id = $1").bind(id).bind(now - 10 * day);
        age.execute(&mut *connection).await.expect("a database");
    }
    let sweep = async || kept.sweep().await.expect("a sweep");
    let pin = async |id: &str, method: &str| {
        let path = format!("/api/v1/traces/{id}/pin");
        assert_eq!(server.send(method, &path, &[], Body::empty()).await.status, 204);
    };
    let leaves = async || -> Vec<(String, bool)> {
        let all = list(server, "sort=name").await;
        all.into_iter().map(|trace| (trace.id, trace.leaves_unix_ns.is_some())).collect()
    };
    let said = |marks: [bool; 3]| ids.iter().cloned().zip(marks).collect::<Vec<_>>();
    sweep().await;
    assert_eq!(leaves().await, said([false; 3]), "nothing goes where nobody said so");
    let change = put(server, "/api/v1/projects/default", "{\"retention_days\":5}").await;
    assert_eq!(change.status, 204);
    sweep().await;
    assert_eq!(leaves().await, said([true, true, false]), "marked, and still there");
    pin(&ids[0], "PUT").await;
    assert_eq!(leaves().await, said([false, true, false]), "a pin is heard at once");
    sweep().await;
    assert_eq!(leaves().await, said([false, true, false]));
    // A week later.
    let late =
        sqlx::query("UPDATE traces SET leaves_unix_ns = $1 WHERE leaves_unix_ns IS NOT NULL").bind(now - 1);
    late.execute(&mut *connection).await.expect("a database");
    sweep().await;
    assert_eq!(leaves().await, [(ids[0].clone(), false), (ids[2].clone(), false)]);
    let lines = audit(server).await;
    let gone = "run2.pftrace: exceeded the project's retention".to_owned();
    assert!(lines.contains(&("delete_trace".to_owned(), gone)), "{lines:?}");
    assert!(!server.scratch.path(&format!("data/traces/{}", ids[1])).exists(), "its bytes are collected");
    // Without its pin it is marked again, with the whole grace period; with a longer retention it is unmarked.
    pin(&ids[0], "DELETE").await;
    sweep().await;
    assert_eq!(leaves().await, [(ids[0].clone(), true), (ids[2].clone(), false)]);
    put(server, "/api/v1/projects/default", "{\"retention_days\":50}").await;
    sweep().await;
    assert_eq!(leaves().await, [(ids[0].clone(), false), (ids[2].clone(), false)]);
}
