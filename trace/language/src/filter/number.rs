//! Numbers with units, exact if they are integers.

use std::cmp::Ordering;

use crate::decimal;

/// A number in a filter or a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Whole(i128),
    /// Any other number, or an integer written with an exponent.
    Float(f64),
}

/// Units that are allowed in a number.
#[derive(Clone, Copy, Debug)]
pub struct Units(&'static [(&'static str, u64)]);

impl Units {
    /// No units.
    pub const NONE: Self = Self(&[]);
    /// Units of time, converted to nanoseconds.
    pub const TIME: Self = Self(ALL.split_at(TIMES).0);
    /// Units of time and of size.
    pub const ANY: Self = Self(&ALL);
}

const TIMES: usize = 8;
const ALL: [(&str, u64); 16] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("K", 1 << 10),
    ("M", 1 << 20),
    ("G", 1 << 30),
    ("T", 1 << 40),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

impl Number {
    /// Parses a number: `12`, `-3`, `0x1f`, `1.5ms`, `1e-3`, `4M`.
    pub fn parse(text: &str, units: Units) -> Option<Self> {
        if let Some(digits) = text.strip_prefix("0x") {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            return u64::from_str_radix(digits, 16)
                .ok()
                .filter(|_| is_plain)
                .map(|number| Self::Whole(number.into()));
        }
        let units = units.0.iter().copied().filter(|(name, _)| text.ends_with(name));
        let unit = units.max_by_key(|(name, _)| name.len());
        let (digits, factor) =
            unit.map_or((text, 1), |(name, factor)| (&text[..text.len() - name.len()], factor));
        let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        if !is_number {
            return None;
        }
        if let Some(whole) = whole(digits, factor) {
            return Some(Self::Whole(whole));
        }
        let number = decimal::float(digits)? * factor as f64;
        number.is_finite().then_some(Self::Float(number))
    }

    /// Compares two numbers; `None` if either is NaN.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => Some(one.cmp(&other)),
            (one, other) => one.float().partial_cmp(&other.float()),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

/// Parses a duration with a unit (`1.5 s`, `250us`) and converts it to nanoseconds.
pub fn time_ns(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let (_, factor) = Units::TIME.0.iter().find(|(name, _)| *name == unit)?;
    let number = Number::parse(digits.trim_end(), Units::NONE)?;
    Some(number.float() * *factor as f64).filter(|ns| ns.is_finite())
}

/// Returns a decimal number times a factor, if the result is an integer.
fn whole(digits: &str, factor: u64) -> Option<i128> {
    let (sign, unsigned) = digits.strip_prefix('-').map_or((1, digits), |rest| (-1, rest));
    let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_plain = |text: &str| text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    if integer.is_empty() || !is_plain(integer) || !is_plain(fraction) || fraction.len() > 12 {
        return None;
    }
    let scale = 10_i128.pow(fraction.len() as u32);
    let number = integer.parse::<i128>().ok()? * scale + fraction.parse::<i128>().unwrap_or(0);
    let product = number.checked_mul(i128::from(factor))?;
    (product % scale == 0).then_some(sign * (product / scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_where_they_are_whole() {
        for (text, expected) in [
            ("12", Number::Whole(12)),
            ("-3", Number::Whole(-3)),
            ("0x1f", Number::Whole(31)),
            ("1.5ms", Number::Whole(1_500_000)),
            ("2.5µs", Number::Whole(2_500)),
            ("1m", Number::Whole(60_000_000_000)),
            ("1M", Number::Whole(1 << 20)),
            ("0.5KiB", Number::Whole(512)),
            ("18446744073709551615", Number::Whole(u64::MAX.into())),
            ("0.5ns", Number::Float(0.5)),
            ("1e-3", Number::Float(0.001)),
            ("1e3us", Number::Float(1e6)),
        ] {
            assert_eq!(Number::parse(text, Units::ANY), Some(expected), "{text}");
        }
        for text in
            ["", "ms", "1x", "x1", "--1", "1e", "1.2.3", "0x", "0x+1", "inf", "NaN", "1e999", "1e308s", "1 2"]
        {
            assert_eq!(Number::parse(text, Units::ANY), None, "{text}");
        }
        assert_eq!(Number::parse("4K", Units::TIME), None);
        assert_eq!(Number::parse("4s", Units::NONE), None);
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, ns) in
            [("1.5 s", 1.5e9), (" 250us ", 250e3), ("3µs", 3e3), ("2 min", 120e9), ("0 ns", 0.0)]
        {
            assert_eq!(time_ns(text), Some(ns), "{text}");
        }
        for text in ["", "s", "250", "1.2.3 s", "0x1f", "4M", "soon", "inf s", "1e308 s"] {
            assert_eq!(time_ns(text), None, "{text}");
        }
    }
}
