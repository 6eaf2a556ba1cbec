//! Earliest and latest starts, slack, and the critical path (the critical path method of Kelley and Walker, 1959).

use super::Steps;
use crate::store::cache::cached;

/// The earliest start of each step of a [`Steps`], and the latest start that does not delay the whole. Steps on cycles
/// are left out: they have no slack and are on no path.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    earliest_ns: Vec<u64>,
    latest_ns: Vec<u64>,
    decided_by: Vec<Option<u32>>,
    length_ns: u64,
    last: Option<u32>,
    left_out: usize,
}

cached!(Schedule { earliest_ns, latest_ns, decided_by });

impl Schedule {
    /// Returns the schedule of a graph with unlimited devices and threads.
    pub fn new(steps: &Steps) -> Self {
        let order = steps.links().topological_order();
        let mut earliest_ns = vec![0_u64; steps.len()];
        let mut decided_by = vec![None; steps.len()];
        let (mut length_ns, mut last) = (0, None);
        for &step in &order {
            let place = step as usize;
            let end = earliest_ns[place].saturating_add(steps.duration_ns(step));
            if end > length_ns || last.is_none() {
                (length_ns, last) = (end, Some(step));
            }
            for arc in steps.outgoing(step) {
                let start = earliest_ns[place].saturating_add(steps.until_ns(arc));
                let target = arc.target as usize;
                if start > earliest_ns[target] || decided_by[target].is_none() {
                    earliest_ns[target] = start;
                    decided_by[target] = Some(step);
                }
            }
        }
        let mut latest_ns = vec![0_u64; steps.len()];
        for &step in order.iter().rev() {
            let must_start = steps
                .outgoing(step)
                .map(|arc| latest_ns[arc.target as usize].saturating_sub(steps.until_ns(arc)))
                .fold(length_ns.saturating_sub(steps.duration_ns(step)), u64::min);
            latest_ns[step as usize] = must_start;
        }
        let left_out = steps.len() - order.len();
        Self { earliest_ns, latest_ns, decided_by, length_ns, last, left_out }
    }

    /// Returns the length of the longest chain in nanoseconds: no run can be shorter.
    pub fn length_ns(&self) -> u64 {
        self.length_ns
    }

    /// Returns the number of steps on or behind cycles, which are left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the earliest start of a step, in nanoseconds.
    pub fn earliest_ns(&self, step: u32) -> u64 {
        self.earliest_ns.get(step as usize).copied().unwrap_or_default()
    }

    /// Returns the step that determined the earliest start of another; `None` if it waits for nothing.
    pub fn decided_by(&self, step: u32) -> Option<u32> {
        self.decided_by.get(step as usize).copied().flatten()
    }

    /// Returns the slack of a step, in nanoseconds.
    pub fn slack_ns(&self, step: u32) -> u64 {
        self.latest_ns.get(step as usize).map_or(0, |latest| latest.saturating_sub(self.earliest_ns(step)))
    }

    /// Returns the steps of the longest chain, first to last.
    pub fn critical_path(&self) -> Vec<u32> {
        let mut path: Vec<u32> =
            std::iter::successors(self.last, |step| *self.decided_by.get(*step as usize)?).collect();
        path.reverse();
        path
    }
}
