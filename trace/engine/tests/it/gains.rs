//! Gains of findings, against the replay: the time of a simulated program with the fault, minus its time without the
//! fault.

use proptest::prelude::*;
use syclscope_language::api::{Finding, gain_bound};
use syclscope_language::event::{
    Accessor, AllocationKind, Category, Device, Event, MemoryObject, NodeKind, ObjectKind, QueueOrder, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Run, place};
use crate::serialised::parts;

const MICRO: u64 = 1_000;
const DEVICE_MEMORY: u64 = 0x10_0000;
const HOST_MEMORY: u64 = 0x9000_0000;

/// An action of the host, its time, the device's time, and the number of repeats.
type Step = (u8, u64, u64, u64);

fn run(steps: &[Step]) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(0, DEVICE_MEMORY, 1 << 20, AllocationKind::Device);
    let (mut at, mut device, mut pointer) = (10 * MICRO, 0, 0x5000_0000);
    for &(what, host, on_device, times) in steps {
        for _ in 0..times {
            // The device starts a command after its submission, and after the end of the previous one.
            let mut on_the_device = |begun: u64| {
                let span = (device.max(begun + MICRO), device.max(begun + MICRO) + on_device * MICRO);
                device = span.1;
                span
            };
            match what {
                0 => {
                    run.kernel(at, on_the_device(at));
                    at += 2 * MICRO;
                }
                1 => {
                    let span = on_the_device(at);
                    run.kernel(at, span);
                    let until = span.1.max(at + 2 * MICRO) + host * MICRO;
                    run.slice(Category::Wait, "queue.wait", at + 2 * MICRO, until, None, &[]);
                    at = until + MICRO;
                }
                2 => {
                    run.slice(Category::Call, "urProgramBuild", at, at + host * 100 * MICRO, None, &[]);
                    at += host * 100 * MICRO;
                }
                3 => {
                    run.slice(Category::Memory, "malloc", at, at + host * MICRO, None, &[]);
                    run.allocate(at + host * MICRO / 2, pointer, 64, AllocationKind::Device);
                    at += host * MICRO + 10;
                    run.slice(Category::Memory, "free", at, at + host * MICRO, None, &[]);
                    run.release(at + host * MICRO / 2, pointer);
                    (at, pointer) = (at + host * MICRO + 10, pointer + 64);
                }
                4 => {
                    let out = on_the_device(at);
                    run.copy(at, out, DEVICE_MEMORY, HOST_MEMORY, 1 << 20);
                    at = out.1;
                    run.copy(at, on_the_device(at), HOST_MEMORY, DEVICE_MEMORY, 1 << 20);
                    at += 2 * MICRO;
                }
                _ => {
                    let lock = run.node(NodeKind::HostAccessor, at);
                    let done = on_the_device(at);
                    run.kernel(at, done);
                    let until = done.1 + host * MICRO;
                    run.slice(Category::Wait, "event.wait", at, until, Some(lock), &[]);
                    at = until + MICRO;
                    run.kernel(at, on_the_device(at));
                    at += 2 * MICRO;
                }
            }
        }
    }
    run
}

proptest! {
    #[test]
    fn no_gain_is_more_than_the_run_or_than_that_of_all_faults(
        steps in prop::collection::vec((0..6_u8, 1..60_u64, 1..60_u64, prop_oneof![1..4_u64, 8..60_u64]), 1..7),
    ) {
        let trace = run(&steps).trace();
        let report = trace.report();
        prop_assert!(report.together_ns < trace.info().duration_ns);
        let of_faults =
            || report.findings.iter().filter(|finding| !["host_bound", "uneven_iterations"].contains(&finding.kind.as_str()));
        for finding in of_faults() {
            prop_assert!(finding.no_gain.is_empty() && finding.touches_ns > 0, "{finding:?}");
            let gain = finding.gain.as_ref().unwrap();
            prop_assert!(gain.ns <= report.together_ns, "{gain:?} of {}", report.together_ns);
            let how = gain.how.to_lowercase();
            prop_assert!(how.starts_with(gain_bound(&finding.kind)), "{}", gain.how);
        }
        let gains: Vec<u64> = of_faults().map(|finding| finding.gain.as_ref().unwrap().ns).collect();
        let leads = |finding: &&Finding| finding.iterations.as_ref().is_some_and(|part| !part.is_small());
        let in_iterations: Vec<_> = report.findings.iter().take_while(leads).map(|finding| finding.iterations.as_ref().unwrap().gain_ns).collect();
        prop_assert!(in_iterations.is_sorted_by(|one, next| one >= next), "{in_iterations:?}");
        let others: Vec<_> = report.findings[in_iterations.len()..].iter().map(|finding| finding.gain.as_ref().map(|gain| gain.ns)).collect();
        prop_assert!(others.is_sorted_by(|one, next| one >= next), "{others:?}");
        prop_assert!(!report.findings[in_iterations.len()..].iter().any(|finding| leads(&finding)));
        if let [only] = gains[..] {
            prop_assert_eq!(only, report.together_ns);
        }
    }
}

/// Times of the simulated machine: of a submission, from a ready command to its start, and of the return of a wait.
const SUBMISSION_NS: u64 = 2_000;
const LAUNCH_NS: u64 = 3_000;
const RETURN_NS: u64 = 1_000;

/// An iteration of a program: work of the host, then a kernel, on one of several chains.
#[derive(Clone, Copy, Debug)]
struct Round {
    host_ns: u64,
    kernel_ns: u64,
    chain: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Program {
    /// The queue runs one kernel after the other.
    is_in_order: bool,
    /// The host waits for each kernel.
    waits: bool,
    /// The host's work is a build of a program.
    builds: bool,
    /// The runtime's unrecorded work before each build.
    compiler_ns: u64,
    /// The host's work is an allocation with an immediate release.
    allocates: bool,
}

/// Returns a run of a program, with the end of its last command or wait.
fn simulate(program: Program, rounds: &[Round], has_host_work: bool) -> (Run, u64) {
    let mut run = Run::new(if program.is_in_order { QueueOrder::InOrder } else { QueueOrder::OutOfOrder });
    (0..4).for_each(|object| buffer(&mut run, object));
    let (mut now, mut last_end, mut chains) = (100 * MICRO, 0, [0; 4]);
    let mut end = 0;
    for (number, round) in rounds.iter().enumerate() {
        let work_ns = if has_host_work { round.host_ns } else { 0 };
        if program.builds && number > 0 {
            now += program.compiler_ns;
            run.slice(Category::Call, "urProgramBuild", now, now + work_ns, None, &[]);
        }
        if program.allocates && number > 0 {
            let (pointer, half) = (0x5000_0000 + number as u64 * 64, now + work_ns / 2);
            run.slice(Category::Memory, "malloc", now, half, None, &[]);
            run.allocate(half - 1, pointer, 64, AllocationKind::Device);
            run.slice(Category::Memory, "free", half, now + work_ns, None, &[]);
            run.release(half + 1, pointer);
        }
        now += work_ns;
        let submitted = now + SUBMISSION_NS;
        let after = if program.is_in_order { last_end } else { chains[round.chain] };
        let start = submitted.max(after) + LAUNCH_NS;
        let node = run.kernel(now, (start, start + round.kernel_ns));
        let call = [("numArgs", Value::Uint(1))];
        run.slice(Category::Call, "urEnqueueKernelLaunch", now + 1, now + 2, Some(node), &call);
        access(&mut run, round.chain as u64, node, now);
        now = submitted;
        (last_end, chains[round.chain]) = (start + round.kernel_ns, start + round.kernel_ns);
        if program.waits || number + 1 == rounds.len() {
            let done = chains.iter().copied().max().unwrap().max(last_end).max(now) + RETURN_NS;
            run.wait_for_queue(1, now, done);
            now = done;
        }
        end = end.max(now).max(last_end);
    }
    (run, end)
}

fn buffer(run: &mut Run, object: u64) {
    run.event(&Event::MemoryObject(MemoryObject {
        object,
        at: Timestamp(1),
        kind: ObjectKind::Buffer,
        address: 0x7000 + object,
        host_pointer: 0,
        element_type: "f",
        element_size_bytes: 4,
        dimensions: 1,
        range_0: 4,
        range_1: 0,
        range_2: 0,
        tid: 1,
        location: place(1),
        args: &[],
    }));
}

fn access(run: &mut Run, object: u64, node: u64, at: u64) {
    let (at, address, target, mode, args) = (Timestamp(at), 0x8000, "device", "read_write", &[]);
    let (node, location) = (Some(node), place(2));
    run.event(&Event::Accessor(Accessor { object, at, address, target, mode, node, tid: 1, location, args }));
}

fn rounds(host_ns: std::ops::Range<u64>, chains: usize) -> impl Strategy<Value = Vec<Round>> {
    let round = (host_ns, 1..200_u64, 0..chains).prop_map(|(host_ns, kernel_ns, chain)| Round {
        host_ns,
        kernel_ns: kernel_ns * MICRO,
        chain,
    });
    prop::collection::vec(round, 40..60)
}

/// Returns the gain of the only finding of its kind, if the run has one.
fn gain_of(run: Run, kind: &str) -> Option<u64> {
    let finding = run.trace().report().findings.into_iter().find(|finding| finding.kind == kind)?;
    Some(finding.gain.expect("a gain").ns)
}

proptest! {
    #[test]
    fn waits_gain_what_the_program_takes_without_them(rounds in rounds(1..40_000, 1)) {
        let program = Program { is_in_order: true, waits: true, ..Program::default() };
        let (with, end) = simulate(program, &rounds, true);
        let (_, end_without) = simulate(Program { waits: false, ..program }, &rounds, true);
        prop_assert_eq!(gain_of(with, "wait_after_kernel"), Some(end - end_without));
    }

    #[test]
    fn builds_gain_what_the_program_takes_without_them(rounds in rounds(30_000..200_000, 1), waits: bool) {
        let program = Program { is_in_order: true, waits, builds: true, ..Program::default() };
        let (with, end) = simulate(program, &rounds, true);
        let (_, end_without) = simulate(Program { builds: false, ..program }, &rounds, false);
        let gain = gain_of(with, "build_inside_run");
        // The host's work before the first command is not part of the gain.
        let first_ns = rounds[0].host_ns;
        prop_assert!(gain.is_none_or(|gain| gain == end - end_without - first_ns), "{gain:?} {end} {end_without}");
        prop_assert!(gain.is_some() || end - end_without - first_ns < end / 10);
    }

    #[test]
    fn builds_gain_no_less_than_predicted_where_the_compiler_is_unrecorded(
        rounds in rounds(30_000..200_000, 1),
        waits: bool,
        compiler_ns in 1..500_000_u64,
    ) {
        let program = Program { is_in_order: true, waits, builds: true, compiler_ns, ..Program::default() };
        let (with, end) = simulate(program, &rounds, true);
        let (_, end_without) = simulate(Program { builds: false, ..program }, &rounds, false);
        let report = with.trace().report();
        let build = report.findings.iter().find(|finding| finding.kind == "build_inside_run");
        if let Some(build) = build {
            let gain = build.gain.as_ref().expect("a gain");
            prop_assert_eq!(gain_bound(&build.kind), "in recorded time");
            prop_assert!(gain.how.starts_with("In recorded time: "), "{}", gain.how);
            prop_assert!(gain.ns <= end - end_without - rounds[0].host_ns, "{gain:?} {end} {end_without}");
        }
    }

    #[test]
    fn small_allocations_gain_what_the_program_takes_without_them(rounds in rounds(30_000..200_000, 1), waits: bool) {
        let program = Program { is_in_order: true, waits, allocates: true, ..Program::default() };
        let (with, end) = simulate(program, &rounds, true);
        let (_, end_without) = simulate(Program { allocates: false, ..program }, &rounds, false);
        let gain = gain_of(with, "small_allocations");
        let first_ns = rounds[0].host_ns;
        prop_assert!(gain.is_none_or(|gain| gain == end - end_without - first_ns), "{gain:?} {end} {end_without}");
        prop_assert!(gain.is_some() || end - end_without - first_ns < end / 10);
    }

    #[test]
    fn an_order_without_need_gains_what_an_out_of_order_queue_does(rounds in rounds(0..1_000, 4)) {
        let program = Program { is_in_order: true, ..Program::default() };
        let (with, end) = simulate(program, &rounds, true);
        let (_, end_without) = simulate(Program { is_in_order: false, ..program }, &rounds, true);
        let gain = gain_of(with, "order_without_need");
        prop_assert_eq!(gain, Some(end - end_without));
    }
}

#[test]
fn no_gain_needs_more_room_than_the_device_has() {
    let rounds: Vec<Round> =
        (0..40).map(|number| Round { host_ns: 0, kernel_ns: 100 * MICRO, chain: number % 4 }).collect();
    let program = Program { is_in_order: true, ..Program::default() };
    for (units, most_at_once) in [(0, 4), (1, 1), (2, 2), (132, 4)] {
        let (mut run, end) = simulate(program, &rounds, true);
        let args = [("max_compute_units", Value::Uint(units))];
        run.event(&Event::Device(Device {
            at: Timestamp(0),
            device: 1,
            handle: 0xd1,
            name: "device",
            device_type: "GPU",
            platform: "",
            driver: "",
            args: &args,
        }));
        let gain_ns = gain_of(run, "order_without_need").expect("a gain");
        let without_ns = (end - gain_ns) / MICRO - 100;
        let least_ns = 40 / most_at_once * 103;
        assert!((least_ns..least_ns + 30).contains(&without_ns), "{units} units: {without_ns} of {least_ns}");
    }
}

#[test]
fn two_chains_on_parts_of_one_buffer_gain_one_of_them() {
    // Eight kernels of 30 µs in turn on two parts: without the false dependences they take four times 30 µs.
    let report = parts(&[0, 128, 0, 128, 0, 128, 0, 128]).trace().report();
    let finding =
        report.findings.iter().find(|finding| finding.kind == "false_dependence").expect("a finding");
    assert_eq!(finding.gain.as_ref().expect("a gain").ns, 4 * 30 * MICRO);
    assert!(
        finding.touches_ns > 4 * 30 * MICRO,
        "each kernel touches both neighbours: {}",
        finding.touches_ns
    );
}

#[test]
fn faults_that_hold_the_same_up_gain_less_than_their_sum() {
    // Each step allocates, launches a kernel of 1 µs in 2 µs and waits for it.
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 10 * MICRO;
    for step in 0..60 {
        let pointer = 0x5000_0000 + step * 64;
        run.slice(Category::Memory, "malloc", at, at + 4 * MICRO, None, &[]);
        run.allocate(at + 2 * MICRO, pointer, 64, AllocationKind::Device);
        run.kernel(at + 4 * MICRO, (at + 6 * MICRO, at + 7 * MICRO));
        run.slice(Category::Wait, "queue.wait", at + 6 * MICRO, at + 9 * MICRO, None, &[]);
        run.slice(Category::Memory, "free", at + 9 * MICRO, at + 10 * MICRO, None, &[]);
        run.release(at + 9 * MICRO + 500, pointer);
        at += 10 * MICRO;
    }
    let report = run.trace().report();
    let gains: Vec<(&str, u64)> = report
        .findings
        .iter()
        .filter_map(|finding| Some((finding.kind.as_str(), finding.gain.as_ref()?.ns / MICRO)))
        .collect();
    // An iteration takes 10 µs: 5 for memory, 3 for the wait and 2 for the launch. The last wait remains, and the last
    // release, which follows it, is not part of the replay.
    assert_eq!(
        gains,
        [("small_allocations", 60 * 5 - 1), ("wait_after_kernel", 59 * 3), ("kernels_too_short", 59 * 2)]
    );
    let without_all = report.together_ns / MICRO;
    assert!(
        gains[0].1 < without_all && without_all < gains.iter().map(|(_, gain)| gain).sum(),
        "{without_all}"
    );
}

#[test]
fn where_the_replay_is_not_the_run_there_is_no_gain() {
    // Two of thirty kernels start a millisecond late, without a recorded reason.
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 0;
    for number in 0..30 {
        let late = if number % 15 == 10 { 1_000 * MICRO } else { 0 };
        let start = at + 5 * MICRO + late;
        run.kernel(at, (start, start + 20 * MICRO));
        run.wait_for_queue(1, at + 2 * MICRO, start + 25 * MICRO);
        at = start + 30 * MICRO;
    }
    let report = run.trace().report();
    let found = report.findings.iter().find(|finding| finding.kind == "wait_after_kernel");
    let finding = found.expect("a finding");
    assert_eq!(
        (finding.kind.as_str(), finding.gain.as_ref(), report.together_ns),
        ("wait_after_kernel", None, 0)
    );
    assert!(finding.touches_ns > 0);
    assert!(
        finding.no_gain.contains("can't be simulated well enough: the replay is 6"),
        "{}",
        finding.no_gain
    );
}
