//! Signing in with a token, in a browser.

use std::time::{Duration, Instant};

use axum::body::Body;
use syclscope_language::api::{Me, Role};
use syclscope_server::auth::provider::Person;
use syclscope_server::auth::{SignIn, sign_in_as};
use syclscope_server::db::{now_unix_ns, tokens};

use super::gate::{Gate, bearer, cookies};
use crate::http::{Answer, send};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

async fn sign_in(gate: &Gate, token: &str, to: &str, headers: &[(&str, &str)]) -> Answer {
    let headers = [&[FORM], headers].concat();
    gate.send("POST", "/sign-in", &headers, format!("token={token}&to={to}")).await
}

/// The server is not notified of changes by another copy, or by the command line.
#[tokio::test]
async fn what_others_take_back_counts_in_a_moment() {
    let gate = Gate::new().await;
    let (token, id) = gate.token("ada", None, Role::Viewer).await;
    assert_eq!(gate.get("/api/v1/traces", &token).await.status, 200);
    let connection = &mut *gate.db.reading().await.unwrap();
    assert!(tokens::revoke(connection, &id, now_unix_ns()).await.unwrap());
    let patience = Instant::now() + Duration::from_secs(300);
    while gate.get("/api/v1/traces", &token).await.status != 401 {
        assert!(Instant::now() < patience, "a revoked token is still valid");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_browser_is_led_to_the_form_and_back() {
    let gate = Gate::new().await;
    let first = gate.send("GET", "/t/abc?v=graph&s=n1", &[], Body::empty()).await;
    assert_eq!(
        (first.status.as_u16(), first.header("location")),
        (303, "../sign-in?to=t%2Fabc%3Fv%3Dgraph%26s%3Dn1")
    );
    let form =
        gate.send("GET", "/sign-in?to=t%2Fabc%3Fv%3Dgraph%26s%3D%22%3E%3Cb%3E", &[], Body::empty()).await;
    assert_eq!(form.status, 200);
    assert!(form.text().contains("value=\"t/abc?v=graph&amp;s=&quot;&gt;&lt;b&gt;\""), "{}", form.text());
    let policy = form.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"), "{policy}");
    let done = sign_in(&gate, &gate.admin, "t%2Fabc%3Fv%3Dgraph", &[]).await;
    assert_eq!((done.status.as_u16(), done.header("location")), (303, "./t/abc?v=graph"));
    let set = done.header("set-cookie").to_owned();
    assert!(
        set.contains("; HttpOnly; SameSite=Lax") && !set.contains("Secure") && !set.contains("Domain"),
        "{set}"
    );
    let cookie = cookies(&done);
    let me: Me = gate.send("GET", "/api/v1/me", &[("cookie", &cookie)], Body::empty()).await.json();
    assert_eq!((me.kind.as_str(), me.name.as_deref()), ("token", Some("root")));
    assert_eq!(gate.send("GET", "/", &[("cookie", &cookie)], Body::empty()).await.status, 200);
}

#[tokio::test]
async fn behind_https_the_cookie_is_for_https_only() {
    let gate = Gate::new().await;
    let headers = [("origin", "https://127.0.0.1:4717"), ("host", "127.0.0.1:4717")];
    let done = sign_in(&gate, &gate.admin, "", &headers).await;
    assert!(done.header("set-cookie").ends_with("; Secure"), "{}", done.header("set-cookie"));
}

#[tokio::test]
async fn other_sites_sign_nobody_in() {
    let gate = Gate::new().await;
    for headers in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        sign_in(&gate, &gate.admin, "", &[headers]).await.is_error(403, "cross_site");
    }
}

#[tokio::test]
async fn the_way_back_leads_to_no_other_host() {
    let gate = Gate::new().await;
    for to in
        ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%5C%5Cevil.example", "%0D%0Ax%3A+y", "%00"]
    {
        let done = sign_in(&gate, &gate.admin, to, &[]).await;
        assert_eq!(done.status, 303, "{to}");
        assert!(done.header("location").starts_with("./"), "{}", done.header("location"));
    }
}

#[tokio::test]
async fn a_session_ends_with_its_token_or_when_its_browser_signs_out() {
    let gate = Gate::new().await;
    let (token, id) = gate.token("ada", None, Role::Viewer).await;
    let sessions =
        [cookies(&sign_in(&gate, &token, "", &[]).await), cookies(&sign_in(&gate, &token, "", &[]).await)];
    let list = async |cookie: &str| {
        gate.send("GET", "/api/v1/traces", &[("cookie", cookie)], Body::empty()).await.status.as_u16()
    };
    assert_eq!((list(&sessions[0]).await, list(&sessions[1]).await), (200, 200));
    let out = gate.send("POST", "/sign-out", &[("cookie", &sessions[0])], Body::empty()).await;
    assert_eq!(out.status, 303);
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
    assert_eq!((list(&sessions[0]).await, list(&sessions[1]).await), (401, 200));
    gate.revoke(&id).await;
    assert_eq!(list(&sessions[1]).await, 401);
}

#[tokio::test]
async fn sessions_of_a_provider_that_counts_no_more_are_over() {
    let gate = Gate::new().await;
    let token = cookies(&sign_in(&gate, &gate.admin, "", &[]).await);
    let (name, _) = token.split_once('=').unwrap();
    let ada = Person { subject: "17".to_owned(), name: "ada".to_owned() };
    let sign_in = || sign_in_as(&gate.db, "https://login.example", &ada, "a sign-in");
    let SignIn::Session(session) = sign_in().await.unwrap() else { panic!("no session") };
    assert!(matches!(sign_in().await.unwrap(), SignIn::Before), "it counts once");
    let cookie = format!("{name}={}", session.expose());
    let me: Me = gate.send("GET", "/api/v1/me", &[("cookie", &cookie)], Body::empty()).await.json();
    assert_eq!(me.kind, "nobody");
}

#[tokio::test]
async fn without_a_provider_nobody_comes_back_from_one() {
    let gate = Gate::new().await;
    for path in ["/signed-in", "/signed-in?state=a&code=b"] {
        assert_eq!(gate.send("GET", path, &[], Body::empty()).await.status, 404);
    }
}

#[tokio::test]
async fn a_wrong_token_signs_nobody_in() {
    let gate = Gate::new().await;
    for token in ["", "syt_", "syt_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &gate.admin[..35]] {
        let answer = sign_in(&gate, token, "", &[]).await;
        assert_eq!((answer.status.as_u16(), answer.header("set-cookie")), (401, ""));
        assert!(answer.text().contains("role=\"alert\""), "{}", answer.text());
    }
}

#[tokio::test]
async fn who_guesses_is_slowed_and_who_is_known_is_not() {
    let gate = Gate::new().await;
    let from = async |token: &str, client: &str| {
        let headers = [("authorization", &*bearer(token)), ("x-forwarded-for", client)];
        send(&gate.router, "GET", "/api/v1/traces", &headers, Body::empty()).await
    };
    assert_eq!(from(&gate.admin, "192.0.2.1").await.status, 200);
    let guess = |number: usize| format!("syt_{}", ["a", "b", "c", "d"][number % 4].repeat(32));
    for number in 0..20 {
        from(&guess(number), "192.0.2.1").await.is_error(401, "wrong_token");
    }
    let slowed = from(&guess(0), "192.0.2.1").await;
    slowed.is_error(429, "too_many_guesses");
    assert!(slowed.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
    // Links, the form, and new tokens are slowed alike; clients that were admitted before still are.
    let (other, _) = gate.token("new", None, Role::Viewer).await;
    from(&other, "192.0.2.1").await.is_error(429, "too_many_guesses");
    let link = format!("/s/{}/api/v1/traces", "a".repeat(32));
    let headers = [("x-forwarded-for", "192.0.2.1")];
    let link = send(&gate.router, "GET", &link.replace("traces", "health"), &headers, Body::empty()).await;
    link.is_error(429, "too_many_guesses");
    assert_eq!(from(&gate.admin, "192.0.2.1").await.status, 200);
    assert_eq!(from(&other, "192.0.2.2").await.status, 200, "other clients are not slowed");
}

#[tokio::test]
async fn a_revoked_token_locks_nobody_out() {
    let gate = Gate::new().await;
    let from = async |token: &str| {
        let headers = [("authorization", &*bearer(token)), ("x-forwarded-for", "192.0.2.9")];
        send(&gate.router, "GET", "/api/v1/traces", &headers, Body::empty()).await
    };
    let (old, id) = gate.token("ci", None, Role::Viewer).await;
    assert_eq!(from(&old).await.status, 200);
    gate.revoke(&id).await;
    for _ in 0..50 {
        from(&old).await.is_error(401, "wrong_token");
    }
    // A replica that has just started has seen it only revoked.
    let (unseen, id) = gate.token("nightly", None, Role::Viewer).await;
    gate.revoke(&id).await;
    for _ in 0..50 {
        from(&unseen).await.is_error(401, "wrong_token");
    }
    let (new, _) = gate.token("ci", None, Role::Viewer).await;
    assert_eq!(from(&new).await.status, 200, "its successor at the same address");
}
