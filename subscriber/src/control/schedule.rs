//! Scheduled pauses and resumptions, by the settings and the launcher.

use std::path::PathBuf;
use std::time::Duration;

use super::{Reason, State};
use crate::config::Config;

/// Interval of reading the launcher's command, in nanoseconds.
const LOOK_EVERY_NS: u64 = 50_000_000;

pub(crate) struct Schedule {
    begin_ns: Option<u64>,
    duration: Option<Duration>,
    /// Start of recording, from which its duration counts.
    begun_ns: Option<u64>,
    /// The file in which the launcher writes `run` or `pause`.
    path: Option<PathBuf>,
    word: String,
    looked_ns: u64,
}

impl Schedule {
    /// Reads the settings. Returns the reason to start paused, if any.
    pub(crate) fn begin(config: &Config, start_ns: u64) -> (Self, Option<Reason>) {
        let begin_ns = config.start_after.filter(|_| !config.is_paused).map(|after| later(start_ns, after));
        let mut schedule = Self {
            begin_ns,
            duration: config.duration,
            begun_ns: None,
            path: config.status_folder.as_ref().map(|folder| folder.join("control")),
            word: String::new(),
            looked_ns: 0,
        };
        schedule.word = schedule.read_word();
        let reason = match (config.is_paused, begin_ns) {
            // The launcher's last command applies to processes that start later.
            _ if schedule.word == "pause" => {
                schedule.begin_ns = None;
                Some(Reason::ControlFile)
            }
            (true, _) if schedule.word != "run" => Some(Reason::Settings),
            (_, Some(_)) => Some(Reason::StartAfter),
            _ => None,
        };
        (schedule, reason)
    }

    pub(crate) fn step(&mut self, now_ns: u64) {
        let is_recording = super::state() == State::Recording;
        if self.begins(now_ns, is_recording) && !super::is_paused_by_program() {
            super::set_paused(false, Reason::StartAfter);
        }
        if now_ns >= self.looked_ns.saturating_add(LOOK_EVERY_NS) {
            self.looked_ns = now_ns;
            let word = self.read_word();
            if let Some(is_paused) = self.hear(word) {
                super::set_paused(is_paused, Reason::ControlFile);
            }
        }
        if self.ends(now_ns, super::state() == State::Recording) {
            super::end(Reason::Duration);
        }
    }

    /// Returns true if a new word of the launcher pauses, false if it resumes, `None` without a new word.
    fn hear(&mut self, word: String) -> Option<bool> {
        if word == self.word || word.is_empty() {
            return None;
        }
        self.word = word;
        let is_paused = self.word == "pause";
        if is_paused {
            // A pause before the scheduled start cancels that start.
            self.begin_ns = None;
        }
        Some(is_paused)
    }

    /// True the first time that recording must start. A recording that a signal or the program has started earlier
    /// stays as they leave it.
    fn begins(&mut self, now_ns: u64, is_recording: bool) -> bool {
        if is_recording {
            self.begin_ns = None;
        }
        self.begin_ns.take_if(|begin| now_ns >= *begin).is_some()
    }

    /// True the first time that recording must end.
    fn ends(&mut self, now_ns: u64, is_recording: bool) -> bool {
        if self.begun_ns.is_none() && is_recording {
            self.begun_ns = Some(now_ns);
        }
        let Some(begun_ns) = self.begun_ns else { return false };
        self.duration.take_if(|duration| now_ns >= later(begun_ns, *duration)).is_some()
    }

    /// Returns `run` or `pause`, and an empty text for anything else.
    fn read_word(&self) -> String {
        let text = self.path.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        match text.trim() {
            word @ ("run" | "pause") => word.to_owned(),
            _ => String::new(),
        }
    }
}

fn later(ns: u64, by: Duration) -> u64 {
    ns.saturating_add(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_NS: u64 = 1_000_000_000;

    fn schedule(begin_after: Option<Duration>, duration: Option<Duration>) -> Schedule {
        let mut config = Config::without_output();
        (config.start_after, config.duration) = (begin_after, duration);
        Schedule::begin(&config, START_NS).0
    }

    #[test]
    fn a_recording_begins_once_when_it_is_time() {
        let mut schedule = schedule(Some(Duration::from_millis(300)), None);
        assert!(!schedule.begins(START_NS, false) && !schedule.begins(START_NS + 299_999_999, false));
        assert!(schedule.begins(START_NS + 300_000_000, false));
        assert!(
            !schedule.begins(START_NS + 400_000_000, false),
            "who pauses it later does not want it to go on"
        );
    }

    #[test]
    fn a_recording_that_a_signal_has_begun_and_paused_does_not_begin_by_itself() {
        let mut schedule = schedule(Some(Duration::from_millis(300)), None);
        for (at_ns, is_recording) in
            [(0, false), (100_000_000, true), (200_000_000, false), (300_000_000, false)]
        {
            assert!(!schedule.begins(START_NS + at_ns, is_recording), "{at_ns}");
        }
    }

    #[test]
    fn a_recording_that_is_paused_before_its_begin_does_not_begin_by_itself() {
        let mut schedule = schedule(Some(Duration::from_millis(300)), None);
        let heard = ["", "pause", "pause", "run"].map(|word| schedule.hear(word.to_owned()));
        assert_eq!(heard, [None, Some(true), None, Some(false)]);
        assert!(!schedule.begins(START_NS + 300_000_000, false));

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("control"), "pause\n").unwrap();
        let mut config = Config::without_output();
        config.start_after = Some(Duration::from_millis(300));
        config.status_folder = Some(folder.path().to_owned());
        let (mut schedule, reason) = Schedule::begin(&config, START_NS);
        assert_eq!(reason, Some(Reason::ControlFile), "a process that starts later");
        assert!(!schedule.begins(START_NS + 300_000_000, false));
    }

    #[test]
    fn its_duration_counts_from_its_begin_and_ends_it_once() {
        let mut schedule = schedule(None, Some(Duration::from_millis(300)));
        let begun = START_NS + 500_000_000;
        assert!(!schedule.ends(begun - 1, false), "it has not begun");
        assert!(!schedule.ends(begun, true) && !schedule.ends(begun + 299_999_999, true));
        assert!(schedule.ends(begun + 300_000_000, false), "pauses count");
        assert!(!schedule.ends(begun + 400_000_000, true));
    }
}
