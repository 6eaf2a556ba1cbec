//! Energy by command, against a scan of each moment.

use std::collections::BTreeMap;
use std::ops::Range;

use proptest::prelude::*;
use syclscope_engine::store::Trace;
use syclscope_language::api::{DeviceTime, Energy, EnergyCounter, EnergyRestReason};
use syclscope_language::event::{
    Category, CounterSample, Event, NoTime, NodeKind, Pause, QueueOrder, Track, TrackKind, Untimed,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, ranks};

/// Ten milliseconds: all times of these recordings are multiples of it.
const UNIT_NS: u64 = 10_000_000;
/// Number of units in a second.
const SECOND: u64 = 100;
const GPU: &str = "GPU power: device";
const PACKAGE: &str = "processor power: package-0";

fn ask(trace: &Trace, question: &str) -> Energy {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

fn run() -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::OutOfOrder, 0xd2, "GPU");
    run.queue(3, QueueOrder::InOrder, 0xd2, "GPU");
    run
}

fn command(run: &mut Run, queue: u64, kind: NodeKind, name: &str, units: Range<u64>) {
    let node = run.next_node();
    let ran = (units.start * UNIT_NS, units.end * UNIT_NS);
    run.submit(Command { node, kind, name, queue, at: node * 20, ran, ..Command::default() });
}

fn counter(run: &mut Run, track: u64, name: &str, samples: &[(u64, f64)]) {
    run.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Counter, name, tid: 0 }));
    for (unit, value) in samples {
        run.event(&Event::Counter(CounterSample { track, at: Timestamp(unit * UNIT_NS), value: *value }));
    }
}

fn pause(run: &mut Run, units: &Range<u64>) {
    for (unit, is_paused) in [(units.start, true), (units.end, false)] {
        run.event(&Event::Pause(Pause { at: Timestamp(unit * UNIT_NS), is_paused, reason: "signal" }));
    }
}

fn lose(run: &mut Run) {
    let node = run.node(NodeKind::Kernel, 7);
    run.event(&Event::Untimed(Untimed { node, at: Timestamp(7), reason: NoTime::Undelivered }));
}

fn rest(counter: &EnergyCounter) -> BTreeMap<EnergyRestReason, f64> {
    counter.rest.iter().map(|rest| (rest.reason, rest.joules)).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// Returns names, counts and joules of a counter's commands.
fn commands(counter: &EnergyCounter) -> Vec<(&str, u64, f64)> {
    let commands = counter.commands.iter();
    commands
        .map(|command| (command.name.as_str(), command.count, (command.joules * 1e6).round() / 1e6))
        .collect()
}

#[test]
fn a_small_run_can_be_reckoned_by_hand() {
    let mut run = run();
    // 100 W from 0 to 0.4 s, then up to 300 W within 0.1 s.
    counter(&mut run, 9, GPU, &[(0, 100.0), (20, 100.0), (40, 100.0), (50, 300.0)]);
    command(&mut run, 2, NodeKind::Kernel, "gemm", 5..15);
    command(&mut run, 3, NodeKind::Copy, "copy", 10..20);
    command(&mut run, 2, NodeKind::Kernel, "gemm", 40..60);
    let energy = ask(&run.trace(), "energy");
    assert_eq!(energy.estimate, "estimated by time share");
    let [gpu] = &energy.counters[..] else { panic!("{energy:?}") };
    assert_eq!((gpu.name.as_str(), gpu.device.as_deref()), (GPU, Some("device #2")));
    assert_eq!((gpu.from_ns, gpu.to_ns, gpu.covered_ns), (0, 50 * UNIT_NS, 50 * UNIT_NS));
    assert_eq!((gpu.intervals, gpu.unsampled_ns, &gpu.rest), (3, 10 * UNIT_NS, &Vec::new()));
    // 5 units of 1 J alone, 5 shared with the copy, and 10 of 2 J.
    assert_eq!(commands(gpu), [("gemm", 2, 27.5), ("copy", 1, 7.5)]);
    assert_eq!((gpu.commands[0].total_ns, gpu.commands[0].unsampled_ns), (30 * UNIT_NS, 10 * UNIT_NS));
    assert!(
        near(gpu.joules, 60.0) && near(gpu.command_joules, 35.0) && near(gpu.idle_joules, 25.0),
        "{gpu:?}"
    );
    assert!(gpu.mean_watts().is_some_and(|watts| near(watts, 120.0)));
    assert_eq!(energy.without_counter, []);
}

#[test]
fn a_sample_of_the_processor_is_the_mean_since_the_one_before() {
    let mut run = run();
    counter(&mut run, 9, PACKAGE, &[(10, 900.0), (20, 50.0), (320, 10.0)]);
    counter(&mut run, 10, "processor power: dram", &[(10, 1.0), (20, 2.0)]);
    command(&mut run, 1, NodeKind::Kernel, "k", 15..30);
    let energy = ask(&run.trace(), "energy");
    let [package, dram] = &energy.counters[..] else { panic!("{energy:?}") };
    // Intervals between means may be long.
    assert_eq!(commands(package), [("k", 1, 3.5)]);
    assert_eq!(commands(dram), [("k", 1, 0.1)]);
    assert!(near(package.joules, 35.0) && near(package.idle_joules, 31.5), "{package:?}");
    assert_eq!((package.device.as_deref(), package.unsampled_ns), (Some("device #1"), 0));
}

#[test]
fn a_sample_of_sysman_is_the_mean_since_the_one_before() {
    let mut run = run();
    counter(&mut run, 9, GPU, &[(10, 900.0), (20, 50.0), (320, 10.0)]);
    counter(&mut run, 10, "GPU clock: device", &[(10, 1_000.0)]);
    command(&mut run, 2, NodeKind::Kernel, "k", 15..30);
    let energy = ask(&run.trace(), "energy");
    let [gpu] = &energy.counters[..] else { panic!("{energy:?}") };
    assert_eq!(commands(gpu), [("k", 1, 3.5)]);
    assert!(near(gpu.joules, 35.0) && near(gpu.idle_joules, 31.5), "{gpu:?}");
}

#[test]
fn energy_of_devices_that_are_not_known_is_no_commands() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd2, "GPU");
    // Two GPUs of one name have numbers, which devices lack; no command runs on the third counter's GPU.
    for (track, name) in (9..).zip(["GPU power: device (0)", "GPU power: device (1)", "GPU power: other"]) {
        counter(&mut run, track, name, &[(0, 10.0), (10, 10.0)]);
    }
    counter(&mut run, 20, "GPU temperature: device", &[(0, 10.0), (10, 10.0)]);
    counter(&mut run, 21, "GPU power: device", &[(5, 10.0)]);
    command(&mut run, 1, NodeKind::Kernel, "host", 0..10);
    command(&mut run, 2, NodeKind::Kernel, "k", 0..10);
    let energy = ask(&run.trace(), "energy");
    assert_eq!(energy.counters.len(), 4);
    let [unknown @ .., single] = &energy.counters[..] else { panic!("{energy:?}") };
    for counter in unknown {
        assert_eq!((counter.device.as_deref(), counter.commands.len()), (None, 0));
        assert!(near(counter.joules, 1.0), "{counter:?}");
        assert_eq!(rest(counter), BTreeMap::from([(EnergyRestReason::Device, counter.joules)]));
    }
    // One sample has no interval.
    assert_eq!((single.joules, single.intervals, single.unsampled_ns), (0.0, 0, 10 * UNIT_NS));
    assert_eq!(commands(single), [("k", 1, 0.0)]);
    let host = DeviceTime { process: 0, device: "device #1".into(), count: 1, total_ns: 10 * UNIT_NS };
    assert_eq!(energy.without_counter, [host]);
}

#[test]
fn a_killed_rank_leaves_the_energy_of_a_shared_device_in_doubt() {
    let trace = ranks(|run, rank| {
        run.queue(2, QueueOrder::OutOfOrder, 0xd2, "GPU");
        counter(run, 9, GPU, &[(0, 100.0), (20, 100.0), (40, 100.0)]);
        command(run, 2, NodeKind::Kernel, "k", 10..20);
        if rank == 1 {
            let node = run.node(NodeKind::Kernel, 100);
            run.slice(Category::Submission, "lost", 100, 110, Some(node), &[]);
            let reason = NoTime::Undelivered;
            run.event(&Event::Untimed(Untimed { node, at: Timestamp(100), reason }));
        }
    });
    let counters = ask(&trace, "energy").counters;
    let is_lost = |counter: &EnergyCounter| rest(counter).contains_key(&EnergyRestReason::Lost);
    let lost: BTreeMap<u32, bool> =
        counters.iter().map(|counter| (counter.process, is_lost(counter))).collect();
    assert_eq!(lost, BTreeMap::from([(0, true), (1, true)]), "its lost commands may have run there");
}

#[test]
fn a_recording_without_counters_names_its_devices() {
    let mut run = run();
    command(&mut run, 2, NodeKind::Kernel, "k", 3..5);
    let energy = ask(&run.trace(), "energy?from=35000000");
    let gpu = DeviceTime { process: 0, device: "device #2".into(), count: 1, total_ns: UNIT_NS * 3 / 2 };
    assert_eq!((energy.counters.len(), energy.without_counter), (0, vec![gpu]));
}

#[test]
fn a_list_is_cut_and_its_rest_is_summed() {
    let mut run = run();
    counter(&mut run, 9, GPU, &[(0, 100.0), (60, 100.0)]);
    for (number, name) in (0..).zip(["a", "b", "c"]) {
        command(&mut run, 2, NodeKind::Kernel, name, number * 10..number * 10 + 3 + number);
    }
    let energy = ask(&run.trace(), "energy?limit=1");
    let [gpu] = &energy.counters[..] else { panic!("{energy:?}") };
    assert_eq!((commands(gpu), gpu.more), (vec![("c", 1, 5.0)], 2));
    assert!(near(gpu.more_joules, 7.0) && near(gpu.command_joules, 12.0), "{gpu:?}");
}

#[test]
fn samples_that_are_no_power_count_for_nothing() {
    let mut run = run();
    let hostile =
        [(0, 5.0), (10, f64::NAN), (20, 5.0), (30, -5.0), (40, 1e300), (50, 5.0), (50, 7.0), (60, 7.0)];
    counter(&mut run, 9, GPU, &hostile);
    let energy = ask(&run.trace(), "energy");
    let [gpu] = &energy.counters[..] else { panic!("{energy:?}") };
    // A value that is no number gives no sample; the invalid values are samples without a meaning.
    assert!(near(gpu.joules, 1.7) && near(gpu.idle_joules, 1.7), "{gpu:?}");
    assert_eq!((gpu.intervals, gpu.covered_ns), (2, 30 * UNIT_NS));
}

/// A generated recording, with times in units.
#[derive(Clone, Debug)]
struct Plan {
    /// Queue, name and time of each command.
    commands: Vec<(u64, usize, Range<u64>)>,
    gpu: Vec<(u64, f64)>,
    package: Vec<(u64, f64)>,
    pauses: Vec<Range<u64>>,
    is_killed: bool,
}

const NAMES: [(&str, NodeKind); 3] =
    [("a", NodeKind::Kernel), ("b", NodeKind::Kernel), ("copy", NodeKind::Copy)];

fn plans() -> impl Strategy<Value = Plan> {
    let units = || (0..300_u64, 0..60_u64).prop_map(|(begin, length)| begin..begin + length);
    let commands = prop::collection::vec((1..=3_u64, 0..3_usize, units()), 0..20);
    // Steps of up to 1.5 s: some are longer than the maximum interval of a GPU.
    let samples = || prop::collection::vec((1..150_u64, 0..400_u32), 0..12);
    let pauses = prop::collection::vec(units(), 0..3);
    let one_after_the_other = |steps: Vec<(u64, u32)>| {
        let mut at = 0;
        let sample = |(step, watts)| {
            at += step;
            (at, f64::from(watts))
        };
        steps.into_iter().map(sample).collect()
    };
    (commands, samples(), samples(), pauses, any::<bool>()).prop_map(
        move |(commands, gpu, package, mut pauses, is_killed)| {
            pauses.retain(|pause| !pause.is_empty());
            pauses.sort_by_key(|pause| pause.start);
            let mut until = 0;
            pauses.retain(|pause| {
                let is_next = until < pause.start;
                until = until.max(pause.end);
                is_next
            });
            let (gpu, package) = (one_after_the_other(gpu), one_after_the_other(package));
            Plan { commands, gpu, package, pauses, is_killed }
        },
    )
}

/// Energy of a counter, by a scan of each unit of a range.
#[derive(Debug, Default)]
struct Expected {
    joules: f64,
    commands: BTreeMap<(&'static str, NodeKind), (f64, u64)>,
    idle: f64,
    rest: BTreeMap<EnergyRestReason, f64>,
    unsampled: u64,
}

impl Plan {
    fn trace(&self) -> Trace {
        let mut run = run();
        counter(&mut run, 9, GPU, &self.gpu);
        counter(&mut run, 10, PACKAGE, &self.package);
        for (queue, name, units) in &self.commands {
            let (name, kind) = NAMES[*name];
            command(&mut run, *queue, kind, name, units.clone());
        }
        self.pauses.iter().for_each(|units| pause(&mut run, units));
        if self.is_killed {
            lose(&mut run);
        }
        run.trace()
    }

    fn expected(&self, is_gpu: bool, range: &Range<u64>) -> Expected {
        let samples = if is_gpu { &self.gpu } else { &self.package };
        let own: Vec<_> = self.commands.iter().filter(|(queue, ..)| (*queue > 1) == is_gpu).collect();
        let last_end = own.iter().map(|(_, _, units)| units.end).max().unwrap_or(0);
        let mut expected = Expected::default();
        for unit in range.clone() {
            let sample = samples.windows(2).find(|pair| (pair[0].0..pair[1].0).contains(&unit));
            let watts = sample.and_then(|pair| match is_gpu {
                false => Some(pair[1].1),
                true => (pair[1].0 - pair[0].0 <= SECOND).then_some((pair[0].1 + pair[1].1) / 2.0),
            });
            let running: Vec<_> = own.iter().filter(|(_, _, units)| units.contains(&unit)).collect();
            let joules = watts.unwrap_or_default() * 0.01;
            expected.joules += joules;
            expected.unsampled += u64::from(watts.is_none() && !running.is_empty());
            for (_, name, _) in &running {
                let command = expected.commands.entry(NAMES[*name]).or_default();
                command.0 += joules / running.len() as f64;
                command.1 += u64::from(watts.is_none());
            }
            if running.is_empty() {
                let reason = if self.pauses.iter().any(|pause| pause.contains(&unit)) {
                    EnergyRestReason::Paused
                } else if self.is_killed && unit >= last_end {
                    EnergyRestReason::Lost
                } else {
                    expected.idle += joules;
                    continue;
                };
                *expected.rest.entry(reason).or_default() += joules;
            }
        }
        expected.rest.retain(|_, joules| *joules > 0.0);
        expected
    }
}

fn check(counter: &EnergyCounter, expected: &Expected) -> Result<(), TestCaseError> {
    prop_assert!(near(counter.joules, expected.joules), "{counter:?} {expected:?}");
    prop_assert!(near(counter.idle_joules, expected.idle), "{counter:?} {expected:?}");
    prop_assert_eq!(counter.unsampled_ns, expected.unsampled * UNIT_NS);
    let found = rest(counter);
    prop_assert!(found.keys().eq(expected.rest.keys()), "{:?} {:?}", counter, expected);
    prop_assert!(found.values().zip(expected.rest.values()).all(|(a, b)| near(*a, *b)));
    for command in &counter.commands {
        let (name, kind) = (command.name.as_str(), command.kind);
        let (joules, unsampled) = expected.commands.get(&(name, kind)).copied().unwrap_or_default();
        prop_assert!(near(command.joules, joules), "{command:?} {expected:?}");
        prop_assert_eq!(command.unsampled_ns, unsampled * UNIT_NS);
    }
    let commands: f64 = counter.commands.iter().map(|command| command.joules).sum();
    prop_assert!(near(counter.command_joules, commands));
    let rest: f64 = counter.rest.iter().map(|rest| rest.joules).sum();
    prop_assert!(near(commands + counter.idle_joules + rest, counter.joules));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn energy_is_that_of_each_moment(plan in plans(), from in 0..400_u64, length in 0..400_u64) {
        let trace = plan.trace();
        let whole = ask(&trace, "energy");
        let part = ask(&trace, &format!("energy?from={}&to={}", from * UNIT_NS, (from + length) * UNIT_NS));
        for (energy, range) in [(whole, 0..2_000), (part, from..from + length)] {
            prop_assert_eq!(energy.counters.len(), 2);
            for counter in &energy.counters {
                check(counter, &plan.expected(counter.name == GPU, &range))?;
            }
        }
    }
}
