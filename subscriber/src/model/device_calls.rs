//! Native calls of a driver inside unreported calls of the Unified Runtime, which are found by thread and time.
//!
//! A vendor has its own thread numbers. They are mapped to ours by calls with only one candidate.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// Maximum difference between the times of both sides, in nanoseconds.
const SLACK_NS: u64 = 2_000;
const MAX_OPEN: usize = 256;
/// Time after which a driver's call without a command is given up, in nanoseconds.
const TIMEOUT_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DriverCall {
    pub(super) correlation: u64,
    /// The vendor's number of the thread.
    pub(super) thread: u64,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
}

#[derive(Debug)]
struct Call {
    returned_ns: u64,
    thread: u32,
}

#[derive(Default)]
pub(super) struct DeviceCalls {
    /// True if the driver's calls have to be matched.
    pub(super) is_needed: bool,
    /// Calls by start and instance.
    calls: BTreeMap<(u64, u64), Call>,
    /// Number of matches between a vendor's thread number and each of our threads.
    threads: HashMap<u64, BTreeMap<u32, u64>>,
    /// Calls of the driver without a command yet, with their arrival times.
    unplaced: VecDeque<(u64, DriverCall)>,
}

impl DeviceCalls {
    pub(super) fn submitted(&mut self, instance: u64, thread: u32, called_ns: u64, returned_ns: u64) {
        if self.is_needed {
            self.calls.insert((called_ns, instance), Call { returned_ns, thread });
        }
    }

    /// Removes the call of a completed command.
    pub(super) fn complete(&mut self, instance: u64, called_ns: u64) {
        self.calls.remove(&(called_ns, instance));
    }

    /// Adds a call of the driver. Returns the instance of its call of the Unified Runtime, if that has arrived.
    pub(super) fn came(&mut self, now_ns: u64, call: DriverCall) -> Option<u64> {
        let found = self.find(call);
        if found.is_none() {
            self.unplaced.push_back((now_ns, call));
        }
        found
    }

    /// Returns correlation id and instance of the driver's calls whose commands have arrived meanwhile.
    pub(super) fn find_late(&mut self, now_ns: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for (came_ns, call) in std::mem::take(&mut self.unplaced) {
            match self.find(call) {
                Some(instance) => found.push((call.correlation, instance)),
                None if came_ns + TIMEOUT_NS > now_ns => self.unplaced.push_back((came_ns, call)),
                // Most calls of a driver enqueue nothing.
                None => {}
            }
        }
        found
    }

    fn find(&mut self, call: DriverCall) -> Option<u64> {
        let middle = call.begin_ns.midpoint(call.end_ns);
        // By thread: the distance of the nearest call, and its instance.
        let mut nearest: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for ((called_ns, instance), driver_call) in
            self.calls.range(..=(middle + SLACK_NS, u64::MAX)).rev().take(MAX_OPEN)
        {
            let off = called_ns.saturating_sub(middle) + middle.saturating_sub(driver_call.returned_ns);
            let best = nearest.entry(driver_call.thread).or_insert((u64::MAX, 0));
            *best = (off, *instance).min(*best);
        }
        nearest.retain(|_, (off, _)| *off <= SLACK_NS);
        let candidates: BTreeMap<u32, u64> =
            nearest.into_iter().map(|(thread, (_, instance))| (thread, instance)).collect();
        let votes = self.threads.entry(call.thread).or_default();
        let usual = votes.iter().max_by_key(|(_, count)| **count).map(|(thread, _)| *thread);
        let (thread, instance) = match (usual, candidates.len()) {
            (Some(usual), _) if candidates.contains_key(&usual) => (usual, candidates[&usual]),
            (_, 1) => candidates.into_iter().next()?,
            _ => return None,
        };
        // A refused call is repeated many times, and must not outvote the known match.
        if usual.is_some_and(|usual| usual != thread) {
            return None;
        }
        *votes.entry(thread).or_default() += 1;
        Some(instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(correlation: u64, thread: u64, begin_ns: u64) -> DriverCall {
        DriverCall { correlation, thread, begin_ns, end_ns: begin_ns + 1_000 }
    }

    #[test]
    fn a_call_is_found_by_time_and_where_several_are_open_by_thread() {
        let mut calls = DeviceCalls { is_needed: true, ..DeviceCalls::default() };
        calls.submitted(1, 70, 100_000, 200_000);
        calls.submitted(2, 70, 300_000, 500_000);
        calls.submitted(3, 80, 400_000, 600_000);
        assert_eq!(calls.came(0, call(10, 0xa, 150_000)), Some(1), "only one is open");
        assert_eq!(calls.came(0, call(11, 0xa, 450_000)), Some(2), "its thread is known");
        assert_eq!(calls.came(0, call(12, 0xb, 450_000)), None, "it may be either");
        assert_eq!(calls.came(0, call(13, 0xb, 550_000)), Some(3));
        assert_eq!(calls.find_late(0), [(12, 3)], "now the thread is known");
        assert_eq!(calls.came(0, call(14, 0xb, 150_000)), None, "another thread's");
    }

    #[test]
    fn a_command_that_comes_later_is_found_then() {
        let mut calls = DeviceCalls { is_needed: true, ..DeviceCalls::default() };
        assert_eq!(calls.came(0, call(10, 0xa, 150_000)), None);
        calls.submitted(1, 70, 100_000, 200_000);
        assert_eq!(calls.find_late(5), [(10, 1)]);
        assert_eq!(calls.came(0, call(11, 0xa, 900_000)), None);
        assert_eq!(calls.find_late(2 * TIMEOUT_NS), []);
        assert_eq!(calls.unplaced.len(), 0);
    }
}
