//! Rate limit for changes: uploads, links, sign-ins and everything else that is not read-only.
//!
//! A client may use its changes per minute at once; they refill over time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Client;
use super::allowance::Allowance;

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
    /// Makes a limit per client and minute; 0 for none.
    pub fn per_minute(changes: u32) -> Self {
        if changes == 0 { Self(None) } else { Self::new(changes, Duration::from_secs(60) / changes) }
    }

    /// Allows a burst of changes per client, which refills by one in this time.
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

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
