//! Protection against pages of other sites.

use std::os::unix::fs::PermissionsExt as _;

use axum::body::Body;

use syclscope_server::auth::{Access, Account};
use syclscope_server::http::page::Page;

use super::{MODULE, TestServer, hosted, send, service_for};
use crate::recording;
use crate::scratch::Scratch;

#[tokio::test]
async fn every_answer_carries_the_policies() {
    let server = TestServer::new().await;
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
async fn a_proxy_keeps_no_answer_about_a_project() {
    let server = TestServer::new().await;
    server.with_trace().await;
    for path in ["", "/default", "/default/labels", "/default/trends", "/default/history", "/default/audit"] {
        let answer = server.get(&format!("/api/v1/projects{path}")).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "no-store"), "{path}");
    }
}

#[tokio::test]
async fn changes_that_other_sites_ask_for_are_refused() {
    let server = TestServer::new().await;
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
async fn headers_that_decide_about_access_occur_once() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let path = format!("/api/v1/traces/{}", entry.id);
    let twice = [
        [("host", "127.0.0.1:4717"), ("host", "127.0.0.1:4717")],
        [("host", "127.0.0.1:4717"), ("host", "evil.example")],
        [("origin", "http://127.0.0.1:4717"), ("origin", "https://evil.example")],
        [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
    ];
    for headers in twice {
        for method in ["GET", "DELETE"] {
            server.send(method, &path, &headers, Body::empty()).await.is_error(400, "bad_request");
        }
    }
    assert_eq!(server.get(&path).await.status, 200);
}

#[tokio::test]
async fn other_names_for_this_server_are_refused() {
    let server = TestServer::new().await;
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
    let server = TestServer::new().await;
    let asks = [("origin", "https://evil.example"), ("access-control-request-method", "DELETE")];
    let answer = server.send("OPTIONS", "/api/v1/traces", &asks, Body::empty()).await;
    answer.is_error(405, "wrong_method");
    assert_eq!(answer.header("access-control-allow-methods"), "");
}

#[tokio::test]
async fn what_is_stored_is_closed_to_other_accounts() {
    let server = TestServer::new().await;
    server.with_trace().await;
    let mut waiting = vec![server.scratch.path("data")];
    let mut seen = 0;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the server").flatten() {
            let meta = entry.metadata().expect("an entry of the server");
            let is_lock = entry.file_name() == "lock";
            assert!(is_lock || meta.permissions().mode() & 0o077 == 0, "{}", entry.path().display());
            seen += 1;
            if meta.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    // Four folders, the lock, the file that reserves space, the trace's folder with its bytes, its description and its
    // derived file; and the database, which also has a log and shared memory while it is open.
    assert_eq!(seen, 13);
}

/// Requests in process have no connection, so no account holds its other end.
#[tokio::test]
async fn whose_account_is_not_seen_needs_the_key() {
    let scratch = Scratch::new();
    let storage = hosted(&scratch.path("data"), 1000).await;
    let account = Account::own().expect("random numbers");
    let key = account.key().to_owned();
    let nameless = format!("syclscope-key={key}");
    let router = service_for(storage, Page::embedded(), Access::Account(account));
    let ask = async |method: &str, path: &str, cookie: &str| {
        send(&router, method, path, &[("cookie", cookie)], Body::empty()).await
    };
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/t/a"),
        ("GET", "/api/v1/traces"),
        ("POST", "/api/v1/traces"),
        ("GET", "/x.css"),
    ] {
        for cookie in ["", "syclscope-key=", "syclscope-key=aaaaaaaaaaaaaaaaaaaaaaaaaa", &nameless] {
            ask(method, path, cookie).await.is_error(403, "other_account");
        }
    }
    ask("GET", "/?key=aaaaaaaaaaaaaaaaaaaaaaaaaa", "").await.is_error(403, "other_account");
    let welcome = ask("GET", &format!("/t/a?v=graph&key={key}"), "").await;
    assert_eq!(welcome.status, 303);
    let through = welcome.header("location").strip_prefix("..").expect("the application's folder");
    let welcome = ask("GET", through, "").await;
    assert_eq!((welcome.status.as_u16(), welcome.header("location")), (303, "./t/a?v=graph"));
    let cookie = welcome.header("set-cookie");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict") && !cookie.contains("Path="), "{cookie}");
    let cookie = cookie.split(';').next().expect("a name and a value");
    let name = cookie.split_once('=').expect("a name and a value").0;
    ask("GET", "/api/v1/traces", &format!("{name}=aaaaaaaaaaaaaaaaaaaaaaaaaa"))
        .await
        .is_error(403, "other_account");
    assert_eq!(ask("GET", "/api/v1/traces", &format!("other=1; {cookie}")).await.status, 200);
}

/// A browser sends the cookies of a host to all of its ports, and keeps one of each name.
#[tokio::test]
async fn servers_on_one_host_leave_each_other_their_keys() {
    let scratch = Scratch::new();
    let mut cookies = Vec::new();
    let mut servers = Vec::new();
    for name in ["one", "two"] {
        let storage = hosted(&scratch.path(name), 1000).await;
        let account = Account::own().expect("random numbers");
        let key = account.key().to_owned();
        let router = service_for(storage, Page::embedded(), Access::Account(account));
        let welcome = send(&router, "GET", &format!("/?key={key}"), &[], Body::empty()).await;
        let cookie = welcome.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let (name, _) = cookie.split_once('=').expect("a name and a value");
        cookies.retain(|kept: &String| !kept.starts_with(&format!("{name}=")));
        cookies.push(cookie);
        servers.push(router);
    }
    let cookies = cookies.join("; ");
    for router in servers {
        let answer = send(&router, "GET", "/api/v1/traces", &[("cookie", &cookies)], Body::empty()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}
