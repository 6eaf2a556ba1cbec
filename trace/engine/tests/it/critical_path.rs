//! Critical paths of simulated runs: they cover the whole run, each of their steps is of one kind, and no step of a
//! thread lies before the thread's start.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::StepKind;
use syclscope_language::event::{
    Category, Edge, EdgeReason, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::WhatIfQuestion;
use syclscope_language::time::Timestamp;

/// A thread's next action: thread, action, time before it and in it, and its subject.
type Seed = (u8, u8, u64, u64, usize);

#[derive(Clone, Debug)]
struct Command {
    queue: usize,
    ran: (u64, u64),
}

#[derive(Clone, Debug)]
struct Wait {
    begin: u64,
    end: u64,
}

/// A run of two threads and two queues, the first of which is in-order.
#[derive(Debug, Default)]
struct Run {
    commands: Vec<Command>,
    waits: Vec<Wait>,
    first: [Option<u64>; 2],
}

impl Run {
    fn play(seeds: &[Seed]) -> (Self, Trace) {
        let mut run = Self::default();
        let mut builder = TraceBuilder::new();
        let at = Timestamp;
        builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
        for (track, tid, name) in [(1, 5, "main"), (2, 6, "helper")] {
            builder.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name, tid }));
        }
        for (queue, order) in [(1, QueueOrder::InOrder), (2, QueueOrder::OutOfOrder)] {
            let (device, device_type, zero) = ("device", "CPU", at(0));
            builder.event(&Event::Queue(Queue {
                queue,
                at: zero,
                runtime_id: queue,
                handle: queue,
                order,
                device,
                device_type,
                device_handle: 9,
                context: 8,
            }));
        }
        let (location, args) = (SourceLocation::default(), &[][..]);
        let mut now = 10;
        for &(thread, what, before, inside, about) in seeds {
            // Threads take turns, so that requests are in the order of time.
            now += before + 1;
            let (thread, queue) = (usize::from(thread), about % 2);
            run.first[thread].get_or_insert(now);
            let track = thread as u64 + 1;
            let slice =
                |builder: &mut TraceBuilder, category, name, (from, to), node, args: &[(&str, Value<'_>)]| {
                    let begin = SliceBegin { track, at: at(from), category, name, node, location, args };
                    builder.event(&Event::SliceBegin(begin));
                    builder.event(&Event::SliceEnd(SliceEnd { track, at: at(to), args: &[] }));
                };
            match what {
                0 => slice(&mut builder, Category::Call, "urCall", (now, now + inside), None, &[]),
                1 | 2 => {
                    let number = run.commands.len();
                    let node = number as u64 + 1;
                    let after = (what == 2 && number > 0).then(|| about % number);
                    let handed = now + inside;
                    let in_order = run.commands.iter().filter(|known| queue == 0 && known.queue == 0);
                    let ends = after.map(|after| run.commands[after].ran.1).into_iter();
                    let free = ends.chain(in_order.map(|known| known.ran.1)).max().unwrap_or(0).max(handed);
                    let ran = (free + before % 5, free + before % 5 + 3 * inside + before % 17);
                    let name = ["one", "two", "three"][about % 3];
                    let (kind, queue_number) = (NodeKind::Kernel, Some(queue as u64 + 1));
                    let tid = thread as u32 + 5;
                    let made =
                        Node { node, at: at(now), kind, name, queue: queue_number, tid, location, args };
                    builder.event(&Event::Node(made));
                    slice(&mut builder, Category::Submission, name, (now, handed), Some(node), &[]);
                    if let Some(after) = after {
                        let (source, reason, access_mode) = (after as u64 + 1, EdgeReason::Event, "");
                        let edge =
                            Edge { at: at(now), source, target: node, reason, access_mode, memory_object: 0 };
                        builder.event(&Event::Edge(edge));
                    }
                    let (start, end) = (at(ran.0), at(ran.1));
                    builder.event(&Event::Execution(Execution {
                        node,
                        queue: queue as u64 + 1,
                        kind,
                        name,
                        queued: None,
                        submitted: None,
                        start,
                        end,
                        args,
                    }));
                    run.commands.push(Command { queue, ran });
                }
                _ => {
                    let of_queue = |known: &(usize, &Command)| known.1.queue == queue;
                    let awaited: Vec<usize> = match what {
                        3 => run
                            .commands
                            .iter()
                            .enumerate()
                            .filter(of_queue)
                            .map(|(number, _)| number)
                            .collect(),
                        _ if run.commands.is_empty() => Vec::new(),
                        _ => vec![about % run.commands.len()],
                    };
                    let until = awaited.iter().map(|number| run.commands[*number].ran.1).max();
                    let end = until.unwrap_or(0).max(now) + inside;
                    let node = awaited.first().filter(|_| what > 3).map(|number| *number as u64 + 1);
                    let queue_args = [("queue", Value::Uint(queue as u64 + 1))];
                    let args = if what == 3 { &queue_args[..] } else { &[] };
                    let name = if what == 3 { "queue.wait" } else { "event.wait" };
                    slice(&mut builder, Category::Wait, name, (now, end), node, args);
                    run.waits.push(Wait { begin: now, end });
                    now = end;
                }
            }
            now += if matches!(what, 0..=2) { inside } else { 0 };
        }
        builder.event(&Event::Finish { at: at(now + 100_000) });
        (run, builder.build())
    }
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    prop::collection::vec((0..2_u8, 0..5_u8, 0..40_u64, 0..60_u64, 0..30_usize), 1..9)
}

proptest! {
    #[test]
    fn the_path_is_the_run_and_its_replay_is_no_longer(seeds in seeds()) {
        let (_, trace) = Run::play(&seeds);
        let path = trace.critical_path();
        let parts =
            [path.device_ns, path.launch_ns, path.submission_ns, path.call_ns, path.wait_ns, path.host_ns];
        prop_assert_eq!(parts.iter().sum::<u64>(), path.length_ns);
        prop_assert_eq!(path.steps.iter().map(|step| step.duration_ns).sum::<u64>(), path.length_ns);
        prop_assert_eq!(path.length_ns, trace.info().duration_ns);
        let answer = trace.what_if(&WhatIfQuestion::default()).unwrap();
        prop_assert!(answer.path_ns <= answer.recorded_ns);
        for step in &path.steps {
            let is_alone = matches!(step.kind, StepKind::Host);
            prop_assert_eq!(step.at.is_none(), is_alone, "{:?}", step);
        }
    }
}

#[test]
fn a_kernel_that_the_host_waits_for_saves_its_time_when_it_is_faster() {
    // The `urEventWait` of a host accessor takes 47 ms.
    let trace = crate::waits::host_accessor();
    assert_eq!(saved_by(&trace, "slow"), 47_000_000 - 47_000);
}

fn saved_by(trace: &Trace, kernel: &str) -> u64 {
    let question = WhatIfQuestion {
        kernel: Some(kernel.to_owned()),
        faster: Some("1000".parse().unwrap()),
        without_copies: false,
        ..WhatIfQuestion::default()
    };
    let answer = trace.what_if(&question).unwrap();
    answer.path_ns - answer.changed_path_ns
}

#[test]
fn a_wait_of_another_tools_file_leads_to_what_ended_in_it() {
    // Kernels of one stream, and a wait that does not name its subject.
    let launch = |at: u64, number: u64| {
        format!(
            r#"{{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,"tid":1,"ts":{at},"dur":2,"args":{{"correlation":{number}}}}},"#
        )
    };
    let kernel = |name: &str, stream: u64, (at, duration): (u64, u64), number: u64| {
        format!(
            r#"{{"ph":"X","name":"{name}","cat":"kernel","pid":9,"tid":{stream},"ts":{at},"dur":{duration},"args":{{"correlation":{number},"device":0,"stream":{stream}}}}},"#
        )
    };
    let file = [
        "[".to_owned(),
        launch(0, 1),
        launch(10, 2),
        kernel("first", 7, (20, 100), 1),
        kernel("second", 7, (120, 60), 2),
        r#"{"ph":"X","name":"cudaStreamSynchronize","cat":"cuda_runtime","pid":1,"tid":1,"ts":30,"dur":155,"args":{"correlation":3}},"#
            .to_owned(),
        launch(190, 4),
        // No wait for this kernel.
        kernel("late", 8, (195, 3), 4),
        r#"{"ph":"X","name":"aten::end","cat":"cpu_op","pid":1,"tid":1,"ts":199,"dur":1,"args":{}}]"#.to_owned(),
    ];
    let trace = import::open(file.concat().as_bytes()).unwrap();
    let path = trace.critical_path();
    assert_eq!((path.device_ns, path.wait_ns), (160_000, 5_000), "{:?}", path.steps);
    assert_eq!(saved_by(&trace, "second"), 60_000 - 60);
    // The second kernel follows it at once.
    assert_eq!(saved_by(&trace, "first"), 100_000 - 100);
}

#[test]
fn a_native_wait_that_names_nothing_leads_to_what_ended_in_it() {
    let mut builder = TraceBuilder::new();
    let (location, args, at) = (SourceLocation::default(), &[][..], Timestamp);
    builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "main",
        tid: 5,
    }));
    let (order, device, device_type) = (QueueOrder::OutOfOrder, "device", "GPU");
    builder.event(&Event::Queue(Queue {
        queue: 1,
        at: at(0),
        runtime_id: 1,
        handle: 1,
        order,
        device,
        device_type,
        device_handle: 9,
        context: 8,
    }));
    let slice = |builder: &mut TraceBuilder, category, name, (from, to), node| {
        let begin = SliceBegin { track: 1, at: at(from), category, name, node, location, args };
        builder.event(&Event::SliceBegin(begin));
        builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(to), args }));
    };
    for (node, name, (start, end)) in [(1, "long", (40, 940)), (2, "short", (50, 70))] {
        let (queue, kind) = (Some(1), NodeKind::Kernel);
        builder.event(&Event::Node(Node {
            node,
            at: at(node * 10),
            kind,
            name,
            queue,
            tid: 5,
            location,
            args,
        }));
        slice(&mut builder, Category::Submission, name, (node * 10, node * 10 + 5), Some(node));
        builder.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued: None,
            submitted: None,
            start: at(start),
            end: at(end),
            args,
        }));
    }
    slice(&mut builder, Category::Native, "cuEventSynchronize", (60, 950), None);
    builder.event(&Event::Finish { at: at(960) });
    let trace = builder.build();
    let path = trace.critical_path();
    assert_eq!((path.device_ns, path.wait_ns), (900, 10), "{:?}", path.steps);
}

#[test]
fn real_files_of_other_tools_have_device_work_on_their_critical_path() {
    // In the second file, no recorded cause explains why its last kernel started 90 µs late, in the middle of another.
    for (file, kernel, is_refused) in [
        ("jax-gpu.json", "loop_multiply_fusion", false),
        ("unitrace.json", "gemm(float*, float*, int)", true),
    ] {
        let bytes = std::fs::read(format!("tests/data/foreign/{file}")).unwrap();
        let trace = import::open(bytes.as_slice()).unwrap();
        let path = trace.critical_path();
        assert!(path.device_ns > 0, "{file}: {:?}", path.steps);
        assert_eq!(trace.what_if(&WhatIfQuestion::default()).unwrap().is_refused, is_refused, "{file}");
        assert_eq!(saved_by(&trace, kernel) > 0, !is_refused, "{file}: {kernel}");
    }
}

#[test]
fn a_thread_that_lives_within_a_region_of_the_first_one_is_on_the_path() {
    let call = |name: &str, thread: u64, (at, duration): (u64, u64), number: u64| {
        format!(
            r#"{{"ph":"X","name":"{name}","cat":"cuda_runtime","pid":1,"tid":{thread},"ts":{at},"dur":{duration},"args":{{"correlation":{number}}}}},"#
        )
    };
    let kernel = |name: &str, at: u64, number: u64| {
        format!(
            r#"{{"ph":"X","name":"{name}","cat":"kernel","pid":9,"tid":7,"ts":{at},"dur":10,"args":{{"correlation":{number},"device":0,"stream":7}}}},"#
        )
    };
    let file = [
        "[".to_owned(),
        call("cudaLaunchKernel", 1, (10, 5), 1),
        kernel("forward", 20, 1),
        // A thread that the first one waits for, which is not recorded.
        call("cudaModuleLoad", 2, (200, 400), 5),
        call("cudaLaunchKernel", 2, (600, 100), 2),
        kernel("backward", 710, 2),
        call("cudaLaunchKernel", 1, (800, 5), 3),
        kernel("update", 810, 3),
        call("cudaDeviceSynchronize", 1, (830, 20), 4),
        r#"{"ph":"X","name":"step","cat":"user_annotation","pid":1,"tid":1,"ts":0,"dur":1000,"args":{}}]"#
            .to_owned(),
    ];
    let path = import::open(file.concat().as_bytes()).unwrap().critical_path();
    let told: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns)).collect();
    assert!(told.contains(&(StepKind::Call, "cudaModuleLoad", 400_000)), "{told:?}");
    assert_eq!(path.length_ns, 1_000_000);
    // In this real file, the backward pass is in a thread of its own.
    let bytes = std::fs::read("tests/data/foreign/pytorch-mi250.json.gz").unwrap();
    let path = import::open(bytes.as_slice()).unwrap().critical_path();
    assert!(path.call_ns > path.host_ns, "{:?}", path.steps);
}

#[test]
fn no_step_of_a_thread_lies_before_it() {
    // The helper starts after 70 ns, for an unknown reason; before that, main submits and waits for 40 ns.
    let (run, trace) = Run::play(&[(0, 1, 9, 5, 0), (0, 3, 0, 2, 0), (1, 1, 20, 8, 1)]);
    let path = trace.critical_path();
    // Until then the path is on the first thread.
    let since_wait = run.first[1].unwrap() - run.waits[0].end;
    let told: Vec<_> = path
        .steps
        .iter()
        .filter(|step| {
            ["main", "helper"].contains(&step.name.as_str()) && step.start_ns > Some(run.waits[0].begin)
        })
        .map(|step| (step.kind, step.name.as_str(), step.duration_ns))
        .collect();
    assert_eq!(told, [(StepKind::Host, "main", since_wait)]);
    assert_eq!(
        path.steps.first().map(|step| (step.kind, step.duration_ns)),
        Some((StepKind::Host, run.first[0].unwrap()))
    );
}

#[test]
fn calls_are_told_however_deep_they_lie() {
    // Another tool's file with events that never end: each is nested in the previous one.
    let mut events = String::new();
    for at in 0..20_000 {
        events += &format!("{{\"ph\":\"B\",\"name\":\"step\",\"pid\":1,\"tid\":1,\"ts\":{at}}},");
    }
    let file = format!(
        r#"[{events}{{"ph":"X","name":"cudaMalloc","cat":"cuda_runtime","pid":1,"tid":1,"ts":20100,"dur":40,"args":{{}}}},
        {{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,"tid":1,"ts":20200,"dur":5,"args":{{"correlation":1}}}},
        {{"ph":"X","name":"add","cat":"kernel","pid":2,"tid":7,"ts":20300,"dur":5,"args":{{"correlation":1,"device":0}}}}]"#
    );
    let path = import::open(file.as_bytes()).unwrap().critical_path();
    let told: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns)).collect();
    assert!(told.contains(&(StepKind::Call, "cudaMalloc", 40_000)), "{told:?}");
}

#[test]
fn builds_within_submissions_have_their_names_and_lines() {
    use crate::recordings::run::place;
    let mut builder = TraceBuilder::new();
    let (args, at) = (&[][..], Timestamp);
    builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
    let (track, parent, kind) = (1, None, TrackKind::Thread);
    builder.event(&Event::Track(Track { track, parent, kind, name: "main", tid: 5 }));
    let mut begin = |category, name, from| {
        let (node, location) =
            (None, if category == Category::Submission { place(31) } else { SourceLocation::default() });
        let begin = SliceBegin { track, at: at(from), category, name, node, location, args };
        builder.event(&Event::SliceBegin(begin));
    };
    begin(Category::Submission, "step", 0);
    begin(Category::Call, "urProgramBuildExp", 100);
    for (end, next) in [(500, Some(550)), (750, None), (800, None)] {
        builder.event(&Event::SliceEnd(SliceEnd { track, at: at(end), args }));
        if let Some(from) = next {
            let (category, name, node, location) =
                (Category::Call, "urProgramBuildExp", None, SourceLocation::default());
            builder.event(&Event::SliceBegin(SliceBegin {
                track,
                at: at(from),
                category,
                name,
                node,
                location,
                args,
            }));
        }
    }
    builder.event(&Event::Finish { at: at(800) });
    let path = builder.build().critical_path();
    let told: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns, step.count)).collect();
    assert_eq!(told, [(StepKind::Submission, "step", 200, 1), (StepKind::Call, "urProgramBuildExp", 600, 2)]);
    assert!(path.steps.iter().all(|step| step.location.as_ref().is_some_and(|place| place.line == 31)));
}

#[test]
fn a_build_by_the_thread_that_submitted_a_held_back_command_is_on_the_path() {
    // Main submits a command that has to wait; later, a thread of the runtime builds its kernel and puts it on its
    // queue.
    let mut builder = TraceBuilder::new();
    let (location, args, at) = (SourceLocation::default(), &[][..], Timestamp);
    builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
    for (track, name) in [(1, "main"), (2, "worker")] {
        let (parent, kind, tid) = (None, TrackKind::Thread, track as u32 + 4);
        builder.event(&Event::Track(Track { track, parent, kind, name, tid }));
    }
    let (order, device, device_type) = (QueueOrder::OutOfOrder, "device", "CPU");
    let (queue, device_handle) = (1, 9);
    let made = Queue {
        queue,
        at: at(0),
        runtime_id: 1,
        handle: 1,
        order,
        device,
        device_type,
        device_handle,
        context: 8,
    };
    builder.event(&Event::Queue(made));
    let (kind, name, queue) = (NodeKind::Kernel, "late", Some(1));
    builder.event(&Event::Node(Node { node: 1, at: at(10), kind, name, queue, tid: 5, location, args }));
    let slices = [
        (1, Category::Submission, "late", (10, 20), Some(1)),
        (2, Category::Call, "urProgramBuild", (100, 700), None),
        (2, Category::Call, "urEnqueueKernelLaunch", (710, 730), Some(1)),
        (1, Category::Wait, "queue.wait", (30, 960), Some(1)),
    ];
    for (track, category, name, (from, to), node) in slices {
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
    let (queue, start, end) = (1, at(750), at(950));
    let (queued, submitted) = (None, None);
    builder.event(&Event::Execution(Execution {
        node: 1,
        queue,
        kind,
        name,
        queued,
        submitted,
        start,
        end,
        args,
    }));
    builder.event(&Event::Finish { at: at(970) });
    let path = builder.build().critical_path();
    let told: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns)).collect();
    assert!(told.contains(&(StepKind::Call, "urProgramBuild", 600)), "{told:?}");
    assert!(told.contains(&(StepKind::Launch, "late", 130)), "{told:?}");
    assert_eq!(path.steps.iter().map(|step| step.duration_ns).sum::<u64>(), path.length_ns);
}
