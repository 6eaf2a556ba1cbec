//! What the settings and the launcher want of the recording as time goes on.

use std::path::PathBuf;
use std::time::Duration;

use super::{Reason, State};
use crate::config::Config;

/// The launcher's word is looked for this often, in nanoseconds.
const LOOK_EVERY_NS: u64 = 50_000_000;

/// Pauses and resumes by time and by the launcher's word.
pub(crate) struct Schedule {
    /// When recording is to begin.
    begin_ns: Option<u64>,
    duration: Option<Duration>,
    /// When recording began, which its duration counts from.
    begun_ns: Option<u64>,
    /// The file in which the launcher says `run` or `pause`.
    path: Option<PathBuf>,
    word: String,
    looked_ns: u64,
}

impl Schedule {
    /// What the settings want. Gives the reason for which the recording begins paused, if it does.
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
            // The launcher's last word counts for the processes that begin after it.
            _ if schedule.word == "pause" => Some(Reason::ControlFile),
            (true, _) if schedule.word != "run" => Some(Reason::Settings),
            (_, Some(_)) => Some(Reason::StartAfter),
            _ => None,
        };
        (schedule, reason)
    }

    /// Does what is due.
    pub(crate) fn step(&mut self, now_ns: u64) {
        if self.begin_ns.is_some_and(|begin| now_ns >= begin) {
            self.begin_ns = None;
            super::set_paused(false, Reason::StartAfter);
        }
        if now_ns >= self.looked_ns.saturating_add(LOOK_EVERY_NS) {
            self.looked_ns = now_ns;
            let word = self.read_word();
            if word != self.word && !word.is_empty() {
                super::set_paused(word == "pause", Reason::ControlFile);
                self.word = word;
            }
        }
        if self.begun_ns.is_none() && super::state() == State::Recording {
            self.begun_ns = Some(now_ns);
        }
        if let (Some(begun), Some(duration)) = (self.begun_ns, self.duration)
            && now_ns >= later(begun, duration)
        {
            self.duration = None;
            super::end(Reason::Duration);
        }
    }

    /// `run`, `pause`, or nothing that is understood.
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
