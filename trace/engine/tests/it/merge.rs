//! Merge of several recordings into one, with a process for each.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::export::{Exporter, Streamed, chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_engine::merge::{MergeError, MergeReport, merge};
use syclscope_language::api::{SliceItem, SliceList, Waits};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, Execution, MemoryObject, Node, NodeKind, ObjectKind,
    Process, Queue, QueueOrder, Release, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::{Log, PROCESS, Step, play_as, small, steps, write};
use crate::select::ask;

type Inputs<'a> = Vec<(&'a str, &'a [u8])>;

/// Returns the events and the report of a merge, after a check that both formats express them.
#[track_caller]
fn merged(inputs: &Inputs<'_>) -> (Log, MergeReport) {
    let mut events = Log::default();
    let report = merge(inputs, &mut events).unwrap();
    assert_written::<perfetto::Writer>(inputs, &events);
    assert_written::<chrome_json::Writer>(inputs, &events);
    (events, report)
}

#[track_caller]
fn assert_written<W: Exporter + Default>(inputs: &Inputs<'_>, expected: &Log) {
    let mut file = Streamed::new(W::default(), Vec::new());
    merge(inputs, &mut file).unwrap();
    let bytes = file.finish().unwrap();
    let mut read = Log::default();
    let report = import::read(&bytes, &mut read).unwrap();
    assert_eq!(read.0, expected.0);
    assert_eq!(report.diagnostics.infos().count(), 0, "{:?}", report.diagnostics.infos().next());
    let mut direct = TraceBuilder::new();
    merge(inputs, &mut direct).unwrap();
    assert_eq!(import::open(&bytes).unwrap().dump(), direct.build().dump());
}

fn small_of<W: Exporter + Default>(process: Process<'_>) -> Vec<u8> {
    write::<W>(|take| {
        small(&mut |event| match event {
            Event::Process(_) => take(&Event::Process(process)),
            event => take(event),
        });
    })
}

const SECOND: Process<'static> = Process {
    pid: 4712,
    start_unix_ns: PROCESS.start_unix_ns + 1_500,
    start_monotonic_ns: PROCESS.start_monotonic_ns + 1_000,
    ..PROCESS
};

#[test]
fn two_ranks_are_two_processes_on_one_clock() {
    let (first, second) = (small_of::<perfetto::Writer>(PROCESS), small_of::<chrome_json::Writer>(SECOND));
    let inputs: Inputs<'_> = vec![("late.json", &second), ("nothing", b""), ("early.pftrace", &first)];
    let (events, report) = merged(&inputs);
    let names: Vec<_> =
        report.inputs.iter().map(|input| (input.name.as_str(), input.pid, input.shift_ns)).collect();
    assert_eq!(names, [("early.pftrace", 4711, 0), ("late.json", 4712, 1_000)]);
    assert!(report.inputs.iter().all(|input| input.complete && input.diagnostics.infos().count() == 0));
    assert_eq!(report.empty, ["nothing"]);

    let mut alone = Log::default();
    import::read(&first, &mut alone).unwrap();
    assert_eq!(events.0[..alone.0.len()], alone.0, "the first one keeps its numbers");

    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    let trace = builder.build();
    let info = trace.info();
    assert_eq!((info.duration_ns, info.complete, info.processes.len()), (51_000, true, 2));
    assert_eq!((info.counts.nodes, info.counts.executions, info.counts.unreleased), (6, 6, 2));
    assert_eq!(info.counts.dropped, 6);
    let kinds: Vec<_> = info.diagnostics.iter().map(|found| found.kind.as_str()).collect();
    assert_eq!(kinds, ["dropped_full_buffer"], "equal addresses of two processes are not confused");
    for (group, name) in ["stencil · 4711", "stencil · 4712"].into_iter().enumerate() {
        let track = &info.tracks[group];
        assert_eq!((track.name.as_str(), track.kind, track.parent), (name, TrackKind::Process, None));
        let below = info.tracks.iter().filter(|track| track.parent == Some(group as u32));
        let below: Vec<_> = below.map(|track| (track.kind, track.name.as_str())).collect();
        let expected = [
            (TrackKind::Device, "Intel(R) Xeon(R)"),
            (TrackKind::Counter, "memory in use: device"),
            (TrackKind::Counter, "memory in use: shared"),
            (TrackKind::Thread, "main thread"),
            (TrackKind::Counter, "live events"),
        ];
        assert_eq!(below, expected);
    }
    assert!(
        info.tracks
            .iter()
            .enumerate()
            .all(|(row, track)| track.parent.is_none_or(|parent| parent < row as u32))
    );
    // The second process's copy has no dependence; its second kernel depends on its own first one.
    let last = info.counts.executions as u32 - 1;
    let node = trace.slice(last).unwrap().node.unwrap();
    assert_eq!((node.id, node.waits_for[0].node), (6, 5));
}

#[test]
fn a_copy_of_an_input_counts_once() {
    let first = small_of::<perfetto::Writer>(PROCESS);
    let inputs: Inputs<'_> = vec![("run.pftrace", &first), ("copy.pftrace", &first)];
    let (events, report) = merged(&inputs);
    let mut alone = Log::default();
    import::read(&first, &mut alone).unwrap();
    assert_eq!(events.0, alone.0);
    assert_eq!((report.inputs.len(), report.copies), (1, vec!["copy.pftrace".to_owned()]));
}

/// Returns a rank with a buffer, a sub-buffer, and copies to USM at addresses that all ranks share: allocated, copied
/// to, waited for and released, from the time `at` on.
fn rank(pid: u32, at: u64) -> Vec<u8> {
    let process = Process { pid, rank: Some(pid), ..PROCESS };
    write::<perfetto::Writer>(|take| {
        take(&Event::Process(process));
        let track = |track, kind, parent, tid| Track { track, parent, kind, name: "main thread", tid };
        take(&Event::Track(track(1, TrackKind::Thread, None, pid)));
        take(&Event::Queue(Queue {
            queue: 1,
            at: Timestamp(at),
            runtime_id: 0,
            handle: 0x1000,
            order: QueueOrder::InOrder,
            device: "a device",
            device_type: "GPU",
            device_handle: 0x2000,
            context: 0x3000,
        }));
        let object = |object: u64, args: &'static [(&'static str, Value<'static>)]| MemoryObject {
            object,
            at: Timestamp(at),
            kind: ObjectKind::Buffer,
            address: 0x7000 + object,
            host_pointer: 0,
            element_type: "i",
            element_size_bytes: 4,
            dimensions: 1,
            range_0: 16,
            range_1: 0,
            range_2: 0,
            tid: pid,
            location: SourceLocation::default(),
            args,
        };
        take(&Event::MemoryObject(object(1, &[])));
        take(&Event::MemoryObject(object(2, &[("sub_buffer_of", Value::Uint(1))])));
        take(&Event::Allocation(Allocation {
            at: Timestamp(at + 1),
            pointer: 0x1_0000,
            size_bytes: 4096,
            kind: AllocationKind::Device,
            guard_bytes: 0,
            device: "a device",
            tid: pid,
            location: SourceLocation::default(),
        }));
        let slice = |take: &mut dyn FnMut(&Event<'_>),
                     (begin, end): (u64, u64),
                     category: Category,
                     name: &str,
                     node: Option<u64>,
                     args: &[(&str, Value<'_>)]| {
            let (location, at) = (SourceLocation::default(), Timestamp(begin));
            take(&Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args }));
            take(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(end), args: &[] }));
        };
        take(&Event::Node(Node {
            node: 1,
            at: Timestamp(at + 2),
            kind: NodeKind::Copy,
            name: "memcpy",
            queue: Some(1),
            tid: pid,
            location: SourceLocation::default(),
            args: &[],
        }));
        let ends = [
            ("pDst", Value::Pointer(0x1_0000)),
            ("pSrc", Value::Pointer(0x7f00_0000)),
            ("size", Value::Uint(4096)),
            ("phEvent", Value::Pointer(0xe000)),
        ];
        slice(take, (at + 2, at + 3), Category::Call, "urEnqueueUSMMemcpy", Some(1), &ends);
        take(&Event::Execution(Execution {
            node: 1,
            queue: 1,
            kind: NodeKind::Copy,
            name: "memcpy",
            queued: None,
            submitted: None,
            start: Timestamp(at + 4),
            end: Timestamp(at + 20),
            args: &[("bytes", Value::Uint(4096))],
        }));
        let queue = [("queue", Value::Uint(1))];
        slice(take, (at + 5, at + 21), Category::Wait, "queue.wait", None, &queue);
        let events = [("phEventWaitList[0]", Value::Pointer(0xe000))];
        slice(take, (at + 22, at + 23), Category::Call, "urEventWait", None, &events);
        take(&Event::Release(Release { at: Timestamp(at + 24), pointer: 0x1_0000, tid: pid }));
        take(&Event::Finish { at: Timestamp(at + 30) });
    })
}

#[test]
fn numbers_addresses_and_events_of_a_rank_are_its_own() {
    // Each rank releases its memory while the copy of another one runs.
    let ranks = [rank(1, 100), rank(2, 108), rank(3, 100)];
    let inputs: Inputs<'_> = vec![("1", &ranks[0]), ("2", &ranks[1]), ("3", &ranks[2])];
    let (events, _) = merged(&inputs);
    let numbers = |key: &str| {
        let arg = format!("(\"{key}\", Uint(");
        let found = events.0.iter().filter_map(|event| event.split(&arg).nth(1)?.split(')').next());
        found.map(|number| number.parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers("queue"), [1, 2, 3]);
    assert_eq!(numbers("sub_buffer_of"), [1, 3, 5]);
    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    let trace = builder.build();
    let copies = trace.report().copies;
    let found: Vec<_> = copies.iter().map(|copy| (&*copy.from, &*copy.to, copy.count)).collect();
    assert_eq!(found, [("host", "device", 3)]);
    let waits = (0..trace.info().counts.slices as u32)
        .filter_map(|slice| Some((slice, trace.slice(slice).ok()?.name)))
        .filter(|(_, name)| matches!(name.as_str(), "queue.wait" | "urEventWait"));
    let awaited: Vec<Vec<Option<u64>>> = waits
        .map(|(slice, _)| {
            let waits: Waits = ask(&trace, &format!("slices/{slice}/waited_for"));
            waits.links.iter().map(|link| link.step.node).filter(Option::is_some).collect()
        })
        .collect();
    let mut expected = awaited.clone();
    expected.sort_unstable();
    assert_eq!(expected, [[Some(1)], [Some(1)], [Some(2)], [Some(2)], [Some(3)], [Some(3)]], "{awaited:?}");
}

#[test]
fn a_merged_recording_can_be_merged_again() {
    let (first, second) = (small_of::<perfetto::Writer>(PROCESS), small_of::<perfetto::Writer>(SECOND));
    let mut both = Streamed::new(perfetto::Writer::new(), Vec::new());
    merge(&[("a", &first[..]), ("b", &second[..])], &mut both).unwrap();
    let both = both.finish().unwrap();
    let third = small_of::<perfetto::Writer>(Process { host: "node2", pid: 4711, ..SECOND });
    let (_, report) = merged(&vec![("third", &third[..]), ("both", &both[..])]);
    assert_eq!(report.inputs[1].shift_ns, 1_500, "hosts meet at the wall clock");
    let mut builder = TraceBuilder::new();
    merge(&[("third", &third[..]), ("both", &both[..])], &mut builder).unwrap();
    let info = builder.build().info();
    let groups: Vec<_> = info.tracks[..3].iter().map(|track| track.name.as_str()).collect();
    assert_eq!(groups, ["stencil · 4711 on node1", "stencil · 4712 on node1", "stencil · 4711 on node2"]);
    assert_eq!(info.processes[2].host, "node2");
}

#[test]
fn ranks_stand_in_their_order_whichever_began_first() {
    let of = |rank: u32, process: Process<'static>| {
        let ranked = Process { rank: Some(rank), rank_count: Some(2), local_rank: Some(rank), ..process };
        small_of::<perfetto::Writer>(ranked)
    };
    let (late, early) = (of(0, SECOND), of(1, PROCESS));
    let inputs: Inputs<'_> = vec![("one", &early), ("zero", &late)];
    let (events, report) = merged(&inputs);
    let order: Vec<_> = report.inputs.iter().map(|input| (input.rank, input.shift_ns)).collect();
    assert_eq!(order, [(Some(0), 1_000), (Some(1), 0)]);
    let mut alone = Log::default();
    import::read(&early, &mut alone).unwrap();
    let second = events.0.iter().rposition(|event| event.starts_with("Process")).unwrap();
    assert_eq!(events.0[second], alone.0[0], "the earliest process starts as it did");

    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    let trace = builder.build();
    let info = trace.info();
    assert_eq!(info.duration_ns, 51_000, "times count from the earliest process");
    let starts: Vec<_> =
        info.processes.iter().map(|process| (process.start_monotonic_ns, process.start_ns)).collect();
    assert_eq!(starts, [(SECOND.start_monotonic_ns, 1_000), (PROCESS.start_monotonic_ns, 0)]);
    let ranks: Vec<_> =
        info.processes.iter().map(|process| (process.rank, process.rank_count, process.local_rank)).collect();
    assert_eq!(ranks, [(Some(0), Some(2), Some(0)), (Some(1), Some(2), Some(1))]);
    let groups: Vec<_> = info.tracks[..2].iter().map(|track| track.name.as_str()).collect();
    assert_eq!(groups, ["rank 0 of 2 · stencil", "rank 1 of 2 · stencil"]);
    let select = |filter: &str| {
        let question = format!("slices?where={filter}&limit=100").parse().unwrap();
        let answer: SliceList = serde_json::from_str(&trace.answer(&question).unwrap()).unwrap();
        let process_of = |item: &SliceItem| info.tracks[item.at.track as usize].process;
        answer.slices.iter().map(process_of).collect::<Vec<_>>()
    };
    let of_rank_one = select("rank:1");
    assert!(!of_rank_one.is_empty() && of_rank_one.iter().all(|process| *process == 1));
    assert_eq!(select("rank%3E%3D1%20or%20rank:0").len(), 2 * of_rank_one.len());
    assert_eq!(select("rank!%3D1").len(), of_rank_one.len());
}

#[test]
fn a_recording_of_ranks_can_be_merged_again() {
    let of = |rank: u32, process: Process<'static>| {
        small_of::<perfetto::Writer>(Process { rank: Some(rank), ..process })
    };
    let (late, early, third) = (of(0, SECOND), of(1, PROCESS), of(2, SECOND));
    let mut both = Streamed::new(perfetto::Writer::new(), Vec::new());
    merge(&[("zero", &late[..]), ("one", &early[..])], &mut both).unwrap();
    let both = both.finish().unwrap();
    let inputs: Inputs<'_> = vec![("both", &both), ("two", &third)];
    let (_, report) = merged(&inputs);
    assert_eq!(report.inputs.iter().map(|input| input.shift_ns).collect::<Vec<_>>(), [0, 1_000]);
    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    let starts: Vec<_> = builder
        .build()
        .info()
        .processes
        .iter()
        .map(|process| (process.start_unix_ns, process.start_ns))
        .collect();
    let (first, second) = (PROCESS.start_unix_ns, SECOND.start_unix_ns);
    assert_eq!(starts, [(second, 1_000), (first, 0), (second, 1_000)]);
}

#[test]
fn hosts_of_ranks_are_named_where_there_are_several() {
    let on = |rank, host| Process { rank: Some(rank), rank_count: None, host, ..PROCESS };
    let files = [on(0, "node1"), on(1, "node2")].map(small_of::<perfetto::Writer>);
    let child = small_of::<perfetto::Writer>(Process { pid: 9, ..on(1, "node2") });
    let inputs: Inputs<'_> = vec![("a", &files[0]), ("b", &files[1]), ("child", &child)];
    let mut builder = TraceBuilder::new();
    merge(&inputs, &mut builder).unwrap();
    let info = builder.build().info();
    let groups: Vec<_> = info.tracks[..3].iter().map(|track| track.name.as_str()).collect();
    assert_eq!(
        groups,
        ["rank 0 · stencil · node1", "rank 1 · stencil · 9 · node2", "rank 1 · stencil · 4711 · node2"]
    );
}

#[test]
fn files_of_one_process_are_one_process() {
    let bytes = small_of::<perfetto::Writer>(PROCESS);
    let mut builder = TraceBuilder::new();
    merge(&[("part 1", &bytes[..]), ("part 2", &bytes[..])], &mut builder).unwrap();
    let info = builder.build().info();
    assert_eq!((info.processes.len(), info.counts.nodes, info.queues.len()), (1, 3, 2));
}

#[test]
fn processes_of_one_id_have_ids_of_their_own_in_other_viewers() {
    let first = small_of::<perfetto::Writer>(PROCESS);
    let second = small_of::<perfetto::Writer>(Process { host: "node2", ..PROCESS });
    let inputs: Inputs<'_> = vec![("a", &first), ("b", &second)];
    let mut file = Streamed::new(chrome_json::Writer::new(), Vec::new());
    merge(&inputs, &mut file).unwrap();
    let events: Vec<serde_json::Value> = serde_json::from_slice(&file.finish().unwrap()).unwrap();
    let ids = |name: &str| {
        let named =
            events.iter().filter(|event| event["name"] == "process_name" && event["args"]["name"] == name);
        named.map(|event| event["pid"].as_u64().unwrap()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(ids("stencil").len(), 2);
    assert_eq!(ids("Intel(R) Xeon(R)").len(), 2, "a device of each process");
    let begins = events.iter().filter(|event| event["ph"] == "B").map(|event| event["pid"].as_u64().unwrap());
    assert_eq!(begins.collect::<std::collections::BTreeSet<_>>(), ids("stencil"));
}

#[test]
fn what_cannot_be_merged_is_named() {
    let good = small_of::<perfetto::Writer>(PROCESS);
    let error = |name: &str, bytes: &[u8]| {
        let error = merge(&[("good.pftrace", &good[..]), (name, bytes)], &mut Log::default()).unwrap_err();
        (error.to_string(), error)
    };
    let foreign = br#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"theirs"}]"#;
    let (message, found) = error("theirs.json", foreign);
    assert!(matches!(found, MergeError::Foreign { .. }) && message.contains("theirs.json"), "{message}");
    let (message, found) = error("notes.txt", b"hello");
    assert!(matches!(found, MergeError::NotATrace { .. }) && message.contains("notes.txt"), "{message}");
    let long = format!(r#"{{"otherData":"{}","traceEvents":[{{"ph":"i","ts":1}}]}}"#, "x".repeat(200_000));
    assert!(matches!(error("long.json", long.as_bytes()).1, MergeError::Foreign { .. }));
    let nothing: &[(&str, &[u8])] = &[("empty", b"")];
    assert!(matches!(merge(nothing, &mut Log::default()), Err(MergeError::NoInput)));
}

#[test]
fn a_long_command_line_and_a_cut_end_are_no_obstacle() {
    let long = "x".repeat(300_000);
    let bytes = small_of::<chrome_json::Writer>(Process { command_line: &long, ..SECOND });
    let first = small_of::<perfetto::Writer>(PROCESS);
    let cut = &bytes[..bytes.len() - 30];
    let mut builder = TraceBuilder::new();
    let report = merge(&[("first", &first[..]), ("cut", cut)], &mut builder).unwrap();
    let info = builder.build().info();
    assert_eq!(report.inputs.iter().map(|input| input.complete).collect::<Vec<_>>(), [true, false]);
    assert_eq!(info.processes.iter().map(|process| process.complete).collect::<Vec<_>>(), [true, false]);
    assert!(!info.complete);
    assert_eq!(info.processes[1].command_line.len(), 300_000);
}

#[test]
fn a_merged_recording_beside_its_own_input_is_refused() {
    let (first, second) = (small_of::<perfetto::Writer>(PROCESS), small_of::<perfetto::Writer>(SECOND));
    let mut both = Streamed::new(perfetto::Writer::new(), Vec::new());
    merge(&[("a", &first[..]), ("b", &second[..])], &mut both).unwrap();
    let both = both.finish().unwrap();
    for (one, other) in [(&both, &first), (&first, &both), (&both, &second), (&second, &both)] {
        let error = merge(&[("one", &one[..]), ("other", &other[..])], &mut Log::default()).unwrap_err();
        assert!(matches!(error, MergeError::SameProcess { .. }), "{error}");
    }
}

#[test]
fn a_recording_beside_its_conversion_is_refused() {
    let (native, json) = (small_of::<perfetto::Writer>(PROCESS), small_of::<chrome_json::Writer>(PROCESS));
    let inputs: Inputs<'_> = vec![("run.pftrace", &native), ("run.json", &json)];
    let error = merge(&inputs, &mut Log::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot merge run.json: process 4711 is in run.pftrace, too; leave one of the two out"
    );
}

#[test]
fn parts_of_a_process_may_begin_within_the_same_slice() {
    let part = |begin: u64, is_continued: bool| {
        write::<perfetto::Writer>(|take| {
            take(&Event::Process(PROCESS));
            take(&Event::Track(Track {
                track: 1,
                parent: None,
                kind: TrackKind::Thread,
                name: "main",
                tid: 1,
            }));
            let (location, category) = (SourceLocation::default(), Category::Call);
            let mut slice = |at: u64, name, args| {
                let at = Timestamp(at);
                take(&Event::SliceBegin(SliceBegin {
                    track: 1,
                    at,
                    category,
                    name,
                    node: None,
                    location,
                    args,
                }));
            };
            if is_continued {
                slice(100, "outer", &[("continued", Value::Bool(true))]);
            }
            slice(begin, "inner", &[]);
            for at in [begin + 5, begin + 10] {
                take(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at), args: &[] }));
            }
            take(&Event::Finish { at: Timestamp(begin + 10) });
        })
    };
    let (older, newer) = (part(100, false), part(200, true));
    let mut builder = TraceBuilder::new();
    let report = merge(&[("older", &older[..]), ("newer", &newer[..])], &mut builder).unwrap();
    assert_eq!((report.inputs.len(), builder.build().info().processes.len()), (2, 1));
}

#[test]
fn repetitions_in_a_later_part_of_a_process_count_once() {
    use syclscope_language::event::{
        Accessor, CommandGraph, CounterSample, GraphCommand, HandleDirection, NativeHandle, Ownership,
    };
    let at = Timestamp;
    let part = |begin: u64, is_last: bool| {
        write::<perfetto::Writer>(|take| {
            let (track, kind, location, args) = (1, TrackKind::Thread, SourceLocation::default(), &[][..]);
            take(&Event::Process(PROCESS));
            take(&Event::Track(Track { track, parent: None, kind, name: "main", tid: 1 }));
            take(&Event::Allocation(Allocation {
                at: at(10),
                pointer: 0x1000,
                size_bytes: 64,
                kind: AllocationKind::Device,
                guard_bytes: 0,
                device: "",
                tid: 1,
                location,
            }));
            let counter = Track { track: 2, parent: None, kind: TrackKind::Counter, name: "load", tid: 0 };
            take(&Event::Track(counter));
            take(&Event::Counter(CounterSample { track: 2, at: at(15), value: 0.5 }));
            let (direction, ownership) = (HandleDirection::Enters, Ownership::Transfer);
            let (object, handle, native) = ("queue", 0x200, 0x300);
            let own =
                NativeHandle { at: at(20), object, handle, native, direction, ownership, tid: 1, location };
            take(&Event::NativeHandle(own));
            take(&Event::CommandGraph(CommandGraph { graph: 1, at: at(30), ..CommandGraph::default() }));
            let (node, kind, name, queue, tid) = (1, NodeKind::Kernel, "k", None, 1);
            take(&Event::Node(Node { node, at: at(35), kind, name, queue, tid, location, args }));
            let (object, address) = (1, 0x400);
            take(&Event::MemoryObject(MemoryObject { object, at: at(32), ..MemoryObject::default() }));
            let used = Accessor { object, at: at(36), address, node: Some(node), ..Accessor::default() };
            take(&Event::Accessor(used));
            let (position, sync_point) = (0, None);
            take(&Event::GraphCommand(GraphCommand { graph: 1, at: at(40), position, node, sync_point }));
            let (category, name, node) = (Category::Call, "call", None);
            let slice = SliceBegin { track, at: at(begin), category, name, node, location, args };
            take(&Event::SliceBegin(slice));
            take(&Event::SliceEnd(SliceEnd { track, at: at(begin + 5), args }));
            if is_last {
                take(&Event::Release(Release { at: at(begin + 7), pointer: 0x1000, tid: 1 }));
            } else {
                take(&Event::Finish { at: at(begin + 10) });
            }
        })
    };
    let (older, newer) = (part(100, false), part(200, true));
    let mut builder = TraceBuilder::new();
    merge(&[("older", &older[..]), ("newer", &newer[..])], &mut builder).unwrap();
    let info = builder.build().info();
    assert!(!info.complete, "the program was killed while it wrote the last part");
    let counts = &info.counts;
    assert_eq!((counts.slices, counts.allocations, counts.unreleased), (2, 1, 0));
    assert_eq!((counts.native_handles, counts.graph_commands, counts.accessors), (1, 1, 1));
    assert!(info.findings.is_empty(), "{:?}", info.findings);
    assert!(info.diagnostics.iter().all(|found| found.kind != "allocated_twice"), "{:?}", info.diagnostics);
    let mut events = Log::default();
    merge(&[("older", &older[..]), ("newer", &newer[..])], &mut events).unwrap();
    assert_eq!(events.0.iter().filter(|event| event.starts_with("Counter(")).count(), 1);
}

#[test]
fn a_process_has_ended_if_the_part_with_its_last_events_has() {
    let part = |begin: u64, has_end: bool| {
        write::<perfetto::Writer>(|take| {
            let (track, kind, location, args) = (1, TrackKind::Thread, SourceLocation::default(), &[][..]);
            take(&Event::Process(PROCESS));
            take(&Event::Track(Track { track, parent: None, kind, name: "main", tid: 1 }));
            let (category, name, node) = (Category::Call, "call", None);
            let at = Timestamp(begin);
            take(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
            let at = Timestamp(begin + 5);
            take(&Event::SliceEnd(SliceEnd { track, at, args }));
            if has_end {
                take(&Event::Finish { at });
            }
        })
    };
    let older = part(100, true);
    for has_end in [true, false] {
        let newer = part(200, has_end);
        let (first, second) = (("older", &older[..]), ("newer", &newer[..]));
        for inputs in [[first, second], [second, first]] {
            let mut builder = TraceBuilder::new();
            merge(&inputs, &mut builder).unwrap();
            assert_eq!(builder.build().info().complete, has_end, "{} is first", inputs[0].0);
        }
    }
}

#[test]
fn parts_of_a_process_become_whole_again() {
    let part = |from_ns: Option<u64>, begin: u64, end: Event<'_>| {
        write::<perfetto::Writer>(|take| {
            let (track, kind, location, args) = (1, TrackKind::Thread, SourceLocation::default(), &[][..]);
            take(&Event::Process(Process { from_ns, ..PROCESS }));
            take(&Event::Track(Track { track, parent: None, kind, name: "main", tid: 1 }));
            let (at, category, name, node) = (Timestamp(begin), Category::Call, "call", None);
            take(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
            take(&Event::SliceEnd(SliceEnd { track, at: Timestamp(begin + 5), args }));
            take(&end);
        })
    };
    let older = part(None, 100, Event::PartEnd { at: Timestamp(110) });
    let middle = part(Some(110), 120, Event::PartEnd { at: Timestamp(130) });
    let newer = part(Some(130), 200, Event::Finish { at: Timestamp(210) });
    let ends = |parts: &[&Vec<u8>]| {
        let inputs: Inputs<'_> = parts.iter().map(|bytes| ("part", &bytes[..])).collect();
        let mut builder = TraceBuilder::new();
        let report = merge(&inputs, &mut builder).unwrap();
        assert!(report.inputs.iter().all(|input| input.complete));
        let info = builder.build().info();
        (info.process.from_ns, info.process.until_ns, info.complete)
    };
    assert_eq!(ends(&[&older, &middle, &newer]), (None, None, true));
    assert_eq!(ends(&[&older, &middle]), (None, Some(130), true));
    assert_eq!(ends(&[&middle, &newer]), (Some(110), None, true));
    assert_eq!(ends(&[&newer, &older, &middle]), (None, None, true), "in any order");
}

#[test]
fn a_copy_takes_no_end_from_a_process() {
    let bytes = small_of::<perfetto::Writer>(PROCESS);
    let other = small_of::<perfetto::Writer>(SECOND);
    let mut builder = TraceBuilder::new();
    let inputs = [("a", &bytes[..]), ("copy of a", &bytes[..]), ("b", &other[..])];
    merge(&inputs, &mut builder).unwrap();
    let info = builder.build().info();
    assert!(info.complete && info.processes.iter().all(|process| process.complete));
}

#[test]
fn a_dependence_that_a_part_repeats_counts_once() {
    use syclscope_language::event::{Edge, EdgeReason};
    let part = |begin: u64| {
        write::<perfetto::Writer>(|take| {
            let (track, location, args) = (1, SourceLocation::default(), &[][..]);
            take(&Event::Process(PROCESS));
            let thread = Track { track, parent: None, kind: TrackKind::Thread, name: "main", tid: 1 };
            take(&Event::Track(thread));
            for (node, at) in [(1, 10), (2, 20)] {
                let (at, kind, name, queue, tid) = (Timestamp(at), NodeKind::Kernel, "k", None, 1);
                take(&Event::Node(Node { node, at, kind, name, queue, tid, location, args }));
            }
            let (at, source, target, reason) = (Timestamp(25), 1, 2, EdgeReason::Accessor);
            let (access_mode, memory_object) = ("read", 0x400);
            take(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object }));
            let (at, category, name, node) = (Timestamp(begin), Category::Call, "call", None);
            take(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
            take(&Event::SliceEnd(SliceEnd { track, at: Timestamp(begin + 5), args }));
            take(&Event::Finish { at: Timestamp(begin + 10) });
        })
    };
    let (older, newer) = (part(100), part(200));
    let mut builder = TraceBuilder::new();
    merge(&[("older", &older[..]), ("newer", &newer[..])], &mut builder).unwrap();
    let counts = builder.build().info().counts;
    assert_eq!((counts.slices, counts.nodes, counts.edges), (2, 2, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_recordings_are_merged_into_both_formats(
        parts in prop::collection::vec((steps(30), 0..3_u32, 0..2_usize, any::<bool>()), 1..4),
    ) {
        check_random(&parts);
    }
}

fn check_random(parts: &[(Vec<Step>, u32, usize, bool)]) {
    let files: Vec<_> = (0..)
        .zip(parts)
        .map(|(row, (steps, pid, host, json))| {
            let process = Process {
                pid: *pid,
                host: ["a", "b"][*host],
                start_monotonic_ns: PROCESS.start_monotonic_ns + 10 * row,
                start_unix_ns: PROCESS.start_unix_ns + 10 * row,
                rank: pid.checked_sub(1),
                ..PROCESS
            };
            if *json {
                write::<chrome_json::Writer>(|take| play_as(process, steps, take))
            } else {
                write::<perfetto::Writer>(|take| play_as(process, steps, take))
            }
        })
        .collect();
    let inputs = files.iter().map(|bytes| ("part", &bytes[..])).collect();
    let (events, report) = merged(&inputs);
    let processes = events.0.iter().filter(|event| event.starts_with("Process")).count();
    assert_eq!((report.inputs.len(), processes), (parts.len(), parts.len()));
}
