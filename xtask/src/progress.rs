//! Progress of a long step: elapsed time, state, and its log.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::say;

const INTERVAL: Duration = Duration::from_secs(20);
/// Bytes at the end of a log to search for its last line.
const TAIL_BYTES: u64 = 4_096;
const MAX_CHARS: usize = 60;
/// Start of cargo's progress line: `    Building [====>    ] 123/276: syn, serde`.
const CARGO: &str = "Building [";

/// Periodic progress line of a running command, every [`INTERVAL`].
pub(crate) struct Heartbeat {
    log: PathBuf,
    next: Duration,
}

impl Heartbeat {
    pub(crate) fn new(log: &Path) -> Self {
        Self { log: log.to_owned(), next: INTERVAL }
    }

    pub(crate) fn beat(&mut self, elapsed: Duration) {
        if elapsed < self.next {
            return;
        }
        self.next = elapsed + INTERVAL;
        let name = self.log.file_stem().unwrap_or_default().to_string_lossy();
        let note = state(&tail(&self.log)).unwrap_or_default();
        say::step("running", &name, &format!("{note}  (log: {})", self.log.display()), elapsed);
    }
}

fn tail(log: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// Returns Cargo's count of crates, or else the last line of a log.
fn state(tail: &str) -> Option<String> {
    let lines = || tail.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let counted = lines().rev().find_map(|line| {
        let (_, rest) = line.split_once(CARGO)?;
        let (done, all) = rest.split_once("] ")?.1.split(':').next()?.split_once('/')?;
        Some(format!("{done} of {all} crates"))
    });
    counted.or_else(|| lines().next_back().map(|line| line.chars().take(MAX_CHARS).collect()))
}

pub(crate) fn without(log: &str) -> String {
    let mut kept = String::new();
    for line in log.lines() {
        // A terminal shows only the text after the last carriage return.
        let shown = line.rsplit('\r').next().unwrap_or(line);
        let is_progress = shown.contains(CARGO) || (shown.trim().is_empty() && line.contains('\r'));
        if !is_progress {
            kept.push_str(shown);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "   Compiling one v1\n    Building [=>   ] 3/12: one, two\r    Building [==>  ] 4/12: two\r   Compiling two v1\nerror: broken\n";

    #[test]
    fn cargo_says_how_many_crates_are_done() {
        assert_eq!(state(LOG).as_deref(), Some("4 of 12 crates"));
        assert_eq!(state("Collecting dpctl\nDownloading 5 MB\n").as_deref(), Some("Downloading 5 MB"));
        assert_eq!(state("\n"), None);
    }

    #[test]
    fn a_log_is_shown_without_progress() {
        assert_eq!(without(LOG), "   Compiling one v1\n   Compiling two v1\nerror: broken\n");
        assert_eq!(without("a\r\nb"), "a\nb\n");
    }

    #[test]
    fn a_line_is_printed_once_an_interval() {
        let mut heartbeat = Heartbeat::new(Path::new("/nothing/here.log"));
        heartbeat.beat(INTERVAL / 2);
        assert_eq!(heartbeat.next, INTERVAL);
        heartbeat.beat(INTERVAL);
        assert_eq!(heartbeat.next, INTERVAL * 2);
    }
}
