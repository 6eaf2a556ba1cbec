//! Dependences between nodes, with their reasons.

use syclscope_language::event::{Edge, EdgeReason, Event, EventSink, NodeKind};
use syclscope_language::time::Timestamp;

use crate::model::Model;
use crate::model::words::access_mode;
use crate::record::Tracepoint;

impl Model {
    pub(super) fn edge(
        &mut self,
        at: Timestamp,
        thread: u32,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let [source, target] = tracepoint.numbers;
        let source = self.nodes.newest(source, tracepoint.number("event").is_some());
        let (Some(source), Some(target)) = (source, self.nodes.newest(target, false)) else { return };
        let access_mode = tracepoint.number("access_mode").map_or("", |mode| access_mode(mode as u32));
        let memory_object = tracepoint.number("memory_object").unwrap_or(0);
        let is_one = |kind: NodeKind| {
            [source, target].iter().any(|node| self.nodes.get(*node).is_some_and(|node| node.kind == kind))
        };
        let reason = match memory_object {
            _ if is_one(NodeKind::HostAccessor) => EdgeReason::HostAccessor,
            0 if access_mode.is_empty() && is_one(NodeKind::HostTask) => EdgeReason::HostTask,
            0 if access_mode.is_empty() => EdgeReason::Event,
            _ => EdgeReason::Accessor,
        };
        let may_wait_for_locks = memory_object != 0 && !is_one(NodeKind::Deallocation);
        self.nodes.add_dependence(source, target);
        sink.event(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object }));
        self.accessors.add_use(thread, memory_object, access_mode, target, sink);
        if may_wait_for_locks {
            // The runtime reports what a host accessor waits for, but not which commands wait for the accessor.
            let reason = EdgeReason::HostAccessor;
            for source in self.objects.awaited(memory_object, target, access_mode == "read") {
                if self.nodes.add_dependence(source, target) {
                    sink.event(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object }));
                }
            }
        }
    }

    /// Adds a dependence, unless the two nodes have one already.
    pub(super) fn depend(
        &mut self,
        at: Timestamp,
        source: u64,
        target: u64,
        reason: EdgeReason,
        sink: &mut dyn EventSink,
    ) {
        if source != target && self.nodes.add_dependence(source, target) {
            sink.event(&Event::Edge(Edge { at, source, target, reason, access_mode: "", memory_object: 0 }));
        }
    }
}
