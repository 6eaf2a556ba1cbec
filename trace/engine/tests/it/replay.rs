//! The replay of a run, unchanged and with faster commands, against a simulator of the same program; real recordings
//! are replayed within the difference that `what_if` allows.

use std::ops::Range;

use proptest::prelude::*;
use syclscope_engine::import;
use syclscope_language::api::{StepKind, WhatIf};
use syclscope_language::event::{Category, EdgeReason, Event, NodeKind, QueueOrder};
use syclscope_language::question::{ScheduleQuestion, WhatIfQuestion};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

/// Times of the simulator: of a submission, from a ready command to its start, and from the end of an awaited command
/// to the wait's return.
pub(crate) const SUBMISSION_NS: u64 = 50;
pub(crate) const LAUNCH_NS: u64 = 30;
const RETURN_NS: u64 = 20;
const NAMES: [&str; 3] = ["one", "two", "three"];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    /// Submits a command with a duration to one of two in-order queues, each of a device of its own; the command may
    /// depend on an earlier one.
    Submit {
        queue: usize,
        ns: u64,
        name: usize,
        is_copy: bool,
        after: Option<usize>,
    },
    Wait {
        queue: usize,
    },
    Work {
        ns: u64,
    },
    Build {
        ns: u64,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Simulated {
    pub(crate) commands: Vec<(u64, u64)>,
    /// Queue, start and end of each wait.
    pub(crate) waits: Vec<(usize, u64, u64)>,
    pub(crate) builds: Vec<(u64, u64)>,
    pub(crate) handed: Vec<u64>,
    pub(crate) end: u64,
}

/// Runs the program on a simulated machine; `takes` gives the durations of commands and builds.
pub(crate) fn simulate(program: &[Does], takes: impl Fn(&Does) -> u64) -> Simulated {
    let mut run = Simulated::default();
    let (mut now, mut free) = (100, [0_u64; 2]);
    for does in program {
        match *does {
            Does::Work { ns } => now += ns,
            Does::Build { .. } => {
                let from = now;
                now += takes(does);
                run.builds.push((from, now));
            }
            Does::Wait { queue } => {
                let from = now;
                now = now.max(free[queue]) + RETURN_NS;
                run.waits.push((queue, from, now));
            }
            Does::Submit { queue, after, .. } => {
                run.handed.push(now);
                now += SUBMISSION_NS;
                let before = after.filter(|_| !run.commands.is_empty()).map(|after| {
                    let after = after % run.commands.len();
                    run.commands[after].1
                });
                let start = now.max(free[queue]).max(before.unwrap_or(0)) + LAUNCH_NS;
                let end = start + takes(does);
                run.commands.push((start, end));
                free[queue] = end;
            }
        }
        run.end = run.end.max(now).max(free[0]).max(free[1]);
    }
    run
}

/// Returns the commands of a range in order, joined if they start in one column: start, end, number and busy time.
fn merged(commands: &[(u64, u64)], range: Range<u64>, column_ns: u64) -> Vec<(u64, u64, u64, u64)> {
    let column = |(from, _): &(u64, u64)| from.max(&range.start).abs_diff(range.start) / column_ns;
    let commands: Vec<(u64, u64)> =
        commands.iter().copied().filter(|(from, to)| *from < range.end && *to > range.start).collect();
    let pieces = commands.chunk_by(|one, other| column(one) == column(other)).filter_map(|piece| {
        let (begin, end) = (piece.first()?.0, piece.iter().map(|(_, end)| *end).max()?);
        let busy = (begin..end).filter(|at| piece.iter().any(|(from, to)| (from..to).contains(&at)));
        Some((begin, end, piece.len() as u64, busy.count() as u64))
    });
    pieces.collect()
}

pub(crate) fn duration(does: &Does) -> u64 {
    if let Does::Submit { ns, .. } | Does::Build { ns } = does { *ns } else { 0 }
}

/// Returns the trace of a simulated run.
pub(crate) fn record(program: &[Does], simulated: &Simulated) -> syclscope_engine::store::Trace {
    recording(program, simulated).trace()
}

/// Returns the recording of a simulated run before it is built, for further events.
pub(crate) fn recording(program: &[Does], simulated: &Simulated) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd2, "CPU");
    let (mut number, mut waits, mut builds) = (0, simulated.waits.iter(), simulated.builds.iter());
    for does in program {
        match *does {
            Does::Work { .. } => {}
            Does::Build { .. } => {
                let (from, to) = *builds.next().unwrap();
                run.slice(Category::Call, "urProgramBuild", from, to, None, &[]);
            }
            Does::Wait { .. } => {
                let (queue, from, to) = *waits.next().unwrap();
                run.wait_for_queue(queue as u64 + 1, from, to);
            }
            Does::Submit { queue, name, is_copy, after, .. } => {
                let kind = if is_copy { NodeKind::Copy } else { NodeKind::Kernel };
                run.submit(Command {
                    node: number as u64 + 1,
                    kind,
                    name: NAMES[name],
                    queue: queue as u64 + 1,
                    at: simulated.handed[number],
                    submission_ns: SUBMISSION_NS,
                    ran: simulated.commands[number],
                    ..Command::default()
                });
                if let Some(after) = after.filter(|_| number > 0) {
                    run.edge((after % number) as u64 + 1, number as u64 + 1, EdgeReason::Event);
                }
                number += 1;
            }
        }
    }
    run.event(&Event::Finish { at: Timestamp(simulated.end) });
    run
}

pub(crate) fn programs() -> impl Strategy<Value = Vec<Does>> {
    let submit = (0..2_usize, 0..40_u64, 0..3_usize, any::<bool>(), prop::option::of(0..30_usize)).prop_map(
        |(queue, ns, name, is_copy, after)| Does::Submit { queue, ns: ns * 4, name, is_copy, after },
    );
    let does = prop_oneof![
        4 => submit,
        1 => (0..2_usize).prop_map(|queue| Does::Wait { queue }),
        1 => (1..60_u64).prop_map(|ns| Does::Work { ns }),
        1 => (1..60_u64).prop_map(|ns| Does::Build { ns }),
    ];
    prop::collection::vec(does, 1..24)
}

proptest! {
    #[test]
    fn the_replay_is_what_a_simulator_gives(program in programs(), name in 0..3_usize, without_copies: bool, without_builds: bool) {
        prop_assume!(program.iter().any(|does| matches!(does, Does::Submit { .. })));
        let recorded = simulate(&program, duration);
        let trace = record(&program, &recorded);
        let has_name = program.iter().any(|does| matches!(does, Does::Submit { name: own, .. } if *own == name));
        let kernel = has_name.then(|| NAMES[name].to_owned());
        let question = WhatIfQuestion { kernel, faster: Some("4".parse().unwrap()), without_copies, without_builds, ..WhatIfQuestion::default() };
        let answer = trace.what_if(&question).unwrap();
        // Work of the program after its last command or wait is not part of the replay.
        let work_ns = recorded.end - answer.recorded_ns;
        prop_assert!(!answer.is_refused);
        prop_assert_eq!(answer.path_ns, answer.recorded_ns);
        let changed = simulate(&program, |does| match does {
            Does::Build { .. } if without_builds => 0,
            Does::Submit { is_copy: true, .. } if without_copies => 0,
            Does::Submit { ns, name: own, .. } if *own == name => ns / 4,
            _ => duration(does),
        });
        let last_work: u64 = program
            .iter()
            .rev()
            .map_while(|does| if let Does::Work { ns } | Does::Build { ns } = does { Some(*ns) } else { None })
            .sum();
        prop_assert!(work_ns <= last_work);
        let with_work = answer.changed_path_ns..=answer.changed_path_ns + last_work;
        prop_assert!(with_work.contains(&changed.end), "{} of {with_work:?}", changed.end);
        if last_work == 0 {
            prop_assert_eq!(answer.changed_path_ns, changed.end);
        }
        prop_assert!(answer.changed_path_ns <= answer.path_ns);
        prop_assert_eq!(&answer.schedule, &None);
        // Runs are short, so that a column is a few nanoseconds at most: pieces start and end with commands.
        let (from, to) = (recorded.end / 3, recorded.end * 2 / 3 + 1);
        let close = ScheduleQuestion { from_ns: Some(from), to_ns: Some(to), columns: Some(7) };
        for (range, part) in [(0..u64::MAX, ScheduleQuestion::default()), (from..to, close)] {
            let question = WhatIfQuestion { schedule: Some(part), ..question.clone() };
            let with_schedule = trace.what_if(&question).unwrap();
            let schedule = with_schedule.schedule.clone().unwrap();
            prop_assert_eq!(&WhatIf { schedule: None, ..with_schedule }, &answer);
            if part == close {
                prop_assert_eq!(schedule.column_ns, (to - from).div_ceil(7));
            }
            for queue in 0..2 {
                let submits = program.iter().filter_map(|does| if let Does::Submit { queue, .. } = does { Some(*queue) } else { None });
                let of_queue = |commands: &[(u64, u64)]| -> Vec<(u64, u64)> {
                    let own = submits.clone().zip(commands).filter(|(own, (from, to))| *own == queue && from < to);
                    own.map(|(_, command)| *command).collect()
                };
                let name = if queue == 0 { "queue 1" } else { "queue 2" };
                let lane = schedule.queues.iter().find(|lane| lane.name.starts_with(name));
                for (pieces, commands) in [
                    (lane.map(|lane| &lane.recorded), of_queue(&recorded.commands)),
                    (lane.map(|lane| &lane.predicted), of_queue(&changed.commands)),
                ] {
                    let pieces = pieces.map_or(&[][..], Vec::as_slice);
                    let found: Vec<_> =
                        pieces.iter().map(|piece| (piece.from_ns, piece.to_ns, piece.count, piece.busy_ns)).collect();
                    prop_assert_eq!(found, merged(&commands, range.clone(), schedule.column_ns));
                    for piece in pieces {
                        let name = schedule.names.get(piece.name as usize);
                        prop_assert!(name.is_some_and(|name| NAMES.contains(&name.as_str())));
                    }
                }
            }
        }
    }

    /// In a range, only the parts of commands and builds within it change.
    #[test]
    fn the_replay_of_a_range_is_what_a_simulator_gives(
        program in programs(),
        name in 0..3_usize,
        without_copies: bool,
        without_builds: bool,
        ends in (0..=20_u64, 0..=20_u64),
    ) {
        prop_assume!(program.iter().any(|does| matches!(does, Does::Submit { .. })));
        let recorded = simulate(&program, duration);
        let trace = record(&program, &recorded);
        let [from, to] = [ends.0.min(ends.1), ends.0.max(ends.1)].map(|twentieth| recorded.end * twentieth / 20);
        let has_name = program.iter().any(|does| matches!(does, Does::Submit { name: own, .. } if *own == name));
        let question = WhatIfQuestion {
            kernel: has_name.then(|| NAMES[name].to_owned()),
            faster: Some("4".parse().unwrap()),
            without_copies,
            without_builds,
            from_ns: Some(from),
            to_ns: Some(to),
            schedule: None,
        };
        let answer = trace.what_if(&question).unwrap();
        let inside = |(start, end): (u64, u64)| end.min(to).saturating_sub(start.max(from));
        let (mut commands, mut builds) = (recorded.commands.iter(), recorded.builds.iter());
        let (mut device_ns, mut changed_device_ns) = (0, 0);
        let changed: Vec<Does> = program.iter().map(|does| match *does {
            Does::Submit { queue, ns, name: own, is_copy, after } => {
                let part = inside(*commands.next().unwrap());
                let is = if is_copy && without_copies { 0 } else if own == name { part / 4 } else { part };
                (device_ns, changed_device_ns) = (device_ns + part, changed_device_ns + is);
                Does::Submit { queue, ns: ns - part + is, name: own, is_copy, after }
            }
            Does::Build { ns } if without_builds => Does::Build { ns: ns - inside(*builds.next().unwrap()) },
            other => other,
        }).collect();
        let changed = simulate(&changed, duration);
        let last_work: u64 = program
            .iter()
            .rev()
            .map_while(|does| if let Does::Work { ns } | Does::Build { ns } = does { Some(*ns) } else { None })
            .sum();
        let with_work = answer.changed_path_ns..=answer.changed_path_ns + last_work;
        prop_assert!(with_work.contains(&changed.end), "{} of {with_work:?}", changed.end);
        if last_work == 0 {
            prop_assert_eq!(answer.changed_path_ns, changed.end);
        }
        prop_assert_eq!(answer.range_ns, Some(to - from));
        prop_assert_eq!((answer.device_ns, answer.changed_device_ns), (device_ns, changed_device_ns));
        prop_assert!(answer.path_ns - answer.changed_path_ns <= to - from, "no more than the range is gained");
        let whole = WhatIfQuestion { from_ns: Some(0), to_ns: None, ..question.clone() };
        let unlimited = WhatIfQuestion { from_ns: None, to_ns: None, ..question };
        let whole = WhatIf { range_ns: None, ..trace.what_if(&whole).unwrap() };
        prop_assert_eq!(whole, trace.what_if(&unlimited).unwrap());
    }

    #[test]
    fn the_path_covers_the_run_without_a_gap(program in programs()) {
        let recorded = simulate(&program, duration);
        let trace = record(&program, &recorded);
        let path = trace.critical_path();
        prop_assert_eq!(path.length_ns, trace.info().duration_ns);
        prop_assert_eq!(path.steps.iter().map(|step| step.duration_ns).sum::<u64>(), path.length_ns);
        let parts =
            [path.device_ns, path.launch_ns, path.submission_ns, path.call_ns, path.wait_ns, path.host_ns];
        prop_assert_eq!(parts.iter().sum::<u64>(), path.length_ns);
        // Calls of one name are one step, also if other steps lie between them.
        let alone = path.steps.iter().filter(|step| !matches!(step.kind, StepKind::Host | StepKind::Call));
        prop_assert!(alone.is_sorted_by_key(|step| step.start_ns));
    }
}

#[test]
fn a_schedule_is_bounded_and_a_part_of_it_has_every_command() {
    let submit = Does::Submit { queue: 0, ns: 400, name: 0, is_copy: false, after: None };
    let program = vec![submit; 3_000];
    let recorded = simulate(&program, duration);
    let trace = record(&program, &recorded);
    let schedule = |part: ScheduleQuestion| {
        let question = WhatIfQuestion { schedule: Some(part), ..WhatIfQuestion::default() };
        trace.what_if(&question).unwrap().schedule.unwrap()
    };
    let whole = schedule(ScheduleQuestion { columns: Some(100), ..ScheduleQuestion::default() });
    let (from, to) = (recorded.commands[1_000].0, recorded.commands[1_019].1);
    let part = schedule(ScheduleQuestion { from_ns: Some(from), to_ns: Some(to), columns: Some(1_000) });
    assert_eq!((&whole.queues.len(), &part.queues.len()), (&1, &1));
    for pieces in [&whole.queues[0].recorded, &whole.queues[0].predicted] {
        assert_eq!(pieces.iter().map(|piece| piece.count).sum::<u64>(), 3_000);
        assert!(pieces.len() <= 100, "{}", pieces.len());
        // Each command starts 30 ns after the end of the previous one.
        assert!(pieces.iter().all(|piece| piece.busy_ns == piece.count * 400));
    }
    let close = &part.queues[0].recorded;
    assert_eq!(close.len(), 20);
    for (piece, command) in close.iter().zip(&recorded.commands[1_000..]) {
        assert_eq!((piece.from_ns, piece.to_ns, piece.count), (command.0, command.1, 1));
    }
    assert_eq!(close.iter().map(|piece| piece.node).collect::<Vec<_>>(), (1_001..=1_020).collect::<Vec<_>>());
}

#[test]
fn real_recordings_are_replayed_within_two_percent() {
    let mut files: Vec<_> =
        std::fs::read_dir("../../e2e/traces").unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".pftrace.gz"));
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let trace = import::open(bytes.as_slice()).unwrap();
        let answer = trace.what_if(&WhatIfQuestion::default()).unwrap();
        let difference = answer.path_ns.abs_diff(answer.recorded_ns) as f64 / answer.recorded_ns as f64;
        assert!(difference <= 0.02, "{}: {difference}", file.display());
        let path = trace.critical_path();
        assert_eq!(path.length_ns, trace.info().duration_ns, "{}", file.display());
    }
}
