//! The server below a path prefix, and in frames of other pages.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use syclscope_server::app::App;
use syclscope_server::auth::{Access, Account};
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::frame_ancestors::Frames;
use syclscope_server::http::router::router;

use super::{INDEX, LIMIT_BYTES, app_of, hosted, page, send};
use crate::recording;
use crate::scratch::Scratch;

const PREFIX: &str = "/tools/syclscope";

async fn below_a_path(scratch: &Scratch, access: Access, frames: Frames) -> Router {
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let app = app_of(storage, page(), access, Viewers::default());
    router(Arc::new(App { prefix: PREFIX.parse().expect("a prefix"), frames, ..app }))
}

#[tokio::test]
async fn everything_is_below_the_path_and_answers_without_it_too() {
    let scratch = Scratch::new();
    let router = below_a_path(&scratch, Access::Everybody, Frames::default()).await;
    let get = async |path: &str| send(&router, "GET", path, &[], Body::empty()).await;
    // Uploading the same bytes again returns the existing trace.
    for (before, status) in [(PREFIX, 201), ("", 200)] {
        let upload = format!("{before}/api/v1/traces?name=a%20b.pftrace");
        let stored = send(&router, "POST", &upload, &[], recording::as_perfetto().into()).await;
        assert_eq!(stored.status, status, "{}", stored.text());
        // The location is relative to `…/api/v1/traces`.
        let trace = format!("{before}/api/v1/{}", stored.header("location"));
        assert_eq!(get(&trace).await.status, 200);
        assert_eq!(get(&format!("{trace}/select?where=name:a%20b")).await.status, 200);
        assert_eq!(get(&format!("{before}/")).await.text(), INDEX);
        assert!(get(&format!("{before}/t/x")).await.text().contains("<base href=\"../\""));
        assert_eq!(get(&format!("{before}/boot.js")).await.text(), "boot()");
        assert_eq!(get(&format!("{before}/docs/")).await.text(), "<h1>Documents</h1>");
        get(&format!("{before}/api/v1/nothing")).await.is_error(404, "not_found");
        let nothing = get(&format!("{before}/no/thing")).await;
        assert_eq!(nothing.status, 404);
        assert!(nothing.text().contains("<a href=\"../\">"), "{}", nothing.text());
    }
    for beside in
        ["/tools/syclscopes/", "/tools/", "/other/boot.js", "/tools/syclscope/tools/syclscope/boot.js"]
    {
        assert_eq!(get(beside).await.status, 404, "{beside}");
    }
}

#[tokio::test]
async fn without_its_last_stroke_the_path_leads_to_the_folder() {
    let scratch = Scratch::new();
    let router = below_a_path(&scratch, Access::Everybody, Frames::default()).await;
    for (address, to) in [(PREFIX.to_owned(), "./syclscope/"), (format!("{PREFIX}?a=b"), "./syclscope/?a=b")]
    {
        let answer = send(&router, "GET", &address, &[], Body::empty()).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (308, to));
    }
}

#[tokio::test]
async fn the_key_is_brought_below_the_path() {
    let scratch = Scratch::new();
    let account = Account::own().expect("random numbers");
    let key = account.key().to_owned();
    let router = below_a_path(&scratch, Access::Account(account), Frames::default()).await;
    let get = async |path: &str| send(&router, "GET", path, &[], Body::empty()).await;
    let first = get(&format!("{PREFIX}/t/a?v=graph&key={key}")).await;
    let through = first.header("location").strip_prefix("../").expect("the folder above").to_owned();
    assert!(first.headers.get("set-cookie").is_none(), "it would hold for {PREFIX}/t only");
    let second = get(&format!("{PREFIX}/{through}")).await;
    assert_eq!((second.status.as_u16(), second.header("location")), (303, "./t/a?v=graph"));
    let cookie = second.header("set-cookie");
    assert!(cookie.contains(&key) && !cookie.contains("Path"), "{cookie}");
}

#[tokio::test]
async fn frames_of_others_show_what_is_asked_for_as_embedded() {
    let scratch = Scratch::new();
    let origins = ["https://wiki.example", "self"].map(|origin| origin.parse().expect("an origin"));
    let open = below_a_path(&scratch, Access::Everybody, Frames::new(origins.to_vec())).await;
    let policy = async |router: &Router, path: &str| {
        let answer = send(router, "GET", path, &[], Body::empty()).await;
        let policy = answer.header("content-security-policy").to_owned();
        policy.split_once("frame-ancestors ").map(|(_, ancestors)| ancestors.to_owned())
    };
    for (path, ancestors) in [
        ("/tools/syclscope/t/a?embed&v=graph", "https://wiki.example 'self'"),
        ("/tools/syclscope/t/a?v=graph", "'none'"),
        ("/", "'none'"),
    ] {
        assert_eq!(policy(&open, path).await.as_deref(), Some(ancestors), "{path}");
    }
    let other = Scratch::new();
    let closed = below_a_path(&other, Access::Everybody, Frames::default()).await;
    assert_eq!(policy(&closed, "/t/a?embed").await.as_deref(), Some("'none'"));
}
