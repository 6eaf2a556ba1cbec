//! Rate limiter per client, which allows bursts and refills over time.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Maximum number of tracked clients.
pub(super) const MAX_CLIENTS: usize = 4096;

/// Used allowance by client, in bounded memory.
#[derive(Debug)]
pub(super) struct Allowance<K> {
    /// Maximum burst.
    free: u32,
    /// Time to refill one use.
    another: Duration,
    /// Time at which each client's allowance is full again.
    busy_until: HashMap<K, Instant>,
}

impl<K: Clone + Eq + Hash> Allowance<K> {
    pub(super) fn new(free: u32, another: Duration) -> Self {
        Self { free, another, busy_until: HashMap::new() }
    }

    /// Returns the time until a client's next use; `None` if it has one now.
    pub(super) fn wait(&self, client: &K, now: Instant) -> Option<Duration> {
        // Using the last one would make it busy for this long.
        let most = self.another * self.free.saturating_sub(1);
        let busy = self.busy_until.get(client)?.saturating_duration_since(now);
        (busy > most).then(|| busy - most)
    }

    pub(super) fn take(&mut self, client: &K, now: Instant) {
        if self.busy_until.len() >= MAX_CLIENTS && !self.busy_until.contains_key(client) {
            self.busy_until.retain(|_, until| *until > now);
            // All entries are in use: evict the one that would be free first.
            let first =
                self.busy_until.iter().min_by_key(|(_, until)| **until).map(|(place, _)| place.clone());
            if let Some(first) = first.filter(|_| self.busy_until.len() >= MAX_CLIENTS) {
                self.busy_until.remove(&first);
            }
        }
        let until = self.busy_until.entry(client.clone()).or_insert(now);
        *until = (*until).max(now) + self.another;
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.busy_until.len()
    }
}
