//! Turns: as many questions are worked on at once as there are cores, and a few exports, so that many dear ones slow each
//! other and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many may wait for each that is worked on.
const WAITING_PER_TURN: usize = 256;

/// Who is next.
#[derive(Clone, Debug)]
pub struct Turns {
    turns: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

/// Too many wait already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Default for Turns {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2)))
    }
}

impl Turns {
    /// `count` turns at once.
    pub fn new(count: usize) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(count)),
            waiting: Arc::default(),
            most_waiting: count * WAITING_PER_TURN,
        }
    }

    /// Waits for a turn, which lasts until it is dropped. Whoever leaves while waiting costs nothing.
    ///
    /// # Errors
    /// When too many wait already.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, TooMany> {
        let place = Waiting::among(&self.waiting);
        if place.before >= self.most_waiting {
            return Err(TooMany);
        }
        // The semaphore is never closed.
        Arc::clone(&self.turns).acquire_owned().await.map_err(|_| TooMany)
    }
}

/// A place among those who wait; given up when dropped.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    before: usize,
}

impl<'a> Waiting<'a> {
    fn among(count: &'a AtomicUsize) -> Self {
        Self { count, before: count.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_given_on_and_who_leaves_gives_up_a_place() {
        let turns = Turns::new(1);
        let turn = turns.take().await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING_PER_TURN).map(|_| tokio::spawn(wait(turns.clone()))).collect();
        while turns.waiting.load(Ordering::Relaxed) < WAITING_PER_TURN {
            tokio::task::yield_now().await;
        }
        assert_eq!(turns.take().await.err(), Some(TooMany));
        let left = waiting.pop().unwrap();
        left.abort();
        assert!(left.await.is_err());
        waiting.push(tokio::spawn(wait(turns.clone())));
        drop(turn);
        for asked in waiting {
            assert!(asked.await.unwrap());
        }
        assert_eq!(turns.waiting.load(Ordering::Relaxed), 0);
    }

    async fn wait(turns: Turns) -> bool {
        turns.take().await.is_ok()
    }
}
