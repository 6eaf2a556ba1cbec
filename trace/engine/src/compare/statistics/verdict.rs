//! Verdicts: faster, slower, the same, or undecided.

pub use syclscope_language::api::LEAST_CHANGE;
use syclscope_language::api::Verdict;

use super::bootstrap::{Launches, interval};
use super::{hodges_lehmann, mann_whitney, median};
use crate::cancel;

/// Runs on each side from which on the test of Mann and Whitney can say anything: 5 against 5 reach 0.008.
pub const RUNS_FOR_A_TEST: usize = 5;
/// Below this probability (adjusted for all that is tested) a difference counts.
const LARGEST_P: f64 = 0.05;

/// Evidence of two groups of runs on one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Ratio of the medians, `b` to `a`; of one run each, of the shift of the launches.
    pub ratio: f64,
    /// The interval of the ratio (95 %), of two runs or more on each side.
    pub interval: Option<(f64, f64)>,
    /// Probability by the test of Mann and Whitney, of [`RUNS_FOR_A_TEST`] or more on each side.
    pub p: Option<f64>,
    /// The least change that counts, as a part of 1.
    pub threshold: f64,
}

/// Returns the evidence of two groups of runs. `clock_ns` is the resolution of their clocks. `None` where a side has no
/// time.
pub fn evidence(a: &[Launches], b: &[Launches], clock_ns: f64) -> Option<Evidence> {
    cancel::spend(a.iter().chain(b).map(|run| run.durations_ns.len()).sum());
    let some = |runs: &[Launches]| -> Vec<Launches> {
        runs.iter().filter(|run| !run.durations_ns.is_empty() && run.median_ns() > 0.0).cloned().collect()
    };
    let (a, b) = (some(a), some(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let medians = |runs: &[Launches]| runs.iter().map(Launches::median_ns).collect::<Vec<f64>>();
    let (of_a, of_b) = (medians(&a), medians(&b));
    let ratio = if a.len() == 1 && b.len() == 1 {
        let logs = |run: &Launches| run.durations_ns.iter().map(|ns| ns.max(0.5).ln()).collect::<Vec<f64>>();
        hodges_lehmann(&logs(&a[0]), &logs(&b[0])).exp()
    } else {
        median(&of_b) / median(&of_a)
    };
    let has_test = a.len() >= RUNS_FOR_A_TEST && b.len() >= RUNS_FOR_A_TEST;
    let quantum = clock_ns / median(&of_a).min(median(&of_b));
    Some(Evidence {
        ratio,
        interval: interval(&a, &b),
        p: has_test.then(|| mann_whitney(&of_a, &of_b)),
        threshold: LEAST_CHANGE.max(noise(&of_a, &of_b)).max(quantum),
    })
}

/// Returns the noise of runs: the median of the relative differences of all pairs of one side. 0 for one run each.
pub fn noise(a: &[f64], b: &[f64]) -> f64 {
    let mut differences = Vec::new();
    for runs in [a, b] {
        for (place, one) in runs.iter().enumerate() {
            let others = runs[place + 1..].iter();
            differences.extend(others.map(|other| (one / other).ln().abs()).filter(|part| part.is_finite()));
        }
    }
    median(&differences).exp_m1()
}

/// Returns the verdict. `p` is the probability of the evidence adjusted for all tests.
pub fn verdict(evidence: &Evidence, p: Option<f64>) -> Verdict {
    let Evidence { ratio, interval, threshold, .. } = *evidence;
    let is_within = |ratio: f64| if ratio >= 1.0 { ratio - 1.0 } else { 1.0 / ratio - 1.0 } <= threshold;
    // One run each has no interval: that it proves nothing stands beside each of its verdicts.
    let (low, high) = interval.unwrap_or((ratio, ratio));
    if [low, ratio, high].into_iter().all(is_within) {
        return Verdict::Same;
    }
    let is_certain = p.is_some_and(|p| p < LARGEST_P) && (low > 1.0 || high < 1.0);
    match ratio > 1.0 {
        _ if !is_certain || is_within(ratio) => Verdict::Undecided,
        true => Verdict::Slower,
        false => Verdict::Faster,
    }
}
