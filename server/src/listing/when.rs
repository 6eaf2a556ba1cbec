//! Days and times in URLs.

const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;

/// Parses the first moment of a day, or a time; ns since 1970-01-01 UTC.
pub(super) fn start(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| days(text)?.checked_mul(DAY_NS))
}

/// Parses the first moment after a day, or a time; ns since 1970-01-01 UTC.
pub(super) fn end(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| (days(text)? + 1).checked_mul(DAY_NS))
}

/// Returns the days from 1970-01-01 to a date `2026-11-22`.
fn days(text: &str) -> Option<u64> {
    let mut parts = text.split('-').map(|part| part.parse::<u64>().ok().filter(|_| !part.starts_with('+')));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let place = usize::try_from(month).ok()?.checked_sub(1)?;
    let is_day = (1970..=9999).contains(&year) && day >= 1 && day <= *lengths.get(place)?;
    if parts.next().is_some() || !is_day {
        return None;
    }
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
    Some((year - 1970) * 365 + leaps + lengths[..place].iter().sum::<u64>() + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_do() {
        for (day, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-12-31", Some(364)),
            ("2000-03-01", Some(11_017)),
            ("2024-02-29", Some(19_782)),
            ("2026-11-22", Some(20_779)),
            ("2026-02-29", None),
            ("2100-02-29", None),
            ("2026-00-10", None),
            ("2026-13-10", None),
            ("2026-11-31", None),
            ("2026-11", None),
            ("2026-11-22-1", None),
            ("1969-12-31", None),
            ("99999-01-01", None),
        ] {
            assert_eq!(days(day), expected, "{day}");
        }
        assert_eq!((start("17"), end("17")), (Some(17), Some(17)));
        assert_eq!((start("1970-01-03"), end("1970-01-03")), (Some(2 * DAY_NS), Some(3 * DAY_NS)));
    }
}
