//! Every route, requested by every kind of client: the result is that of the table of permissions.

use std::collections::BTreeMap;

use axum::body::Body;
use syclscope_language::api::{AuditEntry, CommentEntry, ErrorBody, NewLink, Role, TraceEntry, UploadAnswer};
use syclscope_server::auth::{Action, Standing, may};
use syclscope_server::db::now_unix_ns;
use syclscope_server::http::router::{Route, routes};

use super::gate::{Gate, OTHER_PROJECT, bearer, cookies};
use crate::http::Answer;
use crate::recording;

const LISTS: [&str; 3] = ["/api/v1/traces", "/api/v1/projects", "/api/v1/mentions"];

struct Visitor {
    name: String,
    root: String,
    token: Option<String>,
    cookie: Option<String>,
    standing: Standing,
    /// Answer of every guarded route, where it does not depend on roles.
    refusal: Option<(u16, &'static str)>,
}

impl Visitor {
    fn new(name: &str, standing: Standing) -> Self {
        let (root, name) = (String::new(), name.to_owned());
        Self { name, root, token: None, cookie: None, standing, refusal: None }
    }

    fn with_token(name: &str, token: String, standing: Standing) -> Self {
        Self { token: Some(token), ..Self::new(name, standing) }
    }

    fn refused(self, status: u16, code: &'static str) -> Self {
        Self { refusal: Some((status, code)), ..self }
    }

    fn is_link(&self) -> bool {
        !self.root.is_empty()
    }
}

async fn visitors(gate: &Gate, trace: &str) -> Vec<Visitor> {
    let nobody = || Visitor::new("nobody", Standing::Stranger).refused(401, "sign_in");
    let mut all = vec![nobody()];
    let unknown = format!("syt_{}", "a".repeat(32));
    let wrong =
        |name, token| Visitor::with_token(name, token, Standing::Stranger).refused(401, "wrong_token");
    all.push(wrong("unknown token", unknown));
    all.push(wrong("no token at all", "secret".to_owned()));
    let (token, id) = gate.token("gone", None, Role::Admin).await;
    gate.revoke(&id).await;
    all.push(wrong("revoked token", token));
    let (token, id) = gate.token("old", None, Role::Admin).await;
    gate.expire("tokens", id.as_str()).await;
    all.push(wrong("expired token", token));
    for role in Role::ALL {
        let (token, _) = gate.token("here", Some("default"), role).await;
        all.push(Visitor::with_token(&format!("{role} of the project"), token, Standing::Member(role)));
        let (token, _) = gate.token("everywhere", None, role).await;
        all.push(Visitor::with_token(&format!("{role} everywhere"), token.clone(), Standing::Member(role)));
        let cookie = cookies(&sign_in(gate, &token).await);
        let session = Visitor::new(&format!("session of a {role}"), Standing::Member(role));
        all.push(Visitor { cookie: Some(cookie), ..session });
        let (token, _) = gate.token("elsewhere", Some(OTHER_PROJECT), role).await;
        let name = format!("{role} of another project");
        all.push(Visitor::with_token(&name, token, Standing::Stranger).refused(404, "not_found"));
    }
    let (_, root) = gate.link(trace, &NewLink::default()).await;
    all.push(Visitor { root, ..Visitor::new("link", Standing::Link) });
    let once = NewLink { openings: Some(1), ..NewLink::default() };
    let (_, root) = gate.link(trace, &once).await;
    let opened = gate.send("GET", &format!("{root}/api/v1/traces/{trace}"), &[], Body::empty()).await;
    let cookie = Some(cookies(&opened));
    all.push(Visitor {
        root: root.clone(),
        cookie,
        ..Visitor::new("who opened a link once", Standing::Link)
    });
    let late = Visitor::new("who comes to it later", Standing::Stranger).refused(410, "link_used_up");
    all.push(Visitor { root, ..late });
    let (made, root) = gate.link(trace, &NewLink::default()).await;
    gate.expire("links", &made.link.id).await;
    all.push(Visitor {
        root,
        ..Visitor::new("expired link", Standing::Stranger).refused(410, "link_expired")
    });
    let (made, root) = gate.link(trace, &NewLink::default()).await;
    let path = format!("/api/v1/traces/{trace}/links/{}", made.link.id);
    let headers = [("authorization", &*bearer(&gate.admin))];
    assert_eq!(gate.send("DELETE", &path, &headers, Body::empty()).await.status, 204);
    let gone = Visitor::new("withdrawn link", Standing::Stranger).refused(410, "link_withdrawn");
    all.push(Visitor { root, ..gone });
    let other = gate.trace().await;
    let (_, root) = gate.link(&other.id, &NewLink::default()).await;
    let elsewhere = Visitor::new("link to another trace", Standing::Stranger).refused(404, "not_found");
    all.push(Visitor { root, ..elsewhere });
    let guess = Visitor::new("guessed link", Standing::Stranger).refused(404, "not_found");
    all.push(Visitor { root: format!("/s/{}", "a".repeat(32)), ..guess });
    all
}

async fn sign_in(gate: &Gate, token: &str) -> Answer {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let answer = gate.send("POST", "/sign-in", &headers, format!("token={token}")).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer
}

/// Sends a valid request for a route, on an existing entity.
async fn ask(gate: &Gate, route: &Route, visitor: &Visitor, trace: &str) -> Answer {
    let id = match route.action {
        // An upload that still accepts parts.
        _ if route.path.starts_with("/api/v1/uploads/") => begun(gate).await,
        // The request deletes the trace, so it needs its own.
        Action::DeleteTrace if may(visitor.standing, route.action) => gate.trace().await.id,
        _ => trace.to_owned(),
    };
    let mut path = route.path.replace("{id}", &id).replace("{format}", "json").replace("{number}", "0");
    path = path.replace("{*question}", "report").replace("{project}", "default").replace("{name}", "ada");
    path = path.replace("{key}", "branch").replace("{other}/{question}", &format!("{id}/overview"));
    path = path.replace("{a}/{b}", &format!("{id}/{id}"));
    if path.contains("{link}") {
        path = path.replace("{link}", &gate.link(&id, &NewLink::default()).await.0.link.id);
    }
    if path.contains("{comment}") {
        path = path.replace("{comment}", &comment(gate, visitor, &id).await);
    }
    assert!(!path.contains('{'), "say what stands in {path}");
    if route.method == "DELETE" && path.ends_with("/members/ada") {
        let headers = [("authorization", &*bearer(&gate.admin)), ("content-type", "application/json")];
        let set = gate.send("PUT", &path, &headers, "{\"role\":\"viewer\"}").await;
        assert_eq!(set.status, 204, "{}", set.text());
    }
    let body: Body = match (route.method, route.action) {
        ("POST", _) if route.path == "/api/v1/uploads" => new_upload().into(),
        ("POST", Action::Upload) => {
            recording::of_process(u32::try_from(now_unix_ns() % 1_000_000_000).unwrap()).into()
        }
        ("PUT", Action::ChangeTrace) => "{\"value\":\"main\"}".into(),
        ("PUT", Action::ChangeProject) => "{}".into(),
        ("PUT" | "POST", Action::Comment) => "{\"text\":\"slow\"}".into(),
        ("PUT", _) => "{\"role\":\"viewer\"}".into(),
        ("POST", Action::MakeLink) => "{}".into(),
        ("POST", _) => "token=syt_none".into(),
        _ => Body::empty(),
    };
    let is_form = body_is_form(route);
    let kind = if is_form { "application/x-www-form-urlencoded" } else { "application/json" };
    let headers = headers_of(visitor, kind);
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    gate.send(route.method, &format!("{}{path}", visitor.root), &headers, body).await
}

/// Returns the id of a visitor's own comment; any id if they can't comment.
async fn comment(gate: &Gate, visitor: &Visitor, trace: &str) -> String {
    if !may(visitor.standing, Action::Comment) {
        return "a".repeat(26);
    }
    let headers = headers_of(visitor, "application/json");
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let path = format!("/api/v1/traces/{trace}/comments");
    let answer = gate.send("POST", &path, &headers, "{\"text\":\"slow\"}").await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json::<CommentEntry>().id
}

fn headers_of(visitor: &Visitor, kind: &str) -> Vec<(&'static str, String)> {
    let mut headers = vec![("content-type", kind.to_owned())];
    headers.extend(visitor.token.as_deref().map(|token| ("authorization", bearer(token))));
    headers.extend(visitor.cookie.clone().map(|cookie| ("cookie", cookie)));
    headers
}

fn new_upload() -> String {
    let digits = format!("{:064x}", now_unix_ns());
    format!("{{\"name\":\"run.pftrace\",\"size_bytes\":10,\"sha256\":\"{digits}\"}}")
}

async fn begun(gate: &Gate) -> String {
    let answer = gate.post("/api/v1/uploads", &gate.admin, &new_upload()).await;
    match answer.json() {
        UploadAnswer::Open(upload) => upload.id,
        UploadAnswer::There(_) => panic!("nobody has uploaded it: {}", answer.text()),
    }
}

fn body_is_form(route: &Route) -> bool {
    matches!(route.path.as_str(), "/sign-in" | "/sign-out")
}

fn is_door(route: &Route) -> bool {
    body_is_form(route) || route.path == "/signed-in"
}

fn refusal(answer: &Answer) -> Option<(u16, String)> {
    let status = answer.status.as_u16();
    let is_refusal = matches!(status, 401 | 403 | 404 | 405 | 410 | 429);
    // Clients can't distinguish a missing project from a missing trace.
    let code = |body: ErrorBody| body.error.code.replace("no_such_project", "not_found");
    is_refusal
        .then(|| (status, serde_json::from_slice(&answer.body).map_or_else(|_| "page".to_owned(), code)))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_answers_everybody_as_the_table_says() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let mut wrong = Vec::new();
    for visitor in visitors(&gate, &trace).await {
        for route in routes() {
            // Sign-in is open to everyone, and the server's metrics belong to no project; both have tests of their
            // own.
            if (is_door(&route) || route.path == "/metrics") && !visitor.is_link() {
                continue;
            }
            let got = refusal(&ask(&gate, &route, &visitor, &trace).await);
            let is_there =
                !visitor.is_link() || may(Standing::Link, route.action) && route.path.starts_with("/api");
            let allowed = may(visitor.standing, route.action);
            let wanted = match visitor.refusal {
                // A link reaches only routes that read; other routes don't exist below it.
                _ if !is_there => None,
                Some((401, "wrong_token")) => Some(visitor.refusal),
                Some((410, "link_used_up")) if route.action == Action::SeePage => Some(None),
                Some((410, _)) => Some(visitor.refusal),
                Some(_) if visitor.name == "guessed link" => Some(visitor.refusal),
                Some(_) if route.action == Action::SeePage => Some(None),
                // The lists are for all signed-in clients: they show the visible entries.
                Some((404, _)) if LISTS.contains(&route.path.as_str()) && route.method == "GET" => Some(None),
                Some(refusal) => Some(Some(refusal)),
                // Ledgers are among a user's own files, which this server lacks.
                None if allowed && route.path == "/tries" => Some(Some((404, "not_found"))),
                None if allowed => Some(None),
                None => Some(Some((403, "not_allowed"))),
            };
            let is_right = match (&wanted, &got) {
                (None, Some((status, _))) => matches!(status, 404 | 405 | 410),
                (None, None) => false,
                (Some(wanted), got) => wanted.map(|(status, code)| (status, code.to_owned())) == *got,
            };
            if !is_right {
                wrong.push(format!(
                    "{} {} by {}: {got:?}, not {wanted:?}",
                    route.method, route.path, visitor.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn who_is_of_another_project_sees_an_empty_list() {
    let gate = Gate::new().await;
    gate.trace().await;
    let (token, _) = gate.token("elsewhere", Some(OTHER_PROJECT), Role::Admin).await;
    assert_eq!(gate.get("/api/v1/traces", &token).await.text(), "[]");
    gate.get("/api/v1/traces?project=default", &token).await.is_error(404, "no_such_project");
    gate.get("/api/v1/traces?project=no-such", &gate.admin).await.is_error(404, "no_such_project");
}

#[tokio::test]
async fn traces_are_their_projects_and_their_uploaders() {
    let gate = Gate::new().await;
    let (ada, _) = gate.token("ada", Some(OTHER_PROJECT), Role::Contributor).await;
    let (bob, _) = gate.token("bob", Some(OTHER_PROJECT), Role::Contributor).await;
    let (eve, _) = gate.token("eve", Some("default"), Role::Admin).await;
    let upload = format!("/api/v1/traces?name=run.pftrace&project={OTHER_PROJECT}");
    let send = async |method: &str, path: &str, token: &str, body: Vec<u8>| {
        gate.send(method, path, &[("authorization", &*bearer(token))], body).await
    };
    send("POST", &upload, &eve, recording::as_perfetto()).await.is_error(404, "no_such_project");
    let twice = format!("{upload}&project=default");
    send("POST", &twice, &ada, recording::as_perfetto()).await.is_error(400, "bad_request");
    let trace: TraceEntry = send("POST", &upload, &ada, recording::as_perfetto()).await.json();
    let path = format!("/api/v1/traces/{}", trace.id);
    assert_eq!(gate.get(&path, &bob).await.status, 200);
    gate.get(&path, &eve).await.is_error(404, "not_found");
    assert_eq!(gate.get("/api/v1/traces", &eve).await.text(), "[]");
    assert!(gate.get("/api/v1/traces", &bob).await.text().contains(&trace.id));
    let named = new_upload().replacen('{', &format!("{{\"project\":\"{OTHER_PROJECT}\","), 1);
    gate.post("/api/v1/uploads", &eve, &named).await.is_error(404, "no_such_project");
    assert_eq!(gate.post("/api/v1/uploads", &ada, &named).await.status, 200);
    send("DELETE", &path, &bob, Vec::new()).await.is_error(403, "not_allowed");
    send("DELETE", &path, &eve, Vec::new()).await.is_error(404, "not_found");
    assert_eq!(send("DELETE", &path, &ada, Vec::new()).await.status, 204, "who uploaded it");
    let audit: Vec<AuditEntry> =
        gate.get(&format!("/api/v1/projects/{OTHER_PROJECT}/audit"), &gate.admin).await.json();
    let lines: Vec<_> = audit.iter().map(|line| (line.action.as_str(), line.by.as_deref())).collect();
    assert_eq!(lines, [("delete_trace", Some("ada")), ("upload", Some("ada"))]);
}

#[test]
fn the_documented_table_is_the_one() {
    let document = include_str!("../../../../../docs/SHARING.md");
    let mut rows = BTreeMap::new();
    for line in document.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 8) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        rows.insert(
            cells[0].trim_matches('`'),
            cells[2..].iter().map(|cell| *cell == "yes").collect::<Vec<_>>(),
        );
    }
    for action in Action::ALL {
        let wanted = Standing::ALL.map(|standing| may(standing, action)).to_vec();
        assert_eq!(rows.remove(action.name()), Some(wanted), "{} in docs/SHARING.md", action.name());
    }
    assert!(rows.is_empty(), "actions that are none: {rows:?}");
}
