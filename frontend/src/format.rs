//! Number formats of the page: durations, times, sizes and counts.

use syclscope_language::units::unbroken;

/// Units of time, largest first, with their length in nanoseconds.
const TIME_UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];

/// Maximum additional digits that distinguish durations; a second then has nanosecond precision.
const MAX_EXTRA_DIGITS: usize = 6;

/// Formats a duration with four significant digits and the fitting unit: `1.234 ms`, `87.5 µs`, `12 ns`.
pub fn duration(duration_ns: f64) -> String {
    finer_duration(duration_ns, 0)
}

fn finer_duration(duration_ns: f64, more: usize) -> String {
    let size = duration_ns.abs();
    // A value that would round up to 1000 of a unit is shown in the next one.
    let (unit_ns, unit) =
        TIME_UNITS.into_iter().find(|(unit_ns, _)| size >= unit_ns * 0.999_95).unwrap_or((1.0, "ns"));
    format!("{} {unit}", significant(duration_ns / unit_ns, more))
}

/// Formats a duration with three significant digits, for narrow columns: `1.23 ms`, `87.5 µs`, `574 ms`.
pub fn short_duration(duration_ns: f64) -> String {
    let (unit_ns, unit) =
        TIME_UNITS.into_iter().find(|(unit_ns, _)| duration_ns >= unit_ns * 0.9995).unwrap_or((1.0, "ns"));
    let value = duration_ns / unit_ns;
    let decimals = if value >= 99.95 { 0 } else { 1 + usize::from(value < 9.995) };
    format!("{} {unit}", trim_zeros(&format!("{value:.decimals$}")))
}

/// Formats adjacent durations: equal texts get digits until they differ.
pub fn durations<const N: usize>(durations_ns: [f64; N]) -> [String; N] {
    let mut texts = durations_ns.map(|duration_ns| (duration_ns, duration(duration_ns)));
    tell_apart(&mut texts);
    texts.map(|(_, text)| text)
}

/// Adds digits to durations with the same text as a different neighbour.
pub fn tell_apart(texts: &mut [(f64, String)]) {
    for run in texts.chunk_by_mut(|one, other| one.1 == other.1) {
        let reads_same = |run: &[(f64, String)]| {
            run.windows(2).any(|pair| pair[0].0 != pair[1].0 && pair[0].1 == pair[1].1)
        };
        let mut more = 0;
        while reads_same(run) && more < MAX_EXTRA_DIGITS {
            more += 1;
            run.iter_mut().for_each(|(value, text)| *text = finer_duration(*value, more));
        }
    }
}

/// Formats a point in time to the microsecond, or to the nanosecond in the first millisecond: `11.072345 s`,
/// `310.25 µs`.
pub fn moment(at_ns: f64) -> String {
    let step_ns = if at_ns.abs() < 1e6 { 1.0 } else { 1e3 };
    match time_on_grid(at_ns, step_ns).split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", trim_zeros(number)),
        None => "0 ns".to_owned(),
    }
}

/// Formats an exact duration for details: all nanoseconds, in the fitting unit (`1.234567 ms`).
pub fn exact_duration(duration_ns: u64) -> String {
    let (unit_ns, unit) =
        TIME_UNITS.into_iter().find(|(unit_ns, _)| duration_ns as f64 >= *unit_ns).unwrap_or((1.0, "ns"));
    let unit_ns = unit_ns as u64;
    let decimals = unit_ns.ilog10() as usize;
    let text = format!("{}.{:0decimals$}", duration_ns / unit_ns, duration_ns % unit_ns);
    let text = if decimals == 0 { text.trim_end_matches(".0").to_owned() } else { trim_zeros(&text) };
    format!("{text} {unit}")
}

/// Formats a point in time with as many digits as a grid of `step_ns` needs: `1.25 s`, `310 µs`.
pub fn time_on_grid(at_ns: f64, step_ns: f64) -> String {
    if at_ns == 0.0 {
        return "0".to_owned();
    }
    let (unit_ns, unit) =
        TIME_UNITS.into_iter().find(|(unit_ns, _)| at_ns.abs() >= *unit_ns).unwrap_or((1.0, "ns"));
    let decimals = (unit_ns / step_ns).log10().ceil().clamp(0.0, 9.0) as usize;
    format!("{:.decimals$} {unit}", at_ns / unit_ns)
}

/// Formats a size in bytes with binary units: `12 B`, `1.5 KiB`, `64 MiB`.
pub fn bytes(size_bytes: f64) -> String {
    let mut value = size_bytes;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if value.abs() < 1023.95 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{} {unit}", significant(value, 0))
}

pub fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "bytes" => bytes(value),
        "" => significant(value, 0),
        unit => format!("{} {unit}", significant(value, 0)),
    }
}

/// Formats an amount with a decimal prefix: `1.234 kJ`, `12 µJ`.
pub fn amount(value: f64, unit: &str) -> String {
    let prefixes = [(1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")];
    let fitting = prefixes.into_iter().find(|(size, _)| value >= size * 0.999_95);
    let (size, prefix) = fitting.unwrap_or(if value > 0.0 { (1e-9, "n") } else { (1.0, "") });
    format!("{} {prefix}{unit}", significant(value / size, 0))
}

/// Formats a count with groups of three digits: `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a sentence, with its counts in groups of three digits and no line break between a number and its unit. Names
/// between backticks and numbers of things stay unchanged.
pub fn prose(text: &str) -> String {
    let (mut is_code, mut is_of_thing) = (false, false);
    let word = |word: &str| {
        let number = word.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':', ')']);
        let is_name = is_code || is_of_thing;
        is_code ^= word.matches('`').count() % 2 == 1;
        is_of_thing = ["line", "node", "process", "rank", "thread"].contains(&word);
        match number.parse::<u64>() {
            Ok(value) if number.len() > 3 && !number.starts_with('0') && !is_name => {
                word.replacen(number, &count(value), 1)
            }
            _ => word.to_owned(),
        }
    };
    unbroken(&text.split(' ').map(word).collect::<Vec<_>>().join(" "))
}

/// Formats a count with its noun: `1 slice`, `12 slices`.
pub fn counted(value: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", count(value), if value == 1 { singular } else { plural })
}

/// Formats a coarse age: `just now`, `5 minutes ago`, `3 days ago`.
pub fn ago(seconds: f64) -> String {
    let steps = [(86_400.0, "day", "days"), (3600.0, "hour", "hours"), (60.0, "minute", "minutes")];
    for (length, singular, plural) in steps {
        if seconds >= length {
            return format!("{} ago", counted((seconds / length) as u64, singular, plural));
        }
    }
    "just now".to_owned()
}

fn significant(value: f64, more: usize) -> String {
    let size = value.abs();
    let decimals = match size {
        size if size >= 999.95 => 0,
        size if size >= 99.995 => 1,
        size if size >= 9.9995 => 2,
        _ => 3,
    };
    trim_zeros(&format!("{value:.*}", decimals + more))
}

fn trim_zeros(text: &str) -> String {
    if !text.contains('.') {
        return text.to_owned();
    }
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Returns a bar as tall as a value's share of the maximum; the lowest bar for zero.
pub fn bar(value: u64, max: u64) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    BARS[((value as f64 / max.max(1) as f64 * 8.0).ceil() as usize).clamp(1, 8) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_take_the_fitting_unit() {
        for (duration_ns, text) in [
            (0.0, "0 ns"),
            (12.0, "12 ns"),
            (999.0, "999 ns"),
            (1_234.0, "1.234 µs"),
            (999_999.0, "1 ms"),
            (999_600.0, "999.6 µs"),
            (999_960_000.0, "1 s"),
            (87_500.0, "87.5 µs"),
            (1_234_567.0, "1.235 ms"),
            (123_456_789.0, "123.5 ms"),
            (61e9, "61 s"),
            (-2_500.0, "-2.5 µs"),
        ] {
            assert_eq!(duration(duration_ns), text);
        }
    }

    #[test]
    fn amounts_take_the_fitting_prefix() {
        for (value, text) in [
            (0.0, "0 J"),
            (12.5, "12.5 J"),
            (1_234.0, "1.234 kJ"),
            (3.2e7, "32 MJ"),
            (0.999_99, "1 J"),
            (0.012_34, "12.34 mJ"),
            (4.2e-6, "4.2 µJ"),
            (7e-9, "7 nJ"),
        ] {
            assert_eq!(amount(value, "J"), text);
        }
    }

    #[test]
    fn short_durations_have_three_digits() {
        for (duration_ns, text) in [
            (0.0, "0 ns"),
            (7.0, "7 ns"),
            (999.4, "999 ns"),
            (999.6, "1 µs"),
            (1_917_000.0, "1.92 ms"),
            (9_996_000.0, "10 ms"),
            (39_333_000.0, "39.3 ms"),
            (99_960_000.0, "100 ms"),
            (574_300_000.0, "574 ms"),
            (1_230e9, "1230 s"),
        ] {
            assert_eq!(short_duration(duration_ns), text);
        }
    }

    #[test]
    fn durations_beside_each_other_are_told_apart_and_no_finer() {
        let texts = |durations_ns| durations(durations_ns);
        assert_eq!(
            texts([11.07e6, 11.12e6, 11.124e6]),
            ["11.07 ms", "11.12 ms", "11.124 ms"].map(str::to_owned)
        );
        assert_eq!(texts([11_121e6, 11_121.4e6, 5e6]), ["11.121 s", "11.1214 s", "5 ms"].map(str::to_owned));
        assert_eq!(texts([2e9, 2e9 + 1.0, 2e9]), ["2 s", "2.000000001 s", "2 s"].map(str::to_owned));
        assert_eq!(texts([7e3, 7e3, 7e3]), ["7 µs", "7 µs", "7 µs"].map(str::to_owned));
    }

    #[test]
    fn moments_keep_their_microseconds_however_late_they_are() {
        for (at_ns, text) in
            [(0.0, "0 ns"), (11_072_345_678.0, "11.072346 s"), (11e9, "11 s"), (310_250.0, "310.25 µs")]
        {
            assert_eq!(moment(at_ns), text);
        }
    }

    #[test]
    fn exact_durations_keep_every_nanosecond() {
        for (duration_ns, text) in [
            (0, "0 ns"),
            (7, "7 ns"),
            (1_000, "1 µs"),
            (1_234_567, "1.234567 ms"),
            (5_000_000_001, "5.000000001 s"),
        ] {
            assert_eq!(exact_duration(duration_ns), text);
        }
    }

    #[test]
    fn grid_times_have_the_digits_of_the_grid() {
        assert_eq!(time_on_grid(1.2e9, 0.2e9), "1.2 s");
        assert_eq!(time_on_grid(1_250_000.0, 10_000.0), "1.25 ms");
        assert_eq!(time_on_grid(310_000.0, 10_000.0), "310 µs");
        assert_eq!(time_on_grid(0.0, 10.0), "0");
    }

    #[test]
    fn sizes_and_counts() {
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(bytes(1536.0), "1.5 KiB");
        assert_eq!(bytes(67_108_864.0), "64 MiB");
        assert_eq!(quantity(2048.0, "bytes"), "2 KiB");
        assert_eq!(quantity(3.0, "tasks"), "3 tasks");
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        let text = "Nodes not drawn: 18000 (limit 2000). 1234567 copies, a.cpp:1234, 0x1000, 1000.5 ms, 999 of 1000.";
        let grouped = "Nodes not drawn: 18,000 (limit 2,000). 1,234,567 copies, a.cpp:1234, 0x1000, 1000.5\u{a0}ms, 999 of 1,000.";
        assert_eq!(prose(text), grouped);
        assert_eq!(prose("busy for 5 ms (6.4 %), 2 steps"), "busy for 5\u{a0}ms (6.4\u{a0}%), 2 steps");
        let names = "thread 4242 ran `rows<float, 2048, 4096>` and `a b` 5000 times";
        assert_eq!(prose(names), names.replace("5000", "5,000"));
        assert_eq!(counted(1, "slice", "slices"), "1 slice");
        assert_eq!(ago(30.0), "just now");
        assert_eq!(ago(7_300.0), "2 hours ago");
    }
}
