//! Findings of the steady iterations of a loop: gains equal those of a simulator of the changed program, figures equal
//! the simulated ones, and findings of the warm-up follow.

use proptest::prelude::*;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Finding, Iterations, Report};
use syclscope_language::event::{
    AllocationKind, Category, EdgeReason, Event, EventSink, NodeKind, QueueOrder, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind,
};
use syclscope_language::question::FindingsQuestion;
use syclscope_language::time::Timestamp;

use crate::recordings::run::Run;
use crate::replay::{Does, Simulated, duration, record, simulate};

fn iterations(trace: &Trace) -> Iterations {
    serde_json::from_str(&trace.answer(&"iterations?limit=1000".parse().unwrap()).unwrap()).unwrap()
}

fn steady_range(found: &Iterations) -> (u64, u64) {
    let first = found.warm_up as usize;
    let steady = &found.iterations[first..first + found.steady.count as usize];
    (steady[0].from_ns, steady[steady.len() - 1].to_ns)
}

/// Returns the time in which the host submitted the steady iterations, whose first kernels start at the range's bounds.
fn host_range(found: &Iterations, simulated: &Simulated) -> (u64, u64) {
    let (from, to) = steady_range(found);
    let handed = |at: u64| {
        simulated.commands.iter().position(|(start, _)| *start == at).map(|number| simulated.handed[number])
    };
    (handed(from).expect("a kernel"), handed(to).expect("a kernel"))
}

fn of_kind<'r>(report: &'r Report, kind: &str) -> Option<&'r Finding> {
    report.findings.iter().find(|finding| finding.kind == kind)
}

fn submit(name: usize, ns: u64) -> Does {
    Does::Submit { queue: 0, ns, name, is_copy: false, after: None }
}

/// Returns iterations of a few kernels, a wait, and work of the host; the first ones build.
fn program(builds: u64, kernels: usize, rounds: &[u64], work_ns: impl Fn(usize) -> u64) -> Vec<Does> {
    let mut program = Vec::new();
    for (number, ns) in rounds.iter().enumerate() {
        if (number as u64) < builds {
            program.push(Does::Build { ns: 2_000_000 });
        }
        program.push(submit(0, *ns));
        program.extend((1..kernels).map(|_| submit(1, ns / 2)));
        program.extend([Does::Wait { queue: 0 }, Does::Work { ns: work_ns(number) }]);
    }
    program
}

/// Returns the program without the waits that begin in a range and precede another command, not a build.
fn without_waits(program: &[Does], simulated: &Simulated, (from, to): (u64, u64)) -> Vec<Does> {
    let mut waits = simulated.waits.iter();
    let mut left = Vec::new();
    for (place, does) in program.iter().enumerate() {
        if let Does::Wait { .. } = does {
            let (_, begin, _) = waits.next().unwrap();
            let mut next = program[place + 1..].iter().filter(|next| !matches!(next, Does::Work { .. }));
            if (from..to).contains(begin) && matches!(next.next(), Some(Does::Submit { .. })) {
                continue;
            }
        }
        left.push(*does);
    }
    left
}

proptest! {
    #[test]
    fn gains_in_iterations_are_what_the_program_takes_without_their_waits(
        builds in 1..4_u64,
        kernels in 1..4_usize,
        rounds in prop::collection::vec(2_000..3_000_u64, 14..40),
    ) {
        let program = program(builds, kernels, &rounds, |_| 100);
        let simulated = simulate(&program, duration);
        let trace = record(&program, &simulated);
        let (found, report) = (iterations(&trace), trace.report());
        let kind = if kernels == 1 { "wait_after_kernel" } else { "wait_between_kernels" };
        let finding = of_kind(&report, kind).expect("a finding");
        let part = finding.iterations.clone().expect("a part in iterations");
        prop_assert_eq!(part.iterations, found.steady.count);
        prop_assert_eq!(part.mean_ns, found.steady.mean_ns.round() as u64);
        let range = host_range(&found, &simulated);
        let changed = simulate(&without_waits(&program, &simulated, range), duration);
        prop_assert_eq!(part.gain_ns, Some(simulated.end - changed.end));
        let whole = simulate(&without_waits(&program, &simulated, (0, u64::MAX)), duration);
        // If its gain in the run is below 1 %, it is a finding of the iterations only.
        let whole_ns = if finding.count > part.count { simulated.end - whole.end } else { simulated.end - changed.end };
        prop_assert_eq!(finding.gain.as_ref().unwrap().ns, whole_ns);
        // The builds of the warm-up gain more of the run, but follow.
        let order: Vec<&str> = report.findings.iter().map(|finding| finding.kind.as_str()).collect();
        let place = |kind: &str| order.iter().position(|other| *other == kind);
        if builds > 1 {
            let build = of_kind(&report, "build_inside_run").expect("a finding");
            prop_assert!(build.iterations.is_none(), "{build:?}");
            prop_assert!(place(kind) < place("build_inside_run"), "{order:?}");
        }
        prop_assert_eq!(place("host_bound"), None, "devices are busy");
        prop_assert!(trace.report().together_ns <= simulated.end);
    }

    /// In any part of a run, findings and gains count the waits in it.
    #[test]
    fn findings_of_a_range_are_of_what_begins_in_it(
        rounds in prop::collection::vec(2_000..3_000_u64, 30..50),
        cut in (0..10_usize, 20..30_usize),
    ) {
        let program = program(0, 1, &rounds, |_| 100);
        let simulated = simulate(&program, duration);
        let trace = record(&program, &simulated);
        let (from, to) = (simulated.waits[cut.0].1, simulated.waits[cut.1].1);
        let question = FindingsQuestion { from_ns: Some(from), to_ns: Some(to), limit: None };
        let found = trace.findings(&question);
        let changed = simulate(&without_waits(&program, &simulated, (from, to)), duration);
        let finding = found.findings.iter().find(|finding| finding.kind == "wait_after_kernel").expect("a finding");
        prop_assert_eq!(finding.count, (cut.1 - cut.0) as u64);
        prop_assert_eq!(finding.gain.as_ref().unwrap().ns, simulated.end - changed.end);
        prop_assert!(finding.iterations.is_none());
        let first = trace.findings(&FindingsQuestion { limit: Some(1), ..question });
        prop_assert_eq!((first.findings.len() as u64 + first.more, first.together_ns), (found.findings.len() as u64, found.together_ns));
        let whole = trace.findings(&FindingsQuestion::default());
        prop_assert_eq!(whole.findings, trace.report().findings);
    }

    #[test]
    fn a_host_that_sets_the_pace_is_named_with_its_share(
        kernels in 1..4_usize,
        rounds in prop::collection::vec(500..900_u64, 8..30),
        work_ns in 9_000..20_000_u64,
    ) {
        let program = program(1, kernels, &rounds, |_| work_ns);
        let simulated = simulate(&program, duration);
        let trace = record(&program, &simulated);
        let (found, report) = (iterations(&trace), trace.report());
        let (from, to) = steady_range(&found);
        let busy_ns: u64 = simulated.commands.iter().filter(|(start, _)| (from..to).contains(start)).map(|(start, end)| end - start).sum();
        let finding = of_kind(&report, "host_bound").expect("a finding");
        prop_assert_eq!(finding.touches_ns, to - from - busy_ns);
        prop_assert_eq!((&finding.gain, finding.count), (&None, found.steady.count));
        let percent = format!("({:.1} %)", busy_ns as f64 * 100.0 / (to - from) as f64);
        prop_assert!(finding.message.contains(&percent), "{} {percent}", finding.message);
        let range = format!("in iterations {} to {}:", found.warm_up + 1, found.warm_up + found.steady.count);
        prop_assert!(finding.message.contains(&range), "{} {range}", finding.message);
        let (from, to) = host_range(&found, &simulated);
        let mut handed = simulated.handed.iter();
        let is_instant: Vec<bool> = program.iter().map(|does| {
            matches!(does, Does::Submit { .. }) && (from..to).contains(handed.next().unwrap())
        }).collect();
        let mut number = 0;
        let instant: Vec<Does> = program.iter().map(|does| {
            number += 1;
            match *does {
                Does::Submit { queue, name, is_copy, after, .. } if is_instant[number - 1] => Does::Submit { queue, ns: 0, name, is_copy, after },
                other => other,
            }
        }).collect();
        let saved_ns = simulated.end - simulate(&instant, duration).end;
        let shorter = finding.evidence[0].split(" shorter").next().unwrap();
        let time = shorter.rsplit("be ").next().unwrap();
        let per_iteration = saved_ns / found.steady.count;
        let (number, unit) = time.split_once(' ').unwrap();
        let unit_ns = if unit == "ns" { 1.0 } else { 1e3 };
        prop_assert!(["ns", "µs"].contains(&unit));
        // The number has four significant digits.
        let said_ns = number.parse::<f64>().unwrap() * unit_ns;
        prop_assert!((said_ns - per_iteration as f64).abs() <= per_iteration as f64 / 2e3, "{time} for {per_iteration} ns");
    }

    #[test]
    fn slow_iterations_are_counted_with_what_they_have_more_of(
        rounds in prop::collection::vec(500..900_u64, 12..30),
        slow in prop::collection::btree_set(3..11_usize, 2..4),
        extra_ns in 60_000..90_000_u64,
    ) {
        let program = program(1, 2, &rounds, |number| if slow.contains(&number) { 10_000 + extra_ns } else { 10_000 });
        let trace = record(&program, &simulate(&program, duration));
        let (found, report) = (iterations(&trace), trace.report());
        let first = found.warm_up as usize;
        let steady = &found.iterations[first..first + found.steady.count as usize];
        let mut durations: Vec<u64> = steady.iter().map(|row| row.to_ns - row.from_ns).collect();
        durations.sort_unstable();
        let median_ns = found.steady.p50_ns;
        let beyond = durations.iter().filter(|ns| **ns * 2 > median_ns * 3);
        let finding = of_kind(&report, "uneven_iterations").expect("a finding");
        prop_assert_eq!(finding.count, slow.len() as u64);
        prop_assert_eq!(finding.touches_ns, beyond.map(|ns| ns - median_ns).sum::<u64>());
        prop_assert!(finding.message.contains("more of host code (not recorded) of main"), "{}", finding.message);
        prop_assert!(finding.message.contains(&format!("The slowest is {}:", found.steady.slowest)), "{}", finding.message);
        let slowest = &found.iterations[found.steady.slowest as usize - 1];
        let start_ns = finding.at.as_ref().expect("a place").start_ns;
        prop_assert!((slowest.from_ns..slowest.to_ns).contains(&start_ns), "{start_ns} {slowest:?}");
    }
}

#[test]
fn a_large_build_of_the_warm_up_is_no_gain_of_iterations() {
    let mut program = program(1, 1, &[2_000; 12], |_| 100);
    program.insert(4, Does::Build { ns: 2_000_000_000 });
    program.insert(program.len() - 8, Does::Build { ns: 3_000_000 });
    let report = record(&program, &simulate(&program, duration)).report();
    let build = of_kind(&report, "build_inside_run").expect("a finding");
    let part = build.iterations.as_ref().expect("a part in iterations");
    assert!(part.gain_ns.unwrap() <= 3_000_000, "{build:?}");
    assert!(build.gain.as_ref().unwrap().ns > 2_000_000_000, "{build:?}");
}

#[test]
fn work_between_regions_is_none_of_their_time() {
    let mut run = Run::new(QueueOrder::InOrder);
    for round in 0..10 {
        let at = 10 * MICRO + round * 100 * MICRO;
        run.slice(Category::User, "assemble", at, at + 40 * MICRO, None, &[]);
        run.kernel(at + MICRO, (at + 5 * MICRO, at + 10 * MICRO));
        run.kernel(at + 45 * MICRO, (at + 50 * MICRO, at + 95 * MICRO));
    }
    let report = run.trace().report();
    if let Some(finding) = of_kind(&report, "host_bound") {
        assert!(finding.message.contains("one takes 40 µs"), "{}", finding.message);
        assert!(finding.message.contains("devices are busy for 5 µs of it (12.5 %)"), "{}", finding.message);
        assert_eq!(finding.touches_ns % (35 * MICRO), 0);
    }
}

#[test]
fn a_small_loop_at_the_end_does_not_come_first() {
    let mut before: Vec<Does> = Vec::new();
    for step in 0..40 {
        before.extend([submit(2, 50_000 + step * 977), Does::Work { ns: 70_000 + step * step * 31 }]);
    }
    before.push(Does::Wait { queue: 0 });
    before.extend(program(0, 1, &[2_000; 12], |_| 100));
    let report = record(&before, &simulate(&before, duration)).report();
    let of_tail = |finding: &Finding| finding.iterations.as_ref().is_some_and(|part| part.mean_ns < 10_000);
    assert!(!report.findings.iter().any(of_tail), "{:?}", report.findings);
}

#[test]
fn waits_that_keep_an_order_are_not_needless() {
    // The kernels are on an out-of-order queue, and only the waits order them.
    let mut run = Run::new(QueueOrder::OutOfOrder);
    for step in 0..20 {
        let at = step * 60 * MICRO;
        run.kernel(at, (at + 5 * MICRO, at + 25 * MICRO));
        run.kernel(at + 3 * MICRO, (at + 25 * MICRO, at + 45 * MICRO));
        run.slice(Category::Wait, "queue.wait", at + 6 * MICRO, at + 58 * MICRO, None, &[]);
    }
    let report = run.trace().report();
    assert_eq!(of_kind(&report, "wait_between_kernels"), None);
    assert_eq!(of_kind(&report, "wait_after_kernel"), None);
}

#[test]
fn even_iterations_and_few_of_them_have_no_findings_of_their_own() {
    let report = |rounds: usize| {
        let program = program(1, 2, &vec![600; rounds], |_| 10_000);
        record(&program, &simulate(&program, duration)).report()
    };
    assert!(of_kind(&report(12), "host_bound").is_some());
    assert_eq!(of_kind(&report(12), "uneven_iterations"), None);
    assert!(report(4).findings.iter().all(|finding| finding.iterations.is_none()));
}

#[test]
fn a_loop_that_is_a_small_part_of_the_run_does_not_come_first() {
    let mut program = program(0, 1, &[2_000; 60], |_| 400);
    program.extend([Does::Build { ns: 1_000_000 }, submit(2, 3_000), Does::Wait { queue: 0 }]);
    let report = record(&program, &simulate(&program, duration)).report();
    let place = |kind: &str| report.findings.iter().position(|finding| finding.kind == kind);
    assert!(place("build_inside_run").unwrap() < place("wait_after_kernel").unwrap());
    assert!(report.findings.iter().all(|finding| finding.iterations.is_none()));
}

/// Start and end of the executions of a recording, relative to the start of the recording.
#[derive(Default)]
struct Executions {
    begun_ns: u64,
    all: Vec<(String, u64, u64)>,
}

impl EventSink for Executions {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Process(process) => self.begun_ns = process.start_monotonic_ns,
            Event::Execution(run) => {
                let [start, end] = [run.start, run.end].map(|at| at.0 - self.begun_ns);
                self.all.push((run.name.to_owned(), start, end));
            }
            _ => {}
        }
    }
}

#[test]
fn the_first_findings_of_an_inference_engine_are_those_of_a_token() {
    let file = include_bytes!("../data/tokens.pftrace.zst");
    let trace = import::open(file).unwrap();
    let found = iterations(&trace);
    let (from, to) = steady_range(&found);
    let mut executions = Executions::default();
    import::read(file, &mut executions).unwrap();
    let of_steady: Vec<_> =
        executions.all.iter().filter(|(_, start, end)| *start >= from && *end <= to).collect();
    // Each token takes eight such kernels, two for each of the model's layers.
    let ropes = of_steady.iter().filter(|(name, ..)| name.contains("rope_norm_sycl")).count();
    assert_eq!(ropes as u64, 8 * found.steady.count);

    let report = trace.report();
    let kinds: Vec<&str> = report.findings.iter().map(|finding| finding.kind.as_str()).collect();
    assert_eq!(kinds[..3], ["host_bound", "host_task_in_queue", "uneven_iterations"], "{kinds:?}");
    assert!(kinds[3..].contains(&"build_inside_run"), "{kinds:?}");
    let host = report.findings[0].iterations.as_ref().expect("a part in iterations");
    assert_eq!(host.iterations, found.steady.count);
    assert_eq!(host.mean_ns, (to - from + host.iterations / 2) / host.iterations);
    // The queue is in-order, so that its executions don't overlap.
    let busy: u64 = of_steady.iter().map(|(_, start, end)| end - start).sum();
    assert_eq!(host.touches_ns, (to - from) - busy);
}

const MICRO: u64 = 1_000;

/// Returns iterations of a kernel, a host task that waits for it, and a kernel that may wait for the task.
fn host_tasks(rounds: u64, waits_for_task: bool) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    for round in 0..rounds {
        let at = 10 * MICRO + round * 100 * MICRO;
        let before = run.kernel(at, (at + 5 * MICRO, at + 20 * MICRO));
        let task = run.node(NodeKind::HostTask, at + 2 * MICRO);
        let behind = run.kernel(at + 4 * MICRO, (at + 60 * MICRO, at + 80 * MICRO));
        run.edge(before, task, EdgeReason::HostTask);
        if waits_for_task {
            run.edge(task, behind, EdgeReason::HostTask);
        }
    }
    run
}

#[test]
fn host_tasks_that_commands_wait_for_are_found() {
    let report = host_tasks(10, true).trace().report();
    let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
    // From the end of the kernel before the task to the start of the kernel after it.
    assert_eq!((finding.count, finding.touches_ns), (10, 10 * 40 * MICRO));
    assert!(finding.message.contains("in-order queue 1 wait for 10 host tasks"), "{}", finding.message);
    assert_eq!(finding.gain, None, "how long the task ran is not recorded");
    assert_eq!(of_kind(&host_tasks(7, true).trace().report(), "host_task_in_queue"), None, "seven");
    let none = host_tasks(10, false).trace().report();
    assert_eq!(of_kind(&none, "host_task_in_queue"), None, "nothing waits for them");
}

#[test]
fn host_tasks_that_very_many_commands_wait_for_are_found() {
    let mut run = Run::new(QueueOrder::InOrder);
    let tasks: Vec<u64> = (0..10).map(|number| run.node(NodeKind::HostTask, 10 + number)).collect();
    for number in 0..300 {
        let at = 10 * MICRO + number * 10 * MICRO;
        let behind = run.kernel(at, (at + 500 * MICRO, at + 505 * MICRO));
        tasks.iter().for_each(|task| run.edge(*task, behind, EdgeReason::HostTask));
    }
    let report = run.trace().report();
    let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
    assert_eq!(finding.count, 10);
}

#[test]
fn the_first_of_very_many_commands_behind_a_host_task_counts() {
    let mut run = Run::new(QueueOrder::InOrder);
    let tasks: Vec<u64> = (0..10).map(|number| run.node(NodeKind::HostTask, 10 + number)).collect();
    let mut behind: Vec<u64> = Vec::new();
    for number in 0..300 {
        let at = 10 * MICRO + number * 10 * MICRO;
        behind.push(run.kernel(at, (at + 500 * MICRO, at + 505 * MICRO)));
    }
    behind.push(run.kernel(20 * MICRO, (30 * MICRO, 35 * MICRO)));
    for one in behind {
        tasks.iter().for_each(|task| run.edge(*task, one, EdgeReason::HostTask));
    }
    let report = run.trace().report();
    let found = of_kind(&report, "host_task_in_queue");
    assert!(found.is_none_or(|finding| finding.touches_ns <= 10 * MICRO), "{found:?}");
}

#[test]
fn host_tasks_that_wait_for_one_another_are_found() {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut last = None;
    for round in 0..300 {
        // The host submits all of them before the first one has run.
        let at = 10 * MICRO + round * 10 * MICRO;
        let start = 5_000 * MICRO + round * 100 * MICRO;
        let task = run.node(NodeKind::HostTask, at);
        let behind = run.kernel(at + 4 * MICRO, (start, start + 50 * MICRO));
        run.edge(task, behind, EdgeReason::HostTask);
        if let Some(before) = last.replace(task) {
            run.edge(before, task, EdgeReason::Accessor);
        }
    }
    let report = run.trace().report();
    let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
    assert!(finding.count > 290, "{}", finding.count);
}

/// Returns the report of launches with a query each, by the name and the duration of the query.
fn queries(launches: u64, name: &str, ns: u64) -> Report {
    let mut run = Run::new(QueueOrder::InOrder);
    for launch in 0..launches {
        let at = 10 * MICRO + launch * 20 * MICRO;
        run.slice(Category::Call, name, at, at + ns, None, &[]);
        run.kernel(at + ns, (at + ns + 3 * MICRO, at + ns + 5 * MICRO));
    }
    run.trace().report()
}

#[test]
fn the_same_query_at_each_launch_is_found() {
    let report = queries(40, "urDeviceGetInfo", 4 * MICRO);
    let finding = of_kind(&report, "repeated_query").expect("a finding");
    // The first query precedes the first command.
    assert_eq!((finding.count, finding.touches_ns), (39, 39 * 4 * MICRO));
    assert_eq!(finding.gain.as_ref().expect("a gain").ns, 39 * 4 * MICRO);
    assert!(
        finding.message.contains("`urDeviceGetInfo` was called 39 times, 1.0 times for each launch"),
        "{}",
        finding.message
    );
    assert_eq!(of_kind(&queries(20, "urDeviceGetInfo", 4 * MICRO), "repeated_query"), None, "few");
    assert_eq!(of_kind(&queries(40, "urDeviceGetInfo", 10), "repeated_query"), None, "no time");
    assert_eq!(
        of_kind(&queries(40, "urEventGetInfo", 4 * MICRO), "repeated_query"),
        None,
        "the answer changes"
    );
}

#[test]
fn larger_memory_that_is_allocated_in_each_round_is_found() {
    let report = |bytes: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        for round in 0..40 {
            let (at, pointer) = (10 * MICRO + round * 20 * MICRO, 0x5000_0000);
            run.slice(Category::Memory, "malloc", at, at + 4 * MICRO, None, &[]);
            run.allocate(at + 2 * MICRO, pointer, bytes, AllocationKind::Device);
            run.kernel(at + 4 * MICRO, (at + 7 * MICRO, at + 9 * MICRO));
            run.slice(Category::Memory, "free", at + 10 * MICRO, at + 12 * MICRO, None, &[]);
            run.release(at + 11 * MICRO, pointer);
        }
        run.trace().report()
    };
    let large = report(1 << 20);
    let finding = of_kind(&large, "repeated_allocations").expect("a finding");
    assert_eq!(finding.count, 40);
    assert!(finding.message.contains("of at most 1.0 MiB"), "{}", finding.message);
    assert_eq!(of_kind(&large, "small_allocations"), None);
    let small = report(64);
    assert!(of_kind(&small, "small_allocations").is_some());
    assert_eq!(of_kind(&small, "repeated_allocations"), None);
}

#[test]
fn memory_that_stays_is_live_beside_what_is_released() {
    let report = |kept: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        for number in 0..kept {
            run.allocate(number, 0x9000_0000 + number * 64, 64, AllocationKind::Device);
        }
        for round in 0..40 {
            let (at, pointer) = (10 * MICRO + round * 20 * MICRO, 0x5000_0000);
            run.slice(Category::Memory, "malloc", at, at + 4 * MICRO, None, &[]);
            run.allocate(at + 2 * MICRO, pointer, 64, AllocationKind::Device);
            run.kernel(at + 4 * MICRO, (at + 7 * MICRO, at + 9 * MICRO));
            run.slice(Category::Memory, "free", at + 10 * MICRO, at + 12 * MICRO, None, &[]);
            run.release(at + 11 * MICRO, pointer);
        }
        run.trace().report()
    };
    let few = report(3);
    let finding = of_kind(&few, "small_allocations").expect("a finding");
    assert_eq!((finding.count, finding.evidence[1].as_str()), (40, "Live at one time: at most 4."));
    assert_eq!(of_kind(&report(30), "small_allocations"), None, "most of them are a data structure");
}

#[test]
fn memory_of_one_thread_is_found_whatever_another_one_allocates_meanwhile() {
    const MICRO: u64 = 1_000;
    let mut run = Run::new(QueueOrder::InOrder);
    let (track, kind) = (2, TrackKind::Thread);
    run.event(&Event::Track(Track { track, parent: None, kind, name: "other", tid: 2 }));
    let other = |run: &mut Run, at: u64| {
        let (category, name, location) = (Category::Memory, "malloc", SourceLocation::default());
        let begin = SliceBegin { track, at: Timestamp(at), category, name, node: None, location, args: &[] };
        run.event(&Event::SliceBegin(begin));
        run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + MICRO), args: &[] }));
    };
    for round in 0..40 {
        let (at, pointer) = (10 * MICRO + round * 20 * MICRO, 0x5000_0000);
        run.slice(Category::Memory, "malloc", at, at + 4 * MICRO, None, &[]);
        other(&mut run, at + MICRO);
        run.allocate(at + 3 * MICRO, pointer, 1 << 20, AllocationKind::Device);
        run.kernel(at + 4 * MICRO, (at + 7 * MICRO, at + 9 * MICRO));
        run.slice(Category::Memory, "free", at + 10 * MICRO, at + 14 * MICRO, None, &[]);
        other(&mut run, at + 12 * MICRO + 500);
        run.release(at + 13 * MICRO, pointer);
    }
    let report = run.trace().report();
    let finding = of_kind(&report, "repeated_allocations").expect("a finding");
    assert_eq!(finding.evidence[0], "Allocating took 160 µs, releasing 160 µs.");
}
