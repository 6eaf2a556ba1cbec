//! `GET /api/v1/traces/{id}/comments/events?after=CHANGE`: changes to the comments of a trace as an event stream.
//!
//! Each event is a comment in its new state, with the number of its change as the event's id. A client that
//! lost the connection sends its last id (`Last-Event-ID`), and gets all changes since. The server ends the
//! stream after a minute, so that revoked permissions take effect; clients reconnect by themselves.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

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
use crate::http::extract::{Asker, CheckedQuery, OnTrace, Parameters, SignedIn, Tries, acts::ReadComments};
use crate::http::unsent;

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
    Asker(client): Asker,
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
    let missed = missed.iter().map(event).fold(b"retry: 2000\n".to_vec(), |mut all, event| {
        all.extend_from_slice(&event);
        all
    });
    // All comments of a trace are megabytes, which count as unsent until the client has read them.
    let account = app.questions.account();
    let missed = unsent::count(account, client, Bytes::from(missed).into_response()).await?.into_body();
    // A client that loses the connection before the first event continues from here.
    let first = Piece::from(format!("id: {last_change}\n\n").into_bytes());
    // A visitor of a link has no session.
    let session = session.and_then(|Extension(SignedIn(session))| session);
    let who = Who { principal, project: stored.project, address: tries.client(), session };
    let pieces = app.live.listen(db, who, stored.id, (last_change, first));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Makes nginx forward each piece at once.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let pieces = pieces.map_err(|_| AppError::Busy)?;
    Ok((headers, Body::new(Events { missed: Some(missed), pieces })))
}

struct Events {
    /// Changes since the client's last one; `None` once they are sent.
    missed: Option<Body>,
    pieces: Receiver<Piece>,
}

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(missed) = &mut self.missed {
            if let Some(frame) = ready!(http_body::Body::poll_frame(Pin::new(missed), context)) {
                return Poll::Ready(Some(frame));
            }
            self.missed = None;
        }
        self.pieces
            .poll_recv(context)
            .map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}
