//! Rules for calls that create, fill, change and run command graphs.

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    CommandGraph, EdgeReason, Event, EventSink, GraphChange, GraphChangeKind, GraphCommand, GraphRun, Node,
    Value,
};
use syclscope_language::time::Timestamp;

use super::calls::Call;
use crate::model::Model;
use crate::model::graphs::Graph;
use crate::model::owned_location::OwnedLocation;
use crate::xpti::command_kind;

#[derive(Default)]
struct NewCommandBuffer {
    handle: u64,
    device: u64,
    is_in_order: bool,
    is_updatable: bool,
    /// True if the graph was recorded by the native API, which alone knows its commands.
    is_native: bool,
}

impl Model {
    pub(super) fn graph_call(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        place: &OwnedLocation,
        sink: &mut dyn EventSink,
    ) {
        let name = call.function.name;
        let word = |name: &str| call.word(name).unwrap_or(0);
        let is_set = |field: &str| call.field("pCommandBufferDesc", field).is_some_and(|value| value != 0);
        match name {
            "urCommandBufferCreateExp" => {
                let made = NewCommandBuffer {
                    handle: word("phCommandBuffer"),
                    device: word("hDevice"),
                    is_in_order: is_set("isInOrder"),
                    is_updatable: is_set("isUpdatable"),
                    is_native: false,
                };
                self.add_graph(at, thread, made, place, sink);
            }
            "urGraphInstantiateGraphExp" => {
                let handle = word("phExecGraph");
                let made = NewCommandBuffer { handle, is_native: true, ..NewCommandBuffer::default() };
                self.add_graph(at, thread, made, place, sink);
                self.graph_changed(at, handle, GraphChangeKind::Finalized, &[], sink);
            }
            "urCommandBufferFinalizeExp" => {
                let handle = word("hCommandBuffer");
                self.graph_changed(at, handle, GraphChangeKind::Finalized, &[], sink);
            }
            "urCommandBufferRetainExp" => {
                if let Some(graph) = self.graphs.by_handle.get_mut(&word("hCommandBuffer")) {
                    graph.references += 1;
                }
            }
            "urCommandBufferReleaseExp" => self.graph_released(at, word("hCommandBuffer"), sink),
            "urGraphExecutableGraphDestroyExp" => self.graph_released(at, word("hExecutableGraph"), sink),
            _ if name.starts_with("urCommandBufferAppend") => {
                self.graph_command(at, thread, call, place, sink);
            }
            _ if name.starts_with("urCommandBufferUpdate") => {
                let handle = call.word("hCommandBuffer");
                let handle = handle.or_else(|| self.graphs.commands.get(&word("hCommand")).copied());
                let what = Value::Str(name.trim_start_matches("urCommandBufferUpdate"));
                let mut args = vec![("update", what)];
                args.extend(call.word("numKernelUpdates").map(|count| ("commands", Value::Uint(count))));
                self.graph_changed(at, handle.unwrap_or(0), GraphChangeKind::Updated, &args, sink);
            }
            _ if ["urQueue", "urEnqueue", "urEvent"].iter().any(|part| name.starts_with(part)) => {
                self.graphs.interrupted(thread);
            }
            _ => {}
        }
    }

    fn add_graph(
        &mut self,
        at: Timestamp,
        tid: u32,
        made: NewCommandBuffer,
        place: &OwnedLocation,
        sink: &mut dyn EventSink,
    ) {
        self.graphs.count += 1;
        let graph = self.graphs.count;
        let group = *self.graphs.groups.entry(tid).or_insert(graph);
        self.graphs.by_handle.insert(
            made.handle,
            Graph {
                number: graph,
                references: 1,
                is_in_order: made.is_in_order,
                commands: 0,
                last: None,
                sync_points: FxHashMap::default(),
            },
        );
        let note = [("commands", Value::Str("unknown: the native API recorded them"))];
        sink.event(&Event::CommandGraph(CommandGraph {
            graph,
            at,
            group,
            handle: made.handle,
            device_handle: made.device,
            is_in_order: made.is_in_order,
            is_updatable: made.is_updatable,
            tid,
            location: place.location(),
            args: if made.is_native { &note } else { &[] },
        }));
    }

    fn graph_changed(
        &mut self,
        at: Timestamp,
        handle: u64,
        change: GraphChangeKind,
        args: &[(&str, Value<'_>)],
        sink: &mut dyn EventSink,
    ) {
        if let Some(graph) = self.graphs.number(handle) {
            sink.event(&Event::GraphChange(GraphChange { graph, at, change, args }));
        }
    }

    fn graph_released(&mut self, at: Timestamp, handle: u64, sink: &mut dyn EventSink) {
        let Some(graph) = self.graphs.by_handle.get_mut(&handle) else { return };
        graph.references -= 1;
        if graph.references == 0 {
            self.graph_changed(at, handle, GraphChangeKind::Released, &[], sink);
            self.graphs.by_handle.remove(&handle);
            self.graphs.commands.retain(|_, other| *other != handle);
        }
    }

    /// Appends the command whose node the thread is submitting.
    fn graph_command(
        &mut self,
        at: Timestamp,
        thread: u32,
        call: &Call<'_>,
        place: &OwnedLocation,
        sink: &mut dyn EventSink,
    ) {
        let handle = call.word("hCommandBuffer").unwrap_or(0);
        if !self.graphs.by_handle.contains_key(&handle) {
            return;
        }
        let node = match self.threads.task(thread) {
            Some(node) => node,
            None => self.command_of_graph(at, thread, call, place, sink),
        };
        let Some(graph) = self.graphs.by_handle.get_mut(&handle) else { return };
        // In-order partitions have no sync points: runtimes that request one get zero.
        let sync_point = call.word("pSyncPoint").filter(|point| *point != 0 || !graph.is_in_order);
        let position = graph.commands;
        graph.commands += 1;
        let before = graph.last.replace(node).filter(|_| graph.is_in_order);
        let waits = call.list("pSyncPointWaitList");
        let sources: Vec<u64> =
            waits.iter().filter_map(|point| graph.sync_points.get(point).copied()).collect();
        graph.sync_points.extend(sync_point.map(|point| (point, node)));
        let number = graph.number;
        if let Some(command) = call.word("phCommand").filter(|command| *command != 0) {
            self.graphs.commands.insert(command, handle);
        }
        sink.event(&Event::GraphCommand(GraphCommand { graph: number, at, position, node, sync_point }));
        for source in sources {
            self.depend(at, source, node, EdgeReason::SyncPoint, sink);
        }
        if let Some(before) = before {
            self.depend(at, before, node, EdgeReason::InOrder, sink);
        }
    }

    /// Creates a node for a command that SYCL has not announced.
    fn command_of_graph(
        &mut self,
        at: Timestamp,
        tid: u32,
        call: &Call<'_>,
        place: &OwnedLocation,
        sink: &mut dyn EventSink,
    ) -> u64 {
        let kind = command_kind(call.function.name);
        let kernel = call.word("hKernel").and_then(|kernel| self.kernels.get(&kernel));
        let name = kernel.map_or_else(|| kind.as_str().into(), |kernel| kernel.name.clone());
        let node = self.nodes.add(kind, name.clone(), place.clone());
        sink.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: None,
            tid,
            location: place.location(),
            args: &[],
        }));
        node
    }

    pub(super) fn graph_run(
        &mut self,
        at: Timestamp,
        handle: Option<u64>,
        node: u64,
        sink: &mut dyn EventSink,
    ) {
        if let Some(graph) = handle.and_then(|handle| self.graphs.number(handle)) {
            sink.event(&Event::GraphRun(GraphRun { graph, at, node }));
        }
    }
}
