//! Handles, command graphs, arguments, names and counters.

use std::fmt::Write as _;

use syclscope_language::event::{
    AllocationKind, Category, CommandGraph, CounterSample, Device, Edge, EdgeReason, Event, Fact, FactKind,
    GraphChange, GraphChangeKind, GraphCommand, GraphRun, HandleDirection, Instant, NativeHandle,
    NativeHandleRelease, Node, NodeKind, Ownership, SourceFile, SourceState, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recording::{DEVICE_MEMORY, Recording, place};

pub(super) fn handle(run: &mut Recording<'_>, at: u64, handle: u64, native: u64) {
    run.event(Event::NativeHandle(NativeHandle {
        at: Timestamp(at),
        object: "context",
        handle,
        native,
        direction: HandleDirection::Enters,
        ownership: if handle % 2 == 0 { Ownership::Keep } else { Ownership::Transfer },
        tid: 1,
        location: place(8),
    }));
}

pub(super) fn handles(run: &mut Recording<'_>, n: u64, natives: u64) {
    for at in 1..=n {
        let (begun, native) = (at * 100, 0x7000 + at % natives);
        handle(run, begun, 0x1_0000 + at, native);
        run.slice(
            Category::Native,
            "zeContextGetStatus",
            (begun + 10, begun + 20),
            None,
            &[("hContext", Value::Pointer(native))],
        );
        run.event(Event::NativeHandleRelease(NativeHandleRelease {
            at: Timestamp(begun + 50),
            object: "context",
            handle: 0x1_0000 + at,
            tid: 1,
        }));
    }
    run.kernel(1, n * 100, (n * 110, n * 120));
}

pub(super) fn graphs(run: &mut Recording<'_>, count: u64, commands: u64, runs: u64) {
    let mut at = 1_000;
    for graph in 1..=count {
        run.event(Event::CommandGraph(CommandGraph {
            graph,
            at: Timestamp(at),
            group: graph,
            handle: 0x5000 + graph,
            tid: 1,
            location: place(graph),
            ..CommandGraph::default()
        }));
        for position in 0..commands {
            run.node += 1;
            let node = run.node;
            at += 10;
            run.event(Event::Node(Node {
                node,
                at: Timestamp(at),
                kind: NodeKind::Kernel,
                name: "kernel",
                queue: None,
                tid: 1,
                location: place(7),
                args: &[],
            }));
            run.event(Event::GraphCommand(GraphCommand {
                graph,
                at: Timestamp(at),
                position,
                node,
                sync_point: Some(position + 1),
            }));
            if position > 0 {
                run.event(Event::Edge(Edge {
                    at: Timestamp(at),
                    source: node - 1,
                    target: node,
                    reason: EdgeReason::SyncPoint,
                    access_mode: "",
                    memory_object: 0,
                }));
            }
        }
        run.event(Event::GraphChange(GraphChange {
            graph,
            at: Timestamp(at + 50),
            change: GraphChangeKind::Finalized,
            args: &[],
        }));
        for _ in 0..runs {
            at += 100;
            let node = run.command(NodeKind::CommandGraph, "graph", 1, at, (at + 20, at + 90));
            run.event(Event::GraphRun(GraphRun { graph, at: Timestamp(at), node }));
        }
    }
}

pub(super) fn arguments(run: &mut Recording<'_>, n: u64) {
    run.allocate(1, DEVICE_MEMORY, 1 << 30, AllocationKind::Device, 5);
    let names: Vec<String> =
        (0..n).flat_map(|at| [format!("pArgs[{at}].type"), format!("pArgs[{at}].value")]).collect();
    let value = |at: usize| {
        if at % 2 == 0 { Value::Str("POINTER") } else { Value::Pointer(DEVICE_MEMORY + at as u64) }
    };
    let args: Vec<(&str, Value<'_>)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), value(at))).collect();
    for at in 1..=4 {
        let node = run.kernel(1, at * 100, (1_000 + at * 100, 1_000 + at * 100 + 90));
        run.slice(Category::Call, "urEnqueueKernelLaunch", (at * 100 + 11, at * 100 + 20), Some(node), &args);
        run.slice(
            Category::Native,
            "zeCommandListAppendLaunchKernel",
            (at * 100 + 31, at * 100 + 40),
            Some(node),
            &args,
        );
        handle(run, at * 100, at, DEVICE_MEMORY + at);
    }
}

pub(super) fn names(run: &mut Recording<'_>, n: u64) {
    for at in 1..=n {
        let name = format!("kernel<{at}, void (*)(float*, int)>");
        run.command(NodeKind::Kernel, &name, 1, at * 100, (at * 100 + 20, at * 100 + 90));
    }
}

pub(super) fn machine(run: &mut Recording<'_>, n: u64) {
    for device in 1..=n {
        let at = Timestamp(0);
        run.event(Event::Device(Device {
            device,
            at,
            name: "device",
            handle: 0xe000 + device,
            device_type: "GPU",
            ..Device::default()
        }));
        let name = format!("NAME_{device}");
        run.event(Event::Fact(Fact { at, kind: FactKind::Environment, name: &name, value: "value" }));
    }
    run.kernel(1, 100, (200, 400));
}

pub(super) fn source(run: &mut Recording<'_>, n: u64) {
    let mut text = String::new();
    for line in 0..n {
        let _ = writeln!(text, "line {line};");
    }
    let (at, size_bytes) = (Timestamp(0), text.len() as u64);
    run.event(Event::SourceFile(SourceFile {
        at,
        name: "main.cpp",
        state: SourceState::Whole,
        sha256: "",
        size_bytes,
        text: &text,
    }));
    for at in 1..=n {
        run.command_at(NodeKind::Kernel, "kernel", 1, at * 100, (at * 100 + 20, at * 100 + 90), at);
    }
}

pub(super) fn counters(run: &mut Recording<'_>, n: u64) {
    run.track(7, Some(1_000_000), TrackKind::Counter, 0);
    for at in 0..n {
        run.event(Event::Counter(CounterSample { track: 7, at: Timestamp(at * 10), value: at as f64 }));
        run.event(Event::Instant(Instant {
            track: 1,
            at: Timestamp(at * 10),
            category: Category::Signal,
            name: "signal",
            node: None,
            location: place(1),
            args: &[],
        }));
    }
}

pub(super) fn launches(run: &mut Recording<'_>, n: u64, each: u64) {
    for at in 0..n {
        let name = format!("kernel {}", at / each);
        run.command(NodeKind::Kernel, &name, 1, at * 100, (at * 100 + 50, at * 100 + 51));
    }
}

/// Writes source locations with idle time, all equally bad.
pub(super) fn places_with_findings(run: &mut Recording<'_>, n: u64) {
    for at in 0..n {
        // The eight waits of a location are spread over the whole run.
        let (begun, line) = (at * 10_000, 10 + at % (n / 8));
        let node = run.command_at(NodeKind::Kernel, "kernel", 1, begun, (begun + 100, begun + 500), line);
        run.begin(
            1,
            Category::Wait,
            "queue.wait",
            begun + 20,
            Some(node),
            &[("queue", Value::Uint(1))],
            line,
        );
        run.end(1, begun + 2_000);
    }
}

pub(super) fn host_accessors(run: &mut Recording<'_>, n: u64) {
    run.object(1, 0x5040, 0);
    for at in 1..=n {
        let begun = at * 1_000;
        let node = run.kernel(1, begun, (begun + 100, begun + 500));
        run.node += 1;
        let accessor = run.node;
        run.event(Event::Node(Node {
            node: accessor,
            at: Timestamp(begun + 50),
            kind: NodeKind::HostAccessor,
            name: "host accessor",
            queue: None,
            tid: 1,
            location: place(at),
            args: &[],
        }));
        run.edge(node, accessor, 0x5040);
        run.begin(1, Category::Wait, "host_accessor", begun + 60, Some(accessor), &[], at);
        run.end(1, begun + 600);
    }
}
