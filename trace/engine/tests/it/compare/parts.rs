//! Comparison of parts of runs: commands that start in a part count completely, all others don't.

use proptest::prelude::*;
use syclscope_engine::compare::{Comparing, Group, LoopMark, RunPart, Sample, SampledGroup, compare_samples};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Comparison, CriticalPath, IterationMarkKind, Verdict};
use syclscope_language::event::{AllocationKind, QueueOrder};

use crate::recordings::run::Run;

const MICRO: u64 = 1_000;

fn part(from: u64, to: u64) -> RunPart {
    RunPart { name: "a part".to_owned(), range: from..to, ..RunPart::default() }
}

fn recording(name: &str) -> Trace {
    let path = format!("{}/../../e2e/traces/{name}.pftrace.gz", env!("CARGO_MANIFEST_DIR"));
    import::open(std::fs::read(path).unwrap().as_slice()).unwrap()
}

proptest! {
    #[test]
    fn a_part_has_the_commands_that_start_in_it(
        durations in prop::collection::vec(1..20_u64, 4..30),
        ends in (0..30_usize, 0..30_usize),
    ) {
        let mut run = Run::new(QueueOrder::InOrder);
        let mut ran = Vec::new();
        for (number, ns) in durations.iter().enumerate() {
            let at = number as u64 * 30 * MICRO;
            ran.push((at + 5 * MICRO, at + (5 + ns) * MICRO));
            run.kernel(at, ran[number]);
        }
        let trace = run.trace();
        let [first, last] = [ends.0.min(ends.1) % ran.len(), ends.0.max(ends.1).min(ran.len() - 1)];
        prop_assume!(first < last);
        // Up to the middle of the last command, which counts completely.
        let (from, to) = (ran[first].0, ran[last].0 + 1);
        let sample = Sample::with_part("run", &trace, Some(&part(from, to)));
        let inside = &ran[first..=last];
        let mut expected: Vec<u64> = inside.iter().map(|(start, end)| end - start).collect();
        let command = &sample.commands[0];
        prop_assert_eq!(sample.commands.len(), 1);
        prop_assert_eq!((command.count, command.total_ns), (inside.len() as u64, expected.iter().sum::<u64>()));
        // The first launch of the run is separate; a launch that is only the first of the part is not.
        let is_apart = first == 0;
        prop_assert_eq!(command.first_ns, is_apart.then(|| expected[0]));
        expected.drain(..usize::from(is_apart));
        expected.sort_unstable();
        prop_assert_eq!(&command.durations_ns, &expected);
        prop_assert_eq!(sample.figure("commands"), Some(inside.len() as u64));
        prop_assert_eq!(sample.figure("leaks"), None, "memory may be released after the part");
        let end = to.min(trace.info().duration_ns);
        let busy: u64 = ran.iter().map(|(a, b)| (*b).min(to).saturating_sub((*a).max(from))).sum();
        prop_assert_eq!((sample.duration_ns, sample.busy_ns), (end - from, Some(busy)));
        prop_assert_eq!(sample.part.as_str(), "a part");
    }
}

#[test]
fn the_parts_of_a_waterfall_add_up_to_the_range() {
    for name in ["heat", "diamond", "sub_buffers-bad"] {
        let trace = recording(name);
        let end = trace.info().duration_ns;
        for (first, last) in [(0, 5), (3, 7), (5, 10)] {
            let (from, to) = (end * first / 10, end * last / 10);
            let group =
                |name: &str, trace| Group { part: Some(part(from, to)), ..Group::single(name, trace) };
            let comparing = Comparing::new(group("a", &trace), group("b", &trace));
            let found = comparing.overview(usize::MAX);
            let sum: i64 = found.waterfall.iter().map(|part| part.a_ns).sum();
            assert_eq!(sum, (to - from).cast_signed(), "{name}");
            assert_eq!((found.a.duration_ns, found.duration.a_ns), (to - from, Some(to - from)), "{name}");
            assert_eq!(found.part, "a part");
            let path: CriticalPath = serde_json::from_str(
                &trace.answer(&format!("critical_path?from={from}&to={to}").parse().unwrap()).unwrap(),
            )
            .unwrap();
            let on_path: u64 =
                found.rows.iter().filter_map(|row| row.a.as_ref()).map(|side| side.critical_ns).sum();
            assert!(on_path <= path.device_ns, "{name}");
            // A part compared with itself has no difference.
            assert_eq!(found.matched, found.a.commands, "{name}");
            assert!(found.waterfall.iter().all(|part| part.change_ns() == 0), "{name}");
            assert!(found.figures.iter().all(|figure| !figure.is_changed()), "{name}");
            assert_eq!((&found.edges[..], &found.memory[..]), (&[][..], &[][..]), "{name}");
        }
    }
}

#[test]
fn figures_of_parts_add_up_to_those_of_the_run() {
    for name in ["heat", "diamond", "sub_buffers-bad", "dpnp"] {
        let trace = recording(name);
        let end = trace.info().duration_ns + 1;
        let whole = Sample::new("run", &trace);
        let parts: Vec<Sample> = (0..5)
            .map(|number| {
                Sample::with_part("run", &trace, Some(&part(end * number / 5, end * (number + 1) / 5)))
            })
            .collect();
        let added = ["commands", "launches", "host_tasks", "waits", "builds", "allocations", "serialised"];
        let of_copies = whole.figures.iter().map(|figure| figure.name.as_str());
        let of_copies = of_copies.filter(|name| name.starts_with("copies_") || name.starts_with("bytes_"));
        for figure in added.into_iter().chain(of_copies) {
            let sum: u64 = parts.iter().filter_map(|part| part.figure(figure)).sum();
            assert_eq!(Some(sum), whole.figure(figure), "{name} {figure}");
        }
        for peak in whole.figures.iter().filter(|figure| figure.name.starts_with("peak_")) {
            let most = parts.iter().filter_map(|part| part.figure(&peak.name)).max();
            assert_eq!(most, Some(peak.value), "{name} {}", peak.name);
        }
        assert_eq!(parts.iter().map(|part| part.busy_ns.unwrap()).sum::<u64>(), whole.busy_ns.unwrap());
        let everything =
            Sample { part: String::new(), ..Sample::with_part("run", &trace, Some(&part(0, u64::MAX))) };
        assert_eq!(Sample { iterations: None, ..whole }, everything, "{name}");
    }
}

#[test]
fn memory_of_before_a_part_is_live_in_it() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(MICRO, 0x1000, 1_000, AllocationKind::Device);
    run.kernel(2 * MICRO, (5 * MICRO, 8 * MICRO));
    run.allocate(20 * MICRO, 0x9000, 500, AllocationKind::Device);
    run.kernel(22 * MICRO, (25 * MICRO, 28 * MICRO));
    run.release(30 * MICRO, 0x1000);
    run.release(31 * MICRO, 0x9000);
    run.kernel(40 * MICRO, (45 * MICRO, 48 * MICRO));
    let trace = run.trace();
    let figures = |from: u64, to: u64| {
        let sample = Sample::with_part("run", &trace, Some(&part(from * MICRO, to * MICRO)));
        (sample.figure("allocations"), sample.figure("peak_device_bytes"))
    };
    assert_eq!(figures(0, 10), (Some(1), Some(1_000)));
    assert_eq!(figures(10, 15), (Some(0), Some(1_000)), "nothing changes in it");
    assert_eq!(figures(15, 29), (Some(1), Some(1_500)));
    assert_eq!(figures(35, 50), (Some(0), None));
}

#[test]
fn a_comparison_of_samples_names_the_part() {
    let trace = recording("heat");
    let end = trace.info().duration_ns;
    let runs = [Sample::with_part("run", &trace, Some(&part(end / 4, end / 2)))];
    let group = |name| SampledGroup { name, runs: &runs };
    assert_eq!(compare_samples(group("a"), group("b")).part, "a part");
    let whole = [Sample::new("run", &trace)];
    let group = |name| SampledGroup { name, runs: &whole };
    assert_eq!(compare_samples(group("a"), group("b")).part, "");
}

/// Returns samples of parts of runs with kernels of `ns` each.
fn parts(ns: u64, part: impl Fn(u64) -> RunPart) -> Vec<Sample> {
    let sample = |number: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        for round in 0..20 {
            let at = round * 2 * ns + number;
            run.kernel(at, (at + ns / 4, at + ns / 4 + ns));
        }
        Sample::with_part("run", &run.trace(), Some(&part(number)))
    };
    (0..5).map(sample).collect()
}

fn compared(a: &[Sample], b: &[Sample]) -> Comparison {
    compare_samples(SampledGroup { name: "a", runs: a }, SampledGroup { name: "b", runs: b })
}

fn has_note(comparison: &Comparison, kind: &str) -> bool {
    comparison.notes.iter().any(|note| note.kind == kind)
}

#[test]
fn a_window_of_time_says_nothing_of_the_duration() {
    let window = |range: std::ops::Range<u64>| {
        move |_| RunPart { name: "a window".to_owned(), range: range.clone(), is_window: true, mark: None }
    };
    let (fast, slow) = (parts(10 * MICRO, window(0..90 * MICRO)), parts(20 * MICRO, window(0..90 * MICRO)));
    for (a, b) in [(&fast, &slow), (&fast, &fast)] {
        let found = compared(a, b);
        assert_eq!((found.duration.verdict, found.duration.ratio), (Verdict::Incomparable, None));
        assert_eq!(found.duration.a_ns, Some(90 * MICRO));
        assert!(has_note(&found, "fixed_time"));
    }
    // Kernels in the part have their own times.
    assert_eq!(compared(&fast, &slow).rows[0].time.verdict, Verdict::Slower);
    // A part up to the run's end has the length of the program's run.
    let open = |ns| parts(ns, window(15 * MICRO..u64::MAX));
    let found = compared(&open(10 * MICRO), &open(20 * MICRO));
    assert_eq!((found.duration.verdict, has_note(&found, "fixed_time")), (Verdict::Slower, false));
    // A baseline file contains the part.
    let kept: Sample = serde_json::from_str(&serde_json::to_string(&fast[0]).unwrap()).unwrap();
    assert_eq!(kept, fast[0]);
}

#[test]
fn parts_of_different_loops_decide_no_time() {
    let of = |ns: u64, name: &str| {
        let mark = Some(LoopMark { kind: IterationMarkKind::Command, name: name.to_owned() });
        let part = |_| RunPart {
            name: "iterations 1-5".to_owned(),
            range: 0..10 * ns,
            is_window: false,
            mark: mark.clone(),
        };
        parts(ns, part)
    };
    let same = compared(&of(10 * MICRO, "step"), &of(20 * MICRO, "step"));
    assert_eq!((same.duration.verdict, has_note(&same, "different_loops")), (Verdict::Slower, false));
    let mut mixed = of(20 * MICRO, "step");
    mixed[3].mark = None;
    for b in [of(20 * MICRO, "solve"), mixed] {
        let other = compared(&of(10 * MICRO, "step"), &b);
        assert_eq!(
            (other.duration.verdict, has_note(&other, "different_loops")),
            (Verdict::Incomparable, true)
        );
    }
}
