//! The schedule, against an exhaustive search on small graphs; path and idle time of a run, computed by hand.

use proptest::prelude::*;
use syclscope_engine::graph::{Arc, Schedule, Steps};
use syclscope_engine::store::Trace;
use syclscope_language::api::StepKind;
use syclscope_language::event::{Category, EdgeReason, Event, NodeKind, QueueOrder};
use syclscope_language::question::WhatIfQuestion;
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

fn until(steps: &Steps, arc: Arc) -> u64 {
    u64::try_from(steps.duration_ns(arc.source) as i64 + arc.lag_ns).unwrap_or(0)
}

/// Returns the longest chain from a step on, by brute force.
fn longest_from(steps: &Steps, step: u32) -> u64 {
    let rest = steps.outgoing(step).map(|arc| until(steps, arc) + longest_from(steps, arc.target));
    rest.max().unwrap_or(0).max(steps.duration_ns(step))
}

fn longest_to(steps: &Steps, step: u32) -> u64 {
    let before = steps.incoming(step).map(|arc| longest_to(steps, arc.source) + until(steps, arc));
    before.max().unwrap_or(0)
}

fn graphs() -> impl Strategy<Value = Steps> {
    (1..9_u32).prop_flat_map(|count| {
        let arc = (0..count, 0..count, -60..5_i64);
        let arcs = prop::collection::vec(arc, 0..16);
        (prop::collection::vec(0..100_u64, count as usize), arcs).prop_map(|(durations, arcs)| {
            let forward =
                |(a, b, lag_ns): (u32, u32, i64)| Arc { source: a.min(b), target: a.max(b), lag_ns };
            Steps::new(durations, arcs.into_iter().map(forward).collect())
        })
    })
}

proptest! {
    #[test]
    fn the_schedule_is_that_of_an_exhaustive_search(steps in graphs()) {
        let schedule = Schedule::new(&steps);
        let all = 0..steps.len() as u32;
        let longest = all.clone().map(|step| longest_from(&steps, step)).max().unwrap_or(0);
        prop_assert_eq!(schedule.length_ns(), longest);
        for step in all {
            prop_assert_eq!(schedule.earliest_ns(step), longest_to(&steps, step));
            let through = longest_to(&steps, step) + longest_from(&steps, step);
            prop_assert_eq!(schedule.slack_ns(step), longest - through);
        }
        let path = schedule.critical_path();
        for pair in path.windows(2) {
            prop_assert!(steps.outgoing(pair[0]).any(|arc| arc.target == pair[1]));
        }
        for step in path {
            prop_assert_eq!(schedule.slack_ns(step), 0);
        }
    }
}

#[test]
fn circles_and_arcs_to_nowhere_are_left_out() {
    let arc = |source, target| Arc { source, target, lag_ns: 0 };
    let steps = Steps::new(vec![5, 7, 11], vec![arc(0, 1), arc(1, 0), arc(2, 9), arc(2, 2)]);
    let schedule = Schedule::new(&steps);
    assert_eq!((schedule.length_ns(), schedule.left_out()), (11, 2));
    assert_eq!(steps.links().components(), [0, 0, 1]);
}

/// Returns two commands on an out-of-order queue, the second after a host wait for the first, and an independent third.
pub(crate) fn run() -> Trace {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    let command = |node, name, at, ran| Command { node, name, at, ran, ..Command::default() };
    run.submit(command(1, "first", 100, (150, 400)));
    run.submit(command(3, "beside", 120, (160, 200)));
    run.wait_for_queue(1, 140, 410);
    run.submit(command(2, "second", 500, (530, 630)));
    run.edge(3, 2, EdgeReason::Event);
    run.event(&Event::Finish { at: Timestamp(700) });
    run.trace()
}

#[test]
fn the_path_goes_through_host_work_and_waits() {
    let path = run().critical_path();
    let steps: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns)).collect();
    // The first submission starts at 100 and takes 10; 40 later its command runs for 250; the wait returns 10 later; 90
    // lie between its end and the next submission.
    let expected = [
        (StepKind::Host, "before the first event", 100),
        (StepKind::Submission, "first", 10),
        (StepKind::Launch, "first", 40),
        (StepKind::Command, "first", 250),
        (StepKind::Wait, "queue.wait", 10),
        (StepKind::Host, "main", 90),
        (StepKind::Submission, "second", 10),
        (StepKind::Launch, "second", 20),
        (StepKind::Command, "second", 100),
        (StepKind::Host, "after the last event", 70),
    ];
    assert_eq!(steps, expected);
    assert_eq!((path.length_ns, path.device_ns, path.host_ns), (700, 350, 260));
    assert_eq!((path.launch_ns, path.submission_ns, path.call_ns, path.wait_ns), (60, 20, 0, 10));
    let main = path.steps.iter().find(|step| step.name == "main").unwrap();
    assert_eq!((main.start_ns, main.after.as_str(), main.until.as_str()), (Some(410), "", "second"));
    // The only dependence is beside → second; the longest chain is the first kernel.
    assert_eq!(path.unlimited_ns, 250);
}

#[test]
fn slack_follows_the_path() {
    let trace = run();
    let slack: Vec<_> = trace.slack().iter().map(|slack| (slack.node, slack.slack_ns)).collect();
    // The command beside, which ended at 200, may end with the first at 400.
    assert_eq!(slack, [(1, 0), (3, 200), (2, 0)]);
}

#[test]
fn idle_time_is_explained_and_adds_up() {
    let idle = run().queue_idle(&(0..u64::MAX))[0];
    assert_eq!(idle.busy_ns, 250 + 100);
    // Before the first submission's end, and between the first end and the end of the last submission.
    assert_eq!(idle.host_ns, 110 + 110);
    assert_eq!(idle.dependence_ns, 0);
    assert_eq!((idle.other_ns, idle.ready_ns), (0, 40 + 20));
    assert_eq!(idle.after_ns, 70);
}

#[test]
fn what_a_thread_of_the_runtime_submits_later_waits_for_who_asked_for_it() {
    use syclscope_engine::builder::TraceBuilder;
    use syclscope_language::event::{
        Category, Edge, EventSink as _, Execution, Node, NodeKind, Process, SliceBegin, SliceEnd,
        SourceLocation, Track, TrackKind,
    };
    let (mut builder, at) = (TraceBuilder::new(), Timestamp);
    let (location, args, kind, queue) = (SourceLocation::default(), &[][..], NodeKind::Kernel, Some(1));
    builder.event(&Event::Process(Process { name: "program", ..Process::default() }));
    for (track, tid, name) in [(1, 5, "asking"), (2, 6, "the runtime's")] {
        builder.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name, tid }));
    }
    // Thread 5 requests both; the second can only be submitted after the end of the first, by thread 6.
    for (node, name, track, asked, submitted, start, end) in
        [(1, "first", 1, 100, 100, 150, 400), (2, "later", 2, 120, 410, 420, 520)]
    {
        builder.event(&Event::Node(Node { node, at: at(asked), kind, name, queue, tid: 5, location, args }));
        let category = Category::Submission;
        let begin = SliceBegin { track, at: at(submitted), category, name, node: Some(node), location, args };
        builder.event(&Event::SliceBegin(begin));
        builder.event(&Event::SliceEnd(SliceEnd { track, at: at(submitted + 5), args }));
        let (start, end) = (at(start), at(end));
        let none = None;
        builder.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued: none,
            submitted: none,
            start,
            end,
            args,
        }));
    }
    let (reason, access_mode) = (EdgeReason::HostTask, "");
    let edge = Edge { at: at(120), source: 1, target: 2, reason, access_mode, memory_object: 0 };
    builder.event(&Event::Edge(edge));
    builder.event(&Event::Finish { at: at(600) });
    let path = builder.build().critical_path();
    let steps: Vec<_> =
        path.steps.iter().map(|step| (step.kind, step.name.as_str(), step.duration_ns)).collect();
    let expected = [
        (StepKind::Host, "before the first event", 100),
        (StepKind::Submission, "first", 5),
        (StepKind::Launch, "first", 45),
        (StepKind::Command, "first", 250),
        (StepKind::Launch, "later", 20),
        (StepKind::Command, "later", 100),
        (StepKind::Host, "after the last event", 80),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_dependence_that_a_clock_turns_around_leaves_no_command_out_of_the_replay() {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    let command = |node, at, ran| Command { node, at, ran, ..Command::default() };
    for node in 1..=10 {
        let at = node * 1_000;
        run.submit(command(node, at, (at + 50, at + 100)));
    }
    run.submit(command(13, 15_000, (15_050, 499_900)));
    // The second starts 10 ns before the first, on which it depends; both start when the device is free.
    run.submit(command(11, 20_000, (500_000, 900_000)));
    run.submit(command(12, 20_020, (499_990, 950_000)));
    run.edge(11, 12, EdgeReason::Event);
    run.wait_for_queue(1, 20_040, 950_010);
    run.event(&Event::Finish { at: Timestamp(950_100) });
    let answer = run.trace().what_if(&WhatIfQuestion::default()).unwrap();
    assert!(!answer.is_refused, "{answer:?}");
}

#[test]
fn a_queue_is_idle_while_the_device_runs_the_commands_of_another() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd1, "CPU");
    run.queue(3, QueueOrder::InOrder, 0xd3, "CPU");
    let command = |node, queue, at, ran| Command { node, queue, at, ran, ..Command::default() };
    run.submit(command(1, 1, 100, (150, 400)));
    // Both could run at 130 and 150: one waits for its busy device, the other for its own idle one.
    run.submit(command(2, 2, 120, (410, 500)));
    run.submit(command(3, 3, 140, (450, 460)));
    let idle = run.trace().queue_idle(&(0..u64::MAX));
    let told = |queue: usize| (idle[queue].other_ns, idle[queue].ready_ns);
    assert_eq!(told(0), (0, 40));
    assert_eq!(told(1), (400 - 150, 20 + 10));
    assert_eq!(told(2), (0, 300));
}

#[test]
fn a_command_behind_a_host_task_waits_for_what_the_task_waits_for_and_for_the_task() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd2, "GPU");
    let kernel = run.kernel(0, (3_000, 50_000));
    let task = run.node(NodeKind::HostTask, 2_500);
    let behind = run.command(NodeKind::Kernel, 2, 3_000, (90_000, 95_000));
    run.slice(Category::Call, "urEnqueueKernelLaunch", 80_000, 80_100, Some(behind), &[]);
    run.edge(kernel, task, EdgeReason::Event);
    run.edge(task, behind, EdgeReason::HostTask);
    let idle = run.trace().queue_idle(&(0..u64::MAX))[1];
    // The time until the runtime enqueues the command is not launch overhead.
    assert_eq!((idle.host_ns, idle.dependence_ns, idle.ready_ns), (5_000, 75_000, 10_000));
}

#[test]
fn a_command_starts_in_the_last_part_of_the_one_before_however_long_that_takes() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd1, "GPU");
    let command = |node, queue, at, ran| Command { node, queue, at, ran, ..Command::default() };
    // Each command lets the next one of the other queue start in its last fifth.
    for number in 0..20 {
        let start = 1_000 + number * 8_000;
        run.submit(command(number + 1, number % 2 + 1, 100 + number * 20, (start, start + 10_000)));
    }
    let end = 1_000 + 19 * 8_000 + 10_000;
    run.wait_for_queue(2, 600, end + 5);
    run.event(&Event::Finish { at: Timestamp(end + 5) });
    let trace = run.trace();
    let faster = |times: &str| {
        let kernel = Some("kernel".to_owned());
        let question = WhatIfQuestion { kernel, faster: times.parse().ok(), ..WhatIfQuestion::default() };
        trace.what_if(&question).unwrap()
    };
    let answer = faster("2");
    assert_eq!((answer.path_ns, answer.is_refused), (end + 5, false));
    assert_eq!(answer.changed_path_ns, 1_000 + 19 * 4_000 + 5_000 + 5);
}

#[test]
fn a_command_in_the_middle_of_another_explains_nothing() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd1, "GPU");
    let command = |node, queue, at, ran| Command { node, queue, at, ran, ..Command::default() };
    for node in 1..=10 {
        let at = node * 1_000;
        run.submit(command(node, 1, at, (at + 50, at + 100)));
    }
    run.submit(command(11, 1, 20_000, (20_050, 220_000)));
    run.submit(command(12, 2, 20_020, (120_000, 320_000)));
    run.wait_for_queue(2, 20_040, 320_010);
    run.event(&Event::Finish { at: Timestamp(320_010) });
    assert!(run.trace().what_if(&WhatIfQuestion::default()).unwrap().is_refused);
}

#[test]
fn dependences_that_times_contradict_are_left_out_and_counted() {
    let run = |edges: &[(u64, u64)]| {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        let command = |node, at, ran| Command { node, at, ran, ..Command::default() };
        for (node, ran) in [(1, (150, 400)), (2, (500, 600)), (3, (550, 700))] {
            run.submit(command(node, 100 + node * 10, ran));
        }
        for (source, target) in edges {
            run.edge(*source, *target, EdgeReason::InOrder);
        }
        let info = run.trace().info();
        let found = info.diagnostics.iter().find(|problem| problem.kind == "contradicted_edge");
        (info.counts.edges, found.map(|problem| problem.count))
    };
    assert_eq!(run(&[(1, 2), (2, 3)]), (2, None));
    // The second started after the end of the first.
    assert_eq!(run(&[(2, 1), (1, 3)]), (1, Some(1)));
    // The second and the third overlapped: one edge must be wrong, and the third started later.
    assert_eq!(run(&[(2, 3), (3, 2)]), (1, Some(1)));
}

#[test]
fn a_thread_that_waits_for_what_another_submits_does_not_work_until_then() {
    use syclscope_engine::builder::TraceBuilder;
    use syclscope_language::event::{
        Category, EventSink as _, Execution, Node, NodeKind, Process, SliceBegin, SliceEnd, SourceLocation,
        Track, TrackKind,
    };
    let (mut builder, at) = (TraceBuilder::new(), Timestamp);
    let (location, args, kind) = (SourceLocation::default(), &[][..], NodeKind::Kernel);
    builder.event(&Event::Process(Process { name: "program", ..Process::default() }));
    for (track, tid, name) in [(1, 5, "main"), (2, 6, "the runtime's")] {
        builder.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name, tid }));
    }
    let slice = |builder: &mut TraceBuilder, track, category, name, (from, to), node| {
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
    };
    for (node, handed, start, end) in [(1, 100, 120, 200), (2, 1_310, 1_330, 1_430)] {
        let (queue, name) = (Some(1), "kernel");
        builder.event(&Event::Node(Node { node, at: at(handed), kind, name, queue, tid: 5, location, args }));
        slice(&mut builder, 1, Category::Submission, name, (handed, handed + 10), Some(node));
        let (queued, submitted, start, end) = (None, None, at(start), at(end));
        builder.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued,
            submitted,
            start,
            end,
            args,
        }));
        if node == 1 {
            slice(&mut builder, 1, Category::Call, "urProgramBuild", (300, 1_300), None);
        }
    }
    slice(&mut builder, 2, Category::Wait, "event.wait", (150, 205), Some(1));
    slice(&mut builder, 2, Category::Wait, "event.wait", (1_325, 1_435), Some(2));
    builder.event(&Event::Finish { at: at(1_435) });
    let question = WhatIfQuestion { without_builds: true, ..WhatIfQuestion::default() };
    let answer = builder.build().what_if(&question).unwrap();
    assert_eq!((answer.path_ns, answer.changed_path_ns), (1_435, 435));
}

#[test]
fn what_if_refuses_a_name_that_no_command_has_and_tells_similar_ones() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command { node: 1, at: 100, ran: (150, 400), ..Command::default() });
    let trace = run.trace();
    let refusal = |kernel: &str| {
        let question = WhatIfQuestion { kernel: Some(kernel.to_owned()), ..WhatIfQuestion::default() };
        trace.what_if(&question).map(|answer| answer.changed).map_err(|error| error.to_string())
    };
    assert_eq!(refusal("kernel"), Ok(1));
    assert_eq!(refusal("Kern"), Err("no command of the trace is named 'Kern'; similar: 'kernel'".to_owned()));
    assert_eq!(
        refusal("zzz"),
        Err("no command of the trace is named 'zzz'; the table `kernels` has their names".to_owned())
    );
}
