//! Numbers in the words of findings.

pub(crate) fn time(ns: u64) -> String {
    let with = |unit: f64, name: &str| format!("{:.3} {name}", ns as f64 / unit);
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => with(1e3, "µs"),
        1_000_000..1_000_000_000 => with(1e6, "ms"),
        _ => with(1e9, "s"),
    }
}

pub(super) fn size(bytes: u64) -> String {
    let with = |unit: f64, name: &str| format!("{:.1} {name}", bytes as f64 / unit);
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => with(1024.0, "KiB"),
        1_048_576..1_073_741_824 => with(1_048_576.0, "MiB"),
        _ => with(1_073_741_824.0, "GiB"),
    }
}

pub(super) fn equals(field: &str, text: &str) -> String {
    format!("{field}=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
