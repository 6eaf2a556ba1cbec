//! Devices, memory objects, command graphs, native handles, sources and pauses in the answers to views.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ArgValue, NodeDetail};
use syclscope_language::event::{
    Accessor, CommandGraph, Event, EventSink as _, FactKind, GraphChangeKind, GraphCommand, GraphRun,
    HandleDirection, MemoryObject, ObjectBinding, ObjectDestroy, Ownership, Pause, SourceState, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::brute_force;
use crate::recordings::{SOURCE, whole};

fn build(play: impl FnOnce(&mut dyn FnMut(&Event<'_>))) -> Trace {
    let mut builder = TraceBuilder::new();
    play(&mut |event| builder.event(event));
    builder.build()
}

/// Returns the details of a node, from an instant that belongs to it.
fn node(number: u64) -> NodeDetail {
    let trace = build(|take| {
        whole(take);
        take(&Event::Instant(syclscope_language::event::Instant {
            track: 77,
            at: Timestamp(59_000),
            category: Default::default(),
            name: "asks",
            node: Some(number),
            location: Default::default(),
            args: &[],
        }));
    });
    let last = trace.info().counts.slices as u32 - 1;
    trace.slice(last).unwrap().node.unwrap()
}

#[test]
fn a_command_knows_its_accessors_and_their_buffer() {
    let node = node(2);
    let [accessor] = &node.accessors[..] else { panic!("{:?}", node.accessors) };
    assert_eq!(
        (accessor.object, accessor.target.as_str(), accessor.mode.as_str()),
        (1, "device", "read_write")
    );
    assert_eq!(accessor.location.as_ref().unwrap().line, 18);
    let [object] = &node.objects[..] else { panic!("{:?}", node.objects) };
    assert_eq!((object.object, object.address.as_str(), object.accessors), (1, "0xabc0", 2));
    assert_eq!(
        (&object.range[..], object.element_size_bytes, object.element_type.as_str()),
        (&[64, 32][..], 4, "float")
    );
    assert_eq!((object.created_ns, object.destroyed_ns), (2_000, Some(7_100)));
    let memory = &object.memory[0];
    assert_eq!(
        (memory.bound_ns, memory.unbound_ns, memory.size_bytes),
        (Some(3_510), Some(7_010), Some(8_192))
    );
    assert_eq!((memory.allocated_ns, memory.released_ns), (Some(3_500), Some(7_000)));
    assert_eq!(node.waits_for[0].object, Some(1), "an edge names the buffer that it is about");
}

#[test]
fn a_command_knows_its_place_in_a_command_graph() {
    let node = node(6);
    let [command] = &node.graph_commands[..] else { panic!("{:?}", node.graph_commands) };
    assert_eq!((command.position, command.sync_point), (1, Some(106)));
    let partition = &command.partition;
    assert_eq!((partition.partition, partition.graph, partition.place, partition.partitions), (2, 1, 1, 2));
    assert_eq!((partition.commands, partition.runs, partition.device.as_str()), (2, 0, "Intel(R) Xeon(R)"));
    let changes: Vec<_> = partition.changes.iter().map(|change| change.change).collect();
    assert_eq!(changes, [GraphChangeKind::Finalized, GraphChangeKind::Updated]);
    assert_eq!(partition.changes[1].args, [("commands".to_owned(), ArgValue::Uint(1))]);
}

#[test]
fn a_run_knows_what_it_runs_and_a_command_when_it_ran() {
    let run = node(8);
    let [found] = &run.graph_runs[..] else { panic!("{:?}", run.graph_runs) };
    assert_eq!((found.run, found.partition.partition, found.partition.runs), (1, 1, 2));
    assert_eq!(found.commands.iter().map(|node| node.node).collect::<Vec<_>>(), [3, 4]);
    let command = node(3);
    let runs: Vec<_> = command.graph_commands[0].runs.iter().map(|node| node.node).collect();
    assert_eq!(runs, [7, 8]);
}

#[test]
fn a_call_knows_the_native_handle_that_it_brought() {
    let trace = build(whole);
    let slices = 0..trace.info().counts.slices as u32;
    let details: Vec<_> = slices.map(|slice| trace.slice(slice).unwrap()).collect();
    let call = details.iter().find(|detail| detail.name == "urQueueCreateWithNativeHandle").unwrap();
    let [handle] = &call.native_handles[..] else { panic!("{:?}", call.native_handles) };
    assert_eq!((handle.object.as_str(), handle.native.as_str()), ("queue", "0x11110000"));
    assert_eq!((handle.direction, handle.ownership), (HandleDirection::Enters, Ownership::Keep));
    assert_eq!((handle.at_ns, handle.released_ns), (20_100, Some(30_000)));
    assert!(details.iter().all(|detail| detail.name == call.name || detail.native_handles.is_empty()));
    let message = details.iter().find(|detail| detail.name.contains("can't be launched")).unwrap();
    assert_eq!(message.node.as_ref().unwrap().id, 2, "a diagnostic leads to its command");
}

#[test]
fn the_machine_and_the_recording_are_described() {
    let info = build(whole).info();
    let [device] = &info.devices[..] else { panic!("{:?}", info.devices) };
    assert_eq!((device.name.as_str(), device.driver.as_str()), ("Intel(R) Xeon(R)", "2026.21.9"));
    assert_eq!(device.args[1], ("max_compute_units".to_owned(), ArgValue::Uint(2)));
    let clock = device.clock.unwrap();
    assert_eq!((clock.pairs, clock.offset_ns, clock.residual_ns), (8, -1_200, 90));
    assert_eq!((info.facts[0].kind, info.facts[0].value.as_str()), (FactKind::Environment, "opencl:cpu"));
    assert_eq!((info.pauses[0].start_ns, info.pauses[0].end_ns), (50_000, Some(58_000)));
    let counts = info.counts;
    assert_eq!((counts.objects, counts.accessors, counts.partitions, counts.graph_runs), (1, 2, 2, 2));
    assert_eq!((counts.native_handles, counts.native_calls, counts.calls), (1, 1, 1));
    let stream = info.tracks.iter().find(|track| track.kind == TrackKind::Stream).unwrap();
    assert_eq!(info.tracks[stream.parent.unwrap() as usize].name, "main thread");
}

#[test]
fn a_source_file_is_found_by_its_path() {
    let trace = build(whole);
    assert_eq!(trace.source_file("/src/stencil.cpp").unwrap().text, SOURCE);
    let large = trace.source_text(1).unwrap();
    assert_eq!((large.file.state, large.text.as_str()), (SourceState::TooLarge, ""));
    assert_eq!(trace.source_text(2), Err(QueryError::NoSource(2)));
    assert!(trace.source_file("/src/other.cpp").is_none());
}

#[test]
fn unknown_objects_and_graphs_are_counted_whatever_their_numbers() {
    let at = Timestamp(5);
    let trace = build(|take| {
        for number in [u64::MAX, u64::MAX - 1, 0, 1 << 40] {
            take(&Event::Accessor(Accessor {
                object: number,
                at,
                node: Some(number),
                ..Accessor::default()
            }));
            take(&Event::ObjectBinding(ObjectBinding { object: number, at, handle: 0, is_bound: false }));
            take(&Event::ObjectDestroy(ObjectDestroy { object: number, at }));
            let (graph, node, position) = (number, number, number);
            take(&Event::GraphCommand(GraphCommand { graph, at, position, node, sync_point: Some(number) }));
            take(&Event::GraphRun(GraphRun { graph, at, node }));
        }
        take(&Event::CommandGraph(CommandGraph { graph: 3, at, group: u64::MAX, ..CommandGraph::default() }));
        take(&Event::MemoryObject(MemoryObject {
            object: 3,
            dimensions: u32::MAX,
            ..MemoryObject::default()
        }));
        take(&Event::Accessor(Accessor { object: 3, at, node: Some(1), ..Accessor::default() }));
    });
    brute_force::details(&trace);
    let info = trace.info();
    let count =
        |kind: &str| info.diagnostics.iter().find(|found| found.kind == kind).map_or(0, |found| found.count);
    assert_eq!((count("unknown_object"), count("unknown_graph")), (4, 4));
    assert!(trace.memory_bytes() < 10 << 20, "{}", trace.memory_bytes());
}

#[test]
fn pauses_that_never_end_or_come_twice_are_one() {
    let pause = |at, is_paused| Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "signal" });
    let trace = build(|take| {
        for (at, is_paused) in [(5, false), (10, true), (12, true), (20, false), (30, true)] {
            take(&pause(at, is_paused));
        }
    });
    let pauses: Vec<_> = trace.info().pauses.iter().map(|pause| (pause.start_ns, pause.end_ns)).collect();
    assert_eq!(pauses, [(10, Some(20)), (30, None)]);
}
