//! JSON numbers, exact where the text is.

use syclscope_language::event::Value;

/// Returns the typed value of a number: unsigned, signed when negative, floating point with a point or an exponent.
pub(super) fn typed(text: &str) -> Value<'_> {
    let whole = !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let signed = text.starts_with('-');
    let exact = match (whole, signed) {
        (true, true) => text.parse().ok().map(Value::Int),
        (true, false) => text.parse().ok().map(Value::Uint),
        _ => None,
    };
    exact.or_else(|| text.parse().ok().map(Value::Float)).unwrap_or(Value::Str(text))
}

/// A time of the format, to the picosecond: separate rounding of a start and a duration would make consecutive slices
/// overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    /// Whole nanoseconds, rounded down.
    ns: i128,
    /// Below 1,000.
    ps: u16,
}

impl Time {
    pub(super) fn rounded_ns(self) -> i128 {
        self.ns.saturating_add(i128::from(self.ps >= 500))
    }

    pub(super) fn after(self, duration: Self) -> Self {
        let ps = self.ps + duration.ps;
        let ns = self.ns.saturating_add(duration.ns).saturating_add(i128::from(ps >= 1000));
        Self { ns, ps: ps % 1000 }
    }
}

/// Reads a time in microseconds, exact for up to six decimals. Clamps times out of range. `None` if it is no number.
pub(super) fn time(text: &str) -> Option<Time> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(decimals) || whole.len() > 30 {
        // An exponent, or no number at all.
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        return Some(Time { ns: (value * 1000.0).round() as i128, ps: 0 });
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let decimals = decimals.as_bytes();
    let three = |from: usize| {
        let digit = |place: usize| decimals.get(place).map_or(0, |digit| u16::from(digit - b'0'));
        digit(from) * 100 + digit(from + 1) * 10 + digit(from + 2)
    };
    let (ns, ps) = (whole * 1000 + i128::from(three(0)), three(3));
    Some(match (is_negative, ps) {
        (false, _) => Time { ns, ps },
        (true, 0) => Time { ns: -ns, ps },
        (true, _) => Time { ns: -ns - 1, ps: 1000 - ps },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        let nanoseconds = |text| time(text).map(Time::rounded_ns);
        assert_eq!(nanoseconds("12.345"), Some(12_345));
        assert_eq!(nanoseconds("9007199254740993.001"), Some(9_007_199_254_740_993_001));
        assert_eq!(nanoseconds("-0.5"), Some(-500));
        assert_eq!(nanoseconds("7"), Some(7000));
        assert_eq!(nanoseconds("1.0006"), Some(1001));
        assert_eq!(nanoseconds("1.5e3"), Some(1_500_000));
        assert_eq!(nanoseconds("1e300"), Some(i128::MAX));
        assert_eq!(nanoseconds("nope"), None);
        assert_eq!(nanoseconds("-1.0006"), Some(-1001));
        let sum = |one, other| time(one).unwrap().after(time(other).unwrap()).rounded_ns();
        assert_eq!(
            (sum("1.0006", "1.0006"), sum("-1.0006", "1.0006"), sum("1.000999", "1.000001")),
            (2001, 0, 2001)
        );
    }

    #[test]
    fn numbers_keep_their_type() {
        assert_eq!(typed("7"), Value::Uint(7));
        assert_eq!(typed("-7"), Value::Int(-7));
        assert_eq!(typed("7.0"), Value::Float(7.0));
        assert_eq!(typed("1e3"), Value::Float(1000.0));
        assert_eq!(typed("18446744073709551616"), Value::Float(18_446_744_073_709_551_616.0));
        assert_eq!(typed("1-1"), Value::Str("1-1"));
    }
}
