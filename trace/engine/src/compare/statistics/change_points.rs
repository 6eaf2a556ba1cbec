//! Lasting changes in a series of runs: E-divisive (Matteson and James, 2014), as Hunter and Apache Otava use it.

use super::random::Random;
use syclscope_language::sorting::Sorting as _;

/// Number of random permutations of a series in the test of a change.
const ORDERS: usize = 1_999;
/// Stops after this number of permutations with as large a change: the test fails in any case.
const MAX_AS_STRONG: usize = 100;
/// Steps of a query per value of a permutation.
const ORDER_STEPS: usize = 8;
/// Minimum number of runs before, between and after changes.
const MIN_RUNS: usize = 3;
const SEED: u64 = 0xe1d1_715e;

/// Returns the probability of a change as large as the largest of a series if nothing had changed; 1 for too few
/// values.
pub fn first_step_p(series: &[f64]) -> f64 {
    step(series, &mut Random::new(SEED)).map_or(1.0, |(_, p)| p)
}

/// Returns the change points of a series, each the first value of a new level: changes with a probability of at most
/// `level` by chance, in the whole series, then in its parts.
///
/// Each change costs as much as sorting the series 2,000 times.
pub fn change_points(series: &[f64], level: f64) -> Vec<usize> {
    let mut points = Vec::new();
    let mut random = Random::new(SEED);
    let mut open = vec![(0, series.len())];
    while let Some((from, to)) = open.pop() {
        let found = step(&series[from..to], &mut random).filter(|(_, p)| *p <= level);
        let Some((at, _)) = found else { continue };
        points.push(from + at);
        open.extend([(from, from + at), (from + at, to)]);
    }
    points.sort_unstable();
    points
}

/// Returns the position that splits a series into the two most different parts, and the probability of as large a
/// difference by chance.
fn step(series: &[f64], random: &mut Random) -> Option<(usize, f64)> {
    let mut values = Values::new(series);
    let (at, strength) = values.strongest()?;
    // Rounding errors depend on the order of the sums.
    let least = strength * (1.0 - 1e-9);
    let (mut as_strong, mut orders) = (0, 0);
    while orders < ORDERS && as_strong < MAX_AS_STRONG {
        crate::cancel::spend(ORDER_STEPS * values.list.len());
        random.shuffle(&mut values.list);
        as_strong += usize::from(values.strongest().is_some_and(|(_, other)| other >= least));
        orders += 1;
    }
    Some((at, (as_strong + 1) as f64 / (orders + 1) as f64))
}

#[derive(Clone, Copy)]
struct Value {
    /// Difference to the least value.
    value: f64,
    /// Its rank among all values.
    rank: usize,
    /// The sum of its distances to all values, which does not depend on the order.
    to_all: f64,
}

struct Values {
    list: Vec<Value>,
    /// The sum of the distances of all pairs.
    distances: f64,
    /// Scratch: count and sum of the values added so far, as a Fenwick tree (1994) by rank.
    sums: Vec<(f64, f64)>,
}

impl Values {
    fn new(series: &[f64]) -> Self {
        let least = series.iter().copied().fold(f64::INFINITY, f64::min);
        let mut order: Vec<usize> = (0..series.len()).collect();
        order.arrange_by(|one, other| series[*one].total_cmp(&series[*other]));
        let sum: f64 = series.iter().map(|value| value - least).sum();
        let mut list = vec![Value { value: 0.0, rank: 0, to_all: 0.0 }; series.len()];
        let mut below = 0.0;
        for (rank, place) in order.into_iter().enumerate() {
            let value = series[place] - least;
            let (count, others) = (rank as f64, (series.len() - rank) as f64);
            let to_all = value * count - below + (sum - below) - value * others;
            list[place] = Value { value, rank, to_all };
            below += value;
        }
        let distances = list.iter().map(|value| value.to_all).sum::<f64>() / 2.0;
        Self { sums: vec![(0.0, 0.0); series.len() + 1], list, distances }
    }

    /// Returns the position that splits the series into the two most different parts, with their difference: the energy
    /// distance of the parts, weighted by their lengths.
    fn strongest(&mut self) -> Option<(usize, f64)> {
        let count = self.list.len();
        if count < 2 * MIN_RUNS {
            return None;
        }
        self.sums.fill((0.0, 0.0));
        // Sums of distances within the first part, within the second, and between the two; the first is empty.
        let (mut first, mut second, mut between) = (0.0, self.distances, 0.0);
        let mut sum = 0.0;
        let mut best: Option<(usize, f64)> = None;
        for moved in 0..count {
            let Value { value, rank, to_all } = self.list[moved];
            let (less, sum_of_less) = self.below(rank);
            let to_first = value * less - sum_of_less + (sum - sum_of_less) - value * (moved as f64 - less);
            let to_second = to_all - to_first;
            first += to_first;
            second -= to_second;
            between += to_second - to_first;
            self.take(rank, value);
            sum += value;
            let (n, m) = ((moved + 1) as f64, (count - moved - 1) as f64);
            if moved + 1 < MIN_RUNS || count - moved - 1 < MIN_RUNS {
                continue;
            }
            let within = first / (n * (n - 1.0)) + second / (m * (m - 1.0));
            let strength = n * m / (n + m) * 2.0 * (between / (n * m) - within);
            if best.is_none_or(|(_, other)| strength > other) {
                best = Some((moved + 1, strength));
            }
        }
        best
    }

    /// Returns the count and sum of the added values of lower rank.
    fn below(&self, rank: usize) -> (f64, f64) {
        let (mut node, mut found) = (rank, (0.0, 0.0));
        while node > 0 {
            found = (found.0 + self.sums[node].0, found.1 + self.sums[node].1);
            node &= node - 1;
        }
        found
    }

    fn take(&mut self, rank: usize, value: f64) {
        let mut node = rank + 1;
        while let Some(own) = self.sums.get_mut(node) {
            *own = (own.0 + 1.0, own.1 + value);
            node += node & node.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn noisy(random: &mut Random, levels: &[(usize, f64)]) -> Vec<f64> {
        let of_level = |(count, level): &(usize, f64)| vec![*level; *count];
        levels.iter().flat_map(of_level).map(|level| level * (1.0 + 0.01 * random.normal())).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let mut random = Random::new(1);
        let series = noisy(&mut random, &[(20, 100.0), (15, 110.0), (20, 95.0)]);
        assert_eq!(change_points(&series, 0.002), [20, 35]);
        assert_eq!(change_points(&[], 0.05), Vec::<usize>::new());
        assert_eq!(change_points(&[1.0; 30], 0.05), Vec::<usize>::new());
        assert_eq!((first_step_p(&[1.0; 30]), first_step_p(&[1.0, 2.0])), (1.0, 1.0));
    }

    #[test]
    fn noise_has_few_steps() {
        let mut random = Random::new(2);
        let series: Vec<Vec<f64>> = (0..40).map(|_| noisy(&mut random, &[(30, 50.0)])).collect();
        let wrong = series.iter().filter(|series| !change_points(series, 0.05).is_empty()).count();
        assert!(wrong <= 5, "{wrong} of 40 series without a step");
    }

    /// Returns the energy distance by brute force.
    fn energy(one: &[f64], other: &[f64]) -> f64 {
        let sum = |one: &[f64], other: &[f64]| -> f64 {
            one.iter().flat_map(|a| other.iter().map(move |b| (a - b).abs())).sum()
        };
        let (n, m) = (one.len() as f64, other.len() as f64);
        let within = sum(one, one) / (n * (n - 1.0)) + sum(other, other) / (m * (m - 1.0));
        n * m / (n + m) * (2.0 * sum(one, other) / (n * m) - within)
    }

    proptest! {
        #[test]
        fn the_strongest_step_is_that_of_all_distances(series in prop::collection::vec(0..40_u32, 6..40)) {
            let series: Vec<f64> = series.into_iter().map(|value| 1e9 + f64::from(value)).collect();
            let places = MIN_RUNS..=series.len() - MIN_RUNS;
            let most = places.map(|at| energy(&series[..at], &series[at..])).fold(f64::NEG_INFINITY, f64::max);
            let (at, strength) = Values::new(&series).strongest().unwrap();
            prop_assert!((strength - most).abs() < 1e-6 * most.abs().max(1.0), "{strength}, not {most}");
            prop_assert!((energy(&series[..at], &series[at..]) - most).abs() < 1e-6 * most.abs().max(1.0));
        }
    }
}
