//! Waits of the host that a command ended.

use rustc_hash::FxHashMap;

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wait {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) slice: u32,
}

/// The host's waits by the awaited commands and queues.
pub(super) struct Waits {
    /// By row of a node: waits by start.
    nodes: FxHashMap<u32, Vec<Wait>>,
    /// By number of a queue: waits by start.
    queues: FxHashMap<u64, Vec<Wait>>,
}

impl Waits {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut waits = Self { nodes: FxHashMap::default(), queues: FxHashMap::default() };
        let blocking = trace.blocking();
        for block in blocking.of_program() {
            let wait = Wait { begin: block.begin, end: block.end, slice: block.slice };
            for node in blocking.nodes_of(block) {
                waits.nodes.entry(*node).or_default().push(wait);
            }
            for queue in blocking.queues_of(trace, block) {
                waits.queues.entry(queue).or_default().push(wait);
            }
        }
        waits.nodes.values_mut().chain(waits.queues.values_mut()).for_each(|waits| waits.sort_unstable());
        waits
    }

    /// Returns the first wait that returned because a node had ended: a wait for the node itself or for its queue.
    pub(super) fn find(&self, trace: &Trace, row: u32) -> Option<Wait> {
        let node = trace.nodes.get(row)?;
        let ended = some(node.execution).map_or(node.created, |slice| trace.slices.end(slice as usize));
        let submitted =
            some(node.submission).map_or(node.created, |slice| trace.slices.start.at(slice as usize));
        let queue = trace.queues.get(node.queue).map(|queue| queue.number);
        // A command may be submitted within a wait for it: that wait counts.
        let own = self.nodes.get(&row).map(|waits| first(waits, 0, ended));
        let of_queue = queue.and_then(|queue| self.queues.get(&queue));
        let of_queue = of_queue.map(|waits| first(waits, submitted, ended));
        own.into_iter().chain(of_queue).flatten().min_by_key(|wait| (wait.end, wait.slice))
    }
}

/// Returns the first wait that started at or after one time and ended at or after another.
fn first(waits: &[Wait], begin: u64, end: u64) -> Option<Wait> {
    let after = waits.partition_point(|wait| wait.begin < begin);
    waits[after..].iter().copied().find(|wait| wait.end >= end)
}
