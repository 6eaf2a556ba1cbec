//! Samples of host threads: in idle time and on the critical path, in call trees, and in merged, cut and written files.

use syclscope_engine::budget::Budget;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::merge::merge;
use syclscope_engine::store::Trace;
use syclscope_engine::{cut, import};
use syclscope_language::api::{CallTree, CriticalPath, GapClass, Gaps, StepKind};
use syclscope_language::event::{
    Event, FrameKind, Process, QueueOrder, Sample, SourceLocation, StackFrame, Track, TrackKind,
};
use syclscope_language::formats::Format;
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};
use crate::recordings::{Log, PROCESS, write};

const FRAMES: [(u64, Option<u64>, FrameKind, &str, u32); 6] = [
    (1, None, FrameKind::System, "_start", 0),
    (2, Some(1), FrameKind::Program, "main", 61),
    (3, Some(2), FrameKind::Program, "assemble", 88),
    (4, Some(2), FrameKind::Program, "assemble", 89),
    (5, Some(2), FrameKind::Program, "load", 12),
    (6, Some(5), FrameKind::System, "read", 0),
];

/// Time, frame, and true if the thread was blocked, always in `read`: eight samples between two kernels, and one
/// before.
const SAMPLES: [(u64, u64, bool); 9] = [
    (90, 2, false),
    (300, 3, false),
    (310, 4, false),
    (320, 4, false),
    (330, 3, false),
    (340, 4, false),
    (350, 6, true),
    (360, 6, true),
    (370, 2, false),
];

fn samples(take: &mut dyn FnMut(&Event<'_>)) {
    for (frame, caller, kind, function, line) in FRAMES {
        let location = SourceLocation { function, file: "/src/solve.cpp", line, column: 0 };
        take(&Event::StackFrame(StackFrame {
            frame,
            caller,
            kind,
            module: "/opt/solve",
            location,
            ..StackFrame::default()
        }));
    }
    for (at, stack, is_blocked) in SAMPLES {
        take(&Event::Sample(Sample {
            at: Timestamp(at),
            track: 1,
            stack: Some(stack),
            period_ns: 10,
            missed: 0,
            is_blocked,
            system_call: is_blocked.then_some(0),
        }));
    }
}

/// Returns two kernels, and between them 190 ns of the program's own code.
fn trace() -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 100, submission_ns: 10, ran: (120, 200), ..Command::default() });
    run.wait_for_queue(1, 110, 210);
    run.submit(Command { node: 2, at: 400, submission_ns: 10, ran: (420, 500), ..Command::default() });
    run.wait_for_queue(1, 410, 510);
    samples(&mut |event| run.event(event));
    run.event(&Event::Finish { at: Timestamp(520) });
    run.trace()
}

fn played(process: Process<'_>, take: &mut dyn FnMut(&Event<'_>)) {
    take(&Event::Process(process));
    take(&Event::Track(Track { track: 1, parent: None, kind: TrackKind::Thread, name: "main", tid: 1 }));
    samples(take);
    take(&Event::Finish { at: Timestamp(520) });
}

fn tree(trace: &Trace, question: CallTreeQuestion) -> String {
    let question = CallTreeQuestion { weight: CallWeight::Samples, limit: 100, ..question };
    let CallTree { groups, names, .. } = trace.call_tree(&question).unwrap();
    let nodes = groups.iter().flat_map(|group| &group.nodes);
    nodes
        .map(|node| {
            format!("{}×{} {} ({}) ", names[node.name as usize], node.count, node.total_ns, node.self_ns)
        })
        .collect()
}

const TREE: &str = "_start×9 90 (0) main×9 90 (20) assemble×5 50 (50) load×2 20 (0) read×2 20 (0) blocked in read×2 20 (20) ";

/// Between the kernels the host waits for 10 ns, runs its own code for 190 ns, which the eight samples share equally,
/// submits the second kernel for 10 ns, and its launch takes another 10.
#[test]
fn idle_time_is_that_of_the_sampled_stacks() {
    let mut question =
        CallTreeQuestion { weight: CallWeight::Idle, limit: 100, ..CallTreeQuestion::default() };
    (question.selection.from_ns, question.selection.to_ns) = (Some(200), Some(420));
    let CallTree { groups, names, .. } = trace().call_tree(&question).unwrap();
    let nodes: Vec<_> = groups.iter().flat_map(|group| &group.nodes).collect();
    let of = |name: &str| {
        nodes.iter().find(|node| names[node.name as usize] == name).map(|node| (node.total_ns, node.self_ns))
    };
    assert_eq!(groups.iter().map(|group| group.total_ns).sum::<u64>(), 220);
    // 23 or 24 ns per sample.
    assert_eq!(of("main"), Some((190, 24)));
    assert_eq!(of("assemble").map(|(total, _)| total / 5), Some(23));
    assert_eq!(of("blocked in read").map(|(total, _)| total / 2), Some(24));
    assert_eq!(
        (of("queue.wait"), of("kernel"), of("launch overhead")),
        (Some((10, 10)), Some((10, 10)), Some((10, 10)))
    );
}

#[test]
fn time_is_summed_up_by_sampled_stack() {
    let trace = trace();
    assert_eq!(tree(&trace, CallTreeQuestion::default()), TREE);
    let by = CallGrouping::Thread;
    assert_eq!(tree(&trace, CallTreeQuestion { by, ..CallTreeQuestion::default() }), TREE);
    let mut part = CallTreeQuestion::default();
    (part.selection.from_ns, part.selection.to_ns) = (Some(350), Some(370));
    assert_eq!(
        tree(&trace, part),
        "_start×2 20 (0) main×2 20 (0) load×2 20 (0) read×2 20 (0) blocked in read×2 20 (20) "
    );
}

#[test]
fn idle_time_and_the_critical_path_name_the_function_that_ran() {
    let trace = trace();
    let gaps: Gaps =
        serde_json::from_str(&trace.answer(&"gaps?limit=10&at=300".parse().unwrap()).unwrap()).unwrap();
    let [gap] = &gaps.gaps[..] else { panic!("{gaps:?}") };
    let message = "in assemble in 5 of 8 samples, most often at solve.cpp:89";
    assert!(gap.message.contains(message), "{}", gap.message);
    assert_eq!(gap.class, GapClass::Sampled);
    let path: CriticalPath =
        serde_json::from_str(&trace.answer(&"critical_path?limit=100".parse().unwrap()).unwrap()).unwrap();
    // All host time but that before the first event and after the last one.
    assert_eq!((path.sampled_ns, path.host_ns), (190, 300));
    let steps = path.steps.iter().filter(|step| step.kind == StepKind::Host);
    let sampled: Vec<_> = steps.filter_map(|step| step.samples.as_ref()).collect();
    let [sampled] = &sampled[..] else { panic!("{path:?}") };
    assert_eq!((sampled.count, sampled.blocked, sampled.message.as_str()), (8, 2, message));
    let places: Vec<_> = sampled
        .places
        .iter()
        .map(|place| {
            let line = place.location.as_ref().map(|location| location.line);
            (place.function.as_str(), line, place.count, place.blocked)
        })
        .collect();
    assert_eq!(
        places,
        [("assemble", Some(89), 5, 0), ("load", Some(12), 2, 2), ("main", Some(61), 1, 0)],
        "a line of most samples stands for its function, and what is not the program's for its caller"
    );
}

/// Returns the sampled function after the last command. Each thread has running and blocked samples.
fn at_the_end(threads: [(u64, u64); 2]) -> String {
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 100, submission_ns: 10, ran: (120, 200), ..Command::default() });
    run.wait_for_queue(1, 110, 210);
    run.event(&Event::Track(Track {
        track: 90,
        parent: None,
        kind: TrackKind::Thread,
        name: "beat",
        tid: 90,
    }));
    samples(&mut |event| match event {
        Event::Sample(_) => {}
        event => run.event(event),
    });
    for ((track, stack), (ran, blocked)) in [(1, 3), (90, 5)].into_iter().zip(threads) {
        for number in 0..ran + blocked {
            run.event(&Event::Sample(Sample {
                at: Timestamp(300 + 10 * number),
                track,
                stack: Some(stack),
                period_ns: 10,
                missed: 0,
                is_blocked: number >= ran,
                system_call: None,
            }));
        }
    }
    run.event(&Event::Finish { at: Timestamp(1_000) });
    let path: CriticalPath =
        serde_json::from_str(&run.trace().answer(&"critical_path?limit=100".parse().unwrap()).unwrap())
            .unwrap();
    let sampled: Vec<_> = path.steps.iter().filter_map(|step| step.samples.as_ref()).collect();
    let [sampled] = &sampled[..] else { panic!("{path:?}") };
    sampled.message.clone()
}

#[test]
fn of_threads_that_may_be_meant_busy_ones_count() {
    assert_eq!(at_the_end([(0, 9), (9, 0)]), "in load at solve.cpp:12 in 9 of 9 samples");
    assert_eq!(
        at_the_end([(0, 9), (1, 7)]),
        "in assemble at solve.cpp:88 in 9 of 17 samples, blocked in 9",
        "one that ran for a moment is not what the program did"
    );
}

#[test]
fn samples_pass_through_both_formats_merging_and_cutting() {
    let native = write::<perfetto::Writer>(|take| played(PROCESS, take));
    let json = write::<chrome_json::Writer>(|take| played(PROCESS, take));
    for bytes in [&native, &json] {
        assert_eq!(tree(&import::open(bytes.as_slice()).unwrap(), CallTreeQuestion::default()), TREE);
    }
    let second = Process { pid: 4712, name: "other", ..PROCESS };
    let second = write::<perfetto::Writer>(|take| played(second, take));
    let mut merged = TraceBuilder::new();
    merge(&[("a", native.as_slice()), ("b", second.as_slice())], &mut merged).unwrap();
    let by = CallGrouping::Process;
    let question = CallTreeQuestion { by, ..CallTreeQuestion::default() };
    assert_eq!(tree(&merged.build(), question), [TREE, TREE].concat());
    let mut copy = Vec::new();
    let mut look = cut::Look::new(cut::Part::new(345, 365).unwrap(), Budget::unlimited());
    look.feed(&native).unwrap();
    let plan = look.finish().unwrap();
    let mut cutting = cut::Cutting::new(&plan, Format::Perfetto, Box::new(&mut copy), Budget::unlimited());
    cutting.feed(&native).unwrap();
    cutting.finish().unwrap().unwrap();
    let mut log = Log::default();
    import::read(&copy, &mut log).unwrap();
    assert_eq!(log.0.iter().filter(|line| line.contains("StackFrame")).count(), 4, "frames 1, 2, 5 and 6");
    assert_eq!(log.0.iter().filter(|line| line.contains("Sample(")).count(), 2);
}
