//! `GET /metrics`: the server's metrics in Prometheus' format.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::app::App;
use crate::http::extract::Watching;
use crate::http::metrics::Text;

pub(crate) async fn show(_: Watching, State(app): State<Arc<App>>) -> impl IntoResponse {
    let mut text = Text::default();
    text.family("syclscope_build_info", "gauge", "Which program runs.");
    text.sample("syclscope_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    app.metrics.write(&mut text);
    for (what, load) in [("question", app.questions.turns().load()), ("export", app.exports.load())] {
        let (worked_on, waiting) = load;
        text.current(&format!("syclscope_{what}s_under_way"), "Those that are worked on.", worked_on);
        text.current(&format!("syclscope_{what}s_waiting"), "Those that wait for their turn.", waiting);
    }
    let [working, unsent] = app.questions.account().taken_bytes();
    text.current(
        "syclscope_working_bytes",
        "Bytes of memory that are set aside for what is worked on.",
        working,
    );
    text.current("syclscope_unsent_bytes", "Bytes of answers in memory that nobody has taken yet.", unsent);
    app.cache.write(&mut text);
    (
        [
            (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
        ],
        text.into_string(),
    )
}
