//! Monitoring: the server's metrics and readiness.

use std::sync::Arc;

use axum::body::Body;
use syclscope_language::api::Role;
use syclscope_server::app::App;
use syclscope_server::auth::Access;
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;

use super::access::gate::{Gate, OTHER_PROJECT};
use super::{LIMIT_BYTES, TestServer, app_of, hosted, page, send};
use crate::scratch::Scratch;

#[tokio::test]
async fn counts_are_for_admins_of_everything_and_hold_no_secret() {
    let gate = Gate::new().await;
    let trace = gate.trace().await.id;
    let (_, root) = gate.link(&trace, &Default::default()).await;
    assert_eq!(
        gate.send("GET", &format!("{root}/api/v1/traces/{trace}/report"), &[], Body::empty()).await.status,
        200
    );
    gate.get("/api/v1/traces/aaaaaaaaaaaaaaaaaaaaaaaaaa", &gate.admin).await.is_error(404, "not_found");
    gate.send("GET", "/metrics", &[], Body::empty()).await.is_error(401, "sign_in");
    for (project, role) in
        [(None, Role::Contributor), (Some("default"), Role::Admin), (Some(OTHER_PROJECT), Role::Admin)]
    {
        let (token, _) = gate.token("ada", project, role).await;
        gate.get("/metrics", &token).await.is_error(403, "not_allowed");
    }
    let answer = gate.get("/metrics", &gate.admin).await;
    assert_eq!(answer.status, 200);
    let text = answer.text();
    for line in [
        r#"syclscope_requests_total{method="GET",route="/s/{secret}/api/v1/traces/{id}/{*question}",status="200"} 1"#,
        r#"syclscope_errors_total{error="not_found"} 1"#,
        r#"syclscope_imports_total{outcome="imported"} 1"#,
        "syclscope_cache_traces 1",
        "syclscope_questions_under_way 0",
        "syclscope_requests_under_way 1",
    ] {
        assert!(text.lines().any(|known| known == line), "{line} in\n{text}");
    }
    let received: u64 = text
        .lines()
        .find_map(|line| line.strip_prefix("syclscope_received_bytes_total "))
        .and_then(|number| number.parse().ok())
        .unwrap();
    assert!(received > 1_000, "{received}");
    let secret = root.strip_prefix("/s/").unwrap();
    for hidden in [trace.as_str(), secret, gate.admin.as_str(), "root"] {
        assert!(!text.contains(hidden), "{hidden} in\n{text}");
    }
    // Each line is a comment, or a name with labels and a number.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, number) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("syclscope_") && number.parse::<f64>().is_ok(), "{line}");
    }
}

#[tokio::test]
async fn told_so_it_shows_its_counts_to_everybody() {
    let scratch = Scratch::new();
    let app =
        app_of(hosted(&scratch.path("data"), LIMIT_BYTES).await, page(), Access::Token, Viewers::default());
    let router = router(Arc::new(App { is_watched_by_all: true, ..app }));
    assert_eq!(send(&router, "GET", "/metrics", &[], Body::empty()).await.status, 200);
}

#[tokio::test]
async fn it_says_what_it_lacks() {
    let server = TestServer::new().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    std::fs::rename(server.scratch.path("data/traces"), server.scratch.path("data/elsewhere")).unwrap();
    let answer = server.get("/readyz").await;
    answer.is_error(503, "not_ready");
    assert!(answer.text().contains("the store") && !answer.text().contains("database"), "{}", answer.text());
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(server.get("/healthz").await.status, 200);
}
