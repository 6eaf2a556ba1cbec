use crate::format;

pub fn whole(value: f64) -> String {
    format::count(value as u64)
}

/// Formats a moment or duration in ns, to the nanosecond.
pub fn exact(value_ns: f64) -> String {
    format::exact_duration(value_ns as u64)
}

/// Formats a count, or a dash for zero.
pub fn some(count: f64) -> String {
    unless_zero(count, whole)
}

/// Formats a duration in ns, or a dash for zero.
pub fn some_duration(duration_ns: f64) -> String {
    unless_zero(duration_ns, format::duration)
}

/// Formats a size in bytes, or a dash for zero.
pub fn some_bytes(size_bytes: f64) -> String {
    unless_zero(size_bytes, format::bytes)
}

/// Formats a moment in ns, or `never` if it is infinite.
pub fn moment_or_never(at_ns: f64) -> String {
    if at_ns.is_infinite() { "never".to_owned() } else { format::moment(at_ns) }
}

fn unless_zero(value: f64, form: fn(f64) -> String) -> String {
    if value == 0.0 { "–".to_owned() } else { form(value) }
}
