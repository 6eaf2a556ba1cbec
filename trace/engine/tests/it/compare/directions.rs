//! Copies of one line in both directions are two rows; if a side lacks their directions, they are one row.

use syclscope_engine::compare::{Sample, SampledGroup, compare_samples, history};
use syclscope_engine::store::Trace;
use syclscope_language::api::{Comparison, CopyDirection, Likeness, Presence, RowSide, Verdict};
use syclscope_language::event::{Allocation, AllocationKind, Event, NodeKind, QueueOrder};
use syclscope_language::time::Timestamp;

use super::compare;
use crate::recordings::run::{Run, place};

const HOST: u64 = 0x50;
const DEVICE: u64 = 0x1000;
const OTHER: u64 = 0x2000;
const SHARED: u64 = 0x3000;

/// Returns a run whose copies are all at one line: source, destination and duration of each.
fn run(copies: &[(u64, u64, u64)]) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    for (pointer, device) in [(DEVICE, "GPU 1"), (OTHER, "GPU 2")] {
        run.event(&Event::Allocation(Allocation {
            at: Timestamp(10),
            pointer,
            size_bytes: 0x100,
            kind: AllocationKind::Device,
            guard_bytes: 0,
            device,
            tid: 1,
            location: place(5),
        }));
    }
    run.allocate(20, SHARED, 0x100, AllocationKind::Shared);
    for (at, (from, to, ns)) in (100_000..).step_by(100_000).zip(copies) {
        run.copy(at, (at + 3_000, at + 3_000 + ns), *from, *to, 64);
    }
    run.trace()
}

/// Returns a solver's copies: in, out, and repeated.
fn both_ways(rounds: usize, in_ns: u64, out_ns: u64) -> Trace {
    run(&[(HOST, DEVICE, in_ns), (DEVICE, HOST, out_ns)].repeat(rounds))
}

fn directions(comparison: &Comparison) -> Vec<(CopyDirection, u64, Likeness)> {
    let mut found: Vec<_> = comparison
        .rows
        .iter()
        .map(|row| (row.b.as_ref().or(row.a.as_ref()).unwrap().direction, row.matched, row.likeness))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn copies_to_and_from_the_device_are_rows_of_their_own() {
    use CopyDirection::{DeviceToHost, HostToDevice};
    let comparison = compare(&both_ways(5, 4_000, 6_000), &both_ways(5, 4_000, 9_000));
    assert_eq!(
        directions(&comparison),
        [(HostToDevice, 5, Likeness::Same), (DeviceToHost, 5, Likeness::Same)]
    );
    let ratio = |direction: CopyDirection| {
        let is_it = |side: &RowSide| side.direction == direction;
        let row = comparison.rows.iter().find(|row| row.b.as_ref().is_some_and(is_it)).unwrap();
        row.time.ratio.unwrap()
    };
    assert!((ratio(DeviceToHost) - 1.5).abs() < 1e-9 && (ratio(HostToDevice) - 1.0).abs() < 1e-9);
    let part = &comparison.waterfall[0];
    // No command waits for the others: only the last one determines the end of the run.
    assert_eq!((part.name.as_str(), part.change_ns()), ("copy, device → host", 3_000));
    assert_eq!(comparison.rows[0].title(), "copy, device → host");

    // One copy more, in one direction.
    let more = run(
        &[[(HOST, DEVICE, 4_000), (DEVICE, HOST, 6_000)].repeat(5), vec![(DEVICE, HOST, 6_000)]].concat()
    );
    let comparison = compare(&both_ways(5, 4_000, 6_000), &more);
    let counts: Vec<(u64, u64)> = comparison
        .rows
        .iter()
        .map(|row| (row.a.as_ref().unwrap().count, row.b.as_ref().unwrap().count))
        .collect();
    assert!(counts.contains(&(5, 6)) && counts.contains(&(5, 5)), "{counts:?}");
}

#[test]
fn directions_are_those_of_the_memory() {
    use CopyDirection::{BetweenDevices, DeviceToDevice, HostToHost, HostToShared, SharedToDevice};
    for (from, to, expected) in [
        (DEVICE, DEVICE + 0x80, DeviceToDevice),
        (DEVICE, OTHER, BetweenDevices),
        (HOST, HOST + 8, HostToHost),
        (HOST, SHARED, HostToShared),
        (SHARED, DEVICE, SharedToDevice),
    ] {
        let trace = run(&[(from, to, 1_000)]);
        assert_eq!(directions(&compare(&trace, &trace)), [(expected, 1, Likeness::Same)]);
    }
}

#[test]
fn a_copy_from_memory_of_another_kind_is_the_same_one() {
    let comparison = compare(&run(&[(HOST, SHARED, 1_000); 4]), &run(&[(HOST, DEVICE, 1_000); 4]));
    assert_eq!(directions(&comparison), [(CopyDirection::HostToDevice, 4, Likeness::OtherDirection)]);
    assert_eq!(comparison.rows[0].likeness_words(), "was host → shared");
    // The two directions are different rows.
    let comparison = compare(&both_ways(3, 1_000, 1_000), &run(&[(HOST, DEVICE, 1_000); 3]));
    let only: Vec<Presence> = comparison.rows.iter().map(|row| row.presence).collect();
    assert!(only.contains(&Presence::OnlyA) && only.contains(&Presence::Both), "{only:?}");
}

#[test]
fn a_copy_that_goes_the_other_way_is_not_renamed() {
    let one_way = |from: u64, to: u64| {
        let mut copies = vec![(HOST, SHARED, 2_000)];
        copies.extend([(from, to, 1_000); 4]);
        run(&[copies, vec![(SHARED, SHARED, 3_000)]].concat())
    };
    let (a, b) = (one_way(HOST, DEVICE), one_way(DEVICE, HOST));
    let samples = [Sample::new("a", &a), Sample::new("b", &b)];
    let [of_a, of_b] = samples.each_ref().map(std::slice::from_ref);
    let sampled =
        compare_samples(SampledGroup { name: "a", runs: of_a }, SampledGroup { name: "b", runs: of_b });
    for comparison in [compare(&a, &b), sampled] {
        let found = |presence| comparison.rows.iter().filter(|row| row.presence == presence).count();
        assert_eq!([Presence::Both, Presence::OnlyA, Presence::OnlyB].map(found), [2, 1, 1]);
    }
}

/// Returns a sample in the form of older versions, without the directions of copies.
fn old(trace: &Trace) -> Sample {
    let new = Sample::new("old", trace);
    let is_copy = |kind: NodeKind| kind == NodeKind::Copy;
    let mut commands = new.both_ways.clone();
    commands.extend(new.commands.iter().filter(|command| !is_copy(command.key.kind)).cloned());
    Sample { commands, both_ways: Vec::new(), busy_ns: None, ..new }
}

#[test]
fn samples_without_directions_are_compared_without_them() {
    let before: Vec<Sample> = (0..5).map(|run| old(&both_ways(6, 6_000 + run, 6_000 + run))).collect();
    let side = |ns: u64| -> Vec<Sample> {
        (0..5).map(|run| Sample::new("now", &both_ways(6, ns + run, ns + run))).collect()
    };
    let judged = |now: &[Sample]| {
        compare_samples(SampledGroup { name: "a", runs: &before }, SampledGroup { name: "b", runs: now })
    };
    let same = judged(&side(6_000));
    assert_eq!(directions(&same), [(CopyDirection::Unknown, 12, Likeness::Same)]);
    let time = &same.rows[0].time;
    assert_eq!((time.verdict, time.ratio, time.a_ns), (Verdict::Same, Some(1.0), time.b_ns));
    assert!(same.notes.iter().any(|note| note.kind == "no_directions"), "{:?}", same.notes);
    let slower = judged(&side(16_000));
    assert_eq!(slower.rows[0].time.verdict, Verdict::Slower, "{:?}", slower.rows[0].time);
    // Two sides with directions have no note.
    let now = side(6_000);
    let both =
        compare_samples(SampledGroup { name: "a", runs: &now }, SampledGroup { name: "b", runs: &now });
    assert_eq!((both.rows.len(), both.notes.iter().any(|note| note.kind == "no_directions")), (2, false));
}

#[test]
fn a_history_has_the_copies_and_fills_of_every_row() {
    let mut runs = Vec::new();
    for number in 0..20_u64 {
        let out_ns = if number < 12 { 6_000 } else { 9_000 } + number * 7 % 40;
        runs.push(Sample::new(&number.to_string(), &both_ways(6, 4_000 + number * 5 % 30, out_ns)));
    }
    let told = history(&runs);
    let steps = |name: &str| {
        let series = told.series.iter().find(|series| series.name == name);
        let series = series.unwrap_or_else(|| {
            panic!("{name}: {:?}", told.series.iter().map(|one| &one.name).collect::<Vec<_>>())
        });
        series.steps.iter().map(|step| step.run).collect::<Vec<u32>>()
    };
    let line = NodeKind::Copy as u32 + 10;
    assert_eq!(steps(&format!("copy, device → host at main.cpp:{line}")), [12]);
    assert_eq!(steps(&format!("copy, host → device at main.cpp:{line}")), [] as [u32; 0]);
    let names: Vec<&str> = told.series.iter().take(5).map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["duration", "busy", "commands", "launches", "findings"]);
    // The shortened samples of a server's history give the same series.
    let short: Vec<Sample> = runs.iter().cloned().map(Sample::for_history).collect();
    assert_eq!(history(&short), told);
    // Also if some runs lack the directions of copies.
    runs.extend((0..3).map(|_| old(&both_ways(6, 4_000, 6_000))));
    let short: Vec<Sample> = runs.iter().cloned().map(Sample::for_history).collect();
    assert_eq!(history(&short), history(&runs));
}

#[test]
fn a_sample_that_an_older_version_kept_is_read() {
    let text = r#"{"name":"old","wall_ns":700,"figures":[{"name":"commands","unit":"count","value":1}],
        "commands":[{"key":{"kind":"copy","name":"memcpy","file":"a.cpp","line":3,"function":"f","region":"","order":"in_order"},
        "count":1,"total_ns":5,"first_ns":5,"later":1,"durations_ns":[5]}],"clock_ns":1,"facts":[],"problems":[]}"#;
    let sample: Sample = serde_json::from_str(text).unwrap();
    assert_eq!((sample.duration_ns, sample.busy_ns), (700, None));
    assert_eq!(sample.commands[0].key.direction, CopyDirection::Unknown);
}
