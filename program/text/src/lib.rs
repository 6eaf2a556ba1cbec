//! Numbers and tables for people, as the terminal shows them.

mod date;
mod digits;
mod fit;
mod table;

pub use date::{date, http_time};
pub use digits::{count, group_digits, without_groups};
pub use fit::{columns, path, printable, safe, short_names, steers, without_start, wrapped};
pub use table::{Align, Table};

/// Returns a number with a noun in its grammatical number: `1 command`, `12 commands`, `3 processes`.
pub fn counted(number: u64, thing: &str) -> String {
    let end = match number {
        1 => "",
        _ if thing.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {thing}{end}", count(number))
}

/// Returns a size: `17 B`, `1.4 KiB`, `3.2 MiB`.
pub fn bytes(size_bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size_bytes < 1024 {
        return format!("{size_bytes} B");
    }
    let mut value = size_bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Returns a duration with about four digits: `812 ns`, `1.234 ms`, `12.35 s`.
pub fn duration(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        // More would be rounded to 1000.0.
        1_000..999_950 => (ns as f64 / 1e3, "µs"),
        999_950..999_950_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    match value {
        0.0..9.9995 => format!("{value:.3} {unit}"),
        9.9995..99.995 => format!("{value:.2} {unit}"),
        _ => format!("{value:.1} {unit}"),
    }
}

pub fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./+:@%,".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Escapes text for HTML elements and attributes. The noncharacters U+FFFE and U+FFFF, which XML parsers
/// reject, are replaced.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => html.push('\u{fffd}'),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(
            [bytes(0), bytes(1023), bytes(1024), bytes(1 << 20)],
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB"]
        );
        assert_eq!([bytes((1 << 20) - 1), bytes(u64::MAX)], ["1.0 MiB", "16384.0 PiB"]);
        assert_eq!(duration(999), "999 ns");
        assert_eq!(duration(1_234_567), "1.235 ms");
        let near = [999_949, 999_950, 999_999, 999_949_999, 999_950_000, 999_999_999];
        assert_eq!(
            near.map(duration),
            ["999.9 µs", "1.000 ms", "1.000 ms", "999.9 ms", "1.000 s", "1.000 s"]
        );
        let near = [9_999_499, 9_999_500, 9_999_950, 99_994_999, 99_995_000, 9_999_950_000];
        assert_eq!(
            near.map(duration),
            ["9.999 ms", "10.00 ms", "10.00 ms", "99.99 ms", "100.0 ms", "10.00 s"]
        );
        assert_eq!(duration(98_765_432_100), "98.77 s");
        assert_eq!(duration(u64::MAX), "18446744073.7 s");
    }

    #[test]
    fn texts_that_steer_or_break_are_replaced() {
        assert_eq!(
            path(std::path::Path::new("a\x1b[2J\n\u{202e}b\u{ffff}")),
            "a\u{fffd}[2J\u{fffd}\u{fffd}b\u{fffd}"
        );
        assert_eq!(escaped("<a\u{fffe}'\u{ffff}"), "&lt;a\u{fffd}&#39;\u{fffd}");
    }

    #[test]
    fn one_thing_is_not_several() {
        let texts =
            [counted(0, "slice"), counted(1, "process"), counted(2, "process"), counted(1000, "slice")];
        assert_eq!(texts, ["0 slices", "1 process", "2 processes", "1,000 slices"]);
    }
}
