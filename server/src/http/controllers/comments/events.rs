//! `GET /api/v1/traces/{id}/comments/events?after=CHANGE`: changes to the comments of a trace as an event stream.
//!
//! Each event is a comment in its new state, with the number of its change as the event's id. A client that
//! lost the connection sends its last id (`Last-Event-ID`), and gets all changes since. The server ends the
//! stream after a minute, so that revoked permissions take effect; clients reconnect by themselves.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use http_body::Frame;
use serde::Deserialize;
use tokio::sync::mpsc::Receiver;

use crate::app::App;
use crate::comments::{Piece, Who, event};
use crate::db::comments;
use crate::http::error::AppError;
use crate::http::extract::{CheckedQuery, OnTrace, Parameters, SignedIn, Tries, acts::ReadComments};

#[derive(Debug, Deserialize)]
pub(crate) struct EventsQuery {
    after: Option<u64>,
}

impl Parameters for EventsQuery {
    const NAMES: &'static [&'static str] = &["after"];
}

pub(crate) async fn listen(
    OnTrace { stored, principal, .. }: OnTrace<ReadComments>,
    State(app): State<Arc<App>>,
    tries: Tries,
    session: Option<Extension<SignedIn>>,
    CheckedQuery(EventsQuery { after }): CheckedQuery<EventsQuery>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, AppError> {
    let db = app.database()?;
    let last_id = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let (last_change, missed) = {
        let connection = &mut *db.reading().await?;
        let last_change = comments::last_change(connection).await?;
        let after = last_id.or(after).unwrap_or(last_change);
        (last_change, comments::on_trace(connection, &stored.id, after).await?)
    };
    // A client that loses the connection before the first event continues from here.
    let mut first = missed.iter().map(event).fold(b"retry: 2000\n".to_vec(), |mut all, event| {
        all.extend_from_slice(&event);
        all
    });
    first.extend_from_slice(format!("id: {last_change}\n\n").as_bytes());
    // A visitor of a link has none.
    let session = session.and_then(|Extension(SignedIn(session))| session);
    let who = Who { principal, project: stored.project, address: tries.client(), session };
    let pieces = app.live.listen(db, who, stored.id, (last_change, first.into()));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Makes nginx forward each piece at once.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::new(Events { pieces: pieces.map_err(|_| AppError::Busy)? })))
}

struct Events {
    pieces: Receiver<Piece>,
}

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.pieces
            .poll_recv(context)
            .map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}
