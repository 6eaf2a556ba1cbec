//! JSON numbers: exact if the format has them exact.

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

/// Nanoseconds of a time in microseconds, exact for up to three decimals, rounded beyond; `None` if it is no number.
/// Times out of range are clamped.
pub(super) fn nanoseconds(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(decimals) || whole.len() > 30 {
        // An exponent, or no number at all.
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
        return Some((value * 1000.0).round() as i128);
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut thousandths = 0;
    for position in 0..3 {
        let digit = decimals.as_bytes().get(position).map_or(0, |digit| digit - b'0');
        thousandths = thousandths * 10 + i128::from(digit);
    }
    let rounds_up = decimals.as_bytes().get(3).is_some_and(|digit| *digit >= b'5');
    Some(sign * (whole * 1000 + thousandths + i128::from(rounds_up)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        assert_eq!(nanoseconds("12.345"), Some(12_345));
        assert_eq!(nanoseconds("9007199254740993.001"), Some(9_007_199_254_740_993_001));
        assert_eq!(nanoseconds("-0.5"), Some(-500));
        assert_eq!(nanoseconds("7"), Some(7000));
        assert_eq!(nanoseconds("1.0006"), Some(1001));
        assert_eq!(nanoseconds("1.5e3"), Some(1_500_000));
        assert_eq!(nanoseconds("1e300"), Some(i128::MAX));
        assert_eq!(nanoseconds("nope"), None);
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
