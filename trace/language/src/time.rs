//! Time: integer nanoseconds since the start of the trace, and the only arithmetic on it.

use serde::{Deserialize, Serialize};

/// A moment: nanoseconds since the start of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Duration(pub u64);

impl Timestamp {
    /// The start of the trace.
    pub const ZERO: Self = Self(0);

    /// Returns the moment `duration` later; saturates at the maximum.
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.0))
    }

    /// Returns the time since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Timestamp(u64::MAX).after(Duration(1)), Timestamp(u64::MAX));
        assert_eq!(Timestamp(3).since(Timestamp(5)), Duration(0));
    }
}
