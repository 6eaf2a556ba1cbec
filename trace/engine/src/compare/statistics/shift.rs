//! Estimate of the shift between two groups (Hodges and Lehmann, 1963).

use super::thinned;
use crate::cancel;

/// Maximum number of values per group; more are replaced by quantiles.
const MAX_VALUES: usize = 400;

/// Returns the median of all differences from a value of `a` to one of `b`; 0 if a group is empty.
pub fn hodges_lehmann(a: &[f64], b: &[f64]) -> f64 {
    let quantiles = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        thinned(&values, MAX_VALUES)
    };
    let (a, b) = (quantiles(a), quantiles(b));
    cancel::spend(a.len() * b.len());
    let mut differences: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect();
    let half = differences.len() / 2;
    if differences.is_empty() {
        return 0.0;
    }
    let (below, middle, _) = differences.select_nth_unstable_by(half, f64::total_cmp);
    let middle = *middle;
    if (a.len() * b.len()) % 2 == 1 {
        return middle;
    }
    below.iter().copied().max_by(f64::total_cmp).map_or(middle, |other| f64::midpoint(other, middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_found_whatever_lies_far_out() {
        let a: Vec<f64> = (0..101).map(f64::from).collect();
        let mut b: Vec<f64> = a.iter().map(|value| value + 7.0).collect();
        b[50] = 1e9;
        // An outlier moves the median by one rank, whatever its value.
        assert!((hodges_lehmann(&a, &b) - 7.0).abs() <= 1.0);
        assert_eq!(hodges_lehmann(&[1.0, 2.0], &[4.0, 6.0]), 3.5);
        assert_eq!(hodges_lehmann(&[], &[1.0]), 0.0);
        let many: Vec<f64> = (0..10_000).map(f64::from).collect();
        let later: Vec<f64> = many.iter().map(|value| value + 500.0).collect();
        assert!((hodges_lehmann(&many, &later) - 500.0).abs() < 1.0);
    }
}
