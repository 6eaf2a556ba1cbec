//! Calendar dates, and times in HTTP.

use std::time::{SystemTime, UNIX_EPOCH};

/// The first second that HTTP can't represent, in seconds since 1970-01-01 UTC: the year 10000.
const END_OF_HTTP: u64 = 253_402_300_800;

/// Returns a time in HTTP's format; `None` before 1970 and after 9999.
pub fn http_time(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    (since.as_secs() < END_OF_HTTP).then(|| httpdate::fmt_http_date(time))
}

/// Returns the date of a time in ns since 1970-01-01 UTC, such as `2026-11-22`.
pub fn date(unix_ns: u64) -> String {
    // Howard Hinnant's civil_from_days: years begin in March, so that a leap day is the last day of a year.
    let days = unix_ns / (24 * 3600 * 1_000_000_000) + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_that_http_can_write_is_written_and_no_other_panics() {
        use std::time::Duration;

        use proptest::prelude::*;
        use proptest::test_runner::{Config, TestRunner};

        let ends = [0, 1, END_OF_HTTP - 1, END_OF_HTTP, u64::from(u32::MAX), i64::MAX as u64 / 2];
        let seconds = prop_oneof![prop::sample::select(ends.to_vec()), 0..2 * END_OF_HTTP];
        let config = Config { failure_persistence: None, ..Config::default() };
        TestRunner::new(config)
            .run(&(seconds, any::<bool>()), |(seconds, is_before)| {
                let span = Duration::from_secs(seconds);
                let time =
                    if is_before { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) };
                let Some(time) = time else { return Ok(()) };
                let is_written = seconds < END_OF_HTTP && (!is_before || seconds == 0);
                prop_assert_eq!(http_time(time).is_some(), is_written);
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let second = 1_000_000_000;
        for (seconds, day) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_689_599, "2024-12-31"),
            (1_795_305_600, "2026-11-22"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds * second), day);
        }
    }
}
