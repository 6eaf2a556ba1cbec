//! Command graphs (`sycl_ext_oneapi_graph`): their partitions, commands, changes and runs.
//!
//! SYCL's own streams only report the nodes of a graph's commands when it is finalized. The calls show the rest: each
//! partition is a command buffer of the Unified Runtime. Command buffers that a thread creates in succession, without
//! calls about queues between them, are the partitions of one graph.

use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Graphs {
    pub(super) count: u64,
    pub(super) by_handle: FxHashMap<u64, Graph>,
    /// Updatable commands, by handle: their command buffer.
    pub(super) commands: FxHashMap<u64, u64>,
    /// By thread: the graph being finalized.
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
    /// Handles a call unrelated to creating a graph: the thread's next command buffer belongs to another graph.
    pub(super) fn interrupted(&mut self, thread: u32) {
        self.groups.remove(&thread);
    }

    pub(super) fn number(&self, handle: u64) -> Option<u64> {
        self.by_handle.get(&handle).map(|graph| graph.number)
    }
}
