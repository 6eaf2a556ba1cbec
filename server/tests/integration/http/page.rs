//! The page's files: types, compression, caching.

use axum::body::Body;

use super::{INDEX, MODULE, TestServer};

#[tokio::test]
async fn the_list_and_every_trace_have_the_index_page() {
    let server = TestServer::new();
    for path in ["/", "/t/abcdefghijklmnopqrstuvwxyz", "/t/x?range=1,2", "/index.html"] {
        let answer = server.get(path).await;
        // Its addresses count from the page's folder, also one folder below it.
        let below = INDEX.replace("href=\"./\"", "href=\"../\"");
        let index = if path.starts_with("/t/") { below.as_str() } else { INDEX };
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, index), "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-cache");
    }
}

#[tokio::test]
async fn modules_are_compressed_for_who_takes_it_and_cached_for_ever() {
    let server = TestServer::new();
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
    let server = TestServer::new();
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
    let server = TestServer::new();
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
    let server = TestServer::new();
    for path in ["/nothing", "/t", "/t/a/b", "/../Cargo.toml", "/boot.js/x", "//boot.jsx"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("nothing at this address"), "{path}");
        assert!(answer.header("content-type").starts_with("text/html"));
    }
}
