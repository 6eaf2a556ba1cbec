//! Verdicts: faster, slower, the same, or undecided.

pub use syclscope_language::api::MIN_CHANGE;
use syclscope_language::api::Verdict;

use super::bootstrap::{Launches, interval};
use super::{hodges_lehmann, mann_whitney, median};
use crate::cancel;

/// Minimum number of runs on each side for a meaningful Mann–Whitney test: 5 against 5 can reach 0.008.
pub const RUNS_FOR_A_TEST: usize = 5;
/// Adjusted p-values below this are significant.
const MAX_P_VALUE: f64 = 0.05;

/// Evidence on one time, from two groups of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Ratio of the medians, `b` to `a`; with one run each, of the shift of the launches.
    pub ratio: f64,
    /// The 95 % confidence interval of the ratio, with two or more runs on each side.
    pub interval: Option<(f64, f64)>,
    /// p-value of the Mann–Whitney test, with [`RUNS_FOR_A_TEST`] or more runs on each side.
    pub p: Option<f64>,
    /// The minimum relative change that counts.
    pub threshold: f64,
}

/// Returns the evidence of two groups of runs. `clock_ns` is the resolution of their clocks. `None` if a side has no
/// time, or if the clock shows 0 for the median of a run: without that run, the other runs would misrepresent their
/// side.
pub fn evidence(a: &[Launches], b: &[Launches], clock_ns: f64) -> Option<Evidence> {
    cancel::spend(a.iter().chain(b).map(|run| run.durations_ns.len()).sum());
    let some = |runs: &[Launches]| -> Vec<Launches> {
        runs.iter().filter(|run| !run.durations_ns.is_empty()).cloned().collect()
    };
    let (a, b) = (some(a), some(b));
    let medians = |runs: &[Launches]| runs.iter().map(Launches::median_ns).collect::<Vec<f64>>();
    let (of_a, of_b) = (medians(&a), medians(&b));
    if a.is_empty() || b.is_empty() || of_a.iter().chain(&of_b).any(|median| *median <= 0.0) {
        return None;
    }
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
        threshold: MIN_CHANGE.max(noise(&of_a, &of_b)).max(quantum),
    })
}

/// Returns the noise of runs: the median relative difference of all pairs within a side. 0 for one run each.
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

/// Returns the verdict. `p` is the p-value of the evidence adjusted for all tests.
pub fn verdict(evidence: &Evidence, p: Option<f64>) -> Verdict {
    let Evidence { ratio, interval, threshold, .. } = *evidence;
    let is_within = |ratio: f64| if ratio >= 1.0 { ratio - 1.0 } else { 1.0 / ratio - 1.0 } <= threshold;
    // One run each has no interval: the display marks such a verdict as unproven.
    let (low, high) = interval.unwrap_or((ratio, ratio));
    if [low, ratio, high].into_iter().all(is_within) {
        return Verdict::Same;
    }
    let is_certain = p.is_some_and(|p| p < MAX_P_VALUE) && (low > 1.0 || high < 1.0);
    match ratio > 1.0 {
        _ if !is_certain || is_within(ratio) => Verdict::Undecided,
        true => Verdict::Slower,
        false => Verdict::Faster,
    }
}
