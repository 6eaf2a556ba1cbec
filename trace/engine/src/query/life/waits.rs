//! Which of the host's waits a command let end.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// The host's waits, by what they wait for.
pub(super) struct Waits {
    /// By row of a node: waits in the order of their begin.
    nodes: FxHashMap<u32, Vec<u32>>,
    /// By number of a queue: waits in the order of their begin.
    queues: FxHashMap<u64, Vec<u32>>,
}

impl Waits {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut waits = Self { nodes: FxHashMap::default(), queues: FxHashMap::default() };
        for row in (0..trace.slices.len()).filter(|row| trace.slices.category(*row) == Category::Wait) {
            match some(trace.slices.node.at(row)) {
                Some(node) => waits.nodes.entry(node).or_default().push(row as u32),
                None => {
                    if let Some(queue) = waited_queue(trace, row) {
                        waits.queues.entry(queue).or_default().push(row as u32);
                    }
                }
            }
        }
        for rows in waits.nodes.values_mut().chain(waits.queues.values_mut()) {
            rows.sort_by_key(|row| trace.slices.start.at(*row as usize));
        }
        waits
    }

    /// The first wait that returned because a node had ended: for the node itself, else for its queue.
    pub(super) fn of(&self, trace: &Trace, row: u32) -> Option<u32> {
        let node = trace.nodes.get(row)?;
        let ended = some(node.execution).map_or(node.created, |slice| trace.slices.end(slice as usize));
        let submitted =
            some(node.submission).map_or(node.created, |slice| trace.slices.start.at(slice as usize));
        let queue = trace.queues.get(node.queue).map(|queue| queue.number);
        let waits = [self.nodes.get(&row), queue.and_then(|queue| self.queues.get(&queue))];
        let of_kind = |rows: &Vec<u32>| {
            let first = rows.partition_point(|wait| trace.slices.start.at(*wait as usize) < submitted);
            rows[first..].iter().copied().find(|wait| trace.slices.end(*wait as usize) >= ended)
        };
        let first_to_end = |wait: &u32| (trace.slices.end(*wait as usize), *wait);
        waits.into_iter().flatten().filter_map(of_kind).min_by_key(first_to_end)
    }
}

/// Number of the queue that a wait names.
fn waited_queue(trace: &Trace, row: usize) -> Option<u64> {
    let mut args = trace.args.get(trace.slices.args.at(row), &trace.strings);
    let (_, value) = args.find(|(key, _)| *key == "queue")?;
    if let Value::Uint(number) = value { Some(number) } else { None }
}
