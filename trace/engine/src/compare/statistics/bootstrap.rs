//! Confidence intervals by the bootstrap: resampling runs, and launches within them (after Kalibera and Jones, 2013).

use super::median;
use super::random::Random;
use crate::cancel;

const DRAWS: usize = 2_000;
/// Query steps of drawing a run and resampling its launches.
const RUN_STEPS: usize = 16;
/// Fixed, so that results repeat.
const SEED: u64 = 0x5c15_c09e;
/// Below this number, launches are drawn one by one; above, the median's rank is drawn from its limiting distribution.
const ONE_BY_ONE: u64 = 16;

/// The launches of one kernel in one run, without the first one on each queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launches {
    /// Durations in nanoseconds, shortest first: all of them, or quantiles of more.
    pub durations_ns: Vec<f64>,
    /// Number of launches.
    pub count: u64,
}

impl Launches {
    /// Returns the median duration in nanoseconds; 0 without launches.
    pub fn median_ns(&self) -> f64 {
        median(&self.durations_ns)
    }

    /// Returns the median of a resample of these launches.
    fn resampled_median(&self, random: &mut Random) -> f64 {
        if self.count < ONE_BY_ONE {
            let durations: Vec<f64> = (0..self.count).map(|_| self.at(random.unit())).collect();
            return median(&durations);
        }
        // The median of n uniform random numbers between 0 and 1 is Beta(n/2 + 1/2, n/2 + 1/2): nearly normal.
        self.at(0.5 + random.normal() / (2.0 * ((self.count + 2) as f64).sqrt()))
    }

    /// Returns the quantile at `place`, from 0 (shortest) to 1 (longest).
    fn at(&self, place: f64) -> f64 {
        let last = self.durations_ns.len().saturating_sub(1);
        let at = ((place.clamp(0.0, 1.0) * self.durations_ns.len() as f64) as usize).min(last);
        self.durations_ns.get(at).copied().unwrap_or_default()
    }
}

/// Returns the 95 % confidence interval of the ratio of `b`'s median to `a`'s, from groups of runs with launches;
/// `None` if a side has fewer than two runs, or no time.
pub(super) fn interval(a: &[Launches], b: &[Launches]) -> Option<(f64, f64)> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let mut random = Random::new(SEED);
    let mut side = |runs: &[Launches]| {
        cancel::spend(RUN_STEPS * runs.len());
        let medians: Vec<f64> =
            runs.iter().map(|_| runs[random.below(runs.len())].resampled_median(&mut random)).collect();
        median(&medians)
    };
    // If A takes no time in a draw, the ratio is infinite: without such ratios, the interval would end too low.
    let mut ratios: Vec<f64> =
        (0..DRAWS).map(|_| side(b) / side(a)).filter(|ratio| !ratio.is_nan()).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| ratios.get((part * (ratios.len() as f64 - 1.0)).round() as usize).copied();
    Some((at(0.025)?, at(0.975)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_two_launches_lies_between_them() {
        let launches = Launches { durations_ns: vec![10.0, 20.0], count: 2 };
        let mut random = Random::new(SEED);
        let medians: Vec<f64> = (0..4_000).map(|_| launches.resampled_median(&mut random)).collect();
        let part = |ns: f64| medians.iter().filter(|one| **one == ns).count() as f64 / medians.len() as f64;
        for (ns, expected) in [(10.0, 0.25), (15.0, 0.5), (20.0, 0.25)] {
            assert!((part(ns) - expected).abs() < 0.05, "{ns}: {}", part(ns));
        }
    }
}
