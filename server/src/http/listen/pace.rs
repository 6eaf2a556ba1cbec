//! Bodies of requests and responses, from the view of their connection.
//!
//! A client has a base time to send a body, plus time for each byte received. Time in which the server itself
//! is slow to read is not counted.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::auth::{Connection, OpenRequest};

#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Base time.
    pub(super) start: Duration,
    /// Maximum balance at any time.
    pub(super) max: Duration,
    /// Bytes that earn a second.
    pub(super) bytes_per_second: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request's body arrives too slowly")]
pub(super) struct TooSlow;

/// Receives the start and the end of each wait for a client's bytes.
pub(super) trait Waits {
    fn wait_for_body(&self, is_waiting: bool);
}

impl Waits for Connection {
    fn wait_for_body(&self, is_waiting: bool) {
        Self::wait_for_body(self, is_waiting);
    }
}

pub(super) struct Paced<B, C: Waits> {
    body: B,
    pace: Pace,
    left: Duration,
    /// Start and deadline of the current wait.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
    connection: C,
}

impl<B, C: Waits> Paced<B, C> {
    pub(super) fn new(body: B, pace: Pace, connection: C) -> Self {
        Self { body, pace, left: pace.start, wait: None, connection }
    }

    fn wait(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        if self.wait.is_none() {
            let now = Instant::now();
            self.wait = Some((now, Box::pin(sleep_until(now + self.left))));
            self.connection.wait_for_body(true);
        }
        let Some((_, sleep)) = &mut self.wait else { return Poll::Pending };
        sleep.as_mut().poll(context).map(|()| TooSlow)
    }

    /// Credits received bytes.
    fn go_on(&mut self, bytes: usize) {
        if let Some((since, _)) = self.wait.take() {
            self.left = self.left.saturating_sub(since.elapsed());
            self.connection.wait_for_body(false);
        }
        let earned = Duration::from_secs(1).mul_f64(bytes as f64 / f64::from(self.pace.bytes_per_second));
        self.left = (self.left + earned).min(self.pace.max);
    }
}

impl<B, C> Body for Paced<B, C>
where
    B: Body + Unpin,
    C: Waits + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = B::Data;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, Self::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                let bytes = match &frame {
                    Some(Ok(frame)) => frame.data_ref().map_or(0, bytes::Buf::remaining),
                    _ => 0,
                };
                self.go_on(bytes);
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => self.wait(context).map(|slow| Some(Err(slow.into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response, which keeps the request open until the body is sent.
pub(super) struct Answer<B> {
    body: B,
    _open_request: OpenRequest,
}

impl<B> Answer<B> {
    pub(super) fn new(body: B, open_request: OpenRequest) -> Self {
        Self { body, _open_request: open_request }
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use bytes::Bytes;
    use http_body_util::BodyExt as _;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    const PACE: Pace =
        Pace { start: Duration::from_secs(30), max: Duration::from_secs(60), bytes_per_second: 8 << 10 };

    impl Waits for () {
        fn wait_for_body(&self, _: bool) {}
    }

    /// Pieces that arrive one after the other, each some time after the previous one was read.
    struct Slow {
        pieces: VecDeque<(Duration, usize)>,
        next: Option<Pin<Box<Sleep>>>,
    }

    impl Body for Slow {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            let Some((after, size)) = self.pieces.front().copied() else { return Poll::Ready(None) };
            let next = self.next.get_or_insert_with(|| Box::pin(tokio::time::sleep(after)));
            std::task::ready!(next.as_mut().poll(context));
            self.next = None;
            self.pieces.pop_front();
            Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![0; size])))))
        }
    }

    /// Returns the received bytes, or an error if too slow, and the duration on the paused clock.
    fn taken(pieces: Vec<(Duration, usize)>, pause: Duration) -> (Result<usize, ()>, Duration) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let begun = Instant::now();
            let mut body = Paced::new(Slow { pieces: pieces.into(), next: None }, PACE, ());
            let mut bytes = 0;
            while let Some(frame) = body.frame().await {
                match frame {
                    Ok(frame) => bytes += frame.into_data().unwrap().len(),
                    Err(_) => return (Err(()), begun.elapsed()),
                }
                tokio::time::sleep(pause).await;
            }
            (Ok(bytes), begun.elapsed())
        })
    }

    fn check<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        runner.run(strategy, test).unwrap();
    }

    #[test]
    fn no_body_takes_longer_than_its_size_allows() {
        let pieces = prop::collection::vec((0..40_000u64, 0..300_000usize), 0..60);
        check(&pieces, |pieces| {
            let size: usize = pieces.iter().map(|(_, size)| size).sum();
            let pieces = pieces.into_iter().map(|(ms, size)| (Duration::from_millis(ms), size)).collect();
            let (_, took) = taken(pieces, Duration::ZERO);
            let max = PACE.start + Duration::from_secs((size / PACE.bytes_per_second as usize) as u64 + 1);
            prop_assert!(took <= max, "{size} bytes in {took:?}");
            Ok(())
        });
    }

    #[test]
    fn one_byte_at_a_time_keeps_nobody_waiting() {
        check(&(1..29_000u64), |gap| {
            let gap = Duration::from_millis(gap);
            let count = (PACE.start.as_millis() * 2 / gap.as_millis()) as usize + 2;
            let (bytes, took) = taken(vec![(gap, 1); count], Duration::ZERO);
            prop_assert!(bytes.is_err() && took <= PACE.start + PACE.start, "{bytes:?} in {took:?}");
            Ok(())
        });
    }

    #[test]
    fn a_body_at_the_pace_comes_in_whatever_its_size_and_the_servers_own_pace() {
        let pieces = prop::collection::vec(1..400_000usize, 1..60);
        check(&(pieces, 0..100_000u64), |(sizes, pause)| {
            let at_pace = |size: usize| Duration::from_secs_f64(size as f64 / 8192.0).min(PACE.start / 2);
            let pieces = sizes.iter().map(|size| (at_pace(*size), *size)).collect();
            let (bytes, _) = taken(pieces, Duration::from_millis(pause));
            prop_assert_eq!(bytes, Ok(sizes.iter().sum()));
            Ok(())
        });
    }
}
