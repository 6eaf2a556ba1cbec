//! Reports of host tasks, whose bodies no runtime reports.

use proptest::prelude::*;
use syclscope_engine::import;
use syclscope_language::api::{Finding, Report, Severity};
use syclscope_language::event::{
    Category, EdgeReason, Event, NodeKind, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Run, ranks};

fn finding(report: &Report) -> Option<&Finding> {
    report.findings.iter().find(|finding| finding.kind == "work_in_host_tasks")
}

/// 40 additions of arrays in dpnp, on a CPU device: `tests/data/README.md`.
#[test]
fn sums_of_a_library_are_work_in_host_tasks() {
    let trace = import::open(include_bytes!("../data/host-tasks.pftrace.gz")).unwrap();
    let report = trace.report();
    let found = finding(&report).unwrap();
    assert!((40..=42).contains(&found.count), "{}", found.count);
    assert_eq!((found.severity, &found.gain), (Severity::Info, &None));
    let [said] = &report.unseen[..] else { panic!("{:?}", report.unseen) };
    assert!(said.starts_with("42 host tasks ran on threads of the host for an unknown time: "), "{said}");
    assert_eq!(report.advice(), ("", found.message.as_str()));
}

/// Host tasks of this recording keep memory alive until the kernels that use it have ended.
#[test]
fn host_tasks_that_keep_memory_for_kernels_are_no_work() {
    let trace = import::open(include_bytes!("../../../../e2e/traces/dpnp.pftrace.gz")).unwrap();
    let report = trace.report();
    assert_eq!(finding(&report), None);
    let said = report.unseen.concat();
    assert!(said.contains("144 host tasks") && said.contains(" of them for at most "), "{said}");
    assert!(said.contains(", the others for an unknown time"), "{said}");
}

#[test]
fn work_in_host_tasks_is_that_of_its_process() {
    let trace = ranks(|run, rank| {
        run.kernel(10, (2_100, 2_200));
        for number in 0..20 * u64::from(rank) {
            let at = 10_000 + number * 10_000;
            let task = run.node(NodeKind::HostTask, at);
            run.slice(Category::Submission, "host task", at, at + 100, Some(task), &[]);
        }
    });
    let report = trace.report();
    assert_eq!(finding(&report).map(|finding| (finding.process, finding.count)), Some((1, 20)));
}

#[test]
fn host_tasks_beside_kernels_without_a_time_are_not_said_to_be_the_work() {
    let of = |kernels: u64| {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        run.kernel(0, (2_100, 2_200));
        for number in 0..kernels {
            run.node(NodeKind::Kernel, 10_000 + number);
        }
        for number in 0..20 {
            run.node(NodeKind::HostTask, 200_000 + number);
        }
        finding(&run.trace().report()).map(|finding| finding.message.clone())
    };
    assert_eq!(of(30), None);
    let said = of(3).unwrap();
    assert!(said.contains("1 kernel ran (3 more commands without a device time may have):"), "{said}");
}

proptest! {
    #[test]
    fn what_host_tasks_do_is_said_with_its_bounds(kept in 0..30_u64, free in 0..30_u64, kernels in 0..30_u64, is_busy: bool) {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        let length = if is_busy { 100_000 } else { 100 };
        let ran: Vec<u64> = (0..kernels.max(1)).map(|number| run.kernel(number * 3_000, (number * 3_000 + 2_100, number * 3_000 + 2_100 + length))).collect();
        for number in 0..kept {
            let task = run.node(NodeKind::HostTask, 100_000 + number);
            run.edge(ran[0], task, EdgeReason::Event);
        }
        for number in 0..free {
            run.node(NodeKind::HostTask, 200_000 + number);
        }
        let trace = run.trace();
        let (report, duration_ns) = (trace.report(), trace.info().duration_ns);
        let found = finding(&report).map(|finding| finding.count);
        prop_assert_eq!(found, (free >= 16 && free > kernels.max(1) && !is_busy).then_some(free));
        let said = report.unseen.concat();
        prop_assert_eq!(said.is_empty(), kept + free == 0);
        let bounded: u64 = report.host_tasks.iter().map(|tasks| tasks.estimated).sum();
        match (bounded, kept + free) {
            (_, 0) => {}
            (0, _) => prop_assert!(said.contains("host for an unknown time: "), "{}", said),
            (_, all) => prop_assert!(said.contains(&format!("{all} host task")) && said.contains("at most"), "{}", said),
        }
        // None of these times is measured.
        let spans = 3_000 * (kernels.max(1) - 1) + length;
        prop_assert_eq!(report.covered.device_ns, if is_busy { spans } else { length * kernels.max(1) });
        prop_assert_eq!(is_busy, report.covered.device_ns * 10 >= duration_ns);
    }
}

/// Returns a run with a thread of the runtime, on track 2.
fn with_pool() -> Run {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    run.event(&Event::Track(Track { track: 2, parent: None, kind: TrackKind::Thread, name: "pool", tid: 2 }));
    run
}

fn on_pool(run: &mut Run, category: Category, name: &str, (from, to): (u64, u64), node: Option<u64>) {
    let (location, args) = (SourceLocation::default(), &[][..]);
    let begin = SliceBegin { track: 2, at: Timestamp(from), category, name, node, location, args };
    run.event(&Event::SliceBegin(begin));
    run.event(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(to), args: &[] }));
}

/// Requests a host task; returns its number.
fn host_task(run: &mut Run, at: u64, source: u64) -> u64 {
    let task = run.node(NodeKind::HostTask, at);
    run.edge(source, task, EdgeReason::Accessor);
    run.slice(Category::Submission, "host task", at, at + 50, Some(task), &[]);
    task
}

/// Returns the bounds of each host task.
fn bounds(run: Run) -> Vec<Option<(u64, u64)>> {
    let details = crate::brute_force::details(&run.trace());
    let tasks = details.iter().filter(|slice| slice.name == "host task");
    let nodes = tasks.filter_map(|slice| slice.node.as_ref());
    nodes.map(|node| node.estimate.map(|task| (task.from_ns, task.to_ns))).collect()
}

#[test]
fn each_host_task_has_its_own_wait_for_a_command_that_several_depend_on() {
    let mut run = with_pool();
    let kernel = run.kernel(0, (2_100, 5_000));
    for (requested, waited, enqueued) in [(3_000, (3_100, 5_010), 9_000), (50_000, (50_100, 50_110), 60_000)]
    {
        let task = host_task(&mut run, requested, kernel);
        let behind = run.node(NodeKind::Kernel, requested + 60);
        run.edge(task, behind, EdgeReason::HostTask);
        on_pool(&mut run, Category::Wait, "event.wait", waited, Some(kernel));
        // A call of the body, then the enqueueing of the command behind it.
        on_pool(&mut run, Category::Call, "urKernelRetain", (enqueued - 100, enqueued - 90), None);
        on_pool(&mut run, Category::Submission, "kernel", (enqueued, enqueued + 10), Some(behind));
    }
    assert_eq!(bounds(run), [Some((5_010, 9_000)), Some((50_110, 60_000))]);
}

#[test]
fn the_next_host_task_of_a_thread_bounds_one_only_if_it_had_been_requested_before() {
    let of = |requested: u64| {
        let mut run = with_pool();
        let kernels = [run.kernel(0, (2_100, 5_000)), run.kernel(2_000, (5_000, 5_500))];
        host_task(&mut run, 4_000, kernels[0]);
        host_task(&mut run, requested, kernels[1]);
        on_pool(&mut run, Category::Wait, "event.wait", (4_100, 5_010), Some(kernels[0]));
        // The body releases memory.
        on_pool(&mut run, Category::Memory, "usm::free", (6_000, 6_100), None);
        on_pool(&mut run, Category::Wait, "event.wait", (9_000, 9_010), Some(kernels[1]));
        bounds(run)
    };
    assert_eq!(of(4_500), [Some((5_010, 9_000)), None]);
    // The thread may have been idle until then.
    assert_eq!(of(8_000), [None, None]);
}
