use crate::format;

pub fn whole(value: f64) -> String {
    format::count(value as u64)
}

/// A moment or duration in ns, to the nanosecond.
pub fn exact(value_ns: f64) -> String {
    format::exact_duration(value_ns as u64)
}

/// A count; zero is blank.
pub fn some(count: f64) -> String {
    unless_zero(count, whole)
}

/// A duration in ns; zero is blank.
pub fn some_duration(duration_ns: f64) -> String {
    unless_zero(duration_ns, format::duration)
}

/// A size in bytes; zero is blank.
pub fn some_bytes(size_bytes: f64) -> String {
    unless_zero(size_bytes, format::bytes)
}

/// A moment in ns that may never come.
pub fn moment_or_never(at_ns: f64) -> String {
    if at_ns.is_infinite() { "never".to_owned() } else { format::moment(at_ns) }
}

fn unless_zero(value: f64, form: fn(f64) -> String) -> String {
    if value == 0.0 { "–".to_owned() } else { form(value) }
}
