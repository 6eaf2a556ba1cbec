//! Processes of an exported file.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{Track, TrackKind};

use crate::convention::record_track;

/// First pid given to processes whose own pid is already taken in the file (for example by a process of another host).
const FIRST_MADE_UP_PID: u32 = 2_000_000_000;

/// First pid of the further processes of another tool's file, which is one recording.
const FIRST_FURTHER_PID: u32 = 1_500_000_000;

/// Processes so far; the last one is the current one.
#[derive(Debug, Default)]
pub(super) struct Processes {
    pids: Vec<u32>,
    used: FxHashSet<u32>,
    of_tracks: FxHashMap<u64, u32>,
    /// True if the current process has a track.
    has_track: bool,
    further: u32,
}

impl Processes {
    /// Starts a process. Returns its id in the file: its own, unless an earlier process has the same one.
    pub(super) fn begin(&mut self, pid: u32) -> u32 {
        let is_taken = self.used.contains(&pid);
        let pid = if is_taken { FIRST_MADE_UP_PID + self.pids.len() as u32 } else { pid };
        self.used.insert(pid);
        self.pids.push(pid);
        self.has_track = false;
        pid
    }

    /// Returns the id of a track's process in the file: the id of its parent, or else of the current process. A second
    /// process's track in one recording gets an id of its own.
    pub(super) fn of_track(&mut self, track: &Track<'_>) -> u32 {
        if let Some(pid) = self.of_tracks.get(&track.track) {
            return *pid;
        }
        let above = track.parent.and_then(|parent| self.of_tracks.get(&parent)).copied();
        let is_process = track.kind == TrackKind::Process;
        let pid = if is_process && std::mem::replace(&mut self.has_track, true) {
            self.further += 1;
            FIRST_FURTHER_PID + self.further
        } else {
            above.unwrap_or(self.pid())
        };
        self.of_tracks.insert(track.track, pid);
        pid
    }

    pub(super) fn count(&self) -> usize {
        self.pids.len()
    }

    /// Returns the index of the current process.
    pub(super) fn index(&self) -> u32 {
        u32::try_from(self.pids.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Returns the id of the current process in the file.
    pub(super) fn pid(&self) -> u32 {
        self.pids.last().copied().unwrap_or_default()
    }

    /// Returns the track of the current process's record events.
    pub(super) fn record_track(&self) -> u64 {
        record_track(self.index())
    }
}
