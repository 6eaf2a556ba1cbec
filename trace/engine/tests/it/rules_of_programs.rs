//! Rules motivated by real programs: slow starts, unread copied bytes, host tasks that release memory.

use proptest::prelude::*;
use syclscope_language::api::{Finding, Report};
use syclscope_language::event::{
    AllocationKind, Category, CounterSample, EdgeReason, Event, Node, NodeKind, Pause, Process, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::Run;
use crate::replay::{Does, duration, record, simulate};

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;

fn of_kind<'r>(report: &'r Report, kind: &str) -> Option<&'r Finding> {
    report.findings.iter().find(|finding| finding.kind == kind)
}

fn found(run: Run, kind: &str) -> Option<Finding> {
    of_kind(&run.trace().report(), kind).cloned()
}

proptest! {
    #[test]
    fn a_slow_start_gains_what_the_program_takes_without_its_first_builds(
        first in prop::collection::vec((any::<bool>(), 1..2_500_u64), 0..5),
        kernels in prop::collection::vec(1..2_500_u64, 1..4),
        build_ms in 1..300_u64,
    ) {
        let mut program: Vec<Does> = first
            .iter()
            .map(|(builds, ms)| {
                let ns = ms * MILLI;
                if *builds { Does::Build { ns } } else { Does::Work { ns } }
            })
            .collect();
        let start = program.len();
        for (number, ms) in kernels.iter().enumerate() {
            program.push(Does::Submit { queue: 0, ns: ms * MILLI, name: 0, is_copy: false, after: None });
            if number == 0 {
                program.push(Does::Build { ns: build_ms * MILLI });
            }
        }
        program.push(Does::Wait { queue: 0 });
        let simulated = simulate(&program, duration);
        let report = record(&program, &simulated).report();
        // Time before the first event is not the program's start.
        let begin = simulated.builds.iter().map(|(from, _)| *from).chain([simulated.handed[0]]).min().unwrap();
        let start_ns = simulated.handed[0] - begin;
        let is_slow = start_ns >= 3_000 * MILLI && start_ns >= (simulated.end - begin) / 2;
        let finding = of_kind(&report, "slow_start");
        prop_assert_eq!(finding.is_some(), is_slow, "{} of {}", start_ns, simulated.end - begin);
        let Some(finding) = finding else { return Ok(()) };
        prop_assert_eq!(finding.touches_ns, start_ns);
        let mut left = program.clone();
        let mut position = 0;
        left.retain(|does| {
            position += 1;
            position > start || !matches!(does, Does::Build { .. })
        });
        let without = simulate(&left, duration);
        let gain = finding.gain.as_ref().map(|gain| gain.ns);
        prop_assert_eq!(gain, Some(simulated.end - without.end));
        // Later builds belong to another finding, and no time is in both.
        let inside = of_kind(&report, "build_inside_run").map_or(0, |finding| finding.touches_ns);
        prop_assert!(finding.touches_ns + inside <= simulated.end - begin);
    }
}

#[test]
fn a_start_without_builds_has_no_gain_and_names_its_parts() {
    let slow = |name: &str| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
        run.slice(Category::Call, name, 100 * MILLI, 3_500 * MILLI, None, &[]);
        run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
        found(run, "slow_start").expect("a finding")
    };
    let devices = slow("urPlatformGet");
    assert!(
        devices.message.starts_with(
            "The first command was submitted after 3.6 s, 95 % of the recorded run: 3.4 s urPlatformGet, "
        ),
        "{}",
        devices.message
    );
    assert!(devices.message.contains("ONEAPI_DEVICE_SELECTOR"), "{}", devices.message);
    assert_eq!(devices.gain, None);
    assert!(devices.no_gain.contains("built no device code before its first command"), "{}", devices.no_gain);
    let recorded = slow("urUSMHostAlloc").message;
    assert!(recorded.ends_with("The query `start_up` has their lines."), "{recorded}");
    assert!(!recorded.contains("profiler") && !recorded.contains("SELECTOR"), "{recorded}");
}

#[test]
fn a_start_says_how_many_of_its_build_calls_built_nothing() {
    let mut run = Run::new(QueueOrder::InOrder);
    let refused = [("result", Value::Str("UR_RESULT_ERROR_UNSUPPORTED_FEATURE"))];
    run.slice(Category::Call, "urProgramBuildExp", 0, 10, None, &refused);
    run.slice(Category::Call, "urProgramBuild", 100 * MILLI, 3_500 * MILLI, None, &[]);
    run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
    let evidence = found(run, "slow_start").expect("a finding").evidence;
    assert_eq!(
        evidence,
        ["2 build calls (1 of them rejected or short) took 3.4 s before the first command."]
    );
}

/// Adds samples of the process's processor time, in percent, every 100 ms of some times.
fn processor_use(run: &mut Run, times_ms: std::ops::RangeInclusive<u64>, percent: f64) {
    let (track, kind, name) = (50, TrackKind::Counter, "process: processor use");
    run.event(&Event::Track(Track { track, parent: None, kind, name, tid: 0 }));
    for at_ms in times_ms.step_by(100) {
        run.event(&Event::Counter(CounterSample { track, at: Timestamp(at_ms * MILLI), value: percent }));
    }
}

#[test]
fn a_start_with_little_of_a_processor_may_have_been_on_a_busy_machine() {
    let start = |times_ms, percent| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
        processor_use(&mut run, times_ms, percent);
        run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
        found(run, "slow_start").expect("a finding").message
    };
    let busy = start(200..=3_800, 9.2);
    assert!(busy.contains(". Meanwhile the process had 9 % of a processor: the machine may have"), "{busy}");
    assert!(!start(200..=3_800, 95.0).contains("Meanwhile"));
    assert!(!start(2_000..=3_800, 9.2).contains("Meanwhile"), "half of the start has no samples");
}

#[test]
fn a_long_kernel_with_little_of_a_processor_may_have_been_on_a_busy_machine() {
    let kernel = |queue: u64, percent| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.queue(2, QueueOrder::InOrder, 0xd2, "GPU");
        for at in (0..20).map(|command| command * 10 * MILLI) {
            run.kernel(at, (at + 3 * MICRO, at + 10 * MILLI));
        }
        run.command(NodeKind::Kernel, queue, 200 * MILLI, (201 * MILLI, 2_200 * MILLI));
        processor_use(&mut run, 100..=2_300, percent);
        found(run, "one_long_kernel").expect("a finding").message
    };
    let busy = kernel(1, 29.4);
    assert!(
        busy.contains(". Meanwhile the process had 29 % of a processor: the machine may have been busy. "),
        "{busy}"
    );
    assert!(!kernel(1, 196.0).contains("Meanwhile"));
    assert!(!kernel(2, 29.4).contains("Meanwhile"), "another device computes");
}

#[test]
fn a_pause_before_the_first_event_is_a_step_of_the_start() {
    let mut run = Run::new(QueueOrder::InOrder);
    for (at, is_paused) in [(0, true), (9_000 * MILLI, false)] {
        run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "program" }));
    }
    run.slice(Category::Call, "urKernelCreate", 10_000 * MILLI, 10_500 * MILLI, None, &[]);
    run.kernel(11_000 * MILLI, (11_100 * MILLI, 11_200 * MILLI));
    let trace = run.trace();
    let start = trace.start_up();
    let steps = start.steps.iter().map(|step| (step.name.as_str(), step.total_ns / MILLI));
    let expected = [("recording paused", 9_000), ("before the first event", 1_000)];
    assert_eq!(steps.take(2).collect::<Vec<_>>(), expected);
    assert_eq!(start.steps.iter().map(|step| step.total_ns).sum::<u64>(), start.to_ns);
    assert_eq!(trace.critical_path().length_ns, trace.info().duration_ns);
}

#[test]
fn a_start_with_a_pause_may_have_had_commands() {
    let paused = |at: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
        for (at, is_paused) in [(at, true), (at + 5 * MILLI, false)] {
            run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "program" }));
        }
        run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
        found(run, "slow_start")
    };
    assert_eq!(paused(1_000 * MILLI), None);
    assert!(paused(3_750 * MILLI).is_some(), "a later pause");
}

#[test]
fn a_part_of_a_run_has_no_slow_start() {
    let start = |from_ns, goes_on: bool| {
        let process = Process { pid: 1, name: "program", from_ns, ..Process::default() };
        let mut run = Run::of_process(process, QueueOrder::InOrder);
        run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
        run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
        let at = Timestamp(3_800 * MILLI);
        run.event(&if goes_on { Event::PartEnd { at } } else { Event::Finish { at } });
        found(run, "slow_start")
    };
    assert!(start(None, false).is_some());
    assert_eq!(start(None, true), None, "the rest may be long");
    assert_eq!(start(Some(0), false), None);
}

#[test]
fn a_start_in_the_programs_own_code_says_that_it_is_not_recorded() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
    run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
    let message = found(run, "slow_start").expect("a finding").message;
    assert!(message.contains("A profiler of the host") && !message.contains("SELECTOR"), "{message}");
}

#[test]
fn a_start_ends_with_the_first_command_even_if_it_has_no_time() {
    for kind in [NodeKind::CommandGraph, NodeKind::HostTask] {
        let mut run = Run::new(QueueOrder::InOrder);
        run.slice(Category::Call, "urAdapterGet", 0, 10 * MILLI, None, &[]);
        run.untimed(kind, 1, 20 * MILLI);
        run.kernel(3_600 * MILLI, (3_700 * MILLI, 3_800 * MILLI));
        assert_eq!(found(run, "slow_start"), None);
    }
}

/// An operation on the blocks of one of two allocations of a device.
#[derive(Clone, Copy, Debug)]
enum Use {
    CopyTo(u64, u64),
    CopyFrom(u64, u64),
    Fill(u64, u64),
    Kernel,
    Release,
}

const BLOCK: u64 = 4_096;
const BLOCKS: u64 = 4;
const ADDRESS: u64 = 0x10_0000;
const HOST: u64 = 0x9000_0000;

fn uses() -> impl Strategy<Value = Vec<(usize, Use)>> {
    let blocks = || (0..BLOCKS, 1..=BLOCKS).prop_map(|(from, count)| (from, count.min(BLOCKS - from)));
    let one = prop_oneof![
        6 => blocks().prop_map(|(from, count)| Use::CopyTo(from, count)),
        1 => blocks().prop_map(|(from, count)| Use::CopyFrom(from, count)),
        2 => blocks().prop_map(|(from, count)| Use::Fill(from, count)),
        1 => Just(Use::Kernel),
        1 => Just(Use::Release),
    ];
    prop::collection::vec((0..2_usize, one), 1..40)
}

/// Returns the positions of the copies whose bytes nothing reads, each by a search for the first use of its bytes.
fn never_read(uses: &[(usize, Use)]) -> Vec<usize> {
    let is_never_read = |place: &usize| {
        let (memory, Use::CopyTo(from, count)) = uses[*place] else { return false };
        let mine = from..from + count;
        for (other, does) in &uses[place + 1..] {
            match *does {
                Use::Kernel => return false,
                Use::Release if *other == memory => return true,
                Use::CopyFrom(from, count)
                    if *other == memory && (from..from + count).any(|block| mine.contains(&block)) =>
                {
                    return false;
                }
                Use::CopyTo(from, count) | Use::Fill(from, count) if *other == memory => {
                    let theirs = from..from + count;
                    if mine.clone().all(|block| theirs.contains(&block)) {
                        return true;
                    }
                    if mine.clone().any(|block| theirs.contains(&block)) {
                        // Only a part is overwritten: the rule does not apply.
                        return false;
                    }
                }
                _ => {}
            }
        }
        false
    };
    (0..uses.len()).filter(is_never_read).collect()
}

/// Returns a run of the uses, one after the other, and the command of each.
fn run_of(uses: &[(usize, Use)]) -> (Run, Vec<u64>) {
    let mut run = Run::new(QueueOrder::InOrder);
    let address = |memory: usize| ADDRESS + memory as u64 * 0x10_0000;
    for memory in 0..2 {
        run.allocate(1, address(memory), BLOCKS * BLOCK, AllocationKind::Device);
    }
    let mut nodes = Vec::new();
    for (number, (memory, does)) in (0..).zip(uses) {
        let (at, memory) = (10 * MICRO + number * 20 * MICRO, address(*memory));
        let ran = (at + 5 * MICRO, at + 15 * MICRO);
        nodes.push(run.next_node());
        let spot = |from: u64| memory + from * BLOCK;
        match *does {
            Use::CopyTo(from, count) => run.copy(at, ran, HOST, spot(from), count * BLOCK),
            Use::CopyFrom(from, count) => run.copy(at, ran, spot(from), HOST, count * BLOCK),
            Use::Kernel => drop(run.kernel(at, ran)),
            Use::Fill(from, count) => {
                let node = run.command(NodeKind::Fill, 1, at, ran);
                let args = [("pMem", Value::Pointer(spot(from))), ("size", Value::Uint(count * BLOCK))];
                run.slice(Category::Call, "urEnqueueUSMFill", at + 10, at + 20, Some(node), &args);
            }
            Use::Release => {
                run.release(at, memory);
                run.allocate(at + 1, memory, BLOCKS * BLOCK, AllocationKind::Device);
            }
        }
    }
    (run, nodes)
}

proptest! {
    #[test]
    fn copies_that_nothing_reads_are_those_of_a_search(uses in uses()) {
        let expected = never_read(&uses);
        let (run, nodes) = run_of(&uses);
        let finding = found(run, "copy_never_read");
        // The test calls `next_node` once before each command.
        let numbers: Vec<u64> = expected.iter().map(|place| nodes[*place] + 1).collect();
        prop_assert_eq!(finding.is_some(), expected.len() >= 3);
        let Some(finding) = finding else { return Ok(()) };
        prop_assert_eq!(finding.count, expected.len() as u64);
        prop_assert_eq!(&finding.nodes[..], &numbers[..numbers.len().min(20)]);
        prop_assert_eq!(finding.touches_ns, expected.len() as u64 * 10 * MICRO);
        prop_assert!(finding.gain.is_some_and(|gain| gain.bytes >= 3 * BLOCK));
    }
}

/// Returns copies to one place, each of which replaces the previous one. A command of `kind` without a device time is
/// submitted before them, and each copy follows a wait for `queue`.
fn copies_behind_an_untimed(kind: NodeKind, queue: u64) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, ADDRESS, BLOCK, AllocationKind::Device);
    let (node, location) = (run.next_node(), SourceLocation::default());
    let (name, tid, queue_of, args) = (kind.as_str(), 1, Some(1), &[][..]);
    let at = Timestamp(2 * MICRO);
    run.event(&Event::Node(Node { node, at, kind, name, queue: queue_of, tid, location, args }));
    for round in 0..10 {
        let at = 10 * MICRO + round * 30 * MICRO;
        run.wait_for_queue(queue, at, at + MICRO);
        run.copy(at + 2 * MICRO, (at + 5 * MICRO, at + 15 * MICRO), HOST, ADDRESS, BLOCK);
    }
    run
}

#[test]
fn commands_without_a_time_read_until_a_wait_for_them() {
    for kind in [NodeKind::CommandGraph, NodeKind::Kernel] {
        let awaited = found(copies_behind_an_untimed(kind, 1), "copy_never_read").expect("a finding");
        assert_eq!(awaited.count, 9, "the last one's bytes stay");
        // Waits for another queue give no bound for it.
        assert_eq!(found(copies_behind_an_untimed(kind, 2), "copy_never_read"), None);
    }
}

/// Returns the report of iterations of a kernel, a host task that waits for it on a thread of the runtime, and a kernel
/// that waits for the task. The task's body releases memory in the iterations that `releases` selects.
fn releasing(rounds: u64, releases: impl Fn(u64) -> bool) -> Report {
    let mut run = Run::new(QueueOrder::InOrder);
    run.event(&Event::Track(Track {
        track: 2,
        parent: None,
        kind: TrackKind::Thread,
        name: "runtime",
        tid: 2,
    }));
    let slice = |run: &mut Run, category, name, (from, to): (u64, u64), node| {
        let (location, args) = (SourceLocation::default(), &[][..]);
        let begin = SliceBegin { track: 2, at: Timestamp(from), category, name, node, location, args };
        run.event(&Event::SliceBegin(begin));
        run.event(&Event::SliceEnd(SliceEnd { track: 2, at: Timestamp(to), args }));
    };
    for round in 0..rounds {
        let at = 10 * MICRO + round * 100 * MICRO;
        let before = run.kernel(at, (at + 5 * MICRO, at + 20 * MICRO));
        let task = run.node(NodeKind::HostTask, at + 2 * MICRO);
        let behind = run.kernel(at + 4 * MICRO, (at + 60 * MICRO, at + 80 * MICRO));
        run.edge(before, task, EdgeReason::HostTask);
        run.edge(task, behind, EdgeReason::HostTask);
        slice(&mut run, Category::Wait, "event.wait", (at + 6 * MICRO, at + 22 * MICRO), Some(before));
        if releases(round) {
            slice(&mut run, Category::Call, "urUSMFree", (at + 25 * MICRO, at + 35 * MICRO), None);
        }
        slice(&mut run, Category::Call, "urEventGetInfo", (at + 40 * MICRO, at + 41 * MICRO), None);
    }
    run.trace().report()
}

#[test]
fn host_tasks_that_release_memory_say_so() {
    let report = releasing(10, |_| true);
    let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
    assert!(finding.message.contains("They release memory"), "{}", finding.message);
    assert!(finding.message.contains("sycl_ext_oneapi_async_memory_alloc"), "{}", finding.message);
    let said = "10 of 10 host tasks whose thread is known released memory: 10 calls, 100 µs.";
    assert!(finding.evidence.iter().any(|line| line == said), "{:?}", finding.evidence);
    // Calls on its thread may be part of the task, which ends when the command behind it begins at the latest.
    let bound = "10 of 10 host tasks ran for 380 µs at most.";
    assert!(finding.evidence.iter().any(|line| line == bound), "{:?}", finding.evidence);
}

#[test]
fn host_tasks_that_do_something_else_do_not() {
    for releases in [0, 7] {
        let report = releasing(10, |round| round < releases);
        let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
        assert!(finding.message.contains("Those that only release memory"), "{}", finding.message);
    }
    let report = releasing(10, |_| false);
    let said = "No call that releases memory was recorded in the 10 host tasks whose thread is known.";
    let finding = of_kind(&report, "host_task_in_queue").expect("a finding");
    assert!(finding.evidence.iter().any(|line| line == said), "{:?}", finding.evidence);
}
