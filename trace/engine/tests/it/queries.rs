//! Answers about a trace and about one slice.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ArgValue, LocationInfo};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Dropped, EdgeReason, Event, EventSink as _, Execution,
    NO_DEVICE_TIME, NoTime, NodeKind, Process, QueueOrder, Release, SliceBegin, SourceLocation, Track,
    TrackKind, Untimed,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::Run;
use crate::recordings::small;

fn build(play: impl FnOnce(&mut dyn FnMut(&Event<'_>))) -> Trace {
    let mut builder = TraceBuilder::new();
    play(&mut |event| builder.event(event));
    builder.build()
}

fn find(trace: &Trace, name: &str, category: Category) -> u32 {
    let count = trace.info().counts.slices as u32;
    let is_it = |slice: &u32| {
        let detail = trace.slice(*slice).unwrap();
        detail.name == name && detail.category == category
    };
    (0..count).find(is_it).unwrap()
}

#[test]
fn a_command_that_names_no_queue_is_on_the_one_that_it_ran_on() {
    let mut run = Run::new(QueueOrder::InOrder);
    // Like a buffer's write-back.
    let node = run.node(NodeKind::Copy, 10);
    run.event(&Event::Execution(Execution {
        node,
        queue: 1,
        kind: NodeKind::Copy,
        name: "copy",
        queued: None,
        submitted: None,
        start: Timestamp(20),
        end: Timestamp(30),
        args: &[],
    }));
    let trace = run.trace();
    let copy = find(&trace, "copy", Category::Copy);
    assert_eq!(trace.slice(copy).unwrap().node.unwrap().queue, Some(1));
}

#[test]
fn threads_with_the_programs_name_are_told_apart_by_their_ids() {
    let names = |tracks: &[(&str, u32)]| {
        let info = build(|sink| {
            sink(&Event::Process(Process {
                pid: 40,
                name: "a_program_with_a_long_name",
                ..Process::default()
            }));
            for (track, (name, tid)) in (1..).zip(tracks) {
                let (track, tid) = (track, *tid);
                sink(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name, tid }));
                sink(&Event::SliceBegin(SliceBegin {
                    track,
                    at: Timestamp(1),
                    category: Category::Call,
                    name: "call",
                    node: None,
                    location: SourceLocation::default(),
                    args: &[],
                }));
            }
        })
        .info();
        info.tracks.into_iter().map(|track| track.name).collect::<Vec<_>>()
    };
    let shown = names(&[("a_program_with_", 40), ("a_program_with_", 41), ("tbb worker", 42)]);
    assert_eq!(shown, ["main thread", "thread 41", "tbb worker"]);
}

#[test]
fn tracks_are_devices_then_memory_then_threads() {
    let info = build(small).info();
    let tracks: Vec<_> =
        info.tracks.iter().map(|track| (track.kind, track.name.as_str(), track.parent)).collect();
    assert_eq!(
        tracks,
        [
            (TrackKind::Device, "Intel(R) Xeon(R)", None),
            (TrackKind::Queue, "queue 1 · in-order", Some(0)),
            (TrackKind::Queue, "queue 2 · out-of-order", Some(0)),
            (TrackKind::Counter, "memory in use: device", None),
            (TrackKind::Counter, "memory in use: shared", None),
            (TrackKind::Process, "stencil", None),
            (TrackKind::Thread, "main thread", Some(5)),
            (TrackKind::Counter, "live events", Some(5)),
        ]
    );
    assert_eq!(info.tracks[2].lanes, 2, "two kernels overlap on the second queue");
    assert_eq!(info.tracks[6].lanes, 2, "calls lie below submissions");
    let counter = info.tracks[3].counter.as_ref().unwrap();
    assert_eq!((counter.min, counter.max, counter.unit.as_str()), (0.0, 4096.0, "bytes"));
}

#[test]
fn counts_kernels_and_problems_are_summed_up() {
    let info = build(small).info();
    let counts = info.counts;
    assert_eq!((counts.slices, counts.nodes, counts.edges, counts.executions), (11, 3, 2, 3));
    assert_eq!((counts.allocations, counts.unreleased, counts.calls, counts.dropped), (2, 1, 3, 3));
    assert_eq!((info.duration_ns, info.complete), (50_000, true));
    let kernel = &info.kernels[0];
    assert_eq!((kernel.name.as_str(), kernel.kind), ("Stencil<float>", NodeKind::Kernel));
    assert_eq!((kernel.count, kernel.total_ns, kernel.min_ns, kernel.max_ns), (2, 32_623, 15_123, 17_500));
    let kinds: Vec<_> = info.diagnostics.iter().map(|found| (found.kind.as_str(), found.count)).collect();
    assert_eq!(kinds, [("dropped_full_buffer", 3)]);
    let queue = &info.queues[1];
    assert_eq!((queue.id, queue.track, queue.created_ns, queue.destroyed_ns), (2, 2, 1_500, Some(48_000)));
}

#[test]
fn a_kernel_knows_its_life_and_its_edges() {
    let trace = build(small);
    let detail = trace.slice(find(&trace, "Stencil<float>", Category::Kernel)).unwrap();
    assert_eq!(detail.args[0], ("bytes".to_owned(), ArgValue::Uint(4096)));
    let node = detail.node.unwrap();
    assert_eq!((node.id, node.queue, node.created_ns), (2, Some(2), 20_000));
    assert_eq!(node.args[1], ("copy_from".to_owned(), ArgValue::Pointer("0x12".to_owned())));
    let location =
        LocationInfo { function: "main".into(), file: "/src/stencil.cpp".into(), line: 32, column: 7 };
    assert_eq!(node.location, Some(location));
    let submission = node.submission.unwrap();
    assert_eq!((submission.start_ns, submission.duration_ns), (20_200, 800));
    let execution = node.execution.unwrap();
    assert_eq!(execution.at, detail.at);
    assert_eq!((execution.queued_ns, execution.submitted_ns), (Some(22_100), Some(22_300)));
    assert_eq!(execution.queueing_delay_ns, Some(1_500));
    let [before] = &node.waits_for[..] else { panic!("{:?}", node.waits_for) };
    assert_eq!(
        (before.node, before.reason, before.access_mode.as_str()),
        (1, EdgeReason::Accessor, "read_write")
    );
    assert_eq!(before.memory_object, "0xabc0");
    let copy = find(&trace, "memory copy", Category::Copy);
    assert_eq!(before.at.unwrap().slice, copy, "an edge leads to the other execution");
    assert_eq!(node.waited_by[0].node, 3);
}

#[test]
fn a_call_belongs_to_the_submission_around_it() {
    let trace = build(small);
    let detail = trace.slice(find(&trace, "urEnqueueKernelLaunch", Category::Call)).unwrap();
    assert_eq!(detail.at.lane, 1);
    assert_eq!(detail.node.unwrap().id, 1);
    let args: Vec<_> = detail.args.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(args, ["hQueue", "workDim", "result", "node"], "begin and end");
    let wait = trace.slice(find(&trace, "queue.wait", Category::Wait)).unwrap();
    assert_eq!(wait.node, None);
}

#[test]
fn what_is_not_there_is_said() {
    let trace = build(small);
    assert_eq!(trace.slice(11).unwrap_err(), QueryError::NoSlice(11));
}

#[test]
fn open_slices_end_with_the_recording() {
    let trace = build(|take| {
        for start in [5, 7] {
            take(&Event::SliceBegin(SliceBegin {
                track: 1,
                at: Timestamp(start),
                category: Category::Wait,
                name: "wait",
                node: None,
                location: SourceLocation::default(),
                args: &[],
            }));
        }
        take(&Event::Release(Release { at: Timestamp(90), pointer: 1, tid: 0 }));
    });
    let outer = trace.slice(0).unwrap();
    assert!(outer.unfinished);
    assert_eq!((outer.at.start_ns, outer.at.duration_ns), (5, 85));
    assert_eq!(trace.slice(1).unwrap().at.duration_ns, 83);
    assert!(!trace.info().complete);
}

#[test]
fn memory_problems_are_counted_and_the_sum_stays_right() {
    let allocation = |at, pointer, size_bytes| {
        Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer,
            size_bytes,
            kind: AllocationKind::Host,
            guard_bytes: 0,
            device: "",
            tid: 0,
            location: SourceLocation::default(),
        })
    };
    let release = |at, pointer| Event::Release(Release { at: Timestamp(at), pointer, tid: 0 });
    let trace = build(|take| {
        take(&allocation(10, 1, 100));
        // Late events: threads are written one after the other.
        take(&release(30, 2));
        take(&allocation(20, 2, 50));
        take(&allocation(40, 1, 70));
        take(&release(50, 1));
        take(&release(60, 1));
    });
    let info = trace.info();
    let kinds: Vec<_> = info.diagnostics.iter().map(|found| (found.kind.as_str(), found.count)).collect();
    assert_eq!(kinds, [("allocated_twice", 1), ("released_unknown", 1)]);
    assert_eq!((info.counts.allocations, info.counts.unreleased), (3, 0));
    let counter = info.tracks[0].counter.as_ref().unwrap();
    assert_eq!((counter.min, counter.max), (0.0, 150.0));
}

#[test]
fn times_out_of_range_are_moved_and_counted() {
    let trace = build(|take| take(&Event::Finish { at: Timestamp(u64::MAX) }));
    assert_eq!(trace.info().duration_ns, (1 << 62) - 1);
    assert_eq!(trace.info().diagnostics[0].kind, "time_out_of_range");
}

#[test]
fn a_command_without_device_times_is_no_dropped_event() {
    let mut builder = TraceBuilder::new();
    let at = Timestamp(5);
    builder.event(&Event::Dropped(Dropped { at, kind: NO_DEVICE_TIME, count: 2 }));
    builder.event(&Event::Dropped(Dropped { at, kind: "full_buffer.call_begin", count: 7 }));
    let info = builder.build().info();
    assert_eq!(info.counts.dropped, 7);
    let kinds: Vec<_> = info.diagnostics.iter().map(|found| (found.kind.as_str(), found.count)).collect();
    assert_eq!(kinds, [("no_device_time", 2), ("dropped_full_buffer.call_begin", 7)]);
    assert_eq!(
        info.diagnostics[0].message,
        "2 commands have no device times: for each of them, the recording does not say why."
    );
}

#[test]
fn a_command_without_device_times_says_why() {
    let mut run = Run::new(QueueOrder::InOrder);
    let at = Timestamp(5);
    // The reason may precede the command.
    run.event(&Event::Untimed(Untimed { at, node: 1, reason: NoTime::Unfinished }));
    let nodes =
        [run.node(NodeKind::Kernel, 10), run.node(NodeKind::Copy, 20), run.node(NodeKind::Kernel, 30)];
    for node in nodes {
        run.slice(Category::Submission, "submission", node * 10, node * 10 + 1, Some(node), &[]);
    }
    run.event(&Event::Untimed(Untimed { at, node: 3, reason: NoTime::Unprofiled }));
    let trace = run.trace();
    let messages: Vec<_> = trace.info().diagnostics.into_iter().map(|found| found.message).collect();
    assert_eq!(
        messages,
        [
            "1 command has no device times: it had not finished when the program ended.",
            "1 command has no device times: its queue has no profiling.",
        ]
    );
    let why = |slice| {
        let args = trace.slice(slice).unwrap().node.unwrap().args;
        args.into_iter().find(|(key, _)| key == "device_time").map(|(_, value)| value.to_string())
    };
    let found: Vec<_> = (0..3).map(why).collect();
    assert_eq!(found[0].as_deref(), Some("none: it had not finished when the program ended"));
    assert_eq!((&found[1], found[2].as_deref()), (&None, Some("none: its queue has no profiling")));
}

#[test]
fn a_command_without_device_times_counts_once_however_often_it_is_told() {
    let mut run = Run::new(QueueOrder::InOrder);
    let at = Timestamp(5);
    let node = run.node(NodeKind::Kernel, 10);
    run.slice(Category::Submission, "submission", 10, 11, Some(node), &[]);
    for reason in [NoTime::Unfinished; 50].into_iter().chain([NoTime::Unprofiled]) {
        run.event(&Event::Untimed(Untimed { at, node, reason }));
    }
    let trace = run.trace();
    let messages: Vec<_> = trace.info().diagnostics.into_iter().map(|found| found.message).collect();
    assert_eq!(messages, ["1 command has no device times: its queue has no profiling."]);
    let args = trace.slice(0).unwrap().node.unwrap().args;
    let told: Vec<_> = args.iter().map(|(key, value)| (key.as_str(), value.to_string())).collect();
    assert_eq!(told, [("device_time", "none: its queue has no profiling".to_owned())]);
}
