//! `GET /api/v1/traces/{id}/compare/{other}/{question}`: two traces side by side (`docs/COMPARE.md`); the first one is
//! the baseline. `more_a=ID.ID` and `more_b=ID.ID` name further runs of either side; `part_from`, `part_to`, `iterations`
//! and `region` choose a part of every run.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::http::controllers::answer::{Side, ask_two};
use crate::http::error::AppError;
use crate::http::extract::{AskedOfTwo, Asker, MoreRuns, OnOther, OnTrace, acts::ReadTrace};

pub(crate) async fn show(
    OnTrace { stored: before, .. }: OnTrace<ReadTrace>,
    OnOther { stored: now, .. }: OnOther<ReadTrace>,
    MoreRuns { sides: [more_before, more_now], .. }: MoreRuns<ReadTrace>,
    State(app): State<Arc<App>>,
    AskedOfTwo { question, part }: AskedOfTwo,
    Asker(client): Asker,
    request: HeaderMap,
) -> Result<Response, AppError> {
    let sides = [Side::new(before, more_before), Side::new(now, more_now)];
    ask_two(&app, client, sides, &request, (question, part)).await
}
