//! Uploads, above all failed ones: they leave nothing, and harm nothing else.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::Frame;
use syclscope_language::api::TraceEntry;

use super::{LIMIT_BYTES, TestServer};
use crate::recording;

/// A body in pieces, with a broken connection at its end if requested.
struct Pieces {
    left: Vec<Bytes>,
    breaks: bool,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let next = self.left.pop().map(|bytes| Ok(Frame::data(bytes)));
        let broken = std::mem::take(&mut self.breaks);
        Poll::Ready(match next {
            None if broken => Some(Err(io::ErrorKind::ConnectionReset.into())),
            other => {
                if other.is_some() {
                    self.breaks = broken
                }
                other
            }
        })
    }
}

fn pieces(bytes: &[u8], breaks: bool) -> Body {
    let mut left: Vec<Bytes> = bytes.chunks(100).map(Bytes::copy_from_slice).collect();
    left.reverse();
    Body::new(Pieces { left, breaks })
}

async fn check_unharmed(server: &TestServer, before: &TraceEntry) {
    assert_eq!(server.incoming(), 0);
    assert_eq!(server.get("/api/v1/traces").await.json::<Vec<TraceEntry>>(), std::slice::from_ref(before));
    assert_eq!(
        server.get(&format!("/api/v1/traces/{}/file", before.id)).await.body,
        recording::as_perfetto()
    );
}

#[tokio::test]
async fn uploads_in_pieces_are_put_together() {
    let server = TestServer::new().await;
    let bytes = recording::as_json();
    let answer = server.upload("run.json", pieces(&bytes, false)).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let entry: TraceEntry = answer.json();
    assert_eq!(answer.header("location"), format!("traces/{}", entry.id));
    assert_eq!(server.get(&format!("/api/v1/traces/{}/file", entry.id)).await.body, bytes);
    assert_eq!(server.incoming(), 0);
}

#[tokio::test]
async fn a_broken_off_upload_leaves_nothing() {
    let server = TestServer::new().await;
    let before = server.with_trace().await;
    let answer = server.upload("half.pftrace", pieces(&recording::as_perfetto(), true)).await;
    answer.is_error(400, "broken_off");
    check_unharmed(&server, &before).await;
}

#[tokio::test]
async fn a_too_large_upload_is_refused_with_and_without_an_announced_size() {
    let server = TestServer::new().await;
    let before = server.with_trace().await;
    let large = vec![b'x'; LIMIT_BYTES as usize + 1];
    let refused = server.upload("large", pieces(&large, false)).await;
    refused.is_error(413, "too_large");
    assert!(refused.text().contains("larger than the 97.7 KiB"), "{}", refused.text());
    let size = large.len().to_string();
    let announced = [("content-length", size.as_str())];
    server.send("POST", "/api/v1/traces", &announced, large.into()).await.is_error(413, "too_large");
    check_unharmed(&server, &before).await;
}

#[tokio::test]
async fn what_is_not_a_trace_is_refused() {
    let server = TestServer::new().await;
    let before = server.with_trace().await;
    for bytes in [&b""[..], b"hello", b"\x89PNG\r\n\x1a\n", b"<!doctype html>", b"PK\x03\x04", &[0xff; 300]] {
        server.upload("not-a-trace", bytes).await.is_error(422, "not_a_trace");
        check_unharmed(&server, &before).await;
    }
}

#[tokio::test]
async fn an_upload_without_a_name_gets_one() {
    let server = TestServer::new().await;
    let answer = server.send("POST", "/api/v1/traces", &[], recording::as_json().into()).await;
    assert_eq!(answer.json::<TraceEntry>().name, "trace");
}
