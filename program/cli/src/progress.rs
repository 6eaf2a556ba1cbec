//! A progress bar for reading and uploading.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use syclscope_text as text;

const WIDTH: u64 = 30;

const PAUSE: Duration = Duration::from_millis(100);

/// A bar, which draws nothing if standard error is no terminal.
pub(super) struct Progress {
    total: u64,
    done: u64,
    drawn: Option<Instant>,
    since: Instant,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let is_shown = !quiet && total > 0 && std::io::stderr().is_terminal();
        Self { total, done: 0, drawn: None, since: Instant::now(), is_shown }
    }

    pub(super) fn add(&mut self, bytes: u64) {
        self.done += bytes;
        let is_due = self.drawn.unwrap_or(self.since).elapsed() >= PAUSE;
        if self.is_shown && is_due {
            self.drawn = Some(Instant::now());
            let line = line(self.done, self.total, self.since.elapsed());
            draw(&line);
        }
    }

    /// Shows a phase instead of the bar.
    pub(super) fn say(&mut self, what: &str) {
        if self.is_shown {
            self.drawn = Some(Instant::now());
            draw(what);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn draw(line: &str) {
    // The work continues without a terminal.
    let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
}

fn line(done: u64, total: u64, time: Duration) -> String {
    let filled = (done.min(total) * WIDTH / total.max(1)) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH as usize - filled));
    let rate = done as f64 / time.as_secs_f64().max(1e-3);
    format!("{bar} {} of {}, {}/s", text::bytes(done), text::bytes(total), text::bytes(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_from_the_left() {
        let half = line(1 << 20, 2 << 20, Duration::from_secs(1));
        assert_eq!(half, format!("{}{} 1.0 MiB of 2.0 MiB, 1.0 MiB/s", "█".repeat(15), "░".repeat(15)));
        assert!(line(5, 4, Duration::ZERO).starts_with(&"█".repeat(30)), "a file may grow");
    }
}
