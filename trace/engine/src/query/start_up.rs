//! Start-up: the critical path before the first command ran.

use syclscope_language::api::{CriticalStep, StartUp};
use syclscope_language::question::PathQuestion;

use super::detail::node_ref;
use super::report::split::untimed_work;
use super::step_sums::StepSums;
use crate::id::some;
use crate::store::Trace;

/// Maximum number of listed steps.
const MAX_STEPS: usize = 50;

impl Trace {
    /// Returns the time before the first command ran on a device, by step of the critical path. If its device time is
    /// unknown, the time ends with the start of its submission. Empty if the file lacks the start of the command's
    /// process.
    pub fn start_up(&self) -> StartUp {
        let work = self.device_work().min_by_key(|row| (self.slices.start.at(*row), *row));
        let timed = work.map(|row| {
            (self.slices.start.at(row), self.process_of_slice(row), some(self.slices.node.at(row)))
        });
        // A command without a device time may have run from its submission on.
        let untimed = untimed_work(self).map(|(row, node)| {
            let submission = some(node.submission).map(|slice| self.slices.start.at(slice as usize));
            (submission.unwrap_or(node.created), self.process_of_node(&node), Some(row))
        });
        let first = untimed.chain(timed).min();
        if first.is_some_and(|(_, process, _)| !self.has_since(process, 0)) {
            return StartUp::default();
        }
        let to_ns = first.map_or(self.duration_ns, |(at, ..)| at);
        let mut sums = StepSums::default();
        let path = self.steps_until(to_ns);
        let listed_ns: u64 = path.iter().map(|step| step.duration_ns).sum();
        path.into_iter().for_each(|step| sums.add(step));
        let mut steps = sums.into_list();
        let rest = steps.split_off(steps.len().min(MAX_STEPS));
        let more_ns = to_ns - listed_ns + rest.iter().map(|step| step.total_ns).sum::<u64>();
        let command = first.and_then(|(.., node)| node);
        StartUp { to_ns, command: command.map(|node| node_ref(self, node)), steps, more_ns }
    }

    pub(super) fn steps_until(&self, to_ns: u64) -> Vec<CriticalStep> {
        self.critical_path_within(&PathQuestion { from_ns: Some(0), to_ns: Some(to_ns), limit: None }).steps
    }
}
