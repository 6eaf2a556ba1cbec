//! Rate limits of clients, which allow bursts and refill over time.
//!
//! Changes (uploads, links, sign-ins and everything else that is not read-only): a client may use its changes per minute
//! at once.
//!
//! Wrong secrets: 160 random bits can't be guessed anyway; this protects the database from the load of attempts, and
//! makes them visible. Each client address may send a few wrong secrets, and one more every ten seconds. A client that
//! has used these up is rejected without a lookup, unless its secret was valid before, because a whole team may share
//! the address.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::client::{Client, Place};
use super::secret::SecretHash;

/// Maximum number of tracked clients.
const MAX_CLIENTS: usize = 4096;

/// Used-up allowances by client, in bounded memory.
#[derive(Debug)]
struct Allowance<K> {
    /// Maximum burst.
    free: u32,
    /// Time to refill one use.
    another: Duration,
    /// Time at which each client's allowance is full again.
    busy_until: HashMap<K, Instant>,
}

impl<K: Clone + Eq + Hash> Allowance<K> {
    fn new(free: u32, another: Duration) -> Self {
        Self { free, another, busy_until: HashMap::new() }
    }

    /// Returns the time until a client's next use; `None` if it has one now.
    fn wait(&self, client: &K, now: Instant) -> Option<Duration> {
        // A client with one use left is busy for this long.
        let most = self.another * self.free.saturating_sub(1);
        let busy = self.busy_until.get(client)?.saturating_duration_since(now);
        (busy > most).then(|| busy - most)
    }

    fn take(&mut self, client: &K, now: Instant) {
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
    fn len(&self) -> usize {
        self.busy_until.len()
    }
}

/// Default number of changes per client.
pub const CHANGES_PER_MINUTE: u32 = 1200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many uploads and changes from one client; retry in a moment")]
pub struct TooManyChanges {
    pub wait: Duration,
}

#[derive(Debug)]
pub struct Rates(Option<Mutex<Allowance<Client>>>);

impl Default for Rates {
    fn default() -> Self {
        Self::per_minute(CHANGES_PER_MINUTE)
    }
}

impl Rates {
    /// Creates a limit per client and minute; 0 for none.
    pub fn per_minute(changes: u32) -> Self {
        if changes == 0 { Self(None) } else { Self::new(changes, Duration::from_secs(60) / changes) }
    }

    /// Creates a limit of `changes` at once per client; one more is allowed after each `another`.
    pub fn new(changes: u32, another: Duration) -> Self {
        Self(Some(Mutex::new(Allowance::new(changes, another))))
    }

    /// Counts a change.
    ///
    /// # Errors
    /// Returns an error if the client has none left; the change is not counted then.
    pub fn count(&self, client: &Client, now: Instant) -> Result<(), TooManyChanges> {
        let Some(allowance) = &self.0 else { return Ok(()) };
        let mut allowance = allowance.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wait) = allowance.wait(client, now) {
            return Err(TooManyChanges { wait });
        }
        allowance.take(client, now);
        Ok(())
    }
}

/// Wrong secrets that an address may send at once.
const FREE: u32 = 20;
/// Time until an address may send another.
const ANOTHER: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many wrong secrets from one address")]
pub struct TooManyGuesses {
    pub wait: Duration,
}

/// Wrong secrets by address, in bounded memory.
#[derive(Debug, Default)]
pub struct Guesses(Mutex<Counts>);

#[derive(Debug)]
struct Counts {
    wrong: Allowance<Place>,
    right: HashSet<u64>,
    /// Oldest first.
    right_by_age: VecDeque<u64>,
}

impl Default for Counts {
    fn default() -> Self {
        Self::with_another_after(ANOTHER)
    }
}

impl Counts {
    fn with_another_after(another: Duration) -> Self {
        Self { wrong: Allowance::new(FREE, another), right: HashSet::new(), right_by_age: VecDeque::new() }
    }
}

impl Guesses {
    /// Creates a limit that refills by one in this time.
    pub fn with_another_after(another: Duration) -> Self {
        Self(Mutex::new(Counts::with_another_after(another)))
    }

    /// Checks that a secret from `address` may be looked up.
    ///
    /// # Errors
    /// Returns an error if too many wrong secrets came from this address, and this one was never valid.
    pub fn check(&self, address: IpAddr, secret: SecretHash, now: Instant) -> Result<(), TooManyGuesses> {
        let counts = self.lock();
        match counts.wrong.wait(&Place::new(address), now) {
            Some(wait) if !counts.right.contains(&secret.short()) => Err(TooManyGuesses { wait }),
            _ => Ok(()),
        }
    }

    pub fn right(&self, secret: SecretHash) {
        let mut counts = self.lock();
        if counts.right.insert(secret.short()) {
            counts.right_by_age.push_back(secret.short());
        }
        if counts.right_by_age.len() > MAX_CLIENTS
            && let Some(oldest) = counts.right_by_age.pop_front()
        {
            counts.right.remove(&oldest);
        }
    }

    /// Counts a wrong secret. One that was valid before is no guess: a program that still sends a revoked token must not
    /// lock out others at its address.
    pub fn wrong(&self, address: IpAddr, secret: SecretHash, now: Instant) {
        let mut counts = self.lock();
        if !counts.right.contains(&secret.short()) {
            counts.wrong.take(&Place::new(address), now);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::super::Secret;
    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn some_secret() -> SecretHash {
        Secret::random().unwrap().hash()
    }

    #[test]
    fn the_free_ones_are_used_up_and_come_back() {
        let (guesses, begun, secret) = (Guesses::default(), Instant::now(), some_secret());
        for _ in 0..FREE {
            assert_eq!(guesses.check(HERE, secret, begun), Ok(()));
            guesses.wrong(HERE, some_secret(), begun);
        }
        assert_eq!(guesses.check(HERE, secret, begun), Err(TooManyGuesses { wait: ANOTHER }));
        assert_eq!(guesses.check(THERE, secret, begun), Ok(()));
        let later = begun + ANOTHER;
        assert_eq!(guesses.check(HERE, secret, later), Ok(()));
        guesses.wrong(HERE, some_secret(), later);
        assert_eq!(guesses.check(HERE, secret, later), Err(TooManyGuesses { wait: ANOTHER }));
        assert_eq!(guesses.check(HERE, secret, later + ANOTHER * FREE), Ok(()));
    }

    #[test]
    fn what_was_right_before_is_looked_at() {
        let (guesses, now, right) = (Guesses::default(), Instant::now(), some_secret());
        guesses.right(right);
        for _ in 0..=FREE {
            guesses.wrong(HERE, some_secret(), now);
        }
        assert_eq!(guesses.check(HERE, right, now), Ok(()));
        assert!(guesses.check(HERE, some_secret(), now).is_err());
    }

    #[test]
    fn a_household_is_one_client() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let address = |net: u16, host: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, net, 0, 0, 0, host));
        for host in 0..=FREE as u16 {
            guesses.wrong(address(1, host), some_secret(), now);
        }
        assert!(guesses.check(address(1, 999), some_secret(), now).is_err());
        assert_eq!(guesses.check(address(2, 1), some_secret(), now), Ok(()));
    }

    #[test]
    fn memory_is_bounded() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for _ in 0..=FREE {
            guesses.wrong(HERE, some_secret(), now);
        }
        for number in 0..3 * MAX_CLIENTS as u32 {
            guesses.wrong(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number)), some_secret(), now);
            guesses.right(some_secret());
        }
        {
            let counts = guesses.lock();
            let sizes = [counts.wrong.len(), counts.right.len(), counts.right_by_age.len()];
            assert_eq!(sizes, [MAX_CLIENTS; 3]);
        }
        assert!(
            guesses.check(HERE, some_secret(), now).is_err(),
            "those who try most are remembered longest"
        );
    }

    #[test]
    fn a_minutes_changes_may_come_at_once_and_then_as_time_goes() {
        let (rates, begun) = (Rates::per_minute(60), Instant::now());
        let client = |number: u8| Client::at(IpAddr::from([192, 0, 2, number]));
        let count = |of: u8, now| rates.count(&client(of), now);
        for _ in 0..60 {
            assert_eq!(count(1, begun), Ok(()));
        }
        let second = Duration::from_secs(1);
        assert_eq!(count(1, begun), Err(TooManyChanges { wait: second }));
        assert_eq!(count(2, begun), Ok(()));
        assert_eq!(count(1, begun + second), Ok(()));
        assert!(count(1, begun + second).is_err());
        for _ in 0..1000 {
            assert_eq!(Rates::per_minute(0).count(&client(1), begun), Ok(()));
        }
    }
}
