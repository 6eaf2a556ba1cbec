//! Numbers with units in sentences.

const UNITS: [&str; 9] = ["%", "ns", "µs", "ms", "s", "KiB", "MiB", "GiB", "GB/s"];

/// Returns a text in which no line breaks between a number and its unit.
pub fn unbroken(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for (place, word) in text.split(' ').enumerate() {
        if place > 0 {
            let unit = word.trim_end_matches(|letter| ".,;:)".contains(letter));
            let is_unit = UNITS.contains(&unit) && joined.ends_with(|letter: char| letter.is_ascii_digit());
            joined.push(if is_unit { '\u{a0}' } else { ' ' });
        }
        joined += word;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stay_with_their_numbers() {
        assert_eq!(unbroken("busy for 5 ms (6.4 %), 2 steps"), "busy for 5\u{a0}ms (6.4\u{a0}%), 2 steps");
        assert_eq!(unbroken("it took ms, not  s"), "it took ms, not  s");
    }
}
