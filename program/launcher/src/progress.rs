//! Shows a live count of events on the terminal while the program runs.
//!
//! The program writes to the same terminal, so its cursor position is unknown. The count is shown in the
//! terminal's **title**, which doesn't disturb the screen. A line is an option for programs that print
//! nothing.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Status, status, sys};
use syclscope_text::{bytes, count, counted, printable};

/// Display of the live count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Progress {
    /// Nowhere.
    #[default]
    Off,
    /// In the terminal's title.
    Title,
    /// In a line of the terminal, for programs that print nothing themselves.
    Line,
}

pub(super) const UPDATE_INTERVAL: Duration = Duration::from_millis(500);

/// Escape sequences that save and restore the terminal's title. Terminals without this feature ignore both.
const KEEP_TITLE: &str = "\x1b[22;2t";
const GIVE_TITLE_BACK: &str = "\x1b[23;2t";
/// Escape sequence that moves to the start of the line and clears the line.
pub(super) const EMPTY_LINE: &str = "\r\x1b[K";

#[derive(Debug)]
pub(super) struct Display {
    style: Progress,
    status_folder: PathBuf,
    /// The displayed count; `None` if there is none.
    text: Option<String>,
}

impl Display {
    /// Creates a display on standard error; `None` if it is off or the terminal can't show the count.
    pub(super) fn new(style: Progress, status_folder: &Path) -> Option<Self> {
        let terminal = std::env::var("TERM").unwrap_or_default();
        let has_title = !["", "dumb", "linux"].contains(&terminal.as_str());
        let is_possible = match style {
            Progress::Off => false,
            Progress::Title => has_title,
            Progress::Line => !["", "dumb"].contains(&terminal.as_str()),
        };
        (is_possible && std::io::stderr().is_terminal()).then(|| Self {
            style,
            status_folder: status_folder.to_owned(),
            text: None,
        })
    }

    pub(super) fn update(&mut self, is_paused: bool) {
        // In the background, the terminal belongs to another process.
        if !sys::is_in_foreground() {
            return;
        }
        let text = text(&status::read_all(&self.status_folder), is_paused);
        if self.text.as_ref() == Some(&text) {
            return;
        }
        let is_first = self.text.is_none();
        write(&match self.style {
            Progress::Off => return,
            Progress::Title => {
                let keep = if is_first { KEEP_TITLE } else { "" };
                format!("{keep}\x1b]2;{text}\x07")
            }
            Progress::Line => moving_line(&text),
        });
        self.text = Some(text);
    }

    /// Restores the terminal because the program has ended or stopped.
    pub(super) fn clear(&mut self) {
        if self.text.take().is_some() {
            write(match self.style {
                Progress::Line => EMPTY_LINE,
                _ => GIVE_TITLE_BACK,
            });
        }
    }
}

/// Returns the sequence that replaces the terminal's line with a text.
pub(super) fn moving_line(text: &str) -> String {
    let columns = usize::from(sys::terminal_columns()).saturating_sub(1).max(20);
    format!("{EMPTY_LINE}{}", printable(text, columns))
}

/// Writes all of the text at once, so that no output of the program interleaves.
fn write(text: &str) {
    // Recording continues without a terminal.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn text(processes: &[Status], is_paused: bool) -> String {
    let sum = |of| status::sum(processes, of);
    let mut text = format!(
        "syclscope: {}, {}, {} dropped",
        counted(sum(|process| process.events), "event"),
        bytes(sum(|process| process.bytes)),
        count(sum(|process| process.dropped)),
    );
    if processes.len() > 1 {
        text.push_str(&format!(", {} processes", processes.len()));
    }
    if is_paused {
        text.push_str(", paused");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_one_line() {
        let process = |events, bytes, dropped| Status { events, bytes, dropped, ..Status::default() };
        assert_eq!(text(&[], false), "syclscope: 0 events, 0 B, 0 dropped");
        assert_eq!(
            text(&[process(1_200, 2_048, 0), process(1, 1_024, 7)], true),
            "syclscope: 1,201 events, 3.0 KiB, 7 dropped, 2 processes, paused"
        );
    }
}
