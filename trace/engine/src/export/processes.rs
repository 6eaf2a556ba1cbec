//! Processes of an exported file.

use rustc_hash::FxHashSet;

use crate::convention::record_track;

/// First pid given to processes whose own pid is already taken in the file (for example by a process of another host).
const FIRST_MADE_UP_PID: u32 = 2_000_000_000;

/// Processes so far; the last one is the current one.
#[derive(Debug, Default)]
pub(super) struct Processes {
    pids: Vec<u32>,
    used: FxHashSet<u32>,
}

impl Processes {
    /// Starts a process. Returns its id in the file: its own, unless an earlier process has the same one.
    pub(super) fn begin(&mut self, pid: u32) -> u32 {
        let is_taken = self.used.contains(&pid);
        let pid = if is_taken { FIRST_MADE_UP_PID + self.pids.len() as u32 } else { pid };
        self.used.insert(pid);
        self.pids.push(pid);
        pid
    }

    /// Returns the number of processes so far.
    pub(super) fn count(&self) -> usize {
        self.pids.len()
    }

    /// Index of the current process.
    pub(super) fn index(&self) -> u32 {
        u32::try_from(self.pids.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Id of the current process in the file.
    pub(super) fn pid(&self) -> u32 {
        self.pids.last().copied().unwrap_or_default()
    }

    /// Track of the current process's record events.
    pub(super) fn record_track(&self) -> u64 {
        record_track(self.index())
    }
}
