//! Rate limit for wrong secrets.
//!
//! 160 random bits can't be guessed anyway; this protects the database from the load of attempts, and makes
//! them visible. Each client address may send a few wrong secrets, and one more every ten seconds. A client
//! that has used these up is rejected without a lookup, unless its secret was valid before, because a whole
//! team may share the address.

use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::SecretHash;
use super::allowance::{Allowance, MAX_CLIENTS};
use super::client::Place;

const FREE: u32 = 20;
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
    /// Makes a limit that refills by one in this time.
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

    pub fn wrong(&self, address: IpAddr, now: Instant) {
        self.lock().wrong.take(&Place::new(address), now);
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
            guesses.wrong(HERE, begun);
        }
        assert_eq!(guesses.check(HERE, secret, begun), Err(TooManyGuesses { wait: ANOTHER }));
        assert_eq!(guesses.check(THERE, secret, begun), Ok(()));
        let later = begun + ANOTHER;
        assert_eq!(guesses.check(HERE, secret, later), Ok(()));
        guesses.wrong(HERE, later);
        assert_eq!(guesses.check(HERE, secret, later), Err(TooManyGuesses { wait: ANOTHER }));
        assert_eq!(guesses.check(HERE, secret, later + ANOTHER * FREE), Ok(()));
    }

    #[test]
    fn what_was_right_before_is_looked_at() {
        let (guesses, now, right) = (Guesses::default(), Instant::now(), some_secret());
        guesses.right(right);
        for _ in 0..=FREE {
            guesses.wrong(HERE, now);
        }
        assert_eq!(guesses.check(HERE, right, now), Ok(()));
        assert!(guesses.check(HERE, some_secret(), now).is_err());
    }

    #[test]
    fn a_household_is_one_client() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let address = |net: u16, host: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, net, 0, 0, 0, host));
        for host in 0..=FREE as u16 {
            guesses.wrong(address(1, host), now);
        }
        assert!(guesses.check(address(1, 999), some_secret(), now).is_err());
        assert_eq!(guesses.check(address(2, 1), some_secret(), now), Ok(()));
    }

    #[test]
    fn memory_is_bounded() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for _ in 0..=FREE {
            guesses.wrong(HERE, now);
        }
        for number in 0..3 * MAX_CLIENTS as u32 {
            guesses.wrong(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + number)), now);
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
}
