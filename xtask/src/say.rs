//! Output of one line per step: state, name, duration.

use std::io::Write;
use std::time::Duration;

/// Prints `  ok             1.2 s  name            note`.
pub(crate) fn step(state: &str, name: &str, note: &str, took: Duration) {
    println!("  {state:<11} {:>8}  {name:<16} {note}", seconds(took));
    flush();
}

pub(crate) fn begins(state: &str, name: &str, note: &str) {
    println!("  {state:<11} {:>8}  {name:<16} {note}", "");
    flush();
}

pub(crate) fn heading(text: &str) {
    println!("{text}");
    flush();
}

pub(crate) fn seconds(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    if seconds < 100.0 { format!("{seconds:.1} s") } else { format!("{:.1} min", seconds / 60.0) }
}

fn flush() {
    // A closed standard output (`cargo xtask setup | head`) is no reason to stop half-way.
    let _ = std::io::stdout().flush();
}
