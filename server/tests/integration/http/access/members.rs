//! Members of a project, as a proxy names them.

use axum::body::Body;
use syclscope_language::api::{Me, MemberEntry, Role};
use syclscope_server::auth::{Access, Action, Principal, change};
use syclscope_server::db::audit;

use super::gate::{Gate, bearer};

#[tokio::test]
async fn members_are_listed_changed_and_kept_in_the_audit() {
    let gate = Gate::new().await;
    let headers = [("authorization", &*bearer(&gate.admin)), ("content-type", "application/json")];
    let members = "/api/v1/projects/default/members";
    for (name, role) in
        [("ada", "viewer"), ("*", "viewer"), ("Grace%20H%C3%B6pper", "admin"), ("ada", "contributor")]
    {
        let body = format!("{{\"role\":\"{role}\"}}");
        let answer = gate.send("PUT", &format!("{members}/{name}"), &headers, body).await;
        assert_eq!(answer.status, 204, "{}", answer.text());
    }
    let list: Vec<MemberEntry> = gate.get(members, &gate.admin).await.json();
    let list: Vec<(&str, Role)> = list.iter().map(|entry| (entry.name.as_str(), entry.role)).collect();
    assert_eq!(list, [("*", Role::Viewer), ("Grace Höpper", Role::Admin), ("ada", Role::Contributor)]);
    for (name, body) in [("bob", "{\"role\":\"king\"}"), ("%0A", "{\"role\":\"viewer\"}"), ("bob", "")] {
        gate.send("PUT", &format!("{members}/{name}"), &headers, body).await.is_error(400, "bad_request");
    }
    assert_eq!(gate.send("DELETE", &format!("{members}/ada"), &headers, Body::empty()).await.status, 204);
    gate.send("DELETE", &format!("{members}/ada"), &headers, Body::empty()).await.is_error(404, "not_found");
    let audit = gate.get("/api/v1/projects/default/audit", &gate.admin).await.text();
    assert_eq!(audit.matches("change_members").count(), 5, "{audit}");
    assert!(audit.contains("\"by\":\"root\""), "{audit}");
    gate.get("/api/v1/projects/nowhere/members", &gate.admin).await.is_error(404, "no_such_project");
}

/// A token for all projects is created outside of any project.
#[tokio::test]
async fn changes_of_no_project_are_read_by_those_who_may_read_all() {
    let gate = Gate::new().await;
    let detail = Some("token of ada: made".to_owned());
    let line = change(&Principal::Account, Action::ChangeMembers, None, "some-token", detail);
    audit::add(&mut gate.db.reading().await.expect("a connection"), &line).await.expect("a row");
    let (of_project, _) = gate.token("eve", Some("default"), Role::Admin).await;
    for (token, count) in [(&gate.admin, 1), (&of_project, 0)] {
        let audit = gate.get("/api/v1/projects/default/audit", token).await.text();
        assert_eq!(audit.matches("token of ada").count(), count, "{audit}");
    }
}

/// Requests in process have no socket, so no trusted proxy: a header is only its sender's claim.
#[tokio::test]
async fn a_name_in_a_header_counts_from_a_trusted_proxy_only() {
    let gate = Gate::with(Access::Proxy { header: "x-forwarded-user".to_owned() }).await;
    let me: Me = gate.send("GET", "/api/v1/me", &[("x-forwarded-user", "ada")], Body::empty()).await.json();
    assert_eq!((me.kind.as_str(), me.name), ("nobody", None));
    let traces = gate.send("GET", "/api/v1/traces", &[("x-forwarded-user", "ada")], Body::empty()).await;
    traces.is_error(401, "sign_in");
    let me: Me = gate.get("/api/v1/me", &gate.admin).await.json();
    assert_eq!((me.kind.as_str(), me.name.as_deref()), ("token", Some("root")), "tokens count as everywhere");
}
