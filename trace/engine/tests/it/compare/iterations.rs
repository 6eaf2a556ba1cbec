//! Comparison of iterations whose times are known.

use syclscope_engine::compare::{Comparing, Group, Sample, SampledGroup, SampledIterations, compare_samples};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ComparedIterations, IterationMarkKind, TimeChange, Verdict};
use syclscope_language::event::{Category, QueueOrder};

use crate::recordings::run::Run;

const MICRO: u64 = 1_000;

/// Returns a run of iterations, each of which starts with a kernel.
fn run(start: u64, rounds: &[u64]) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = start;
    for ns in rounds.iter().chain([&(10 * MICRO)]) {
        run.kernel(at - 3 * MICRO, (at, at + 5 * MICRO));
        at += ns;
    }
    run.trace()
}

/// Returns runs with twelve iterations each: a warm-up of two, nine steady ones around a given time, and a last one.
fn runs(steady: u64, numbers: std::ops::Range<u64>) -> Vec<Trace> {
    let rounds = |number: u64| {
        let mut rounds = vec![900 * MICRO, 400 * MICRO];
        rounds.extend((0..9).map(|round| steady + (round * 7 % 9 + number) * 100));
        rounds
    };
    numbers.map(|number| run((5_000 + number) * MICRO, &rounds(number))).collect()
}

fn samples(traces: &[Trace]) -> Vec<Sample> {
    traces.iter().map(|trace| Sample::new("run", trace)).collect()
}

fn compared(a: &[Sample], b: &[Sample]) -> Option<ComparedIterations> {
    compare_samples(SampledGroup { name: "a", runs: a }, SampledGroup { name: "b", runs: b }).iterations
}

fn times(of: &TimeChange) -> (Option<u64>, Option<u64>) {
    (of.a_ns, of.b_ns)
}

#[test]
fn steady_iterations_warm_up_and_start_up_are_apart() {
    let found = compared(&samples(&runs(100 * MICRO, 0..5)), &samples(&runs(120 * MICRO, 0..5))).unwrap();
    // The median iteration is that of the numbers 0 to 8; the median run is number 2.
    assert_eq!(times(&found.steady), (Some(100_600), Some(120_600)));
    assert_eq!(times(&found.warm_up), (Some(1_300 * MICRO), Some(1_300 * MICRO)));
    assert_eq!(times(&found.start_up), (Some(5_002 * MICRO), Some(5_002 * MICRO)));
    assert_eq!(found.steady.verdict, Verdict::Slower);
    // Two of all 252 orders of ten runs, adjusted for three tests.
    assert!((found.steady.p.unwrap() - 3.0 * 2.0 / 252.0).abs() < 1e-12, "{:?}", found.steady.p);
    let (low, high) = (found.steady.low.unwrap(), found.steady.high.unwrap());
    assert!((1.18..1.2).contains(&low) && (1.19..1.21).contains(&high), "{low} {high}");
    assert_eq!((found.warm_up.verdict, found.start_up.verdict), (Verdict::Same, Verdict::Same));
    let side = &found.a;
    assert_eq!((side.runs, side.count, side.warm_up, side.steady), (5, 12, 2, 9));
    assert_eq!((side.kind, side.p10_ns, side.p90_ns), (IterationMarkKind::Command, 100_200, 100_900));
    let said = "The median steady iteration takes 100.6 µs in A and 120.6 µs in B, ratio +19.9 %";
    assert!(found.message.starts_with(said) && found.message.contains("slower"), "{}", found.message);
}

#[test]
fn a_part_of_a_run_has_no_start_up_to_compare() {
    let a = samples(&runs(100 * MICRO, 0..5));
    let mut b = a.clone();
    b[0].problems.push("part_of_run".to_owned());
    let found = compared(&a, &b).unwrap();
    let verdicts = [&found.steady, &found.start_up, &found.warm_up].map(|time| time.verdict);
    assert_eq!(verdicts, [Verdict::Same, Verdict::Incomparable, Verdict::Incomparable]);
}

#[test]
fn iterations_that_take_as_long_are_the_same() {
    let found = compared(&samples(&runs(100 * MICRO, 0..5)), &samples(&runs(100 * MICRO, 1..6))).unwrap();
    assert_eq!(found.steady.verdict, Verdict::Same);
}

#[test]
fn one_run_each_decides_nothing() {
    let found = compared(&samples(&runs(100 * MICRO, 0..1)), &samples(&runs(120 * MICRO, 0..1))).unwrap();
    assert_eq!((found.steady.verdict, found.steady.p), (Verdict::Undecided, None));
    assert_eq!(
        (found.steady.low, found.steady.high),
        (None, None),
        "an interval over one run's iterations is none"
    );
    assert!(
        found.message.ends_with("Each side has only one run, so this holds for these two runs only."),
        "{}",
        found.message
    );
    // Over all pairs of an iteration of A and one of B: not the ratio of the medians.
    let said = ". Over all pairs of an iteration of A and one of B, the median ratio is +";
    assert!(found.message.contains(said), "{}", found.message);
    let few = compared(&samples(&runs(100 * MICRO, 0..3)), &samples(&runs(120 * MICRO, 0..3))).unwrap();
    assert_eq!(few.steady.verdict, Verdict::Undecided, "three runs decide nothing but what is the same");
    assert!(few.steady.low.is_some());
}

#[test]
fn one_run_of_a_side_does_not_tell_what_is_the_same() {
    let a = samples(&runs(100 * MICRO, 0..5));
    for (a, b) in [(&a[..], &a[..1]), (&a[..1], &a[..])] {
        let comparison =
            compare_samples(SampledGroup { name: "a", runs: a }, SampledGroup { name: "b", runs: b });
        let note = comparison.notes.iter().find(|note| note.kind == "few_runs").unwrap();
        assert!(note.message.starts_with("One run on a side: no significance"), "{}", note.message);
    }
}

#[test]
fn the_shown_runs_are_compared_too() {
    let (a, b) = (runs(100 * MICRO, 0..1), runs(120 * MICRO, 0..1));
    let comparing = Comparing::new(Group::single("a", &a[0]), Group::single("b", &b[0]));
    let found = comparing.overview(10).iterations.unwrap();
    assert_eq!(Some(found), compared(&samples(&a), &samples(&b)));
}

#[test]
fn runs_without_a_loop_have_none() {
    let loop_of = samples(&runs(100 * MICRO, 0..1));
    let none = samples(&[run(50 * MICRO, &[100 * MICRO; 2])]);
    assert_eq!(compared(&loop_of, &none), None);
    // A side with only one such run has no verdict.
    let mixed: Vec<Sample> = loop_of.iter().chain(&none).cloned().collect();
    let found = compared(&loop_of, &mixed).unwrap();
    assert_eq!(found.steady.verdict, Verdict::Incomparable);
    assert!(found.message.contains("Some runs have no such loop"), "{}", found.message);
}

#[test]
fn different_loops_are_not_compared() {
    let mut regions = Run::new(QueueOrder::InOrder);
    for round in 0..10 {
        let at = (10 + round * 100) * MICRO;
        regions.slice(Category::User, "solve", at, at + 90 * MICRO, None, &[]);
        regions.kernel(at + MICRO, (at + 5 * MICRO, at + 10 * MICRO));
    }
    let found = compared(&samples(&runs(100 * MICRO, 0..1)), &samples(&[regions.trace()])).unwrap();
    assert_eq!((found.steady.verdict, found.b.kind), (Verdict::Incomparable, IterationMarkKind::Region));
    assert!(found.message.contains("different loops"), "{}", found.message);
}

fn with(samples: &[Sample], change: impl Fn(usize, &mut SampledIterations)) -> Vec<Sample> {
    let mut samples = samples.to_vec();
    for (number, sample) in samples.iter_mut().enumerate() {
        change(number, sample.iterations.as_mut().unwrap());
    }
    samples
}

#[test]
fn loops_with_many_more_iterations_are_not_compared() {
    let (a, b) = (samples(&runs(100 * MICRO, 0..5)), samples(&runs(50 * MICRO, 0..5)));
    let counted = |count: u64| with(&b, |_, loop_of| loop_of.count = count);
    let (twice, near) = (compared(&a, &counted(24)).unwrap(), compared(&a, &counted(17)).unwrap());
    let verdicts = |of: &ComparedIterations| [&of.steady, &of.warm_up, &of.start_up].map(|time| time.verdict);
    assert_eq!(verdicts(&twice), [Verdict::Incomparable; 3]);
    let said = "A has 12 iterations and B 24, so an iteration may not be the same work.";
    assert!(twice.message.ends_with(said), "{}", twice.message);
    assert_eq!(near.steady.verdict, Verdict::Faster);
    assert_eq!(compared(&a, &counted(18)).unwrap().steady.verdict, Verdict::Incomparable);
    // One such run of a side suffices.
    let one = with(&b, |number, loop_of| loop_of.count = if number == 2 { 30 } else { 12 });
    let message = compared(&a, &one).unwrap().message;
    assert!(message.contains("A has 12 iterations and B 12 to 30, so"), "{message}");
    // A region is an iteration by the program's own definition.
    let region = |samples: &[Sample]| with(samples, |_, loop_of| loop_of.kind = IterationMarkKind::Region);
    let regions = compared(&region(&a), &region(&counted(24))).unwrap();
    assert_eq!(regions.steady.verdict, Verdict::Faster);
}

#[test]
fn a_warm_up_that_some_runs_lack_is_not_compared() {
    let (a, b) = (samples(&runs(100 * MICRO, 0..6)), samples(&runs(100 * MICRO, 0..6)));
    let longer = |number: usize| if number == 0 { 0 } else { 2_000 * MICRO + number as u64 };
    let lacking = with(&b, |number, loop_of| loop_of.warm_up_ns = longer(number));
    let all = with(&b, |number, loop_of| loop_of.warm_up_ns = longer(number + 1));
    assert_eq!(compared(&a, &all).unwrap().warm_up.verdict, Verdict::Slower);
    let found = compared(&a, &lacking).unwrap();
    assert_eq!((found.warm_up.verdict, found.warm_up.ratio), (Verdict::Incomparable, None));
    assert_eq!(found.steady.verdict, Verdict::Same);
}
