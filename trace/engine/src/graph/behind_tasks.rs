//! Commands that the runtime enqueued only after a host task.
//!
//! The runtime keeps a command that depends on a host task, and enqueues it once the task has run. From the command's
//! request to that moment the task kept it back.

use syclscope_language::event::NodeKind;

use super::end_times::EndTimes;
use super::neighbours::real_neighbours;
use super::submitting_calls;
use crate::id::some;
use crate::store::Trace;

pub(super) struct BehindTasks<'t> {
    trace: &'t Trace,
    /// By node: the slice of the call that enqueued it, or `NONE`; empty without host tasks.
    calls: Vec<u32>,
}

/// A host task that kept a command back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostTaskDelay {
    pub(crate) task: u32,
    /// Time at which the runtime began to enqueue the command.
    pub(crate) until: u64,
}

impl<'t> BehindTasks<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let has_tasks = trace.nodes.kind.iter().any(|kind| kind == NodeKind::HostTask);
        Self { trace, calls: if has_tasks { submitting_calls(trace) } else { Vec::new() } }
    }

    /// Returns the last host task before a command that could have run from `ready` on and started at `start`, if the
    /// runtime enqueued the command in between.
    pub(super) fn get(&self, ends: &EndTimes, node: u32, ready: u64, start: u64) -> Option<HostTaskDelay> {
        let Self { trace, calls } = self;
        let call = some(*calls.get(node as usize)?);
        let slices = [some(trace.nodes.submission.at(node as usize)), call].into_iter().flatten();
        let begins = slices.map(|slice| trace.slices.start.at(slice as usize));
        let until = begins.filter(|at| ready < *at && *at < start).min()?;
        let direct = real_neighbours(trace, node, true)
            .filter(|source| trace.nodes.kind.at(*source as usize) == NodeKind::HostTask);
        // Between the task and the command there may be others without a device time.
        let others = trace
            .edges
            .incoming(node)
            .filter_map(|edge| ends.get(edge.source).and_then(|end| some(end.task)));
        let task = direct.chain(others).max_by_key(|task| (trace.nodes.created.at(*task as usize), *task))?;
        Some(HostTaskDelay { task, until })
    }
}
