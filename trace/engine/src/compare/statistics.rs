//! Statistics of two groups of runs: shifts, intervals, tests, and the conditions of a verdict.
//!
//! The independent unit is the run: launches of one run share its machine, its clocks and its luck. Results are
//! deterministic, because random numbers have a fixed seed.

use syclscope_language::sorting::Sorting as _;

mod bootstrap;
mod change_points;
mod multiple_tests;
mod random;
mod ranks;
mod shift;
mod verdict;

pub use bootstrap::Launches;
pub use change_points::{change_points, first_step_p};
pub use multiple_tests::{benjamini_hochberg, cut, holm};
pub use ranks::mann_whitney;
pub use shift::hodges_lehmann;
pub use verdict::{Evidence, MIN_CHANGE, RUNS_FOR_A_TEST, evidence, noise, verdict};

/// Maximum number of stored durations of a kernel's launches, and of iterations; more are replaced by quantiles.
pub(super) const MAX_DURATIONS: usize = 256;

/// Returns the median of unsorted values: for an even number the mean of the middle two, without values 0.
pub(super) fn median(values: &[f64]) -> f64 {
    weighted_median(values.iter().map(|value| (*value, 1.0)).collect()).unwrap_or_default()
}

/// Returns the median of whole numbers, rounded; `None` without values.
pub(super) fn whole_median(values: impl IntoIterator<Item = u64>) -> Option<u64> {
    weighted_median(values.into_iter().map(|value| (value as f64, 1.0)).collect())
        .map(|median| median.round() as u64)
}

/// Returns the weighted median of pairs of value and weight.
pub(super) fn weighted_median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.arrange_by(|one, other| one.0.total_cmp(&other.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (place, (value, weight)) in values.iter().enumerate() {
        below += weight;
        if below > half {
            return Some(*value);
        }
        // Exactly half the weight is up to here: the median lies between this value and the next.
        if below == half {
            return values.get(place + 1).map(|(next, _)| f64::midpoint(*value, *next));
        }
    }
    None
}

/// Returns the sorted values, or `most` quantiles of equal weight if there are more.
pub(super) fn thinned<T: Copy>(sorted: &[T], most: usize) -> Vec<T> {
    if sorted.len() <= most {
        return sorted.to_vec();
    }
    (0..most).map(|place| sorted[(2 * place + 1) * sorted.len() / (2 * most)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_between_two_and_regards_weights() {
        assert_eq!((median(&[]), median(&[3.0]), median(&[4.0, 1.0, 2.0, 9.0])), (0.0, 3.0, 3.0));
        assert_eq!(
            (whole_median([]), whole_median([1, 4]), whole_median([7, 1, 5])),
            (None, Some(3), Some(5))
        );
        assert_eq!(weighted_median(vec![(10.0, 1.0), (1.0, 5.0), (20.0, 1.0)]), Some(1.0));
        assert_eq!(weighted_median(vec![(2.0, 2.0), (1.0, 2.0)]), Some(1.5));
    }

    #[test]
    fn many_values_are_thinned_to_quantiles() {
        assert_eq!(thinned(&[3, 5], 4), [3, 5]);
        let kept = thinned(&(0..10_000).collect::<Vec<u64>>(), 256);
        assert_eq!(kept.len(), 256);
        assert!(kept.is_sorted() && kept[128].abs_diff(5_000) < 50);
    }
}
