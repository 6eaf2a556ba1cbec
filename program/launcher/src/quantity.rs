//! Sizes and times on a command line: `8M`, `500ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use syclscope_language::filter::time_ns;

/// A size in bytes, written like `4096`, `64K`, `8M`, `2G`, with multiples of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    pub bytes: u64,
}

/// A duration, written like `500ms`, `2s`, `1m`, `1.5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(pub Duration);

/// Samples per second of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency(u32);

const MAX_PER_SECOND: u32 = 1000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    #[error("not a size; write bytes, or a number followed by K, M or G, like 8M")]
    Size,
    #[error("not a duration; write a number followed by ms, s, m or h, like 500ms or 2s")]
    Period,
    #[error("not a frequency; write samples per second from 1 to {MAX_PER_SECOND}, like 99Hz")]
    Frequency,
    #[error("must be greater than 0")]
    Zero,
}

impl FromStr for Size {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let shift = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(QuantityError::Size),
        };
        let number: u64 = number.parse().map_err(|_| QuantityError::Size)?;
        match number.checked_mul(1 << shift) {
            Some(0) => Err(QuantityError::Zero),
            Some(bytes) => Ok(Self { bytes }),
            None => Err(QuantityError::Size),
        }
    }
}

/// Writes the shortest text that is exactly this size.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = [(30, "G"), (20, "M"), (10, "K")]
            .into_iter()
            .find(|(shift, _)| self.bytes > 0 && self.bytes.is_multiple_of(1 << shift));
        match unit {
            Some((shift, letter)) => write!(f, "{}{letter}", self.bytes >> shift),
            None => write!(f, "{}", self.bytes),
        }
    }
}

impl FromStr for Frequency {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.to_ascii_lowercase();
        let digits = text.strip_suffix("hz").unwrap_or(&text).trim_end();
        let frequency = digits.parse().ok().filter(|number| (1..=MAX_PER_SECOND).contains(number));
        frequency.map(Self).ok_or(QuantityError::Frequency)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Hz", self.0)
    }
}

impl FromStr for Period {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ms = time_ns(text).ok_or(QuantityError::Period)? / 1e6;
        let ms = ms.round();
        // A thousand years; anything more is a typing error.
        if !(0.0..=3.2e13).contains(&ms) {
            return Err(QuantityError::Period);
        }
        if ms == 0.0 {
            return Err(QuantityError::Zero);
        }
        Ok(Self(Duration::from_millis(ms as u64)))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms", self.0.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes, written) in [
            ("4096", 4096, "4K"),
            ("1000", 1000, "1000"),
            ("64k", 64 << 10, "64K"),
            ("8M", 8 << 20, "8M"),
            ("8 MiB", 8 << 20, "8M"),
            ("2G", 2 << 30, "2G"),
            ("1536M", 1536 << 20, "1536M"),
        ] {
            let size: Size = text.parse().unwrap();
            assert_eq!((size.bytes, size.to_string().as_str()), (bytes, written), "{text}");
            assert_eq!(size.to_string().parse(), Ok(size));
        }
        for text in ["", "M", "8X", "-1", "1.5G", "99999999999999999999", "99999999999T", "8M8"] {
            assert_eq!(text.parse::<Size>(), Err(QuantityError::Size), "{text}");
        }
        assert_eq!("0".parse::<Size>(), Err(QuantityError::Zero));
    }

    #[test]
    fn frequencies_are_read_and_written() {
        for (text, written) in [("99", "99Hz"), ("99Hz", "99Hz"), ("1 hz", "1Hz"), ("1000", "1000Hz")] {
            let frequency: Frequency = text.parse().unwrap();
            assert_eq!(frequency.to_string(), written);
        }
        for text in ["", "0", "1001", "-1", "1.5", "99kHz", "often"] {
            assert_eq!(text.parse::<Frequency>(), Err(QuantityError::Frequency), "{text}");
        }
    }

    #[test]
    fn times_are_read_and_written() {
        for (text, ms) in [("500ms", 500), ("2s", 2_000), ("1.5 s", 1_500), ("1m", 60_000), ("2h", 7_200_000)]
        {
            let period: Period = text.parse().unwrap();
            assert_eq!(period.0, Duration::from_millis(ms), "{text}");
            assert_eq!(period.to_string(), format!("{ms}ms"));
            assert_eq!(period.to_string().parse(), Ok(period));
        }
        for text in ["", "5", "s", "5 parsecs", "-1s", "1..2s", "99999999999h", "inf s"] {
            assert_eq!(text.parse::<Period>(), Err(QuantityError::Period), "{text}");
        }
        assert_eq!("0s".parse::<Period>(), Err(QuantityError::Zero));
    }
}
