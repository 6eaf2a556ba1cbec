//! What keeps pages of others out.

use axum::body::Body;

use super::{MODULE, TestServer};
use crate::recording;

#[tokio::test]
async fn every_answer_carries_the_policies() {
    let server = TestServer::new();
    let module = format!("/{MODULE}");
    for path in ["/", "/nothing", &module, "/api/v1/traces", "/api/v1/nothing"] {
        let answer = server.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-"),
            "{policy}"
        );
        assert!(policy.contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-inline"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin-allow-popups");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn changes_that_other_sites_ask_for_are_refused() {
    let server = TestServer::new();
    let entry = server.with_trace().await;
    let path = format!("/api/v1/traces/{}", entry.id);
    let foreign = [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
    ];
    for headers in foreign {
        server.send("DELETE", &path, headers, Body::empty()).await.is_error(403, "cross_site");
        let upload = server.send("POST", "/api/v1/traces", headers, recording::as_json().into()).await;
        upload.is_error(403, "cross_site");
    }
    assert_eq!(server.get(&path).await.status, 200);
    let own = [("origin", "http://127.0.0.1:4717"), ("sec-fetch-site", "same-origin")];
    assert_eq!(server.send("DELETE", &path, &own, Body::empty()).await.status, 204);
}

#[tokio::test]
async fn other_names_for_this_server_are_refused() {
    let server = TestServer::new();
    for host in
        ["evil.example", "evil.example:4717", "localhost.evil.example", "", "127.0.0.1.evil.example:80"]
    {
        let answer = server.send("GET", "/api/v1/traces", &[("host", host)], Body::empty()).await;
        answer.is_error(421, "wrong_host");
        assert!(answer.text().contains("127.0.0.1"), "{}", answer.text());
    }
    for host in ["localhost", "LOCALHOST:9999", "localhost.", "127.0.0.1:4717", "[::1]:4717"] {
        assert_eq!(server.send("GET", "/", &[("host", host)], Body::empty()).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn preflights_get_no_permission() {
    let server = TestServer::new();
    let asks = [("origin", "https://evil.example"), ("access-control-request-method", "DELETE")];
    let answer = server.send("OPTIONS", "/api/v1/traces", &asks, Body::empty()).await;
    answer.is_error(405, "wrong_method");
    assert_eq!(answer.header("access-control-allow-methods"), "");
}
