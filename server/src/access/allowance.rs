//! So much at once, and more with time: what each client may do.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Clients that are remembered.
pub(super) const PLACES: usize = 4096;

/// What clients have used up of what they have free. Its memory is bounded, whoever comes.
#[derive(Debug)]
pub(super) struct Allowance<K> {
    /// How many each has free.
    free: u32,
    /// After how long it has one more.
    another: Duration,
    /// Until when each works off what it has used.
    busy_until: HashMap<K, Instant>,
}

impl<K: Clone + Eq + Hash> Allowance<K> {
    pub(super) fn new(free: u32, another: Duration) -> Self {
        Self { free, another, busy_until: HashMap::new() }
    }

    /// How long a client has to wait for its next one; `None` where it has one.
    pub(super) fn wait(&self, client: &K, now: Instant) -> Option<Duration> {
        // The last free one would make it busy for this long.
        let most = self.another * self.free.saturating_sub(1);
        let busy = self.busy_until.get(client)?.saturating_duration_since(now);
        (busy > most).then(|| busy - most)
    }

    /// Takes note of one that a client has used.
    pub(super) fn take(&mut self, client: &K, now: Instant) {
        if self.busy_until.len() >= PLACES && !self.busy_until.contains_key(client) {
            self.busy_until.retain(|_, until| *until > now);
            // All are busy: the one that would be free first makes room.
            let first =
                self.busy_until.iter().min_by_key(|(_, until)| **until).map(|(place, _)| place.clone());
            if let Some(first) = first.filter(|_| self.busy_until.len() >= PLACES) {
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
