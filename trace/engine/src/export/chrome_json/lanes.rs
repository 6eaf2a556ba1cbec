//! Threads that represent tracks, and lanes of queues with overlapping executions.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::first_fit::FirstFit;

/// First made-up thread id, far above those of operating systems.
const FIRST_MADE_UP_TID: u32 = 1_000_000_000;

/// Number of first lanes whose gaps are filled.
const MAX_WITH_GAPS: usize = 16;

/// Number of stored executions of a lane, so that earlier executions that arrive late can fill gaps.
const MAX_REMEMBERED: usize = 1024;

#[derive(Debug)]
pub(super) struct Tids {
    of_track: FxHashMap<u64, (u32, u32)>,
    used: FxHashSet<u32>,
    next: u32,
}

impl Default for Tids {
    fn default() -> Self {
        Self { of_track: FxHashMap::default(), used: FxHashSet::default(), next: FIRST_MADE_UP_TID }
    }
}

impl Tids {
    /// Returns the process and thread of a track, and true if they are new: then the process is `pid`, and the thread
    /// `wish` if that is free.
    pub(super) fn of_track(&mut self, track: u64, pid: u32, wish: u32) -> (u32, u32, bool) {
        if let Some((pid, tid)) = self.of_track.get(&track) {
            return (*pid, *tid, false);
        }
        let free = wish != 0 && wish < FIRST_MADE_UP_TID && self.used.insert(wish);
        let tid = if free { wish } else { self.make_up() };
        self.of_track.insert(track, (pid, tid));
        (pid, tid, true)
    }

    pub(super) fn make_up(&mut self) -> u32 {
        let tid = self.next;
        self.next = self.next.wrapping_add(1).max(FIRST_MADE_UP_TID);
        tid
    }
}

/// A lane: executions that don't overlap, by start.
#[derive(Debug, Default)]
struct Lane {
    ends: BTreeMap<u64, u64>,
    /// End of the range whose executions are not stored.
    closed_until: u64,
}

impl Lane {
    /// Adds an execution; returns false if it overlaps one of the lane's.
    fn take(&mut self, start: u64, end: u64) -> bool {
        let before = self.ends.range(..=start).next_back().map_or(self.closed_until, |(_, end)| *end);
        let after = self.ends.range(start..).next().map_or(u64::MAX, |(start, _)| *start);
        // Two executions without a duration at the same moment would be one entry here.
        let free = before <= start && end <= after && start >= self.closed_until;
        if !free || self.ends.contains_key(&start) {
            return false;
        }
        self.ends.insert(start, end);
        if self.ends.len() > MAX_REMEMBERED
            && let Some((_, end)) = self.ends.pop_first()
        {
            self.closed_until = self.closed_until.max(end);
        }
        true
    }
}

/// The lanes of a queue, each a thread in the file.
///
/// The first lanes are examined one by one. If more executions overlap, the first further lane that is free is used.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: Vec<(u32, Lane)>,
    /// The threads of the other lanes.
    further: Vec<u32>,
    /// For each further lane, the time from the end of its last execution to the maximum time.
    rooms: FirstFit,
}

impl Lanes {
    /// Returns the thread of the first lane that is free, and its position if it is new.
    pub(super) fn place(&mut self, start: u64, end: u64, tids: &mut Tids) -> (u32, Option<usize>) {
        for (tid, lane) in &mut self.lanes {
            if lane.take(start, end) {
                return (*tid, None);
            }
        }
        if let Some(lane) = self.rooms.first(u64::MAX - start) {
            self.rooms.set(lane, u64::MAX - end);
            return (self.further[lane], None);
        }
        let tid = tids.make_up();
        let position = self.lanes.len() + self.further.len();
        if self.lanes.len() < MAX_WITH_GAPS {
            let mut lane = Lane::default();
            lane.take(start, end);
            self.lanes.push((tid, lane));
        } else {
            self.further.push(tid);
            self.rooms.push(u64::MAX - end);
        }
        (tid, Some(position))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn overlapping_executions_get_lanes_and_gaps_are_filled() {
        let mut tids = Tids::default();
        let mut lanes = Lanes::default();
        let mut place = |start, end| lanes.place(start, end, &mut tids).0 - FIRST_MADE_UP_TID;
        assert_eq!(place(10, 20), 0);
        assert_eq!(place(15, 30), 1);
        assert_eq!(place(20, 25), 0);
        assert_eq!(place(0, 10), 0, "comes late, fits before");
        assert_eq!(place(5, 12), 1);
        assert_eq!(place(11, 16), 2);
    }

    proptest! {
        #[test]
        fn no_lane_holds_overlapping_executions(bounds in prop::collection::vec((0..400_u64, 0..300_u64), 0..300)) {
            let (mut tids, mut lanes) = (Tids::default(), Lanes::default());
            let mut of_thread = BTreeMap::<u32, Vec<(u64, u64)>>::new();
            for (start, length) in bounds {
                let (tid, new) = lanes.place(start, start + length, &mut tids);
                prop_assert_eq!(new.is_some(), !of_thread.contains_key(&tid));
                prop_assert!(new.is_none_or(|position| position == of_thread.len()));
                of_thread.entry(tid).or_default().push((start, start + length));
            }
            for (_, mut executions) in of_thread {
                executions.sort_unstable();
                prop_assert!(executions.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{:?}", executions);
            }
        }
    }

    #[test]
    fn a_tid_is_given_once() {
        let mut tids = Tids::default();
        assert_eq!(tids.of_track(1, 5, 77), (5, 77, true));
        assert_eq!(tids.of_track(1, 6, 77), (5, 77, false), "a track stays where it is");
        assert_eq!(tids.of_track(2, 6, 77), (6, FIRST_MADE_UP_TID, true));
    }
}
