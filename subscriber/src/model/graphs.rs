//! Command graphs (`sycl_ext_oneapi_graph`): their partitions, what is appended to them, how they change and run.
//!
//! SYCL's own streams report no more of a graph than the nodes of its commands when it is finalized. The calls show the
//! rest: each partition is a command buffer of the Unified Runtime. Those that a thread makes one after the other, with
//! nothing between them that has to do with queues, are the partitions of one graph.

use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Graphs {
    pub(super) count: u64,
    pub(super) by_handle: FxHashMap<u64, Graph>,
    /// Commands that can be updated, by handle: the command buffer that they are in.
    pub(super) commands: FxHashMap<u64, u64>,
    /// By thread: the graph that it is finalizing.
    pub(super) groups: FxHashMap<u32, u64>,
}

pub(super) struct Graph {
    pub(super) number: u64,
    pub(super) references: u32,
    pub(super) is_in_order: bool,
    pub(super) commands: u64,
    pub(super) last: Option<u64>,
    pub(super) sync_points: FxHashMap<u64, u64>,
}

impl Graphs {
    /// A call that has nothing to do with making a graph: the next command buffer of the thread is another graph's.
    pub(super) fn interrupted(&mut self, thread: u32) {
        self.groups.remove(&thread);
    }

    pub(super) fn number(&self, handle: u64) -> Option<u64> {
        self.by_handle.get(&handle).map(|graph| graph.number)
    }
}
