//! Lifetimes and dates on the command line.

use std::str::FromStr;

/// `90d`, `12h`, `30m` or `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lifetime {
    /// `None` if it never ends.
    seconds: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a number of days, hours or minutes, as in 90d, 12h or 30m, or never")]
pub(super) struct NotALifetime;

impl Lifetime {
    /// Returns the end of a lifetime that begins now, in ns since 1970-01-01 UTC.
    pub(super) fn end(self, now_unix_ns: u64) -> Option<u64> {
        self.seconds.map(|seconds| now_unix_ns.saturating_add(seconds.saturating_mul(1_000_000_000)))
    }
}

impl FromStr for Lifetime {
    type Err = NotALifetime;

    fn from_str(text: &str) -> Result<Self, NotALifetime> {
        if text == "never" {
            return Ok(Self { seconds: None });
        }
        let unit = text.chars().next_back().ok_or(NotALifetime)?;
        let seconds: u64 = match unit {
            'd' => 24 * 3600,
            'h' => 3600,
            'm' => 60,
            _ => return Err(NotALifetime),
        };
        let number: u64 = text[..text.len() - 1].parse().map_err(|_| NotALifetime)?;
        let seconds = number.checked_mul(seconds).filter(|seconds| *seconds > 0);
        Ok(Self { seconds: Some(seconds.ok_or(NotALifetime)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_read() {
        let end = |text: &str| text.parse::<Lifetime>().map(|lifetime| lifetime.end(5));
        assert_eq!(end("1d"), Ok(Some(5 + 86_400_000_000_000)));
        assert_eq!(end("12h"), Ok(Some(5 + 43_200_000_000_000)));
        assert_eq!(end("1m"), Ok(Some(5 + 60_000_000_000)));
        assert_eq!(end("never"), Ok(None));
        for text in ["", "d", "1", "-1d", "0d", "1.5d", "9999999999999999999d", "1é"] {
            assert_eq!(end(text), Err(NotALifetime), "{text}");
        }
    }
}
