//! Parsers of sizes, durations, frequencies and signals.

use std::time::Duration;

/// Parses a size in bytes: `4096`, `64K`, `8M`, `1G` or `1T`, with or without `B` or `iB`. Units are powers of 1024.
pub(super) fn size(text: &str) -> Option<u64> {
    let text = text.to_ascii_uppercase();
    let text = text.strip_suffix("IB").or(text.strip_suffix('B')).unwrap_or(&text).trim_end();
    let (digits, unit) = match text.char_indices().last()? {
        (at, 'K') => (&text[..at], 1 << 10),
        (at, 'M') => (&text[..at], 1 << 20),
        (at, 'G') => (&text[..at], 1 << 30),
        (at, 'T') => (&text[..at], 1 << 40),
        _ => (text, 1),
    };
    digits.trim_end().parse::<u64>().ok()?.checked_mul(unit)
}

/// Parses a duration: `500ms`, `2s`, `1.5s`, `1m`, `1h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|character: char| character.is_ascii_alphabetic())?;
    let (digits, unit) = text.split_at(unit_at);
    let seconds = match unit.trim_end() {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(digits.trim_end().parse::<f64>().ok()? * seconds).ok()
}

const MAX_PER_SECOND: u32 = 1000;

/// Parses a frequency in hertz: `99`, `99Hz`.
pub(super) fn frequency(text: &str) -> Option<u32> {
    let text = text.to_ascii_lowercase();
    let digits = text.strip_suffix("hz").unwrap_or(&text).trim_end();
    digits.parse().ok().filter(|frequency| (1..=MAX_PER_SECOND).contains(frequency))
}

/// Parses the name of a signal that may toggle the pause, as `USR2` or `SIGUSR2`; `None` for any other signal.
pub(super) fn signal(text: &str) -> Option<i32> {
    let name = text.to_ascii_uppercase();
    match name.strip_prefix("SIG").unwrap_or(&name) {
        "USR1" => Some(libc::SIGUSR1),
        "USR2" => Some(libc::SIGUSR2),
        "URG" => Some(libc::SIGURG),
        "WINCH" => Some(libc::SIGWINCH),
        "IO" => Some(libc::SIGIO),
        "HUP" => Some(libc::SIGHUP),
        "QUIT" => Some(libc::SIGQUIT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("4096", 4096), ("64K", 65_536), ("8m", 8 << 20), ("2 GiB", 2 << 30), ("1kB", 1024)]
        {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "M", "-1", "1.5M", "8X", "99999999999999T"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, milliseconds) in [("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("1m", 60_000), ("0s", 0)]
        {
            assert_eq!(duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "5", "s", "-1s", "2 weeks", "1e400s"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn frequencies() {
        for (text, frequency) in [("99", 99), ("99Hz", 99), ("1 hz", 1), ("1000", 1000)] {
            assert_eq!(super::frequency(text), Some(frequency), "{text}");
        }
        for text in ["", "0", "1001Hz", "-1", "1.5", "99kHz", "Hz"] {
            assert_eq!(super::frequency(text), None, "{text}");
        }
    }

    #[test]
    fn signals() {
        assert_eq!(signal("usr1"), Some(libc::SIGUSR1));
        assert_eq!(signal("SIGUSR2"), Some(libc::SIGUSR2));
        assert_eq!(signal("KILL"), None);
    }
}
