//! The test of Mann and Whitney (1947) for a tendency to larger values in one of two groups.

use crate::cancel;
use syclscope_language::sorting::Sorting as _;

/// Groups up to this size are counted exactly.
const EXACT: usize = 20;

/// Returns the two-sided p-value of the test. 1 if a group is empty.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return 1.0;
    }
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|value| (*value, true)).chain(b.iter().map(|value| (*value, false))).collect();
    all.arrange_by(|one, other| one.0.total_cmp(&other.0));
    // Equal values share their ranks. These are doubled, so that they are whole numbers.
    let mut ranks: Vec<usize> = Vec::with_capacity(all.len());
    let (mut rank_sum, mut ties) = (0, 0.0);
    let mut first = 0;
    while first < all.len() {
        let equal = all[first..].iter().take_while(|(value, _)| *value == all[first].0).count();
        let rank = 2 * first + equal + 1;
        rank_sum += rank * all[first..first + equal].iter().filter(|(_, is_a)| *is_a).count();
        ranks.extend(std::iter::repeat_n(rank, equal));
        ties += (equal as f64).powi(3) - equal as f64;
        first += equal;
    }
    if n <= EXACT && m <= EXACT {
        return as_far(n, &ranks, rank_sum);
    }
    let pairs = (n * m) as f64;
    let u = rank_sum as f64 / 2.0 - (n * (n + 1)) as f64 / 2.0;
    let least = u.min(pairs - u);
    let count = (n + m) as f64;
    let variance = pairs / 12.0 * (count + 1.0 - ties / (count * (count - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    // Continuity correction.
    let z = ((pairs / 2.0 - least - 0.5) / variance.sqrt()).max(0.0);
    (2.0 * normal_above(z)).min(1.0)
}

/// Returns the two-sided probability of a sum of `n` ranks at least as far from the middle as `rank_sum`.
fn as_far(n: usize, ranks: &[usize], rank_sum: usize) -> f64 {
    let width = ranks.iter().sum::<usize>() + 1;
    // Number of choices by the count and the sum of their ranks.
    let mut choices = vec![0.0_f64; (n + 1) * width];
    cancel::spend(choices.len());
    choices[0] = 1.0;
    for rank in ranks {
        for chosen in (1..=n).rev() {
            for sum in *rank..width {
                choices[chosen * width + sum] += choices[(chosen - 1) * width + sum - rank];
            }
        }
    }
    let of_n = &choices[n * width..];
    let is_low = rank_sum <= n * (ranks.len() + 1);
    let as_far = of_n.iter().enumerate().filter(|(sum, _)| match is_low {
        true => *sum <= rank_sum,
        false => *sum >= rank_sum,
    });
    let share = as_far.map(|(_, count)| count).sum::<f64>() / of_n.iter().sum::<f64>();
    (2.0 * share).min(1.0)
}

/// Returns the probability of a value above `z`: Abramowitz and Stegun 26.2.17, with an error of at most 7.5·10⁻⁸.
pub(super) fn normal_above(z: f64) -> f64 {
    const FACTORS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let sum = FACTORS.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if z < 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_runs_have_the_known_probabilities() {
        let of = |n: usize, m: usize| {
            let a: Vec<f64> = (0..n).map(|value| value as f64).collect();
            let b: Vec<f64> = (0..m).map(|value| 100.0 + value as f64).collect();
            mann_whitney(&a, &b)
        };
        // Two of all C(n + m, n) orders.
        assert!((of(3, 3) - 0.1).abs() < 1e-12);
        assert!((of(4, 4) - 2.0 / 70.0).abs() < 1e-12);
        assert!((of(5, 5) - 2.0 / 252.0).abs() < 1e-12);
        assert_eq!(mann_whitney(&[], &[1.0]), 1.0);
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]), 1.0);
    }

    #[test]
    fn the_count_is_that_of_all_orders() {
        for (a, b) in [
            ([3.0, 8.0, 9.5], [1.0, 2.0, 7.0, 10.0]),
            ([1.0, 1.0, 2.0], [2.0, 2.0, 2.0, 5.0]),
            ([4.0, 4.0, 4.0], [6.0, 6.0, 6.0, 6.0]),
        ] {
            let all: Vec<f64> = a.iter().chain(&b).copied().collect();
            // Twice the number of pairs in which one of A is larger; equal ones count half.
            let count = |is_a: &dyn Fn(usize) -> bool| -> usize {
                let worth = |one: f64, other: f64| usize::from(one > other) + usize::from(one >= other);
                let others: Vec<f64> = (0..7).filter(|one| !is_a(*one)).map(|one| all[one]).collect();
                let of = |one: usize| others.iter().map(|other| worth(all[one], *other)).sum::<usize>();
                (0..7).filter(|one| is_a(*one)).map(of).sum()
            };
            let observed = count(&|one| one < 3);
            let choices: Vec<u32> = (0_u32..128).filter(|bits| bits.count_ones() == 3).collect();
            let counts: Vec<usize> = choices.iter().map(|bits| count(&|one| *bits >> one & 1 == 1)).collect();
            let low = counts.iter().filter(|count| **count <= observed).count();
            let high = counts.iter().filter(|count| **count >= observed).count();
            let expected = (2.0 * low.min(high) as f64 / counts.len() as f64).min(1.0);
            assert!((mann_whitney(&a, &b) - expected).abs() < 1e-12, "{a:?} {b:?}");
        }
    }

    #[test]
    fn equal_runs_prove_no_more_than_different_ones() {
        // Medians that a coarse clock makes equal: two of all 252 choices, as without ties.
        for (a, b) in [([1.0; 5], [2.0; 5]), ([1.0, 1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 6.0, 7.0, 8.0])] {
            assert!((mann_whitney(&a, &b) - 2.0 / 252.0).abs() < 1e-12, "{a:?} {b:?}");
        }
        let overlapping = mann_whitney(&[1.0, 1.0, 1.0, 2.0, 2.0], &[2.0, 2.0, 2.0, 3.0, 3.0]);
        assert!((overlapping - 20.0 / 252.0).abs() < 1e-12, "{overlapping}");
    }

    #[test]
    fn many_values_go_by_the_normal_distribution() {
        let a: Vec<f64> = (0..30).map(f64::from).collect();
        let b: Vec<f64> = (0..30).map(|value| f64::from(value) + 0.5).collect();
        assert!(mann_whitney(&a, &b) > 0.5);
        let far: Vec<f64> = (0..30).map(|value| f64::from(value) + 25.0).collect();
        assert!(mann_whitney(&a, &far) < 1e-6);
        // SciPy's mannwhitneyu([1, 2, 2, 3] * 6, [1, 2, 3, 4] * 6, method='asymptotic').
        let tied = mann_whitney(&[1.0, 2.0, 2.0, 3.0].repeat(6), &[1.0, 2.0, 3.0, 4.0].repeat(6));
        assert!((tied - 0.1231).abs() < 1e-4, "{tied}");
    }

    #[test]
    fn the_tails_are_those_of_the_tables() {
        for (z, expected) in [(0.0, 0.5), (1.0, 0.158_655_25), (1.959_964, 0.025), (3.0, 0.001_349_898)] {
            assert!((normal_above(z) - expected).abs() < 1e-6, "{z}: {}", normal_above(z));
            assert!((normal_above(-z) - (1.0 - expected)).abs() < 1e-6, "-{z}");
        }
    }
}
