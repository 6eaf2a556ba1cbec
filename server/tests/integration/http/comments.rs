//! Comments over HTTP: permissions, changes, and their subscribers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use http_body_util::BodyExt as _;
use syclscope_language::api::{AuditEntry, CommentEntry, Comments, Mention, NewLink, Role, TraceEntry};
use syclscope_language::entity::Entity;
use syclscope_server::app::App;
use syclscope_server::auth::Access;
use syclscope_server::db::traces;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;
use tower::ServiceExt as _;

use super::access::gate::{Gate, bearer, cookies};
use super::{Answer, LIMIT_BYTES, TestServer, app_of, hosted, page, send};
use crate::recording;
use crate::scratch::Scratch;

/// A server with a trace, two users who may comment, and one who may only read.
struct Talk {
    gate: Gate,
    path: String,
    ada: String,
    bob: String,
    eve: String,
}

impl Talk {
    async fn new() -> Self {
        let gate = Gate::new().await;
        let path = format!("/api/v1/traces/{}/comments", gate.trace().await.id);
        let ada = gate.token("ada", Some("default"), Role::Contributor).await.0;
        let bob = gate.token("bob", None, Role::Contributor).await.0;
        let eve = gate.token("eve", Some("default"), Role::Viewer).await.0;
        Self { gate, path, ada, bob, eve }
    }

    async fn say(&self, token: &str, body: &str) -> CommentEntry {
        let answer = self.gate.post(&self.path, token, body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    async fn all(&self, token: &str) -> Comments {
        self.gate.get(&self.path, token).await.json()
    }

    async fn change(&self, method: &str, id: &str, token: &str, body: &'static str) -> Answer {
        let headers = [("authorization", &*bearer(token)), ("content-type", "application/json")];
        self.gate.send(method, &format!("{}/{id}", self.path), &headers, body).await
    }

    async fn listen(&self, after: &str, last_id: Option<&str>) -> Listening {
        self.listen_as(("authorization", &bearer(&self.eve)), after, last_id).await
    }

    async fn listen_as(&self, who: (&str, &str), after: &str, last_id: Option<&str>) -> Listening {
        let mut request = Request::get(format!("{}/events{after}", self.path));
        request = request.header("host", "127.0.0.1:4717").header(who.0, who.1);
        request = request.header("x-forwarded-for", "192.0.2.7");
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        let request = request.body(Body::empty()).expect("a request");
        let response = self.gate.router.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        for (name, value) in [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-store"),
            ("x-accel-buffering", "no"),
        ] {
            assert_eq!(response.headers()[name], value);
        }
        Listening { response, text: String::new() }
    }
}

struct Listening {
    response: Response,
    text: String,
}

impl Listening {
    /// Waits for a text; returns everything received until then.
    async fn until(&mut self, wanted: &str) -> &str {
        while !self.text.contains(wanted) {
            let frame =
                tokio::time::timeout(Duration::from_secs(600), self.response.body_mut().frame()).await;
            let frame = frame.expect("something comes").expect("it goes on").expect("a frame");
            self.text += std::str::from_utf8(frame.data_ref().expect("data")).expect("text");
        }
        &self.text
    }

    async fn into_text(mut self) -> String {
        while let Some(frame) = self.response.body_mut().frame().await {
            let frame = frame.expect("a frame");
            self.text += std::str::from_utf8(frame.data_ref().expect("data")).expect("text");
        }
        self.text
    }
}

#[tokio::test]
async fn comments_are_said_answered_changed_and_deleted() {
    let talk = Talk::new().await;
    let empty = talk.all(&talk.eve).await;
    assert_eq!((empty.comments.len(), empty.name.as_deref()), (0, Some("eve")));
    assert!(!empty.may_comment && !empty.may_moderate);
    let asked =
        talk.say(&talk.ada, r#"{"pin":"n3","about":"gemm","text":"<b>Why</b> so slow, @bob?"}"#).await;
    assert_eq!((&asked.pin, asked.by.as_deref()), (&Some(Entity::Node(3)), Some("ada")));
    assert_eq!(asked.mentions, ["bob"]);
    let answer = format!(r#"{{"reply_to":"{}","text":"No idea."}}"#, asked.id);
    let answered = talk.say(&talk.bob, &answer).await;
    assert_eq!((&answered.pin, &answered.about), (&asked.pin, &asked.about));
    let again = talk.say(&talk.ada, &answer.replace(&asked.id, &answered.id)).await;
    assert_eq!(again.reply_to.as_ref(), Some(&asked.id), "one conversation");
    let marked = talk.say(&talk.bob, r#"{"pin":"t5-9"}"#).await;
    assert_eq!((marked.text.as_str(), marked.reply_to), ("", None));

    let seen = talk.all(&talk.bob).await;
    assert!(seen.may_comment && !seen.may_moderate);
    assert_eq!(
        seen.comments.iter().map(|c| &c.id).collect::<Vec<_>>(),
        [&asked.id, &answered.id, &again.id, &marked.id]
    );
    assert_eq!(seen.change, marked.change);

    talk.change("PUT", &asked.id, &talk.bob, r#"{"text":"mine"}"#).await.is_error(403, "not_allowed");
    talk.change("DELETE", &asked.id, &talk.bob, "").await.is_error(403, "not_allowed");
    talk.change("DELETE", &asked.id, &talk.eve, "").await.is_error(403, "not_allowed");
    let edited: CommentEntry =
        talk.change("PUT", &asked.id, &talk.ada, r#"{"text":"Why slow?"}"#).await.json();
    assert!(edited.edited_unix_ns.is_some() && edited.mentions.is_empty() && edited.change > marked.change);
    assert_eq!(talk.change("DELETE", &asked.id, &talk.ada, "").await.status, 204);
    talk.change("DELETE", &asked.id, &talk.ada, "").await.is_error(404, "not_found");
    let gone = talk.all(&talk.eve).await.comments.remove(0);
    assert!(gone.is_deleted && gone.text.is_empty());
    let back: CommentEntry = talk.change("PUT", &asked.id, &talk.ada, r#"{"text":"Why slow?"}"#).await.json();
    assert_eq!(back, CommentEntry { change: back.change, ..edited });
    assert_eq!(
        talk.change("DELETE", &asked.id, &talk.gate.admin, "").await.status,
        204,
        "an admin moderates"
    );

    let audit: Vec<AuditEntry> =
        talk.gate.get("/api/v1/projects/default/audit", &talk.gate.admin).await.json();
    let lines: Vec<_> = audit.iter().filter(|line| line.subject == asked.id).collect();
    let by_and_action = |line: &&AuditEntry| (line.by.clone().unwrap_or_default(), line.action.clone());
    let expected = [
        ("root", "moderate_comments"),
        ("ada", "comment"),
        ("ada", "comment"),
        ("ada", "comment"),
        ("ada", "comment"),
    ];
    assert_eq!(
        lines.iter().map(by_and_action).collect::<Vec<_>>(),
        expected.map(|(by, act)| (by.to_owned(), act.to_owned()))
    );
    assert!(
        !audit.iter().any(|line| line.detail.as_deref().unwrap_or_default().contains("slow")),
        "no texts"
    );
}

#[tokio::test]
async fn what_is_no_comment_is_refused() {
    let talk = Talk::new().await;
    for body in [
        "",
        "{}",
        r#"{"text":" "}"#,
        r#"{"pin":"x5","text":"a"}"#,
        r#"{"pin":"n3","txt":"a"}"#,
        r#"{"text":"a\u0000"}"#,
        r#"{"reply_to":"n3","pin":"n3","text":"a"}"#,
    ] {
        talk.gate.post(&talk.path, &talk.ada, body).await.is_error(400, "bad_request");
    }
    let long = format!(r#"{{"text":"{}"}}"#, "a".repeat(4001));
    talk.gate.post(&talk.path, &talk.ada, &long).await.is_error(400, "bad_request");
    for answered in ["b".repeat(26), "..".to_owned()] {
        let body = format!(r#"{{"reply_to":"{answered}","text":"a"}}"#);
        talk.gate.post(&talk.path, &talk.ada, &body).await.is_error(404, "not_found");
    }
    talk.change("PUT", "nothing", &talk.ada, r#"{"text":"a"}"#).await.is_error(404, "not_found");
    let whole = talk.say(&talk.ada, r#"{"text":"all of it"}"#).await;
    talk.change("PUT", &whole.id, &talk.ada, r#"{"text":""}"#).await.is_error(400, "bad_request");
}

#[tokio::test]
async fn nobody_floods_a_trace() {
    let talk = Talk::new().await;
    for _ in 0..60 {
        talk.say(&talk.ada, r#"{"pin":"12"}"#).await;
    }
    // Moves the changes an hour ahead, so that they count as recent even on a slow machine.
    let lately = sqlx::query("UPDATE audit SET at_unix_ns = at_unix_ns + 3600000000000");
    lately.execute(&mut *talk.gate.db.reading().await.expect("a connection")).await.expect("rows");
    let refused = talk.gate.post(&talk.path, &talk.ada, r#"{"pin":"12"}"#).await;
    refused.is_error(429, "too_fast");
    assert_eq!(refused.header("retry-after"), "60");
    talk.say(&talk.bob, r#"{"pin":"12"}"#).await;
    let connection = &mut *talk.gate.db.reading().await.expect("a connection");
    let trace = talk.path.split('/').nth(4).expect("the trace's id");
    let fill = "INSERT INTO comments (id, trace, words, made_unix_ns, change) \
                WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1938) \
                SELECT 'c' || i, $1, '', 1, i FROM n";
    sqlx::query(fill).bind(trace).execute(connection).await.expect("rows");
    talk.gate.post(&talk.path, &talk.bob, r#"{"text":"full"}"#).await.is_error(409, "comments_full");
}

#[tokio::test]
async fn who_is_mentioned_finds_it() {
    let talk = Talk::new().await;
    let said = talk.say(&talk.ada, r#"{"text":"@eve @bob @nobody look, says @ada"}"#).await;
    assert_eq!(said.mentions, ["bob", "eve"]);
    let mentions: Vec<Mention> = talk.gate.get("/api/v1/mentions", &talk.eve).await.json();
    assert_eq!(mentions.len(), 1);
    assert_eq!(mentions[0].comment, said);
    assert!(talk.path.contains(&mentions[0].trace) && mentions[0].trace_name.ends_with(".pftrace"));
    assert_eq!(talk.gate.get("/api/v1/mentions", &talk.ada).await.text(), "[]");
    // A token with the same name, in a project without access to the trace.
    let (stranger, _) = talk.gate.token("eve", Some("other"), Role::Admin).await;
    assert_eq!(talk.gate.get("/api/v1/mentions", &stranger).await.text(), "[]");
    talk.change("DELETE", &said.id, &talk.ada, "").await;
    assert_eq!(talk.gate.get("/api/v1/mentions", &talk.eve).await.text(), "[]");
}

#[tokio::test]
async fn a_link_shows_comments_and_takes_none() {
    let talk = Talk::new().await;
    let said = talk.say(&talk.ada, r#"{"text":"look"}"#).await;
    let trace = talk.path.split('/').nth(4).expect("the trace's id");
    let (_, root) = talk.gate.link(trace, &NewLink::default()).await;
    let path = format!("{root}{}", talk.path);
    let seen: Comments = talk.gate.send("GET", &path, &[], Body::empty()).await.json();
    assert_eq!((seen.comments, seen.name, seen.may_comment), (vec![said], None, false));
    let headers = [("content-type", "application/json")];
    let answer = talk.gate.send("POST", &path, &headers, r#"{"text":"me, too"}"#).await;
    answer.is_error(405, "wrong_method");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_hears_of_every_change() {
    let talk = Talk::new().await;
    let mut here = talk.listen("", None).await;
    here.until("\n\n").await;
    let one = talk.say(&talk.ada, r#"{"text":"one"}"#).await;
    let heard = here.until("\"text\":\"one\"").await;
    assert!(
        heard.contains(&format!("id: {}\nevent: comment\ndata: {{\"id\":\"{}\"", one.change, one.id)),
        "{heard}"
    );
    drop(here);
    // There are no listeners meanwhile.
    let two = talk.say(&talk.bob, r#"{"text":"two"}"#).await;
    talk.change("DELETE", &one.id, &talk.ada, "").await;
    let mut back = talk.listen("?after=0", Some(&one.change.to_string())).await;
    let heard = back.until("\"is_deleted\":true").await.to_owned();
    assert!(heard.contains("\"text\":\"two\"") && !heard.contains("\"text\":\"one\""), "{heard}");
    let mut all = talk.listen(&format!("?after={}", two.change), None).await;
    let heard = all.until(&format!("id: {}\n\n", two.change + 1)).await;
    assert!(!heard.contains("two"), "{heard}");
}

#[tokio::test]
async fn who_has_signed_out_hears_nothing_more_and_others_go_on() {
    let talk = Talk::new().await;
    let sign_in = async || {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let answer = talk.gate.send("POST", "/sign-in", &form, format!("token={}", talk.eve)).await;
        cookies(&answer)
    };
    let (leaves, stays) = (sign_in().await, sign_in().await);
    let listening = talk.listen_as(("cookie", &leaves), "", None).await;
    let mut other = talk.listen_as(("cookie", &stays), "", None).await;
    let mut by_token = talk.listen("", None).await;
    let out = talk.gate.send("POST", "/sign-out", &[("cookie", &leaves)], Body::empty()).await;
    assert_eq!(out.status, 303);
    talk.say(&talk.ada, r#"{"text":"a secret"}"#).await;
    other.until("a secret").await;
    by_token.until("a secret").await;
    let heard = listening.into_text().await;
    assert!(!heard.contains("a secret"), "{heard}");
}

#[tokio::test]
async fn files_of_ones_own_have_no_comments() {
    let server = TestServer::new().await;
    server.scratch.file("run.pftrace", crate::recording::as_perfetto());
    let router = super::service_of_files(&server.scratch, "run.pftrace");
    let list = super::send(&router, "GET", "/api/v1/traces", &[], Body::empty()).await;
    let traces: Vec<syclscope_language::api::TraceEntry> = list.json();
    let path = format!("/api/v1/traces/{}/comments", traces[0].id);
    let none: Comments = super::send(&router, "GET", &path, &[], Body::empty()).await.json();
    assert_eq!(none, Comments::default());
    let headers = [("content-type", "application/json")];
    for (method, path) in [("POST", path.clone()), ("GET", format!("{path}/events"))] {
        let answer = super::send(&router, method, &path, &headers, r#"{"text":"a"}"#.into()).await;
        answer.is_error(403, "look_only");
    }
    let mentions = super::send(&router, "GET", "/api/v1/mentions", &[], Body::empty()).await;
    assert_eq!(mentions.text(), "[]");
}

#[tokio::test]
async fn nothing_is_said_of_a_trace_that_is_being_deleted() {
    let changes = [
        ("PUT", "labels/branch", "{\"value\":\"main\"}"),
        ("DELETE", "labels/branch", ""),
        ("PUT", "pin", ""),
        ("DELETE", "pin", ""),
        ("POST", "comments", "{\"text\":\"late\"}"),
        ("POST", "links", "{}"),
    ];
    for is_collected in [false, true] {
        for (method, path, body) in changes {
            let scratch = Scratch::new();
            let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
            let db = storage.hosted().expect("a server's").db().clone();
            let app = app_of(storage, page(), Access::Everybody, Viewers::default());
            let router = router(Arc::new(App { db: Some(db.clone()), ..app }));
            let upload =
                send(&router, "POST", "/api/v1/traces?name=a", &[], recording::as_json().into()).await;
            let id = upload.json::<TraceEntry>().id;
            // This replica knows the trace, and another one deletes it.
            assert_eq!(
                send(&router, "GET", &format!("/api/v1/traces/{id}"), &[], Body::empty()).await.status,
                200
            );
            let (connection, trace) =
                (&mut *db.reading().await.expect("a connection"), id.parse().expect("an id"));
            assert!(traces::delete(connection, &trace, 1).await.expect("it is deleted"));
            if is_collected {
                traces::forget(connection, &trace).await.expect("it is forgotten");
            }
            let path = format!("/api/v1/traces/{id}/{path}");
            let json = [("content-type", "application/json")];
            send(&router, method, &path, &json, body.into()).await.is_error(404, "not_found");
        }
    }
}
