//! Packed answers, and answers to methods that an address does not take.

use std::io::Read as _;

use axum::body::Body;
use flate2::read::GzDecoder;

use super::TestServer;

#[tokio::test]
async fn long_answers_are_packed_for_those_who_unpack_them() {
    let server = TestServer::new().await;
    let entry = server.with_trace().await;
    let path = format!("/api/v1/traces/{}", entry.id);
    let plain = server.get(&path).await;
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), ("", "accept-encoding"));
    let gzip = [("accept-encoding", "br;q=0.1, gzip")];
    let packed = server.send("GET", &path, &gzip, Body::empty()).await;
    assert_eq!((packed.header("content-encoding"), packed.header("vary")), ("gzip", "accept-encoding"));
    assert!(packed.body.len() < plain.body.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed.body).read_to_end(&mut unpacked).expect("it unpacks");
    assert_eq!(unpacked, plain.body);

    // The packed bytes have another validator. Both validators are valid.
    assert_ne!(packed.header("etag"), plain.header("etag"));
    for known in [packed.header("etag"), plain.header("etag")] {
        let kept = server.send("GET", &path, &[gzip[0], ("if-none-match", known)], Body::empty()).await;
        assert_eq!(
            (kept.status.as_u16(), kept.header("etag"), kept.header("vary")),
            (304, known, "accept-encoding")
        );
    }
    // Short answers are not compressed.
    let short = server.send("GET", &format!("{path}/components"), &gzip, Body::empty()).await;
    assert_eq!((short.status.as_u16(), short.header("content-encoding")), (200, ""));
}

#[tokio::test]
async fn every_address_says_which_methods_it_takes() {
    let server = TestServer::new().await;
    let id = server.with_trace().await.id;
    let paths = [
        ("/".to_owned(), "GET,HEAD"),
        ("/style.css".to_owned(), "GET,HEAD"),
        (format!("/t/{id}"), "GET,HEAD"),
        ("/api/v1/health".to_owned(), "GET,HEAD"),
        ("/api/v1/traces".to_owned(), "GET,HEAD,POST"),
        (format!("/api/v1/traces/{id}"), "GET,HEAD,DELETE"),
        (format!("/api/v1/traces/{id}/file"), "GET,HEAD"),
        (format!("/api/v1/traces/{id}/report"), "GET,HEAD"),
    ];
    for (path, methods) in paths {
        let answer = server.send("PATCH", &path, &[], Body::empty()).await;
        assert_eq!(answer.header("allow"), methods, "{path}");
        answer.is_error(405, "wrong_method");
    }
}
