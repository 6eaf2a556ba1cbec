//! What is around the runs, and whether it is said.

use syclscope_engine::store::Trace;
use syclscope_language::event::{
    CounterSample, Event, Fact, FactKind, Process, QueueOrder, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use super::compare;
use crate::recordings::run::Run;

/// A run with a kernel and facts: kind, name and value.
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

/// A run whose GPU has this clock while it is busy, and a low one before.
fn at_clock(mhz: f64) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    let name = "GPU SM clock: NVIDIA H100";
    run.event(&Event::Track(Track { track: 9, parent: None, kind: TrackKind::Counter, name, tid: 0 }));
    let busy = [5_000, 6_000, 8_999].map(|at| (at, mhz));
    for (at, value) in [(0, 345.0), (1_000, 345.0), (4_999, 345.0), (9_000, 345.0)].into_iter().chain(busy) {
        run.event(&Event::Counter(CounterSample { track: 9, at: Timestamp(at), value }));
    }
    run.kernel(1_000, (5_000, 9_000));
    run.trace()
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
            "Clocks differed: 1.98 against 1.41 GHz (NVIDIA H100, median while it was busy), so times say little of \
          the programs."
        ]
    );
    assert!(clocks(1980.0, 1935.0).is_empty());
    let differences = told(&at_clock(1980.0), &at_clock(1410.0));
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        differences,
        [("counter GPU SM clock while busy: NVIDIA H100".into(), text("1980.0"), text("1410.0"))]
    );
}
