//! Verdicts on groups of runs, and cases without a verdict.

use syclscope_engine::compare::statistics::{Launches, benjamini_hochberg, evidence, verdict};
use syclscope_language::api::Verdict;

/// Pseudorandom numbers, the same in each run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 + 0.5) / f64::from(1_u32 << 31)
    }

    /// Returns a nearly normal number: the sum of twelve uniform ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// Returns runs of a kernel of 100 µs. Whole runs vary by `between`, their launches by 2 %; some launches are much
/// slower, as if others used the machine too.
fn runs(random: &mut Random, count: usize, factor: f64, between: f64) -> Vec<Launches> {
    let mut runs = Vec::new();
    for _ in 0..count {
        let level = 100_000.0 * factor * (between * random.normal()).exp();
        let mut launch = || {
            let burst = if random.unit() < 0.05 { 1.0 + 3.0 * random.unit() } else { 1.0 };
            level * burst * (0.02 * random.normal()).exp()
        };
        let mut durations_ns: Vec<f64> = (0..50).map(|_| launch()).collect();
        durations_ns.sort_unstable_by(f64::total_cmp);
        runs.push(Launches { durations_ns, count: 50 });
    }
    runs
}

/// Returns the verdicts on eight kernels, corrected for all of them.
fn verdicts(random: &mut Random, factors: [f64; 8], count: usize, between: f64) -> Vec<Verdict> {
    let all: Vec<_> = factors
        .iter()
        .map(|factor| {
            let (a, b) = (runs(random, count, 1.0, between), runs(random, count, *factor, between));
            evidence(&a, &b, 1.0).unwrap()
        })
        .collect();
    let p: Vec<f64> = all.iter().filter_map(|evidence| evidence.p).collect();
    let adjusted = benjamini_hochberg(&p);
    all.iter()
        .enumerate()
        .map(|(number, evidence)| verdict(evidence, adjusted.get(number).copied()))
        .collect()
}

const SAME: [f64; 8] = [1.0; 8];

#[test]
fn a_program_against_itself_has_nothing_changed_in_38_of_40_sets() {
    for (between, seed) in [(0.01, 1), (0.02, 2), (0.05, 3)] {
        let mut random = Random(seed);
        let is_wrong = |verdicts: Vec<Verdict>| {
            verdicts.iter().any(|verdict| matches!(verdict, Verdict::Faster | Verdict::Slower))
        };
        let wrong = (0..40).filter(|_| is_wrong(verdicts(&mut random, SAME, 5, between))).count();
        assert!(wrong <= 2, "{wrong} of 40 sets with runs that differ by {between}");
    }
}

#[test]
fn a_tenth_more_is_found_with_five_runs_a_side_and_nothing_else() {
    let mut random = Random(7);
    let mut factors = SAME;
    (factors[2], factors[5]) = (1.1, 1.0 / 1.1);
    for _ in 0..20 {
        let found = verdicts(&mut random, factors, 5, 0.01);
        assert_eq!((found[2], found[5]), (Verdict::Slower, Verdict::Faster), "{found:?}");
        for other in [0, 1, 3, 4, 6, 7] {
            assert!(!matches!(found[other], Verdict::Slower | Verdict::Faster), "{found:?}");
        }
    }
}

#[test]
fn too_few_runs_decide_nothing_but_what_is_the_same() {
    let mut random = Random(9);
    for count in [1, 2, 3, 4] {
        let found = verdicts(&mut random, [1.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], count, 0.002);
        assert_eq!(found[0], Verdict::Undecided, "{count} runs");
        assert_eq!(found[1], Verdict::Same, "{count} runs");
    }
}

#[test]
fn what_is_no_longer_than_the_clocks_step_does_not_count() {
    let side = |ns: f64| vec![Launches { durations_ns: vec![ns; 50], count: 50 }; 5];
    let of = |clock_ns: f64| {
        let evidence = evidence(&side(100.0), &side(150.0), clock_ns).unwrap();
        verdict(&evidence, evidence.p)
    };
    assert_eq!((of(1.0), of(50.0)), (Verdict::Slower, Verdict::Same));
}

#[test]
fn what_may_be_slower_is_not_the_same() {
    // Nearly equal medians of runs that are far apart: a third more is within the interval.
    let side =
        |levels: [f64; 4]| levels.map(|ns| Launches { durations_ns: vec![ns; 50], count: 50 }).to_vec();
    let spread =
        evidence(&side([80.0, 99.0, 101.0, 120.0]), &side([80.0, 100.0, 102.0, 120.0]), 1.0).unwrap();
    assert!((spread.ratio - 1.01).abs() < 1e-9 && spread.interval.unwrap().1 > 1.0 + spread.threshold);
    assert_eq!(verdict(&spread, spread.p), Verdict::Undecided);
    let near =
        evidence(&side([99.0, 100.0, 100.0, 101.0]), &side([100.0, 101.0, 101.0, 102.0]), 1.0).unwrap();
    assert_eq!(verdict(&near, near.p), Verdict::Same);
}

#[test]
fn without_times_there_is_no_evidence() {
    let some = vec![Launches { durations_ns: vec![5.0], count: 1 }];
    assert_eq!(evidence(&[], &some, 1.0), None);
    assert_eq!(evidence(&[Launches::default()], &some, 1.0), None);
    assert_eq!(evidence(&some, &[Launches { durations_ns: vec![0.0], count: 1 }], 1.0), None);
}

#[test]
fn times_that_the_clock_shows_as_nothing_are_not_left_out() {
    let run = |durations_ns: Vec<f64>| Launches { count: durations_ns.len() as u64, durations_ns };
    let side = |medians: [f64; 5]| medians.map(|ns| run(vec![ns; 50])).to_vec();
    assert_eq!(evidence(&side([1_000.0; 5]), &side([0.0, 0.0, 0.0, 0.0, 1_000.0]), 1.0), None);
    // Nearly half of the launches of A take less than a step of the clock.
    let a = vec![run([vec![0.0; 24], vec![1_000.0; 26]].concat()); 5];
    let found = evidence(&a, &side([1_000.0; 5]), 1.0).unwrap();
    assert_eq!(found.interval, Some((1.0, f64::INFINITY)));
    assert_ne!(verdict(&found, found.p), Verdict::Same);
}
