//! Links to a trace.

use axum::body::Body;
use syclscope_language::api::{LinkEntry, LinkState, NewLink};
use syclscope_server::db::now_unix_ns;

use super::gate::{Gate, bearer, cookies};

#[tokio::test]
async fn a_link_shows_its_trace_to_who_has_no_account() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) =
        gate.link(&trace, &NewLink { name: Some("for Bob".into()), ..NewLink::default() }).await;
    assert_eq!(made.link.state, LinkState::Open);
    assert_eq!((made.link.name.as_deref(), made.link.made_by.as_deref()), (Some("for Bob"), Some("root")));
    let page = gate.send("GET", &format!("/{}?v=graph", made.address), &[], Body::empty()).await;
    assert_eq!(page.status, 200, "{}", page.text());
    assert!(page.text().contains("<base href=\"../\""), "{}", page.text());
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    // The page's files and queries are below the same path.
    for path in ["boot.js", &format!("api/v1/traces/{trace}"), &format!("api/v1/traces/{trace}/file")] {
        let answer = gate.send("GET", &format!("{root}/{path}"), &[], Body::empty()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    let me = gate.send("GET", &format!("{root}/api/v1/me"), &[], Body::empty()).await;
    assert!(me.text().contains("\"link\""), "{}", me.text());
    // Without the link, nothing is accessible.
    gate.send("GET", &format!("/api/v1/traces/{trace}"), &[], Body::empty()).await.is_error(401, "sign_in");
}

#[tokio::test]
async fn the_list_of_links_holds_no_secret() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) = gate.link(&trace, &NewLink::default()).await;
    let secret = root.strip_prefix("/s/").expect("a link's path");
    gate.send("GET", &format!("/{}", made.address), &[], Body::empty()).await;
    let list = gate.get(&format!("/api/v1/traces/{trace}/links"), &gate.admin).await;
    assert!(!list.text().contains(secret), "{}", list.text());
    let links: Vec<LinkEntry> = list.json();
    assert_eq!((links.len(), links[0].opened), (1, 1));
    let audit = gate.get("/api/v1/projects/default/audit", &gate.admin).await;
    assert!(audit.text().contains("make_link") && !audit.text().contains(secret), "{}", audit.text());
}

#[tokio::test]
async fn a_link_without_a_limit_opens_where_nothing_can_be_written() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) = gate.link(&trace, &NewLink::default()).await;
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut connection = gate.db.reading().await.expect("a connection");
        sqlx::query("PRAGMA query_only = ON").execute(&mut *connection).await.expect("a setting");
        connections.push(connection);
    }
    drop(connections);
    for path in [format!("/{}", made.address), format!("{root}/api/v1/traces/{trace}")] {
        let answer = gate.send("GET", &path, &[], Body::empty()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_link_can_be_opened_so_often_and_each_visit_counts_once() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) = gate.link(&trace, &NewLink { openings: Some(2), ..NewLink::default() }).await;
    let info = format!("{root}/api/v1/traces/{trace}");
    // A program that only looks for a title (a chat, a mail's scanner) opens nothing.
    for _ in 0..3 {
        assert_eq!(gate.send("GET", &format!("/{}", made.address), &[], Body::empty()).await.status, 200);
    }
    for _ in 0..2 {
        let page = gate.send("GET", &format!("/{}", made.address), &[], Body::empty()).await;
        let cookie = cookies(&page);
        let (headers, report) = ([("cookie", cookie.as_str())], format!("{info}/report"));
        let (one, two) = tokio::join!(
            gate.send("GET", &info, &headers, Body::empty()),
            gate.send("GET", &report, &headers, Body::empty()),
        );
        assert_eq!((one.status.as_u16(), two.status.as_u16()), (200, 200), "{} {}", one.text(), two.text());
        let again = gate.send("GET", &info, &[("cookie", &cookie)], Body::empty()).await;
        assert_eq!(again.status, 200);
    }
    gate.send("GET", &info, &[], Body::empty()).await.is_error(410, "link_used_up");
    let page = gate.send("GET", &format!("/{}", made.address), &[], Body::empty()).await;
    assert_eq!(page.status, 410);
    assert!(page.text().contains("link used up"), "{}", page.text());
    let links: Vec<LinkEntry> = gate.get(&format!("/api/v1/traces/{trace}/links"), &gate.admin).await.json();
    assert_eq!((links[0].opened, links[0].state), (2, LinkState::UsedUp));
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_come_at_the_same_time_share_the_openings() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (_, root) = gate.link(&trace, &NewLink { openings: Some(5), ..NewLink::default() }).await;
    let info = format!("{root}/api/v1/traces/{trace}");
    let gate = std::sync::Arc::new(gate);
    let visits = (0..20).map(|_| {
        let (gate, info) = (std::sync::Arc::clone(&gate), info.clone());
        tokio::spawn(async move { gate.send("GET", &info, &[], Body::empty()).await.status.as_u16() })
    });
    let mut seen = Vec::new();
    for visit in visits.collect::<Vec<_>>() {
        seen.push(visit.await.expect("an answer"));
    }
    seen.sort_unstable();
    assert_eq!(seen, [[200; 5].as_slice(), &[410; 15]].concat());
}

#[tokio::test]
async fn a_link_that_is_taken_back_opens_nothing_from_then_on() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) = gate.link(&trace, &NewLink { openings: Some(9), ..NewLink::default() }).await;
    let info = format!("{root}/api/v1/traces/{trace}");
    let opened = gate.send("GET", &info, &[], Body::empty()).await;
    let headers = [("cookie", &*cookies(&opened))];
    let path = format!("/api/v1/traces/{trace}/links/{}", made.link.id);
    let admin = [("authorization", &*bearer(&gate.admin))];
    assert_eq!(gate.send("DELETE", &path, &admin, Body::empty()).await.status, 204);
    gate.send("DELETE", &path, &admin, Body::empty()).await.is_error(404, "not_found");
    gate.send("GET", &info, &headers, Body::empty()).await.is_error(410, "link_withdrawn");
    // The response to the page itself has the error.
    let page = gate.send("GET", &format!("/{}", made.address), &[], Body::empty()).await;
    assert_eq!(page.status, 410);
    assert!(
        page.text().starts_with("<!doctype html>") && page.text().contains("link revoked"),
        "{}",
        page.text()
    );
    assert_eq!(gate.send("GET", &format!("{root}/boot.js"), &[], Body::empty()).await.status, 200);
}

#[tokio::test]
async fn a_deleted_trace_has_no_links() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (_, root) = gate.link(&trace, &NewLink::default()).await;
    let admin = [("authorization", &*bearer(&gate.admin))];
    let deleted = gate.send("DELETE", &format!("/api/v1/traces/{trace}"), &admin, Body::empty()).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text());
    let answer = gate.send("GET", &format!("{root}/api/v1/traces/{trace}"), &[], Body::empty()).await;
    answer.is_error(404, "not_found");
}

#[tokio::test]
async fn limits_that_could_be_mistakes_are_refused() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let past = format!("{{\"expires_unix_ns\":{}}}", now_unix_ns() - 1);
    for body in
        [past.as_str(), "{\"openings\":0}", "{\"openings\":-1}", "{\"name\":\"a\\nb\"}", "{\"until\":1}", ""]
    {
        let answer = gate.post(&format!("/api/v1/traces/{trace}/links"), &gate.admin, body).await;
        answer.is_error(400, "bad_request");
    }
}

#[tokio::test]
async fn a_browser_with_a_cached_page_comes_back_as_one_visitor() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (made, root) = gate.link(&trace, &NewLink { openings: Some(2), ..NewLink::default() }).await;
    let page = format!("/{}", made.address);
    let etag = gate.send("GET", &page, &[], Body::empty()).await.header("etag").to_owned();
    // A day later the browser has the page, and no cookie any more.
    let again = gate.send("GET", &page, &[("if-none-match", &etag)], Body::empty()).await;
    assert_eq!(again.status, 304);
    let cookie = cookies(&again);
    assert!(cookie.starts_with("syclscope-visit-"), "{cookie}");
    let info = format!("{root}/api/v1/traces/{trace}");
    for _ in 0..5 {
        assert_eq!(gate.send("GET", &info, &[("cookie", &cookie)], Body::empty()).await.status, 200);
    }
    let links: Vec<LinkEntry> = gate.get(&format!("/api/v1/traces/{trace}/links"), &gate.admin).await.json();
    assert_eq!(links[0].opened, 1);
}
