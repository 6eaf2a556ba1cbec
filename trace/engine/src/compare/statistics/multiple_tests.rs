//! Adjustments of p-values for multiple tests. They limit the false discovery rate (Benjamini and Hochberg, 1995) or
//! the family-wise error rate (Holm, 1979).

use syclscope_language::sorting::Sorting as _;

/// Adjusts p-values so that a bound on them limits the false discovery rate.
pub fn benjamini_hochberg(probabilities: &[f64]) -> Vec<f64> {
    let count = probabilities.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.arrange_by(|one, other| probabilities[*other].total_cmp(&probabilities[*one]));
    let mut adjusted = vec![1.0; count];
    let mut least: f64 = 1.0;
    for (rank, one) in order.into_iter().enumerate() {
        least = least.min(probabilities[one] * count as f64 / (count - rank) as f64);
        adjusted[one] = least;
    }
    adjusted
}

/// Adjusts p-values so that a bound on them limits the probability of any false discovery.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let count = probabilities.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.arrange_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    let mut adjusted = vec![1.0; count];
    let mut most: f64 = 0.0;
    for (rank, one) in order.into_iter().enumerate() {
        most = most.max(probabilities[one] * (count - rank) as f64).min(1.0);
        adjusted[one] = most;
    }
    adjusted
}

/// Returns the largest significant p-value at a false discovery rate of `level`; 0 if none is significant.
pub fn cut(probabilities: &[f64], level: f64) -> f64 {
    let adjusted = benjamini_hochberg(probabilities);
    let counting = probabilities.iter().zip(adjusted).filter(|(_, adjusted)| *adjusted <= level);
    counting.map(|(own, _)| *own).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_1995_is_adjusted_as_r_does_it() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005]);
        for (one, expected) in adjusted.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            assert!((one - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(benjamini_hochberg(&[]), Vec::<f64>::new());
    }

    #[test]
    fn holms_adjustment_is_that_of_r() {
        for (given, wanted) in [
            (vec![0.01, 0.04, 0.03, 0.005], vec![0.03, 0.06, 0.06, 0.02]),
            (vec![0.6, 0.7], vec![1.0, 1.0]),
            (vec![0.02], vec![0.02]),
            (Vec::new(), Vec::new()),
        ] {
            let adjusted = holm(&given);
            assert_eq!(adjusted.len(), wanted.len());
            let is_near = |(one, wanted): (&f64, &f64)| (one - wanted).abs() < 1e-12;
            assert!(adjusted.iter().zip(&wanted).all(is_near), "{adjusted:?}");
        }
    }

    #[test]
    fn the_cut_is_the_largest_that_counts() {
        assert_eq!(cut(&[0.01, 0.039, 0.03, 0.005, 0.9], 0.05), 0.039);
        assert_eq!((cut(&[0.03], 0.05), cut(&[0.03, 0.5, 0.5], 0.05), cut(&[], 0.05)), (0.03, 0.0, 0.0));
    }
}
