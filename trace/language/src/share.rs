//! Shares of a whole in words.

/// Returns a share in per cent with a number of decimals. A non-zero part is never `0 %`, and a part below the whole
/// never `100 %`: such a share gets one decimal, or a bound.
pub fn share(part: u64, whole: u64, decimals: usize) -> String {
    let percent = part as f64 / whole.max(1) as f64 * 100.0;
    let is_exact = part == 0 || part >= whole;
    // Formatting rounds halves to the even digit: 0.5 to `0`.
    let is_near_an_end = percent <= 0.5 || percent >= 99.5;
    let decimals = if !is_exact && is_near_an_end { 1 } else { decimals };
    match percent {
        _ if is_exact => format!("{percent:.decimals$} %"),
        ..0.05 => "< 0.1 %".to_owned(),
        99.95.. => "> 99.9 %".to_owned(),
        _ => format!("{percent:.decimals$} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_all_and_only_nothing_is_nothing() {
        assert_eq!(share(42_260, 42_320, 0), "99.9 %");
        assert_eq!(share(99_999, 100_000, 0), "> 99.9 %");
        assert_eq!(share(4, 1_000, 0), "0.4 %");
        assert_eq!([share(1, 200, 0), share(199, 200, 0)], ["0.5 %", "99.5 %"]);
        assert_eq!(share(1, 100_000, 1), "< 0.1 %");
        assert_eq!([share(0, 7, 0), share(7, 7, 0), share(0, 0, 0)], ["0 %", "100 %", "0 %"]);
        assert_eq!([share(1, 3, 0), share(1, 3, 1)], ["33 %", "33.3 %"]);
    }

    #[test]
    fn shares_of_every_size_are_near_the_truth() {
        for part in 1..9_999_u64 {
            let text = share(part, 9_999, 0);
            let number: f64 = text.trim_matches(['<', '>', '%', ' ']).parse().unwrap();
            assert!((number - part as f64 / 99.99).abs() <= 0.5, "{part}: {text}");
            assert!(number > 0.0 && number < 100.0, "{part}: {text}");
        }
    }
}
