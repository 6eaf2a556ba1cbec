//! Output of one line per step: state, name, duration.

use std::io::Write;
use std::time::Duration;

use crate::failure::Failure;

/// Prints `  ok             1.2 s  name            note`.
pub(crate) fn step(state: &str, name: &str, note: &str, took: Duration) {
    line(format_args!("  {state:<11} {:>8}  {name:<16} {note}", seconds(took)));
}

pub(crate) fn begins(state: &str, name: &str, note: &str) {
    line(format_args!("  {state:<11} {:>8}  {name:<16} {note}", ""));
}

pub(crate) fn heading(text: &str) {
    line(format_args!("{text}"));
}

/// Prints a failure and an empty line.
pub(crate) fn failure(failure: &Failure) {
    line(format_args!("{failure}\n"));
}

pub(crate) fn seconds(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    if seconds < 100.0 { format!("{seconds:.1} s") } else { format!("{:.1} min", seconds / 60.0) }
}

fn line(text: std::fmt::Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    // A closed standard output (`cargo xtask setup | head`) is no reason to stop half-way.
    let _ = writeln!(output, "{text}").and_then(|()| output.flush());
}
