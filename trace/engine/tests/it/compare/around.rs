//! Differences of the runs' environments, and their notes.

use syclscope_engine::compare::Sample;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    CounterSample, Event, Fact, FactKind, Process, QueueOrder, Track, TrackKind,
};
use syclscope_language::question::PartOfRun;
use syclscope_language::time::Timestamp;

use super::compare;
use crate::recordings::run::Run;

/// Returns a run with a kernel and facts: kind, name and value.
fn with(facts: &[(FactKind, &str, &str)], command_line: &str) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    run.event(&Event::Process(Process { pid: 1, name: "program", command_line, ..Process::default() }));
    for (kind, name, value) in facts {
        run.event(&Event::Fact(Fact { at: Timestamp(1), kind: *kind, name, value }));
    }
    run.kernel(1_000, (5_000, 9_000));
    run.trace()
}

fn told(a: &Trace, b: &Trace) -> Vec<(String, Option<String>, Option<String>)> {
    let differences = compare(a, b).differences.into_iter();
    differences.map(|fact| (format!("{} {}", fact.about, fact.name), fact.a, fact.b)).collect()
}

#[test]
fn versions_environment_settings_and_arguments_are_told() {
    let before = with(
        &[
            (FactKind::Version, "sycl", "2025.2"),
            (FactKind::Environment, "SYCL_CACHE_PERSISTENT", "1"),
            (FactKind::Setting, "SYCLSCOPE_DETAIL", "normal"),
        ],
        "/home/a/program 10",
    );
    let now = with(
        &[(FactKind::Version, "sycl", "2026.2"), (FactKind::Setting, "SYCLSCOPE_DETAIL", "high")],
        "/home/b/program 20",
    );
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        told(&before, &now),
        [
            ("arguments program".into(), text("10"), text("20")),
            ("environment SYCL_CACHE_PERSISTENT".into(), text("1"), None),
            ("setting SYCLSCOPE_DETAIL".into(), text("normal"), text("high")),
            ("version sycl".into(), text("2025.2"), text("2026.2")),
        ]
    );
}

#[test]
fn a_path_with_a_blank_is_no_argument() {
    let of = |command_line: &str| with(&[], command_line);
    let here = of("/home/a/my runs/program 10 x/program");
    assert_eq!(told(&here, &of("/home/b/program 10 x/program")), []);
    let text = |text: &str| Some(text.to_owned());
    let other = told(&here, &of("./program 20"));
    assert_eq!(other, [("arguments program".into(), text("10 x/program"), text("20"))]);
    // A script's name need not be that of its process.
    assert_eq!(told(&of("/usr/bin/other 1"), &of("/bin/other 1")), []);
}

#[test]
fn where_a_recording_is_and_what_its_clock_measured_are_no_differences() {
    let of = |out: &str, clock: &str| {
        with(&[(FactKind::Setting, "SYCLSCOPE_OUT", out), (FactKind::Setting, "clock", clock)], "")
    };
    let (a, b) = (
        of("/tmp/a.pftrace", "2596.096 MHz, within 10 ns"),
        of("/tmp/b.pftrace", "2596.1 MHz, within 12 ns"),
    );
    assert_eq!(told(&a, &b), []);
    let loader = |path: &str| with(&[(FactKind::Version, "libze", path)], "");
    let (a, b) = (loader("1.6 (/home/ada/lib/libze.so)"), loader("1.6 (/usr/lib/libze.so)"));
    assert_eq!(told(&a, &b), []);
    assert_eq!(told(&a, &loader("1.7 (/home/ada/lib/libze.so)")).len(), 1);
}

#[test]
fn settings_that_differ_are_told_as_recorded() {
    let of = |value: &str| with(&[(FactKind::Setting, "device times", value)], "");
    let records = |number: u64| of(&format!("{number} commands, 12 device records, 0 impossible times"));
    assert_eq!(told(&records(7), &records(8)), [], "other numbers are no other setting");
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        told(&records(7), &of("the runtime's events")),
        [(
            "setting device times".into(),
            text("7 commands, 12 device records, 0 impossible times"),
            text("the runtime's events")
        )]
    );
}

/// Returns a run whose GPU has this clock while it is busy, and a low one before and after.
fn at_clock(mhz: f64) -> Trace {
    clocked(mhz).trace()
}

fn clocked(mhz: f64) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    let busy = [5_000, 6_000, 8_999].map(|at| (at, mhz));
    let idle = [(0, 345.0), (1_000, 345.0), (4_999, 345.0), (9_000, 345.0)];
    counter(&mut run, 9, "GPU SM clock: NVIDIA H100", idle.into_iter().chain(busy));
    run.kernel(1_000, (5_000, 9_000));
    run
}

fn counter(run: &mut Run, track: u64, name: &str, samples: impl IntoIterator<Item = (u64, f64)>) {
    run.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Counter, name, tid: 0 }));
    for (at, value) in samples {
        run.event(&Event::Counter(CounterSample { track, at: Timestamp(at), value }));
    }
}

#[test]
fn clocks_of_busy_gpus_that_differ_are_noted() {
    let clocks = |a: f64, b: f64| {
        let notes = compare(&at_clock(a), &at_clock(b)).notes.into_iter();
        notes.filter(|note| note.kind == "clocks_differ").map(|note| note.message).collect::<Vec<_>>()
    };
    assert_eq!(
        clocks(1980.0, 1410.0),
        [
            "Clocks differed: 1.98 against 1.41 GHz (NVIDIA H100, median of samples at which the program's queues \
          ran something), so times say little of the programs."
        ]
    );
    assert!(clocks(1980.0, 1935.0).is_empty());
    let differences = told(&at_clock(1980.0), &at_clock(1410.0));
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        differences,
        [(
            "counter GPU SM clock while queues ran something: NVIDIA H100".into(),
            text("1980.0"),
            text("1410.0")
        )]
    );
}

#[test]
fn clocks_of_intels_gpus_are_compared_as_well() {
    let at = |mhz: f64| {
        let mut run = Run::new(QueueOrder::InOrder);
        counter(&mut run, 9, "GPU clock: Intel(R) Arc(TM) A770", [5_000, 6_000, 8_999].map(|at| (at, mhz)));
        run.kernel(1_000, (5_000, 9_000));
        run.trace()
    };
    let notes = compare(&at(2400.0), &at(1200.0)).notes.into_iter();
    let messages: Vec<String> =
        notes.filter(|note| note.kind == "clocks_differ").map(|note| note.message).collect();
    assert!(
        messages[0].starts_with("Clocks differed: 2.40 against 1.20 GHz (Intel(R) Arc(TM) A770, median"),
        "{messages:?}"
    );
    let text = |text: &str| Some(text.to_owned());
    let fact = "counter GPU clock while queues ran something: Intel(R) Arc(TM) A770".into();
    assert_eq!(told(&at(2400.0), &at(1200.0)), [(fact, text("2400.0"), text("1200.0"))]);
}

#[test]
fn clocks_of_gpus_that_the_program_did_not_use_are_not_compared() {
    let clocks = |mhz: f64, percent: f64| {
        let with_two = |mhz: f64| {
            let mut run = clocked(1980.0);
            counter(&mut run, 10, "GPU SM clock: NVIDIA L4", [5_000, 6_000, 8_000].map(|at| (at, mhz)));
            counter(&mut run, 11, "GPU utilisation: NVIDIA L4", [(4_000, percent)]);
            run.trace()
        };
        let notes = compare(&with_two(mhz), &with_two(345.0)).notes.into_iter();
        notes.filter(|note| note.kind == "clocks_differ").count()
    };
    assert_eq!(clocks(1980.0, 0.0), 0);
    assert_eq!(clocks(1980.0, 40.0), 1);
}

#[test]
fn clocks_of_a_part_are_those_in_it() {
    let note = |from_ns: u64, to_ns: u64| {
        let part = PartOfRun { from_ns: Some(from_ns), to_ns: Some(to_ns), ..PartOfRun::default() };
        let sample = |trace: &Trace| {
            let part = trace.compared_part(&part).unwrap().unwrap();
            Sample::with_part("run", trace, Some(&part))
                .facts
                .into_iter()
                .filter(|fact| fact.about == "counter")
                .count()
        };
        sample(&at_clock(1980.0))
    };
    assert_eq!(note(0, 9_000), 1);
    assert_eq!(note(0, 6_001), 0);
}
