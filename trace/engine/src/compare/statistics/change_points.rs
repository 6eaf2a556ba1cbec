//! Where a series of runs changes for good: E-divisive (Matteson and James, 2014), as Hunter and Apache Otava use it.

use super::random::Random;

/// How often a series is put into another order to see what chance does.
const ORDERS: usize = 199;
/// Changes that chance makes more often than this are none.
const LARGEST_P: f64 = 0.05;
/// Least runs before, between and after changes.
const LEAST: usize = 3;
const SEED: u64 = 0xe1d1_715e;

/// The places in a series at which it goes on differently: each is the first of a new level.
///
/// The cost is about the square of the length, 200 times for each change: a series of a thousand takes a second.
pub fn change_points(series: &[f64]) -> Vec<usize> {
    let mut points = vec![0, series.len()];
    let mut random = Random::new(SEED);
    let mut open = vec![(0, series.len())];
    while let Some((from, to)) = open.pop() {
        let part = &series[from..to];
        let Some((at, strength)) = strongest(part) else { continue };
        let mut shuffled = part.to_vec();
        let as_strong = (0..ORDERS)
            .filter(|_| {
                random.shuffle(&mut shuffled);
                strongest(&shuffled).is_some_and(|(_, other)| other >= strength)
            })
            .count();
        if (as_strong + 1) as f64 / (ORDERS + 1) as f64 > LARGEST_P {
            continue;
        }
        points.push(from + at);
        open.extend([(from, from + at), (from + at, to)]);
    }
    points.sort_unstable();
    points.retain(|point| *point != 0 && *point != series.len());
    points
}

/// The place at which the two parts differ most, with by how much: the energy distance of the parts, weighted by their lengths.
fn strongest(part: &[f64]) -> Option<(usize, f64)> {
    let count = part.len();
    if count < 2 * LEAST {
        return None;
    }
    let distance = |one: usize, other: usize| (part[one] - part[other]).abs();
    // Sums of distances within the first part, within the second, and between the two, for the parts [0, 0) and [0, n).
    let mut first = 0.0;
    let mut second: f64 = (0..count).map(|one| (0..one).map(|other| distance(one, other)).sum::<f64>()).sum();
    let mut between = 0.0;
    let mut best: Option<(usize, f64)> = None;
    for moved in 0..count {
        let to_first: f64 = (0..moved).map(|other| distance(moved, other)).sum();
        let to_second: f64 = (moved + 1..count).map(|other| distance(moved, other)).sum();
        first += to_first;
        second -= to_second;
        between += to_second - to_first;
        let (n, m) = ((moved + 1) as f64, (count - moved - 1) as f64);
        if moved + 1 < LEAST || count - moved - 1 < LEAST {
            continue;
        }
        let energy = 2.0 * between / (n * m) - 2.0 * first / (n * (n - 1.0)) - 2.0 * second / (m * (m - 1.0));
        let strength = n * m / (n + m) * energy;
        if best.is_none_or(|(_, other)| strength > other) {
            best = Some((moved + 1, strength));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(random: &mut Random, levels: &[(usize, f64)]) -> Vec<f64> {
        let of_level = |(count, level): &(usize, f64)| vec![*level; *count];
        levels.iter().flat_map(of_level).map(|level| level * (1.0 + 0.01 * random.normal())).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let mut random = Random::new(1);
        let series = noisy(&mut random, &[(20, 100.0), (15, 110.0), (20, 95.0)]);
        assert_eq!(change_points(&series), [20, 35]);
        assert_eq!(change_points(&[]), Vec::<usize>::new());
        assert_eq!(change_points(&[1.0; 30]), Vec::<usize>::new());
    }

    #[test]
    fn noise_has_few_steps() {
        let mut random = Random::new(2);
        let wrong = (0..40).filter(|_| !change_points(&noisy(&mut random, &[(30, 50.0)])).is_empty()).count();
        assert!(wrong <= 5, "{wrong} of 40 series without a step");
    }
}
