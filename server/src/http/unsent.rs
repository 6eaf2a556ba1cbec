//! Unsent bytes of responses. A client that reads nothing for a while, or too slowly for long, is
//! disconnected to free their memory.

mod file;

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::auth::Client;
use crate::http::error::AppError;
use crate::limits::{MemoryAccount, Share};

pub(crate) use self::file::{Unwritten, Writing, begin};

/// Maximum pause of a client.
const PATIENCE: Duration = Duration::from_secs(30);
/// Total pause of a client in addition to the time for its bytes at the minimum rate.
const SLACK: Duration = Duration::from_secs(60);
const MIN_BYTES_PER_SECOND: u64 = 16 << 10;

/// Marks a response whose body is already counted.
#[derive(Clone, Copy, Debug)]
struct Counted;

/// Creates a response from bytes that were computed with a share of memory. The share is returned once the
/// response counts as unsent.
///
/// # Errors
/// Returns an error if there is too much unsent data already.
pub(crate) async fn answer(
    account: &MemoryAccount,
    client: Client,
    bytes: Bytes,
    mut share: Share,
) -> Result<Response, AppError> {
    share.shrink(bytes.len() as u64);
    count(account, client, bytes.into_response()).await
}

/// Returns the same response, with its body counted if it is completely in memory. Short ones are not
/// counted, since they are sent at once.
///
/// # Errors
/// Returns an error if there is too much unsent data already.
pub(crate) async fn count(
    account: &MemoryAccount,
    client: Client,
    answer: Response,
) -> Result<Response, AppError> {
    let length = http_body::Body::size_hint(answer.body()).exact().unwrap_or_default();
    if length <= PIECE_BYTES as u64 || answer.extensions().get::<Counted>().is_some() {
        return Ok(answer);
    }
    let unsent = timeout(PATIENCE, account.take_unsent(client, length)).await;
    let Ok(Ok(unsent)) = unsent else { return Err(AppError::Busy) };
    let (mut parts, body) = answer.into_parts();
    let bytes =
        body.collect().await.map_err(|_| AppError::Internal("a response was interrupted"))?.to_bytes();
    parts.extensions.insert(Counted);
    Ok(Response::from_parts(parts, paced(Pieces::new(bytes, unsent))))
}

/// Wraps a body, which ends with an error if its client is too slow.
pub(crate) fn paced(
    body: impl http_body::Body<Data = Bytes, Error = io::Error> + Send + Unpin + 'static,
) -> Body {
    let rest = Arc::new(Mutex::new(Rest {
        body: Some(body),
        sent_bytes: 0,
        since: Some(Instant::now()),
        idle: Duration::ZERO,
    }));
    let watched = Arc::clone(&rest);
    let watch = tokio::spawn(async move {
        loop {
            let deadline = lock(&watched).deadline();
            let Some(deadline) = deadline else { return };
            sleep_until(deadline).await;
        }
    });
    Body::new(Paced { rest, watch: watch.abort_handle() })
}

struct Paced<B> {
    rest: Arc<Mutex<Rest<B>>>,
    watch: AbortHandle,
}

impl<B> Drop for Paced<B> {
    fn drop(&mut self) {
        self.watch.abort();
        lock(&self.rest).body = None;
    }
}

struct Rest<B> {
    /// `None` once dropped, because the client is too slow or has left.
    body: Option<B>,
    sent_bytes: u64,
    /// Time of the client's last read; `None` while it waits for data.
    since: Option<Instant>,
    /// Total time in which bytes were ready but the client read nothing.
    idle: Duration,
}

impl<B> Rest<B> {
    /// Returns the time of the next check. Drops the body if its client is too slow.
    fn deadline(&mut self) -> Option<Instant> {
        self.body.as_ref()?;
        let now = Instant::now();
        let Some(since) = self.since else { return Some(now + PATIENCE) };
        let slack = SLACK + Duration::from_secs(self.sent_bytes / MIN_BYTES_PER_SECOND);
        let deadline = since + PATIENCE.min(slack.saturating_sub(self.idle));
        if deadline <= now {
            self.body = None;
            return None;
        }
        Some(deadline)
    }
}

fn lock<B>(rest: &Mutex<Rest<B>>) -> MutexGuard<'_, Rest<B>> {
    rest.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: http_body::Body<Data = Bytes, Error = io::Error> + Unpin> http_body::Body for Paced<B> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut rest = lock(&self.rest);
        let idle = rest.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        rest.idle += idle;
        let Some(body) = &mut rest.body else {
            return Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())));
        };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            rest.sent_bytes += frame.data_ref().map_or(0, Bytes::len) as u64;
        }
        rest.since = Some(Instant::now());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        lock(&self.rest).body.as_ref().is_some_and(http_body::Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        lock(&self.rest).body.as_ref().map(http_body::Body::size_hint).unwrap_or_default()
    }
}

const PIECE_BYTES: usize = 64 << 10;

/// A response in memory, sent piece by piece, and freed once the last piece is taken.
struct Pieces {
    bytes: Bytes,
    _share: Share,
}

impl Pieces {
    fn new(bytes: Bytes, share: Share) -> Self {
        Self { bytes, _share: share }
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.bytes.len().min(PIECE_BYTES);
        // A slice would keep the whole buffer alive.
        let piece = Bytes::copy_from_slice(&self.bytes.split_to(length));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn client(number: u8) -> Client {
        Client::at(std::net::IpAddr::from([127, 0, 0, number]))
    }

    async fn unsent(account: &MemoryAccount, number: u8, bytes: usize) -> Result<Body, AppError> {
        let share = account.take(Some(client(number)), 64 << 20).await.unwrap();
        let answer = answer(account, client(number), Bytes::from(vec![b'x'; bytes]), share).await;
        answer.map(Response::into_body)
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_gets_no_more_and_others_are_answered_meanwhile() {
        let account = MemoryAccount::new(256 << 20);
        let mut lazy = Vec::new();
        // The client has 16 MiB for unsent answers: further ones wait, and are refused.
        for _ in 0..4 {
            lazy.push(unsent(&account, 1, 4 << 20).await.unwrap());
        }
        assert_eq!(account.used_bytes(), [0, 16 << 20]);
        let other = unsent(&account, 2, 12 << 20).await.unwrap();
        assert_eq!(other.collect().await.unwrap().to_bytes().len(), 12 << 20);
        let before = Instant::now();
        let refused = unsent(&account, 1, 4 << 20);
        // The answer was refused, or got the memory of one that was dropped at the same time.
        drop(refused.await);
        assert!(before.elapsed() <= PATIENCE);
        tokio::time::sleep(PATIENCE * 2).await;
        assert_eq!(account.used_bytes(), [0, 0]);
        for body in lazy {
            assert!(body.collect().await.is_err(), "it was given up");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// All kinds of clients: one that keeps the pace gets everything, and the time of others is bounded by their
        /// reads.
        #[test]
        fn no_client_keeps_an_answer_for_longer_than_its_bytes_take(
            waits in prop::collection::vec(prop_oneof![Just(0), 0..20_000_u64, 0..60_000_u64], 0..80),
        ) {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                let account = MemoryAccount::new(256 << 20);
                let pieces = waits.len() + 1;
                let mut body = unsent(&account, 1, (pieces + 1) * PIECE_BYTES).await.unwrap();
                let mut idle = Duration::ZERO;
                for (taken, wait) in waits.iter().map(|wait| Duration::from_millis(*wait)).enumerate() {
                    let rate = Duration::from_secs((taken * PIECE_BYTES) as u64 / MIN_BYTES_PER_SECOND);
                    tokio::time::sleep(wait).await;
                    // The deadline may have just passed.
                    for _ in 0..3 {
                        tokio::task::yield_now().await;
                    }
                    let is_slow = wait >= PATIENCE || idle + wait >= SLACK + rate;
                    idle += wait;
                    let frame = body.frame().await.unwrap();
                    assert_eq!(frame.is_err(), is_slow, "after {taken} pieces, {wait:?} of {idle:?}");
                    if is_slow {
                        assert_eq!(account.used_bytes(), [0, 0]);
                        return;
                    }
                }
                body.collect().await.unwrap();
                assert_eq!(account.used_bytes(), [0, 0]);
            });
        }
    }
}
