//! Turns: a client has as many concurrent queries as there are cores, and a few exports, so that its
//! expensive ones only slow each other down.
//!
//! Several clients work at once, up to a total number of turns. Beyond that, waiting clients take turns,
//! however many requests each of them makes. A turn may count for several, as memory does
//! ([`MemoryAccount`]): if it needs more than are free, it is next, and no other request overtakes it.
//!
//! [`MemoryAccount`]: crate::limits::MemoryAccount

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::auth::Client;

/// Maximum number of waiting requests per turn.
const WAITING_PER_TURN: usize = 256;
/// Number of clients that can have all of their turns at once.
const CLIENTS: usize = 4;

#[derive(Clone, Debug)]
pub struct Turns {
    line: Arc<Mutex<Line>>,
}

#[derive(Debug)]
struct Line {
    /// Maximum turns in total.
    limit: usize,
    /// Maximum turns of one client.
    client_limit: usize,
    in_use: usize,
    clients: HashMap<Owner, Place>,
    /// Owners with waiting requests, the next one first.
    next: VecDeque<Owner>,
}

/// A client, or `None` for the server itself, which has no limit.
type Owner = Option<Client>;

#[derive(Debug, Default)]
struct Place {
    in_use: usize,
    /// Waiting requests, each with its number of turns.
    waiting: VecDeque<(usize, oneshot::Sender<Turn>)>,
}

/// A turn, which lasts until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    /// `None` if the turn was already given back.
    source: Option<(Turns, Owner)>,
    /// Number of turns that it counts for.
    count: usize,
}

impl Turn {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Gives back a part of the turn, so that it counts for `count`.
    pub(crate) fn shrink(&mut self, count: usize) {
        let more = self.count.saturating_sub(count);
        if let Some((turns, owner)) = &self.source {
            turns.lock().give_back(owner, more);
            turns.hand_out();
            self.count -= more;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Default for Turns {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        Self::shared(cores * CLIENTS, cores)
    }
}

impl Turns {
    /// Allows `count` turns at once, independently of the clients.
    pub fn new(count: usize) -> Self {
        Self::shared(count, count)
    }

    pub fn shared(limit: usize, client_limit: usize) -> Self {
        let (clients, next) = (HashMap::new(), VecDeque::new());
        Self { line: Arc::new(Mutex::new(Line { limit, client_limit, in_use: 0, clients, next })) }
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().limit
    }

    /// Returns the numbers of taken turns and of waiting requests.
    pub(crate) fn load(&self) -> (usize, usize) {
        let line = self.lock();
        (line.in_use, line.clients.values().map(|place| place.waiting.len()).sum())
    }

    /// Waits for a turn, which lasts until it is dropped. A request that is dropped while it waits costs
    /// nothing.
    ///
    /// # Errors
    /// Returns an error if too many requests of the client are already waiting.
    pub(crate) async fn take(&self, client: Client) -> Result<Turn, TooMany> {
        self.take_many(Some(client), 1).await
    }

    /// Waits for a turn that counts for several, at most for the total.
    ///
    /// # Errors
    /// Returns an error if too many requests of the client are already waiting.
    pub(crate) async fn take_many(&self, owner: Owner, count: usize) -> Result<Turn, TooMany> {
        let waits = {
            let mut line = self.lock();
            let count = count.min(line.limit.max(1));
            let most_waiting = line.client_limit.saturating_mul(WAITING_PER_TURN);
            let place = line.clients.entry(owner.clone()).or_default();
            let is_in_line = !place.waiting.is_empty();
            // Dropped requests are only removed at the limit, so that not every call scans all of them.
            if place.waiting.len() >= most_waiting {
                place.waiting.retain(|(_, waiting)| !waiting.is_closed());
            }
            if place.waiting.len() >= most_waiting {
                return Err(TooMany);
            }
            let (sender, waits) = oneshot::channel();
            place.waiting.push_back((count, sender));
            if !is_in_line {
                line.next.push_back(owner);
            }
            waits
        };
        self.hand_out();
        // The queue lives as long as this value.
        waits.await.map_err(|_| TooMany)
    }

    fn hand_out(&self) {
        loop {
            let Some((owner, count, sender)) = self.lock().take_next() else { return };
            let turn = Turn { source: Some((self.clone(), owner.clone())), count };
            if let Err(mut unwanted) = sender.send(turn) {
                // The waiting request was dropped.
                unwanted.source = None;
                self.lock().give_back(&owner, count);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// Takes a turn for the next request that may have one.
    fn take_next(&mut self) -> Option<(Owner, usize, oneshot::Sender<Turn>)> {
        for _ in 0..self.next.len() {
            let owner = self.next.pop_front()?;
            let Some(place) = self.clients.get_mut(&owner) else { continue };
            place.forget_those_who_left();
            let Some((count, _)) = place.waiting.front() else {
                self.forget_idle(&owner);
                continue;
            };
            // A request that exceeds the client's limit runs alone.
            if owner.is_some() && place.in_use > 0 && place.in_use + count > self.client_limit {
                self.next.push_back(owner);
                continue;
            }
            if self.in_use + count > self.limit {
                self.next.push_front(owner);
                return None;
            }
            let (count, sender) = place.waiting.pop_front()?;
            place.in_use += count;
            self.in_use += count;
            if !place.waiting.is_empty() {
                self.next.push_back(owner.clone());
            }
            return Some((owner, count, sender));
        }
        None
    }

    fn give_back(&mut self, owner: &Owner, count: usize) {
        self.in_use -= count;
        if let Some(place) = self.clients.get_mut(owner) {
            place.in_use -= count;
        }
        self.forget_idle(owner);
    }

    fn forget_idle(&mut self, owner: &Owner) {
        if self.clients.get(owner).is_some_and(|place| place.in_use == 0 && place.waiting.is_empty()) {
            self.clients.remove(owner);
        }
    }
}

impl Place {
    fn forget_those_who_left(&mut self) {
        while self.waiting.front().is_some_and(|(_, waiting)| waiting.is_closed()) {
            self.waiting.pop_front();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((turns, owner)) = self.source.take() {
            turns.lock().give_back(&owner, self.count);
            turns.hand_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    fn client(number: u8) -> Client {
        Client::at(std::net::IpAddr::from([127, 0, 0, number]))
    }

    fn waiting(turns: &Turns, number: u8) -> tokio::task::JoinHandle<Result<Turn, TooMany>> {
        let turns = turns.clone();
        tokio::spawn(async move { turns.take(client(number)).await })
    }

    async fn settle() {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn turns_are_given_on_and_who_leaves_gives_up_a_place() {
        let turns = Turns::new(1);
        let turn = turns.take(client(1)).await.unwrap();
        let mut line: Vec<_> = (0..WAITING_PER_TURN).map(|_| waiting(&turns, 1)).collect();
        settle().await;
        assert_eq!(turns.take(client(1)).await.err(), Some(TooMany));
        let left = line.pop().unwrap();
        left.abort();
        assert!(left.await.is_err());
        line.push(waiting(&turns, 1));
        settle().await;
        drop(turn);
        for asked in line {
            assert!(asked.await.unwrap().is_ok());
        }
        let line = turns.lock();
        assert!(line.in_use == 0 && line.clients.is_empty() && line.next.is_empty());
    }

    #[tokio::test]
    async fn a_client_whose_requests_all_left_has_one_place_in_the_line() {
        let turns = Turns::new(1);
        let turn = turns.take(client(1)).await.unwrap();
        let left: Vec<_> = (0..WAITING_PER_TURN).map(|_| waiting(&turns, 2)).collect();
        settle().await;
        for request in left {
            request.abort();
            assert!(request.await.is_err());
        }
        let request = waiting(&turns, 2);
        settle().await;
        assert_eq!(turns.lock().next.len(), 1);
        drop(turn);
        assert!(request.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn whoever_needs_many_is_not_passed_and_the_server_may_have_all() {
        let turns = Turns::shared(8, 4);
        let three = turns.take_many(Some(client(1)), 3).await.unwrap();
        let most = turns.clone();
        let most = tokio::spawn(async move { most.take_many(None, 100).await });
        settle().await;
        let small = waiting(&turns, 2);
        settle().await;
        assert!(!most.is_finished() && !small.is_finished());
        drop(three);
        let mut most = most.await.unwrap().unwrap();
        settle().await;
        assert!(!small.is_finished(), "all turns are taken");
        most.shrink(7);
        drop(small.await.unwrap().unwrap());
        let all = turns.take_many(Some(client(1)), 1).await.unwrap();
        drop((most, all));
        // A request above the client's limit gets its turn when the client has no other.
        let one = turns.take(client(1)).await.unwrap();
        let large = turns.clone();
        let large = tokio::spawn(async move { large.take_many(Some(client(1)), 6).await });
        settle().await;
        assert!(!large.is_finished() && turns.take(client(2)).await.is_ok(), "others go on meanwhile");
        drop(one);
        assert!(large.await.unwrap().is_ok());
        assert_eq!(turns.load(), (0, 0));
    }

    #[tokio::test]
    async fn one_client_leaves_turns_to_others() {
        let turns = Turns::shared(4, 2);
        let mut greedy: Vec<_> = (0..50).map(|_| waiting(&turns, 1)).collect();
        settle().await;
        let first = turns.take(client(2)).await.unwrap();
        let second = turns.take(client(3)).await.unwrap();
        assert_eq!(turns.lock().in_use, 4);
        // A third client waits, because all turns are taken, but is served before the forty-eight requests that
        // already wait.
        let other = waiting(&turns, 4);
        settle().await;
        assert!(!other.is_finished());
        drop(greedy.remove(0).await.unwrap());
        settle().await;
        drop(first);
        settle().await;
        assert!(other.is_finished());
        drop(second);
        greedy.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn a_turn_that_nobody_takes_any_more_goes_to_the_next() {
        let turns = Turns::new(1);
        let turn = turns.take(client(1)).await.unwrap();
        let left = turns.clone();
        let mut left = Box::pin(async move { left.take(client(1)).await });
        assert!(matches!(
            std::future::poll_fn(|context| Poll::Ready(left.as_mut().poll(context))).await,
            Poll::Pending
        ));
        drop(turn);
        // The request has the turn now, and was not polled since.
        assert_eq!(turns.lock().in_use, 1);
        drop(left);
        assert!(turns.take(client(1)).await.is_ok());
    }
}
