//! Parser of decimal numbers. The standard library's is exact for every number, but its table of ten kilobytes hardly
//! compresses and would load with every page. This one is as exact for times and sizes; a ratio with more than 17
//! decimals may be off by some units in the last place.

/// Parses a JSON number, with or without fraction and exponent. A leading `+` and a missing integer part or fraction
/// are allowed. `None` for any other text.
///
/// The result is the nearest double for an integer of up to 19 digits with an exponent (after the digits
/// are read as an integer) from -17 to 19; beyond that it may be off by some units in the last place.
pub fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?.clamp(-5_000, 5_000)),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let (mut digits, mut shift) = (0_u64, exponent);
    let (mut is_number, mut is_full) = (false, false);
    for (part, step) in [(whole, 0), (fraction, -1)] {
        for digit in part.bytes() {
            let value = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            is_number = true;
            let more = digits.checked_mul(10).and_then(|digits| digits.checked_add(value));
            match more.filter(|_| !is_full) {
                Some(more) => (digits, shift) = (more, shift + step),
                // More digits than a double can represent.
                None => (is_full, shift) = (true, shift + step + 1),
            }
        }
    }
    let size = is_number.then(|| scaled(digits, shift))?;
    Some(if text.starts_with('-') { -size } else { size })
}

/// Returns `digits` times ten to the power of `shift`.
fn scaled(digits: u64, shift: i32) -> f64 {
    const EXACT: u64 = 1 << 53;
    let power = || 10_u128.pow(shift.unsigned_abs());
    match shift {
        0..=19 => (u128::from(digits) * power()) as f64,
        // Both are exact doubles, so that only the division rounds.
        -22..0 if digits <= EXACT => digits as f64 / power() as f64,
        -17..0 => {
            // The quotient has at least eight bits more than a double. The last bit is set if there was a remainder.
            let (large, power) = (u128::from(digits) << 64, power());
            let is_left_over = !large.is_multiple_of(power);
            ((large / power) | u128::from(is_left_over)) as f64 / 2_f64.powi(64)
        }
        // Two steps, because the power alone may underflow even if the result does not.
        _ => digits as f64 * 10_f64.powi(shift / 2) * 10_f64.powi(shift - shift / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_none() {
        for text in
            ["", "-", ".", "e5", "1e", "1.2.3", "1 ", " 1", "0x10", "inf", "NaN", "1e5.0", "--1", "1_000"]
        {
            assert_eq!(float(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_every_form_are_read() {
        for text in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "12.50",
            "1e3",
            "1E-3",
            "-2.5e+3",
            "18446744073709551616",
            "0.1",
            "0.30000000000000004",
            "9007199254740993",
            "123456789012345678901234567890",
            "1e22",
            "1e-22",
            "0.000001",
        ] {
            assert_eq!(float(text), text.parse().ok(), "{text}");
        }
        assert_eq!((float("1e999"), float("-1e-999")), (Some(f64::INFINITY), Some(-0.0)));
    }

    /// Returns pseudorandom bits, the same in each run.
    fn bits() -> impl Iterator<Item = u64> {
        let mut state = 1_u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        })
    }

    #[test]
    fn what_a_program_writes_comes_back() {
        for bits in bits().take(100_000) {
            let number = (bits >> 12) as f64 / 1024.0 - 1e12;
            assert_eq!(float(&number.to_string()), Some(number));
            let (whole, decimals) = (bits >> 40, bits % 1_000_000);
            let text = format!("{whole}.{decimals:06}");
            assert_eq!(float(&text), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn any_number_comes_back_nearly() {
        for number in bits().take(100_000).map(f64::from_bits).filter(|number| number.is_normal()) {
            let back = float(&format!("{number:e}")).unwrap();
            assert!((back / number - 1.0).abs() < 1e-13, "{number:e} {back:e}");
        }
    }
}
