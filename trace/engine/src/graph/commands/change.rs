//! A hypothetical change of a run, for its replay.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::EdgeReason;

use crate::graph::blocking::{Block, Blocking};
use crate::id::some;
use crate::store::Trace;
use crate::store::graph::EdgeRow;
use crate::stretches::Stretches;

/// A run without some of its faults. Every field removes something from the run, except `instead`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// By node: the new duration of a command.
    pub(crate) takes_ns: FxHashMap<u32, u64>,
    /// Nodes of removed commands.
    pub(crate) removed: FxHashSet<u32>,
    /// By track: removed time of the host.
    pub(crate) saved: FxHashMap<u32, Stretches>,
    /// Source and target of relaxed dependences, sorted: the target waits for the start of its source instead of its
    /// end.
    pub(crate) relaxed: Vec<(u32, u32)>,
    /// Rows of in-order queues whose commands do not wait for one another.
    pub(crate) unordered: Vec<u32>,
    /// Source and target of dependences that replace removed ones.
    pub(crate) instead: Vec<(u32, u32)>,
    /// Removed waits of the host, by their outermost slices.
    pub(crate) waits: FxHashSet<u32>,
}

impl Change {
    pub(crate) fn add(&mut self, other: &Self) {
        for (node, takes_ns) in &other.takes_ns {
            let own = self.takes_ns.entry(*node).or_insert(*takes_ns);
            *own = (*own).min(*takes_ns);
        }
        for (track, stretches) in &other.saved {
            self.save(*track, stretches.iter());
        }
        self.removed.extend(&other.removed);
        self.relaxed.extend(&other.relaxed);
        self.relaxed.sort_unstable();
        self.relaxed.dedup();
        self.unordered.extend(&other.unordered);
        self.instead.extend(&other.instead);
        self.waits.extend(&other.waits);
    }

    pub(crate) fn save(&mut self, track: u32, spans: impl Iterator<Item = (u64, u64)>) {
        let own = self.saved.entry(track).or_default();
        *own = Stretches::new(own.iter().chain(spans).collect());
    }

    pub(crate) fn remove_wait(&mut self, blocking: &Blocking, slice: u32) {
        self.waits.extend(blocking.of_slice(slice).map(|block| block.slice));
    }

    pub(super) fn takes_ns(&self, node: u32, recorded_ns: u64) -> u64 {
        if self.removed.contains(&node) {
            0
        } else {
            self.takes_ns.get(&node).copied().unwrap_or(recorded_ns)
        }
    }

    pub(super) fn work_ns(&self, track: u32, range: Range<u64>) -> i64 {
        let saved_ns = self.saved.get(&track).map_or(0, |saved| saved.ns_within(range.start, range.end));
        (range.end.saturating_sub(range.start) - saved_ns).cast_signed()
    }

    /// True if a wait is removed, explicitly or because all its awaited commands are removed.
    pub(super) fn removes(&self, blocking: &Blocking, block: &Block) -> bool {
        let nodes = blocking.nodes_of(block);
        self.waits.contains(&block.slice)
            || !nodes.is_empty() && nodes.iter().all(|node| self.removed.contains(node))
    }

    pub(super) fn is_unordered(&self, trace: &Trace, node: u32) -> bool {
        !self.unordered.is_empty()
            && some(trace.nodes.queue.at(node as usize)).is_some_and(|queue| self.unordered.contains(&queue))
    }

    pub(super) fn drops(&self, trace: &Trace, edge: &EdgeRow) -> bool {
        // A command without device time, such as a barrier, keeps its place in the queue.
        let is_timed = |node: u32| some(trace.nodes.execution.at(node as usize)).is_some();
        let is_order = edge.reason == EdgeReason::InOrder && is_timed(edge.source) && is_timed(edge.target);
        is_order && self.is_unordered(trace, edge.target)
            || self.relaxed.binary_search(&(edge.source, edge.target)).is_ok()
    }
}

#[cfg(test)]
mod tests;
