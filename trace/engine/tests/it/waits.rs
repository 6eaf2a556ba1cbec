//! Times in which a thread was blocked: each counts once, at the line that waits; in simulated runs against a scan of
//! every moment, and in recordings of real programs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{LineCost, StepKind, WaitReport};
use syclscope_language::event::{
    Accessor, Category, EdgeReason, Event, EventSink as _, Execution, MemoryObject, Node, NodeKind,
    ObjectDestroy, ObjectKind, Process, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
    Value,
};
use syclscope_language::question::LinesQuestion;
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place};

/// Slices that block their thread, and others.
const KINDS: [(Category, &str, bool); 9] = [
    (Category::Wait, "queue.wait", true),
    (Category::Wait, "event.wait", true),
    (Category::Barrier, "enqueue.barrier", true),
    (Category::Call, "urEventWait", true),
    (Category::Call, "urQueueFinish", true),
    (Category::Call, "piEventsWait", true),
    (Category::Call, "urKernelRetain", false),
    (Category::User, "urEventWait", false),
    (Category::Submission, "kernel", false),
];

/// A slice with others in it: its kind, and the time before and after the inner ones.
#[derive(Clone, Debug)]
struct Nest {
    kind: usize,
    before: u64,
    after: u64,
    inner: Vec<Nest>,
}

fn nests() -> impl Strategy<Value = Vec<Nest>> {
    let leaf = (0..KINDS.len(), 0..9_u64, 0..9_u64);
    let leaf = leaf.prop_map(|(kind, before, after)| Nest { kind, before, after, inner: Vec::new() });
    let nest = leaf.prop_recursive(3, 24, 4, |inner| {
        (0..KINDS.len(), 0..9_u64, 0..9_u64, prop::collection::vec(inner, 0..4))
            .prop_map(|(kind, before, after, inner)| Nest { kind, before, after, inner })
    });
    prop::collection::vec(nest, 0..6)
}

/// Writes consecutive slices, and collects the ranges in which the thread was blocked.
fn write(builder: &mut TraceBuilder, track: u64, nests: &[Nest], now: &mut u64, held: &mut Vec<(u64, u64)>) {
    for nest in nests {
        let (category, name, holds) = KINDS[nest.kind];
        let (node, location, args) = (None, SourceLocation::default(), &[][..]);
        *now += 1;
        let begin = *now;
        builder.event(&Event::SliceBegin(SliceBegin {
            track,
            at: Timestamp(begin),
            category,
            name,
            node,
            location,
            args,
        }));
        *now += nest.before;
        write(builder, track, &nest.inner, now, held);
        *now += nest.after + 1;
        builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(*now), args: &[] }));
        if holds {
            held.push((begin, *now));
        }
    }
}

fn threads(builder: &mut TraceBuilder) {
    builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
    for (track, tid) in [(1, 5), (2, 6)] {
        let (parent, kind, name) = (None, TrackKind::Thread, "thread");
        builder.event(&Event::Track(Track { track, parent, kind, name, tid }));
    }
}

proptest! {
    #[test]
    fn a_thread_is_held_once_at_a_time(one in nests(), other in nests()) {
        let mut builder = TraceBuilder::new();
        threads(&mut builder);
        let (mut moments, mut times) = (0, 0);
        for (track, nests) in [(1, one), (2, other)] {
            let (mut now, mut held) = (0, Vec::new());
            write(&mut builder, track, &nests, &mut now, &mut held);
            let is_held = |at: &u64| held.iter().any(|(begin, end)| (*begin..*end).contains(at));
            moments += (0..now).filter(is_held).count() as u64;
            // Each blocked range has an outermost slice.
            let is_outer = |one: &&(u64, u64)| !held.iter().any(|other| other != *one && other.0 <= one.0 && one.1 <= other.1);
            times += held.iter().filter(is_outer).count() as u64;
        }
        let trace = builder.build();
        let waits = trace.report().waits;
        prop_assert_eq!(waits.iter().map(|wait| wait.total_ns).sum::<u64>(), moments);
        prop_assert_eq!(waits.iter().map(|wait| wait.count).sum::<u64>(), times);
    }
}

/// Returns a kernel of 47 ms and a host accessor that waits for it, as the runtime reports them: a call in the
/// accessor's submission, then a wait for the accessor's event, then the accessor itself.
pub(crate) fn host_accessor() -> Trace {
    let (mut builder, at) = (TraceBuilder::new(), Timestamp);
    threads(&mut builder);
    let (ms, unknown) = (1_000_000, SourceLocation::default());
    let node = |node, kind, name, at, location| Node {
        node,
        at,
        kind,
        name,
        queue: Some(1),
        tid: 5,
        location,
        args: &[],
    };
    let slice = |builder: &mut TraceBuilder,
                 (from, to),
                 category,
                 name,
                 node,
                 args: &[(&str, Value<'_>)],
                 inner: bool| {
        let location = if category == Category::Submission { unknown } else { SourceLocation::default() };
        builder.event(&Event::SliceBegin(SliceBegin {
            track: 1,
            at: at(from),
            category,
            name,
            node,
            location,
            args,
        }));
        if !inner {
            builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(to), args: &[] }));
        }
    };
    builder.event(&Event::MemoryObject(MemoryObject {
        object: 1,
        at: at(1),
        kind: ObjectKind::Buffer,
        address: 0xb0,
        host_pointer: 0,
        element_type: "i",
        element_size_bytes: 4,
        dimensions: 1,
        range_0: 4,
        range_1: 0,
        range_2: 0,
        tid: 5,
        location: place(10),
        args: &[],
    }));
    builder.event(&Event::Node(node(1, NodeKind::Kernel, "slow", at(ms), place(20))));
    slice(&mut builder, (ms, ms + 10), Category::Submission, "slow", Some(1), &[], true);
    let event = [("phEvent", Value::Pointer(0xe1))];
    slice(&mut builder, (ms + 1, ms + 9), Category::Call, "urEnqueueKernelLaunch", Some(1), &event, false);
    builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(ms + 10), args: &[] }));
    builder.event(&Event::Execution(Execution {
        node: 1,
        queue: 1,
        kind: NodeKind::Kernel,
        name: "slow",
        queued: None,
        submitted: None,
        start: at(ms + 20),
        end: at(48 * ms + 20),
        args: &[],
    }));
    builder.event(&Event::Node(node(2, NodeKind::HostAccessor, "lock", at(ms + 30), unknown)));
    slice(&mut builder, (ms + 40, 48 * ms + 60), Category::Submission, "lock", Some(2), &[], true);
    let list = [("phEventWaitList[0]", Value::Pointer(0xe1))];
    slice(&mut builder, (ms + 50, 48 * ms + 50), Category::Call, "urEventWait", None, &list, false);
    builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(48 * ms + 60), args: &[] }));
    slice(&mut builder, (48 * ms + 70, 48 * ms + 75), Category::Wait, "event.wait", Some(2), &[], false);
    builder.event(&Event::Accessor(Accessor {
        object: 1,
        at: at(48 * ms + 80),
        address: 0xacc,
        target: "host_buffer",
        mode: "read",
        node: Some(2),
        tid: 5,
        location: place(59),
        args: &[],
    }));
    builder.event(&Event::Finish { at: at(50 * ms) });
    builder.build()
}

#[test]
fn a_wait_for_an_event_is_at_a_line_only_if_that_is_its_own() {
    let mut run = Run::new(QueueOrder::InOrder);
    let callers = [Some(Value::Pointer(0x40)), Some(Value::Str("python")), Some(Value::Str("other")), None];
    for (line, caller) in (1..).zip(callers) {
        let args: Vec<_> = caller.map(|caller| ("caller", caller)).into_iter().collect();
        let at = 100 * u64::from(line);
        run.slice_at(place(line), Category::Wait, "event.wait", (at, at + 50), None, &args);
    }
    let waits = run.trace().report().waits;
    let mut lines = told(&waits);
    lines.sort_unstable();
    assert_eq!(lines, [("event.wait", 0, 2), ("event.wait", 1, 1), ("event.wait", 2, 1)]);
}

fn told(waits: &[WaitReport]) -> Vec<(&str, u32, u64)> {
    let line = |wait: &WaitReport| wait.location.as_ref().map_or(0, |place| place.line);
    waits.iter().map(|wait| (wait.name.as_str(), line(wait), wait.count)).collect()
}

#[test]
fn a_host_accessor_waits_once_at_its_own_line() {
    let trace = host_accessor();
    let report = trace.report();
    assert_eq!(told(&report.waits), [("host accessor", 59, 1)]);
    assert_eq!(report.waits[0].total_ns, 47_000_025);
    let lines = trace.lines(&LinesQuestion::Path("main.cpp".to_owned())).unwrap().lines;
    let waits: Vec<_> = lines.iter().map(|line| (line.line, line.cost.waits, line.cost.wait_ns)).collect();
    assert_eq!(waits, [(20, 0, 0), (59, 1, 47_000_025)]);
    let steps: Vec<_> =
        report.critical_path.steps.iter().map(|step| (step.kind, step.name.as_str())).collect();
    let expected = [
        (StepKind::Host, "before the first event"),
        (StepKind::Submission, "slow"),
        (StepKind::Launch, "slow"),
        (StepKind::Command, "slow"),
        (StepKind::Wait, "host accessor"),
        (StepKind::Host, "after the last event"),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_native_call_in_a_submission_waits_where_the_program_submits() {
    let (mut builder, at) = (TraceBuilder::new(), Timestamp);
    threads(&mut builder);
    let (parent, kind, name) = (Some(1), TrackKind::Stream, "CUDA calls");
    builder.event(&Event::Track(Track { track: 9, parent, kind, name, tid: 5 }));
    let (queue, tid, args) = (Some(1), 5, &[][..]);
    let (kind, name) = (NodeKind::Copy, "memcpy");
    builder.event(&Event::Node(Node {
        node: 1,
        at: at(5),
        kind,
        name,
        queue,
        tid,
        location: place(33),
        args,
    }));
    for (track, category, name, node, location, from, to) in [
        (1, Category::Submission, "memcpy", Some(1), place(33), 10, 90),
        (9, Category::Native, "cuEventSynchronize", None, SourceLocation::default(), 20, 80),
    ] {
        builder.event(&Event::SliceBegin(SliceBegin {
            track,
            at: at(from),
            category,
            name,
            node,
            location,
            args,
        }));
        builder.event(&Event::SliceEnd(SliceEnd { track, at: at(to), args }));
    }
    let waits = builder.build().report().waits;
    assert_eq!(told(&waits), [("cuEventSynchronize", 33, 1)]);
    assert_eq!(waits[0].total_ns, 60);
}

/// Writes a slice of a thread of the runtime, on track 2.
fn on_pool(run: &mut Run, name: &str, (from, to): (u64, u64), args: &[(&str, Value<'_>)]) {
    let (category, node, location) = (Category::Call, None, SourceLocation::default());
    let begin = SliceBegin { track: 2, at: Timestamp(from), category, name, node, location, args };
    run.event(&Event::SliceBegin(begin));
    run.event(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(to), args: &[] }));
}

#[test]
fn a_thread_of_the_runtime_that_waits_before_host_tasks_does_not_block_the_program() {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    run.event(&Event::Track(Track { track: 2, parent: None, kind: TrackKind::Thread, name: "pool", tid: 2 }));
    let unknown = SourceLocation::default();
    for number in 0..10 {
        let (at, event) = (number * 10_000 + 100, Value::Pointer(0xe0 + number));
        run.event(&Event::MemoryObject(MemoryObject {
            object: number,
            at: Timestamp(at),
            kind: ObjectKind::Buffer,
            address: 0xb0 + number,
            host_pointer: 0,
            element_type: "i",
            element_size_bytes: 4,
            dimensions: 1,
            range_0: 4,
            range_1: 0,
            range_2: 0,
            tid: 1,
            location: place(15),
            args: &[],
        }));
        let node = run.next_node();
        run.submit(Command { node, at: at + 10, ran: (at + 100, at + 8_000), ..Command::default() });
        let call = [("phEvent", event)];
        run.slice(Category::Call, "urEnqueueKernelLaunch", at + 30, at + 40, Some(node), &call);
        run.event(&Event::Accessor(Accessor {
            object: number,
            at: Timestamp(at + 10),
            address: 0xacc,
            target: "device",
            mode: "write",
            node: Some(node),
            tid: 1,
            location: unknown,
            args: &[],
        }));
        let task = run.node(NodeKind::HostTask, at + 50);
        run.edge(node, task, EdgeReason::Accessor);
        let list = [("phEventWaitList[0]", event)];
        on_pool(&mut run, "urEventWait", (at + 70, at + 8_010), &list);
        run.slice(Category::Call, "urEventWait", at + 8_400, at + 8_430, None, &list);
        run.event(&Event::ObjectDestroy(ObjectDestroy { object: number, at: Timestamp(at + 8_500) }));
    }
    // A command whose request was not recorded.
    let (node, at, queue, args) = (run.next_node(), Timestamp(100_000), Some(1), &[][..]);
    let (kind, name) = (NodeKind::Kernel, "kernel");
    run.event(&Event::Node(Node { node, at, kind, name, queue, tid: 2, location: unknown, args }));
    let trace = run.trace();
    let report = trace.report();
    assert_eq!(told(&report.waits), [("buffer destructor", 15, 10)]);
    assert_eq!((report.waits[0].total_ns, report.covered.wait_ns, report.split.wait_ns), (300, 300, 300));
    let at_line = line(&trace, "main.cpp", 15);
    assert_eq!((at_line.waits, at_line.wait_ns), (10, 300));
}

fn kept(name: &str) -> Trace {
    let path = format!("{}/../../e2e/traces/{name}.pftrace.gz", env!("CARGO_MANIFEST_DIR"));
    import::open(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the costs of a line in a file, given by the end of its path.
fn line(trace: &Trace, file: &str, line: u32) -> LineCost {
    let files = trace.files();
    let path = files.iter().map(|file| &file.path).find(|path| path.ends_with(file)).unwrap();
    let lines = trace.lines(&LinesQuestion::Path(path.clone())).unwrap().lines;
    lines.iter().find(|known| known.line == line).map(|known| known.cost).unwrap_or_default()
}

#[test]
fn waits_of_the_example_are_where_the_program_waits() {
    let trace = kept("heat");
    let report = trace.report();
    let accessor = report.waits.iter().find(|wait| wait.name == "host accessor").unwrap();
    let place = accessor.location.as_ref().unwrap();
    assert!(place.file.ends_with("with_buffers.hpp") && place.line == 59, "{place:?}");
    assert_eq!((accessor.count, accessor.total_ns), (3, 15_906_766));
    let at_accessor = line(&trace, "with_buffers.hpp", 59);
    assert_eq!((at_accessor.waits, at_accessor.wait_ns), (3, 15_906_766));
    // Submitted at 68 and at 101, with waits at other lines.
    for (file, number) in [("with_buffers.hpp", 68), ("with_usm.hpp", 101)] {
        let cost = line(&trace, file, number);
        assert!(cost.submissions > 0);
        assert_eq!((cost.waits, cost.wait_ns), (0, 0), "{file}:{number}");
    }
    for (file, number) in [("with_buffers.hpp", 72), ("with_usm.hpp", 105)] {
        let cost = line(&trace, file, number);
        assert_eq!((cost.submissions, cost.waits), (0, 1), "{file}:{number}");
    }
    // `event.wait` is nested in `queue.wait` at 106.
    assert_eq!(line(&trace, "with_usm.hpp", 106).waits, 1);
    let path = &report.critical_path;
    let parts =
        [path.device_ns, path.launch_ns, path.submission_ns, path.call_ns, path.wait_ns, path.host_ns];
    assert_eq!(parts.iter().sum::<u64>(), path.length_ns);
    let accessors =
        path.steps.iter().filter(|step| step.kind == StepKind::Wait && step.name == "host accessor");
    assert_eq!(accessors.count(), 3, "the path goes on in what they waited for");
    assert_eq!(path.length_ns, trace.info().duration_ns);
}

#[test]
fn host_tasks_of_the_example_have_an_estimate() {
    let trace = kept("heat");
    let [tasks] = &trace.report().host_tasks[..] else { panic!("one place has all of them") };
    assert_eq!((tasks.count, tasks.estimated), (4, 4));
    assert!(tasks.at_most_ns >= tasks.longest_ns && tasks.longest_ns > 0);
}

#[test]
fn host_tasks_that_may_have_run_at_once_count_once() {
    let trace = kept("dpnp");
    let slices = crate::brute_force::details(&trace);
    let nodes = slices.iter().filter_map(|slice| slice.node.as_ref());
    let tasks: BTreeMap<u64, _> = nodes
        .filter(|node| node.kind == NodeKind::HostTask)
        .map(|node| (node.id, (node.location.clone().map(|place| (place.file, place.line)), node.estimate)))
        .collect();
    assert_eq!(tasks.len(), 144);
    let reports = trace.report().host_tasks;
    assert_eq!(reports.iter().map(|report| report.count).sum::<u64>(), 144);
    let mut sum_ns = 0;
    for report in &reports {
        let place = report.location.clone().map(|place| (place.file, place.line));
        let here = tasks.values().filter(|(of, _)| *of == place);
        let spans: Vec<(u64, u64)> =
            here.filter_map(|(_, estimate)| estimate.map(|found| (found.from_ns, found.to_ns))).collect();
        assert_eq!(report.estimated, spans.len() as u64);
        sum_ns += spans.iter().map(|(from, to)| to - from).sum::<u64>();
        // Between two adjacent bounds, a task may have run throughout or not at all.
        let mut bounds: Vec<u64> = spans.iter().flat_map(|(from, to)| [*from, *to]).collect();
        bounds.sort_unstable();
        let is_in = |at: u64| spans.iter().any(|(from, to)| (*from..*to).contains(&at));
        let covered: u64 =
            bounds.windows(2).filter(|pair| is_in(pair[0])).map(|pair| pair[1] - pair[0]).sum();
        assert_eq!(report.at_most_ns, covered);
        assert!(report.at_most_ns <= trace.info().duration_ns);
    }
    let at_most_ns: u64 = reports.iter().map(|report| report.at_most_ns).sum();
    assert!(at_most_ns < sum_ns, "{at_most_ns} of {sum_ns}");
}

/// A program's next action with its buffers: action, time before it, buffer, and the way in which it names the buffer.
type Use = (u8, u64, usize, bool);

proptest! {
    #[test]
    fn a_wait_before_the_end_of_a_buffer_that_it_uses_is_that_end(
        uses in prop::collection::vec((0..4_u8, 1..9_u64, 0..20_usize, any::<bool>()), 1..30)
    ) {
        let (told, expected) = ends_of_buffers(&uses);
        prop_assert_eq!(told, expected);
    }
}

/// Returns the line of each wait of a run in the report, and by a scan of every buffer; buffers are created at lines
/// from 100, and 0 is the line of another wait.
fn ends_of_buffers(uses: &[Use]) -> (Vec<u32>, Vec<u32>) {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    // Address, creation and destruction of each buffer; the buffer of each command, by an accessor or by its address.
    let mut buffers: Vec<(u64, u64, Option<u64>)> = Vec::new();
    let mut commands: Vec<(u64, Result<usize, u64>)> = Vec::new();
    let mut waits: Vec<(u64, u64, usize)> = Vec::new();
    let mut now = 0;
    for &(what, before, which, by_address) in uses {
        now += before;
        match what {
            0 => {
                // A few addresses are reused.
                let address = 0xb0 + which as u64 % 3;
                let (object, line) = (buffers.len() as u64, 100 + buffers.len() as u32);
                run.event(&Event::MemoryObject(MemoryObject {
                    object,
                    at: Timestamp(now),
                    kind: ObjectKind::Buffer,
                    address,
                    host_pointer: 0,
                    element_type: "i",
                    element_size_bytes: 4,
                    dimensions: 1,
                    range_0: 4,
                    range_1: 0,
                    range_2: 0,
                    tid: 1,
                    location: place(line),
                    args: &[],
                }));
                buffers.push((address, now, None));
            }
            1 => {
                let node = commands.len() as u64 + 1;
                let args = [("memory_object", Value::Pointer(0xb0 + which as u64 % 3))];
                let by_address = by_address || buffers.is_empty();
                let args: &[_] = if by_address { &args } else { &[] };
                let (kind, name, queue, at) = (NodeKind::Kernel, "kernel", Some(1), Timestamp(now));
                let location = SourceLocation::default();
                run.event(&Event::Node(Node { node, at, kind, name, queue, tid: 1, location, args }));
                run.slice_at(location, Category::Submission, name, (now, now + 1), Some(node), &[]);
                let (start, end) = (Timestamp(now + 1), Timestamp(now + 2));
                let (queued, submitted, args) = (None, None, &[][..]);
                let ran = Execution { node, queue: 1, kind, name, queued, submitted, start, end, args };
                run.event(&Event::Execution(ran));
                let used = if by_address { Err(0xb0 + which as u64 % 3) } else { Ok(which % buffers.len()) };
                if let Ok(object) = used {
                    run.event(&Event::Accessor(Accessor {
                        object: object as u64,
                        at,
                        address: 0xacc,
                        target: "device",
                        mode: "read",
                        node: Some(node),
                        tid: 1,
                        location: SourceLocation::default(),
                        args: &[],
                    }));
                }
                commands.push((now, used));
                now += 1;
            }
            2 if !commands.is_empty() => {
                let (command, end) = (which % commands.len(), now + 3);
                let location = SourceLocation::default();
                let node = Some(command as u64 + 1);
                run.slice_at(location, Category::Wait, "event.wait", (now, end), node, &[]);
                waits.push((now, end, command));
                now = end;
            }
            _ => {
                let Some(object) = which.checked_rem(buffers.len()) else { continue };
                let (_, _, gone) = &mut buffers[object];
                if gone.is_none() {
                    *gone = Some(now);
                    run.event(&Event::ObjectDestroy(ObjectDestroy {
                        object: object as u64,
                        at: Timestamp(now),
                    }));
                }
            }
        }
    }
    let expected = waits.iter().map(|(begin, end, command)| {
        let (_, used) = &commands[*command];
        let next = commands.iter().map(|(at, _)| *at).find(|at| at >= end).unwrap_or(u64::MAX);
        let ends = buffers.iter().enumerate().filter_map(|(number, (address, made, gone))| {
            let is_used = used.map_or_else(|wanted| wanted == *address, |object| object == number);
            gone.filter(|gone| is_used && made <= begin && (*end..=next).contains(gone))
                .map(|gone| (gone, number))
        });
        ends.min().map_or(0, |(_, number)| 100 + number as u32)
    });
    let mut expected: Vec<u32> = expected.collect();
    let mut lines: Vec<u32> = told(&run.trace().report().waits)
        .into_iter()
        .flat_map(|(name, line, count)| {
            assert_eq!(name == "buffer destructor", line > 0);
            vec![line; count as usize]
        })
        .collect();
    lines.sort_unstable();
    expected.sort_unstable();
    (lines, expected)
}
