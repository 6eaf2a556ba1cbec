//! Pauses and resumes a recording for every process of the run, through a file that the recorders read.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use syclscope_system::private_files;

const NAME: &str = "control";

/// The control file, with the times of pauses.
#[derive(Debug)]
pub(super) struct Control {
    path: PathBuf,
    paused_since: Option<Instant>,
    paused: Duration,
}

impl Control {
    pub(super) fn new(status_folder: &std::path::Path, begins_paused: bool) -> Self {
        Self {
            path: status_folder.join(NAME),
            paused_since: begins_paused.then(Instant::now),
            paused: Duration::ZERO,
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused_since.is_some()
    }

    /// Pauses or resumes the recording.
    ///
    /// # Errors
    /// Returns an error if the file can't be written; the state is then unchanged.
    pub(super) fn set(&mut self, is_paused: bool) -> io::Result<()> {
        // A recorder may read the file at any time, so replace it atomically.
        private_files::write(&self.path, 0o600, if is_paused { b"pause\n" } else { b"run\n" })?;
        match (is_paused, self.paused_since) {
            (true, None) => self.paused_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.paused += since.elapsed();
                self.paused_since = None;
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn paused(&self) -> Duration {
        self.paused + self.paused_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_switch_is_a_word_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut control = Control::new(folder.path(), false);
        let word = || fs::read_to_string(folder.path().join("control")).unwrap();
        control.set(true).unwrap();
        assert_eq!((word().as_str(), control.is_paused()), ("pause\n", true));
        control.set(true).unwrap();
        let paused = control.paused();
        assert!(control.paused() >= paused);
        control.set(false).unwrap();
        assert_eq!((word().as_str(), control.is_paused()), ("run\n", false));
        assert_eq!(control.paused(), control.paused(), "time goes on, the pause is over");
        assert!(Control::new(folder.path(), true).is_paused());
        assert!(Control::new(&folder.path().join("gone"), false).set(true).is_err());
    }
}
