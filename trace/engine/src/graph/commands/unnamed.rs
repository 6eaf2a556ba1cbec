//! Dependences that recordings lack and the times of the commands show: the order of queues in other tools' files, and
//! the commands awaited by a wait that names none. Those files have no order of queues, and native calls
//! (`cuEventSynchronize`) name no commands.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, QueueOrder};

use crate::graph::Arc;
use crate::graph::blocking::Block;
use crate::graph::handover::Handover;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the queue of a command, if the file does not give its order.
fn unordered_queue(trace: &Trace, node: u32) -> Option<u32> {
    let queue = some(trace.nodes.queue.at(node as usize))?;
    trace.queues.get(queue).filter(|row| row.order == QueueOrder::Other).map(|_| queue)
}

/// Chains the commands of a queue that never overlapped, like the commands of a CUDA stream.
pub(super) fn one_by_one(trace: &Trace, arcs: &mut Vec<Arc>) {
    let mut queues: FxHashMap<u32, Vec<(u64, u64, u32)>> = FxHashMap::default();
    for node in 0..trace.nodes.len() as u32 {
        let Some(queue) = unordered_queue(trace, node) else { continue };
        let Some(slice) = some(trace.nodes.execution.at(node as usize)) else { continue };
        let ran = (trace.slices.start.at(slice as usize), trace.slices.end(slice as usize), node);
        queues.entry(queue).or_default().push(ran);
    }
    for commands in queues.values_mut() {
        commands.sort_unstable();
        if commands.windows(2).all(|pair| pair[0].1 <= pair[1].0) {
            let follows = |pair: &[(u64, u64, u32)]| Arc { source: pair[0].2, target: pair[1].2, lag_ns: 0 };
            arcs.extend(commands.windows(2).map(follows));
        }
    }
}

/// Commands by their end.
pub(in crate::graph) struct Ends(Vec<End>);

struct End {
    at: u64,
    handover: Handover,
    /// True if the file gives the order of its queue.
    is_ordered: bool,
}

impl Ends {
    pub(in crate::graph) fn new(trace: &Trace, handovers: &[Handover]) -> Self {
        let of_command = |handover: &Handover| {
            let slice = some(trace.nodes.execution.at(handover.node as usize))? as usize;
            let is_ordered = unordered_queue(trace, handover.node).is_none();
            Some(End { at: trace.slices.end(slice), handover: *handover, is_ordered })
        };
        let mut ends: Vec<End> = handovers.iter().filter_map(of_command).collect();
        ends.sort_unstable_by_key(|end| (end.at, end.handover.node));
        Self(ends)
    }

    /// Returns the end and the node of the command awaited by a wait that names none. Of the commands that the process
    /// requested before the wait, it is the last to end during the wait, since the thread continues as soon as the
    /// command has ended.
    pub(in crate::graph) fn awaited(&self, trace: &Trace, block: &Block) -> Option<(u64, u32)> {
        let is_native = trace.slices.category(block.slice as usize) == Category::Native;
        let process = |track: u32| trace.tracks.process.at(track as usize);
        let after = |at: u64| self.0.partition_point(|end| end.at <= at);
        let is_awaited = |end: &&End| {
            (is_native || !end.is_ordered)
                && end.handover.at <= block.begin
                && process(end.handover.track) == process(block.track)
        };
        let ended = &self.0[after(block.begin)..after(block.end)];
        ended.iter().rev().find(is_awaited).map(|end| (end.at, end.handover.node))
    }
}
