//! Progress display while the drain writes remaining events: buffers that were written to disk may take a
//! while.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::progress::{EMPTY_LINE, moving_line};
use super::{Status, status};
use syclscope_text::bytes;

/// Delay before the display begins, since usually there is nothing to wait for.
const FIRST: Duration = Duration::from_secs(1);
/// Interval of lines if standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Shows the progress on standard error: in a moving line on a terminal, else in occasional lines.
#[derive(Debug)]
pub(super) struct Waiting {
    is_shown: bool,
    status_folder: PathBuf,
    since: Instant,
    looked: Instant,
    last: Option<(Instant, String)>,
    is_terminal: bool,
}

impl Waiting {
    pub(super) fn new(is_shown: bool, status_folder: &Path) -> Self {
        Self {
            is_shown,
            status_folder: status_folder.to_owned(),
            since: Instant::now(),
            looked: Instant::now(),
            last: None,
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    pub(super) fn update(&mut self) {
        let is_due = match &self.last {
            Some((at, _)) => self.is_terminal || at.elapsed() >= LINE_INTERVAL,
            None => self.since.elapsed() >= FIRST,
        };
        if !self.is_shown || !is_due || self.looked.elapsed() < POLL_INTERVAL {
            return;
        }
        self.looked = Instant::now();
        let Some(text) = text(&status::read_all(&self.status_folder)) else { return };
        if self.last.as_ref().is_some_and(|(_, last)| *last == text) {
            return;
        }
        let written = if self.is_terminal { moving_line(&text) } else { format!("{text}\n") };
        // The work continues without a terminal.
        let _ = std::io::stderr().write_all(written.as_bytes());
        self.last = Some((Instant::now(), text));
    }

    pub(super) fn clear(&mut self) {
        if self.last.take().is_some() && self.is_terminal {
            let _ = std::io::stderr().write_all(EMPTY_LINE.as_bytes());
        }
    }
}

/// Describes how much of the buffers is written, if any process reports it.
fn text(processes: &[Status]) -> Option<String> {
    let left = status::sum(processes, |process| process.left_bytes);
    let all = status::sum(processes, |process| process.taken_bytes);
    (left > 0).then(|| {
        format!(
            "syclscope: writing buffered events: {} of {} (Ctrl+C loses nothing: writing continues in the background)",
            bytes(all.saturating_sub(left)),
            bytes(all)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processes_are_counted_together() {
        let process = |left_bytes, taken_bytes| Status { left_bytes, taken_bytes, ..Status::default() };
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[process(0, 0)]), None);
        let text = text(&[process(1 << 20, 3 << 20), process(1 << 20, 1 << 20)]).unwrap();
        assert!(text.starts_with("syclscope: writing buffered events: 2.0 MiB of 4.0 MiB"), "{text}");
    }
}
