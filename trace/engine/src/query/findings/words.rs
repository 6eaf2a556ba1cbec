//! Numbers in the messages of findings.

/// Returns a time with four significant digits and no trailing zeros, like `93.94 ms`.
pub(crate) fn time(ns: u64) -> String {
    // A value that would round up to 1000 of a unit uses the next unit.
    let (unit, name) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..999_950 => (1e3, "µs"),
        999_950..999_950_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let value = ns as f64 / unit;
    let decimals = match value {
        ..9.9995 => 3,
        ..99.995 => 2,
        ..999.95 => 1,
        _ => 0,
    };
    let digits = format!("{value:.decimals$}");
    let digits = if decimals == 0 { &digits } else { digits.trim_end_matches('0').trim_end_matches('.') };
    format!("{digits} {name}")
}

pub(crate) fn size(bytes: u64) -> String {
    let with = |unit: f64, name: &str| format!("{:.1} {name}", bytes as f64 / unit);
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => with(1024.0, "KiB"),
        1_048_576..1_073_741_824 => with(1_048_576.0, "MiB"),
        _ => with(1_073_741_824.0, "GiB"),
    }
}

pub(super) fn equals(field: &str, text: &str) -> String {
    format!("{field}=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_have_four_significant_digits() {
        let times =
            [7, 1_000, 1_500, 93_939_000, 912_812_345, 999_949, 999_950, 2_395_400_000, 1_234_567_000_000];
        let said =
            ["7 ns", "1 µs", "1.5 µs", "93.94 ms", "912.8 ms", "999.9 µs", "1 ms", "2.395 s", "1235 s"];
        assert_eq!(times.map(time), said);
    }
}
