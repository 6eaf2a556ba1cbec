//! The page's files: types, compression, caching.

use axum::body::Body;
use syclscope_server::http::page::Page;
use syclscope_server::storage::{Files, Storage};

use super::{INDEX, MODULE, TestServer, send, service_with};
use crate::scratch::Scratch;

#[tokio::test]
async fn the_list_and_every_trace_have_the_index_page() {
    let server = TestServer::new().await;
    for path in ["/", "/t/abcdefghijklmnopqrstuvwxyz", "/t/x?range=1,2", "/index.html"] {
        let answer = server.get(path).await;
        // URLs are relative to the page's folder, also one folder below it.
        let below = INDEX.replace("href=\"./\"", "href=\"../\"");
        let index = if path.starts_with("/t/") { below.as_str() } else { INDEX };
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, index), "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-cache");
    }
}

#[tokio::test]
async fn modules_are_compressed_for_who_takes_it_and_cached_for_ever() {
    let server = TestServer::new().await;
    let path = format!("/{MODULE}");
    for (accepts, body, encoding) in [
        ("gzip, deflate, br, zstd", "short", "br"),
        ("br;q=0.5", "short", "br"),
        ("br;q=0, gzip", "\0asm, long", ""),
        ("brotli", "\0asm, long", ""),
        ("", "\0asm, long", ""),
    ] {
        let answer = server.send("GET", &path, &[("accept-encoding", accepts)], Body::empty()).await;
        assert_eq!(
            (answer.text().as_str(), answer.header("content-encoding")),
            (body, encoding),
            "{accepts}"
        );
        assert_eq!(answer.header("content-type"), "application/wasm");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("vary"), "accept-encoding");
    }
}

#[tokio::test]
async fn known_content_is_not_sent_again() {
    let server = TestServer::new().await;
    let first = server.get("/boot.js").await;
    let etag = first.header("etag").to_owned();
    for known in [etag.clone(), format!("\"old\", W/{etag}"), "*".to_owned()] {
        let again = server.send("GET", "/boot.js", &[("if-none-match", &known)], Body::empty()).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), etag);
    }
    let other = server.send("GET", "/boot.js", &[("if-none-match", "\"old\"")], Body::empty()).await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn heads_have_no_bodies() {
    let server = TestServer::new().await;
    for path in ["/", "/boot.js", "/api/v1/traces", "/api/v1/health"] {
        let head = server.send("HEAD", path, &[], Body::empty()).await;
        let get = server.get(path).await;
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"));
        assert_eq!(head.header("content-length"), get.body.len().to_string());
    }
}

#[tokio::test]
async fn unknown_addresses_have_a_page_that_says_so() {
    let server = TestServer::new().await;
    for path in ["/nothing", "/t", "/t/a/b", "/../Cargo.toml", "/boot.js/x", "//boot.jsx"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("Page not found"), "{path}");
        assert!(answer.header("content-type").starts_with("text/html"));
    }
    // A browser gets the page even there, with URLs relative to the right folder.
    let accept = [("accept", "text/html,*/*;q=0.8")];
    for (path, base) in [("/nothing", "./"), ("/t", "./"), ("/t/a", "../"), ("/t/a/b", "../../")] {
        let answer = server.send("GET", path, &accept, Body::empty()).await;
        assert_eq!(answer.status, if path == "/t/a" { 200 } else { 404 }, "{path}");
        assert!(answer.text().contains(&format!("<base href=\"{base}\"")), "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_page_in_a_folder_is_read_again_for_every_request_and_never_cached() {
    let (scratch, traces) = (Scratch::new(), Scratch::new());
    scratch.file("index.html", INDEX);
    scratch.file(MODULE, "old");
    let page = Page::in_folder(scratch.folder()).expect("a page");
    let router = service_with(Storage::Files(Files::at(traces.folder()).expect("files")), page);
    let get = async |path: &str| send(&router, "GET", path, &[], Body::empty()).await;
    let module = format!("/{MODULE}");
    for (path, text) in [("/", "./"), ("/t/x", "../"), (&module, "old")] {
        let answer = get(path).await;
        assert!(answer.status == 200 && answer.text().contains(text), "{path}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(answer.header("content-security-policy").contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+"));
    }

    scratch.file(MODULE, "new");
    scratch.file("index.html", INDEX.replace("alert", "confirm"));
    assert_eq!(get(&module).await.text(), "new");
    let answer = get("/").await;
    assert!(answer.text().contains("confirm"), "{}", answer.text());
    assert!(!answer.header("content-security-policy").contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+"));

    for path in ["/missing.js", "/../index.html", "//etc/passwd", "/./boot.js/.."] {
        let answer = get(path).await;
        assert!(answer.status == 404 && answer.text().contains("can't read"), "{path}: {}", answer.text());
    }
    std::fs::remove_file(scratch.path("index.html")).expect("the index");
    let answer = get("/").await;
    assert!(answer.status == 503 && answer.text().contains("index.html"), "{}", answer.text());
    assert!(Page::in_folder(scratch.folder()).is_err());
}

#[tokio::test]
async fn documents_lie_in_a_folder_and_folders_of_it() {
    let server = TestServer::new().await;
    for (path, text) in [
        ("/docs/", "<h1>Documents</h1>"),
        ("/docs/index.html", "<h1>Documents</h1>"),
        ("/docs/problems/", "<h1>Problems</h1>"),
    ] {
        let answer = server.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, text), "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"));
    }
    let without = server.get("/docs").await;
    assert_eq!((without.status.as_u16(), without.header("location")), (308, "docs/"));
    assert_eq!(server.get("/docs/nothing.html").await.status, 404);
}
