//! Limits per client: its changes per minute, and the turns of its queries.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use syclscope_language::api::Role;
use syclscope_server::app::App;
use syclscope_server::auth::{Access, Proxies, Rates};
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;

use super::access::gate::{Gate, bearer};
use super::{Answer, LIMIT_BYTES, app_of, hosted, page, send};
use crate::scratch::Scratch;

/// Longer than a test takes on the busiest machine, so nothing is refilled meanwhile.
const AN_HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_client_that_changes_too_much_waits_and_others_do_not() {
    let scratch = Scratch::new();
    let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
    let db = storage.hosted().ok().map(|hosted| hosted.db().clone());
    let app = app_of(storage, page(), Access::Everybody, Viewers::default());
    // A request without a socket counts as a proxy's.
    let proxies = Proxies::at(vec!["0.0.0.0/32".parse().unwrap()]);
    let router = router(Arc::new(App { db, proxies, rates: Rates::new(3, AN_HOUR), ..app }));
    let ask = async |method: &str, path: &str, client: &str| -> Answer {
        send(&router, method, path, &[("x-forwarded-for", client)], Body::empty()).await
    };
    let nothing = "/api/v1/traces/aaaaaaaaaaaaaaaaaaaaaaaaaa";
    for _ in 0..3 {
        ask("DELETE", nothing, "192.0.2.1").await.is_error(404, "not_found");
    }
    let refused = ask("DELETE", nothing, "192.0.2.1").await;
    refused.is_error(429, "too_many_changes");
    assert!((1..=3601).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    ask("POST", "/api/v1/traces?name=a", "192.0.2.1").await.is_error(429, "too_many_changes");
    let page = ask("POST", "/sign-in", "192.0.2.1").await;
    assert_eq!((page.status.as_u16(), page.text().contains("<title>")), (429, true), "{}", page.text());
    assert_eq!(ask("GET", "/api/v1/traces", "192.0.2.1").await.status, 200, "looking is no change");
    ask("PUT", "/api/v1/uploads/aaaaaaaaaaaaaaaaaaaaaaaaaa/parts/0", "192.0.2.1")
        .await
        .is_error(404, "not_found");
    ask("DELETE", nothing, "192.0.2.2").await.is_error(404, "not_found");
}

#[tokio::test]
async fn who_has_signed_in_is_the_same_client_everywhere() {
    let gate = Gate::with_rates(Access::Token, Rates::new(2, AN_HOUR)).await;
    let (ada, _) = gate.token("ada", None, Role::Admin).await;
    let (bob, _) = gate.token("bob", None, Role::Admin).await;
    // Each request of the gate has another address.
    let delete = async |token: &str| {
        let headers = [("authorization", &*bearer(token))];
        gate.send("DELETE", "/api/v1/traces/aaaaaaaaaaaaaaaaaaaaaaaaaa", &headers, Body::empty()).await
    };
    for _ in 0..2 {
        delete(&ada).await.is_error(404, "not_found");
    }
    delete(&ada).await.is_error(429, "too_many_changes");
    delete(&bob).await.is_error(404, "not_found");
}
