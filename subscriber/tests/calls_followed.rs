//! Rules for calls of the Unified Runtime: command graphs and native handles.

#[path = "support/played.rs"]
mod played;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use played::played;
use syclscope_language::event::{
    EdgeReason, Event, EventSink, GraphChangeKind, HandleDirection, NodeKind, Ownership,
};

/// Events that [`Recorded`] lacks.
#[derive(Debug, Default)]
struct Told {
    /// Number, group, handle, in order, updatable.
    graphs: Vec<(u64, u64, u64, bool, bool)>,
    /// Graph, position, node, sync point.
    commands: Vec<(u64, u64, u64, Option<u64>)>,
    changes: Vec<(u64, GraphChangeKind, Vec<String>)>,
    /// Graph, node.
    runs: Vec<(u64, u64)>,
    handles: Vec<(String, u64, u64, HandleDirection, Ownership)>,
    given_back: Vec<(String, u64)>,
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::CommandGraph(graph) => {
                let flags = (graph.is_in_order, graph.is_updatable);
                self.graphs.push((graph.graph, graph.group, graph.handle, flags.0, flags.1));
            }
            Event::GraphCommand(command) => {
                self.commands.push((command.graph, command.position, command.node, command.sync_point));
            }
            Event::GraphChange(change) => {
                let args = change.args.iter().map(|(key, value)| format!("{key}={value:?}")).collect();
                self.changes.push((change.graph, change.change, args));
            }
            Event::GraphRun(run) => self.runs.push((run.graph, run.node)),
            Event::NativeHandle(handle) => self.handles.push((
                handle.object.to_owned(),
                handle.handle,
                handle.native,
                handle.direction,
                handle.ownership,
            )),
            Event::NativeHandleRelease(release) => {
                self.given_back.push((release.object.to_owned(), release.handle));
            }
            _ => {}
        }
    }
}

#[test]
fn command_graphs_are_told_from_their_making_to_their_end() {
    played("command_graphs", |recorded, told: &Told| {
        assert_eq!(
            told.graphs,
            [(1, 1, 0xcb1, false, true), (2, 1, 0xcb2, true, false), (3, 3, 0xcb1, false, true)],
            "two partitions of one graph, and another graph with a handle that is used again"
        );
        let kinds: Vec<_> = recorded.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
        let (copy, run) = (NodeKind::Copy, (NodeKind::CommandGraph, "command graph"));
        assert_eq!(
            kinds,
            [
                (copy, "copy usm"),
                (copy, "copy usm"),
                (NodeKind::Kernel, "work"),
                (copy, "copy"),
                (copy, "copy"),
                run,
                run,
                run,
                run,
                run
            ]
        );
        assert_eq!(
            told.commands,
            [(1, 0, 1, Some(71)), (1, 1, 2, Some(72)), (1, 2, 3, Some(73)), (2, 0, 4, None), (2, 1, 5, None)]
        );
        let mut edges: Vec<_> =
            recorded.edges.iter().map(|edge| (edge.source, edge.target, edge.reason)).collect();
        edges.sort_unstable_by_key(|edge| (edge.1, edge.0));
        let (sync_point, in_order) = (EdgeReason::SyncPoint, EdgeReason::InOrder);
        assert_eq!(edges, [(1, 3, sync_point), (2, 3, sync_point), (4, 5, in_order)]);
        let updated = |args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            (1, GraphChangeKind::Updated, args)
        };
        let plain = |graph: u64, change: GraphChangeKind| (graph, change, Vec::new());
        assert_eq!(
            told.changes,
            [
                plain(1, GraphChangeKind::Finalized),
                plain(2, GraphChangeKind::Finalized),
                updated(&["update=Str(\"KernelLaunchExp\")", "commands=Uint(3)"]),
                updated(&["update=Str(\"WaitEventsExp\")"]),
                plain(1, GraphChangeKind::Released),
                plain(3, GraphChangeKind::Finalized),
            ]
        );
        assert_eq!(told.runs, [(1, 6), (2, 7), (1, 8), (3, 9)], "a run of what is not known is a node only");
    });
}

#[test]
fn native_handles_are_told_with_their_owner_and_their_end() {
    played("native_handles", |_, told: &Told| {
        let (enters, leaves) = (HandleDirection::Enters, HandleDirection::Leaves);
        let handle = |object: &str, handle: u64, native: u64, direction, ownership| {
            (object.to_owned(), handle, native, direction, ownership)
        };
        assert_eq!(
            told.handles,
            [
                handle("context", 0x3000, 0x7a1, leaves, Ownership::Other),
                handle("queue", 0x1000, 0x7a2, leaves, Ownership::Other),
                handle("mem", 0x3e1, 0x7a3, enters, Ownership::Transfer),
                handle("event", 0xe7, 0x7a4, enters, Ownership::Keep),
                handle("device", 0x2000, 0x7a5, enters, Ownership::Other),
                handle("mem", 0x3e1, 0x7a3, leaves, Ownership::Other),
            ]
        );
        assert_eq!(told.given_back, [("mem".to_owned(), 0x3e1)]);
    });
}

#[test]
fn an_imported_event_is_not_that_of_an_earlier_command() {
    played("event_imported_again", |recorded, _: &Told| {
        assert_eq!(recorded.nodes.len(), 2);
        assert!(recorded.edges.is_empty(), "{:?}", recorded.edges);
    });
}
