//! The clock of a real GPU, mapped from its adapter's events, compared with CUPTI's times.

use std::collections::VecDeque;

use super::clamp::clamp_times;
use super::clock::DeviceClock;
use super::fit::Pair;
use crate::xpti::ProfilingTimes;

const MEASURED: &str = include_str!("../../tests/data/clock_h100.txt");
/// Interval of polling events, and delay of the answers.
const STEP_NS: u64 = 4_000_000;
const DELAY_NS: u64 = 12_000_000;

#[derive(Clone, Copy)]
struct Command {
    called: u64,
    times: ProfilingTimes,
    /// The last poll that found it unfinished, and the first time at which it was known to have ended.
    pending: u64,
    done: u64,
    ended: Option<u64>,
}

fn programs() -> Vec<(&'static str, Vec<Command>)> {
    let mut programs: Vec<(&str, Vec<Command>)> = Vec::new();
    for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("program ") {
            programs.push((name, Vec::new()));
            continue;
        }
        let words: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let [called, returned, queued, start, end, waited, ended] = words[..] else { panic!("{line}") };
        let times = ProfilingTimes { queued: Some(queued), submitted: Some(queued), start, end };
        // The device notes the end a little later.
        let really = if ended == 0 { waited } else { ended + 15_000 };
        let asked = really.next_multiple_of(STEP_NS);
        let pending = asked.saturating_sub(STEP_NS);
        let pending = if pending > returned && ended != 0 { pending } else { 0 };
        let done = if waited == 0 { asked } else { asked.min(waited) };
        let ended = Some(ended).filter(|ended| *ended != 0);
        programs.last_mut().unwrap().1.push(Command { called, times, pending, done, ended });
    }
    programs
}

#[derive(Debug, Default)]
struct Outcome {
    commands: u64,
    impossible: u64,
    /// Errors of ends, each with its stated bound.
    errors: Vec<(u64, u64)>,
}

impl Outcome {
    /// Returns the number of commands, out of 1000, within their stated bound.
    fn within(&self) -> usize {
        self.errors.iter().filter(|(error, stated)| error <= stated).count() * 1000 / self.errors.len()
    }

    /// Returns the 99th percentile in nanoseconds.
    fn error_p99(&self) -> u64 {
        let mut errors: Vec<u64> = self.errors.iter().map(|(error, _)| *error).collect();
        errors.sort_unstable();
        errors[errors.len() * 99 / 100]
    }

    fn stated_most(&self) -> u64 {
        self.errors.iter().map(|(_, stated)| *stated).max().unwrap()
    }
}

/// A line through CUPTI's end times of commands.
struct Truth {
    first: (u64, u64),
    slope: f64,
    offset: f64,
}

impl Truth {
    fn new(commands: &[Command]) -> Self {
        let mut ends = commands.iter().filter_map(|command| Some((command.times.end, command.ended?)));
        let first = ends.next().unwrap();
        let points: Vec<(f64, f64)> = ends
            .map(|(device, host)| (device as f64 - first.0 as f64, host as f64 - first.1 as f64))
            .map(|(device, host)| (device, host - device))
            .collect();
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let over = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
        let slope = over / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
        Self { first, slope, offset: y - slope * x }
    }

    fn host(&self, device: u64) -> u64 {
        let since = device as f64 - self.first.0 as f64;
        (self.first.1 as f64 + since + self.offset + self.slope * since).round() as u64
    }
}

/// Maps the clock of each program. `off_ns` gives the error of a reading by its number; a reading takes twice
/// `uncertainty_ns`.
fn followed(uncertainty_ns: u64, off_ns: impl Fn(u64) -> i64) -> Outcome {
    let mut outcome = Outcome::default();
    for (name, mut commands) in programs() {
        // The adapter's time of the first command's end is useless: CUDA is loaded meanwhile.
        commands.remove(0);
        commands.sort_by_key(|command| command.done);
        let truth = Truth::new(&commands);
        let mut clock = DeviceClock::default();
        let (mut number, mut next, mut interval) = (0, 0, 5_000_000);
        let mut held: VecDeque<Command> = VecDeque::new();
        let before = (outcome.impossible, outcome.errors.len());
        for command in &commands {
            while let Some(first) = held.front().filter(|first| first.done + DELAY_NS <= command.done) {
                map(&mut clock, first, &mut outcome);
                held.pop_front();
            }
            if let Some(ended) = command.ended.filter(|ended| *ended > next) {
                let device = command.times.end;
                let host = (truth.host(device) as i64 + off_ns(number)) as u64;
                clock.answered(Some(Pair { device, host, uncertainty: uncertainty_ns }));
                number += 1;
                interval = (interval * 2).min(1_000_000_000);
                next = ended + interval;
            }
            clock.learn(&command.times, command.called, command.done);
            clock.bound(&command.times, [command.called, command.pending, command.done]);
            held.push_back(*command);
        }
        held.iter().for_each(|command| map(&mut clock, command, &mut outcome));
        outcome.commands += commands.len() as u64;
        let errors = &outcome.errors[before.1..];
        let worst = errors.iter().max();
        println!(
            "{name}: {} commands, {} impossible, worst {worst:?}",
            commands.len(),
            outcome.impossible - before.0
        );
    }
    println!(
        "{} of 1000 within, p99 {} ns, stated at most {} ns",
        outcome.within(),
        outcome.error_p99(),
        outcome.stated_most()
    );
    outcome
}

fn map(clock: &mut DeviceClock, command: &Command, outcome: &mut Outcome) {
    let Some(start) = clock.on_host(command.times.start) else { return };
    let queued = command.times.queued.and_then(|queued| clock.on_host(queued));
    let end = clock.on_host(command.times.end).unwrap();
    let times = ProfilingTimes { queued, submitted: None, start, end };
    let slack = clock.step_ns(command.times.end);
    let (times, is_impossible) = clamp_times(&times, (command.called, command.done), slack);
    outcome.impossible += u64::from(is_impossible);
    if let Some(ended) = command.ended {
        outcome.errors.push((times.end.abs_diff(ended), clock.stated_ns(command.times.end).unwrap()));
    }
}

#[test]
fn with_quick_readings_times_are_as_true_as_stated() {
    let outcome = followed(1_500, |_| 4_000);
    assert_eq!(outcome.impossible, 0, "{outcome:?}");
    assert!(outcome.within() >= 990, "{}", outcome.within());
    assert!(outcome.error_p99() < 20_000 && outcome.stated_most() < 200_000);
}

#[test]
fn where_readings_wait_behind_copies_causality_bounds_the_clock() {
    // Each takes 10 ms, and its middle is milliseconds off.
    let outcome = followed(5_000_000, |number| [3_000_000, -2_000_000, 3_100_000][(number % 3) as usize]);
    assert!(outcome.impossible * 100 <= outcome.commands, "{outcome:?}");
    assert!(outcome.within() >= 990, "{}", outcome.within());
    assert!(
        outcome.error_p99() < 200_000 && outcome.stated_most() < 400_000,
        "{} {}",
        outcome.error_p99(),
        outcome.stated_most()
    );
}
