//! Chart geometry: paths of an SVG as wide as the number of bins, and positions in it.

use std::fmt::Write as _;

use syclscope_language::api::ExecutionPoints;

/// Height in chart coordinates.
pub const HEIGHT: f64 = 100.0;
/// Minimum height of a non-zero bar.
const MIN_HEIGHT: f64 = 1.5;
/// Maximum number of labels of the axis of durations.
const MAX_LEVELS: usize = 6;
/// Width of the time axis in chart coordinates.
pub const WIDTH: f64 = 1_000.0;

/// Draws a bar for each non-empty bin, in a column one unit wide, with a gap; `max` has the full height.
pub fn bars(counts: &[u64], max: u64) -> String {
    let mut path = String::new();
    for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (*count as f64 / max.max(1) as f64 * HEIGHT).max(MIN_HEIGHT);
        let _ = write!(path, "M{bin}.06 {HEIGHT}v-{height:.2}h.88v{height:.2}z");
    }
    path
}

/// Returns the position of a duration, as a share of all bins.
pub fn place(edges_ns: &[u64], duration_ns: u64) -> f64 {
    let bin = bin_of(edges_ns, duration_ns);
    let (Some(from), Some(to)) = (edges_ns.get(bin), edges_ns.get(bin + 1)) else { return 0.0 };
    let within = duration_ns.saturating_sub(*from) as f64 / (to - from).max(1) as f64;
    (bin as f64 + within.min(1.0)) / (edges_ns.len() - 1) as f64
}

/// Returns the bin of a duration; the first or the last one if it is out of range.
pub fn bin_of(edges_ns: &[u64], duration_ns: u64) -> usize {
    edges_ns
        .partition_point(|edge| *edge <= duration_ns)
        .saturating_sub(1)
        .min(edges_ns.len().saturating_sub(2))
}

/// True if bins are wider the longer the durations are.
pub fn is_logarithmic(edges_ns: &[u64]) -> bool {
    let widths = || edges_ns.windows(2).map(|pair| pair[1] - pair[0]);
    widths().next().zip(widths().next_back()).is_some_and(|(first, last)| last > 2 * first)
}

/// Draws executions over time as a path; each line becomes a dot because of its round cap.
pub fn dots(points: &ExecutionPoints, edges_ns: &[u64], (from_ns, to_ns): (u64, u64)) -> String {
    let mut path = String::new();
    for (start, duration) in points.start_ns.iter().zip(&points.duration_ns) {
        let (x, y) = spot(edges_ns, (from_ns, to_ns), *start, *duration);
        let _ = write!(path, "M{:.1} {:.2}h0", x * WIDTH, y * HEIGHT);
    }
    path
}

/// Returns the position of an execution, as shares of width and height.
pub fn spot(edges_ns: &[u64], times_ns: (u64, u64), start: u64, duration: u64) -> (f64, f64) {
    (time_share(times_ns, start), 1.0 - place(edges_ns, duration))
}

pub fn time_share((from_ns, to_ns): (u64, u64), at_ns: u64) -> f64 {
    at_ns.saturating_sub(from_ns) as f64 / to_ns.saturating_sub(from_ns).max(1) as f64
}

/// Returns at most `MAX_LEVELS` round durations for an axis, and at least three unless the axis covers only a few
/// nanoseconds.
pub fn levels(edges_ns: &[u64]) -> Vec<u64> {
    let (Some(from), Some(to)) = (edges_ns.first(), edges_ns.last()) else { return Vec::new() };
    let powers = || (0..19).map(|power| 10_u64.pow(power));
    // Digits of the levels, and the decades from one with levels to the next.
    let choices: [(&[u64], usize); 5] = [(&[1, 2, 5], 1), (&[1, 3], 1), (&[1], 1), (&[1], 2), (&[1], 3)];
    for (digits, decades) in choices.into_iter().filter(|_| is_logarithmic(edges_ns)) {
        let all = powers().step_by(decades).flat_map(|power| digits.iter().map(move |digit| digit * power));
        let levels: Vec<u64> = all.filter(|level| (from..=to).contains(&level)).collect();
        match levels.len() {
            0..3 => break,
            3..=MAX_LEVELS => return levels,
            _ => {}
        }
    }
    // Each step is at most twice the one before, so that three levels remain if the step before has seven.
    let mut steps = powers().flat_map(|power| [power, 2 * power, 5 * power / 2, 5 * power]);
    let step = steps.find(|step| to / step + 1 - from.div_ceil(*step) <= MAX_LEVELS as u64);
    step.map_or_else(Vec::new, |step| (from.div_ceil(step)..=to / step).map(|number| number * step).collect())
}

/// Returns the point nearest to a position on a chart of the given size, within reach; both in CSS pixels.
pub fn nearest(spots: impl Iterator<Item = (f64, f64)>, at: (f64, f64), size: (f64, f64)) -> Option<usize> {
    const NEAR_CSS_PX: f64 = 12.0;
    let distance = |(x, y): (f64, f64)| (x * size.0 - at.0).hypot(y * size.1 - at.1);
    let spots = spots.map(distance).enumerate().filter(|(_, distance)| *distance <= NEAR_CSS_PX);
    spots.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(point, _)| point)
}

pub fn bins_of(edges_ns: &[u64], (from_ns, to_ns): (u64, u64)) -> (usize, usize) {
    let first = bin_of(edges_ns, from_ns);
    (first, bin_of(edges_ns, to_ns.saturating_sub(1)).max(first))
}

/// Returns the range of durations between two bins, in any order.
pub fn range_of(edges_ns: &[u64], one: usize, other: usize) -> Option<(u64, u64)> {
    Some((*edges_ns.get(one.min(other))?, *edges_ns.get(one.max(other) + 1)?))
}

/// Returns the bin that an arrow key leads to: the next one, or the next non-empty one if `skips_empty`; `from` if
/// there is none.
pub fn step(counts: &[u64], from: usize, by: isize, skips_empty: bool) -> usize {
    let mut at = from;
    while let Some(next) = at.checked_add_signed(by).filter(|next| *next < counts.len()) {
        at = next;
        if !skips_empty || counts[at] > 0 {
            return at;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [u64; 4] = [10, 20, 40, 80];

    #[test]
    fn bars_are_as_high_as_their_share() {
        assert_eq!(bars(&[4, 0, 1], 4), "M0.06 100v-100.00h.88v100.00zM2.06 100v-25.00h.88v25.00z");
        assert_eq!(bars(&[1], 1_000_000), "M0.06 100v-1.50h.88v1.50z");
        assert_eq!(bars(&[], 0), "");
    }

    #[test]
    fn a_duration_lies_in_its_bin() {
        let places = [10, 15, 20, 60, 79, 80, 5].map(|duration| (place(&EDGES, duration) * 12.0).round());
        assert_eq!(places, [0.0, 2.0, 4.0, 10.0, 12.0, 12.0, 0.0]);
        assert_eq!([5, 10, 19, 20, 79, 900].map(|duration| bin_of(&EDGES, duration)), [0, 0, 0, 1, 2, 2]);
        assert_eq!((place(&[], 5), bin_of(&[], 5)), (0.0, 0));
    }

    #[test]
    fn an_axis_of_growing_bins_is_logarithmic() {
        assert!(is_logarithmic(&EDGES) && !is_logarithmic(&[10, 20, 30, 41]) && !is_logarithmic(&[]));
    }

    #[test]
    fn an_axis_has_a_few_round_levels() {
        let grown = |from: u64, to: u64| {
            let edge =
                |bin: i32| (from as f64 * (to as f64 / from as f64).powf(f64::from(bin) / 20.0)) as u64;
            levels(&(0..=20).map(edge).collect::<Vec<_>>())
        };
        assert_eq!(grown(1_000, 100_001), [1_000, 3_000, 10_000, 30_000, 100_000]);
        assert_eq!(grown(900, 21_000), [1_000, 2_000, 5_000, 10_000, 20_000]);
        assert_eq!(grown(1_100, 5_300), [2_000, 3_000, 4_000, 5_000]);
        assert_eq!(grown(5, 5_000_000_000), [100, 10_000, 1_000_000, 100_000_000]);
        for (from, length) in [(0, 30), (7, 70), (1_234, 99), (12_345, 98_765), (1_000_000_007, 4_321)] {
            let levels = levels(&[from, from + length / 2, from + length]);
            assert!((3..=MAX_LEVELS).contains(&levels.len()), "{from}, {length}: {levels:?}");
            assert!(levels.iter().all(|level| (from..=from + length).contains(level)), "{levels:?}");
            for to in [from + length * 5, from + length * 1_000] {
                let levels = grown(from + 1, to);
                assert!((3..=MAX_LEVELS).contains(&levels.len()), "{from}, {to}: {levels:?}");
            }
        }
        assert_eq!((levels(&[5_000, 5_001]), levels(&[])), (vec![5_000, 5_001], vec![]));
    }

    #[test]
    fn bins_and_ranges_are_each_others_image() {
        for (one, other) in [(0, 0), (0, 2), (2, 1)] {
            let range = range_of(&EDGES, one, other).unwrap();
            assert_eq!(bins_of(&EDGES, range), (one.min(other), one.max(other)));
        }
        assert_eq!((range_of(&EDGES, 1, 1), range_of(&EDGES, 0, 3)), (Some((20, 40)), None));
    }

    #[test]
    fn dots_are_where_executions_are_and_found_again() {
        let points = ExecutionPoints {
            slice: vec![7, 8],
            start_ns: vec![100, 200],
            duration_ns: vec![10, 60],
            count: vec![1, 1],
        };
        assert_eq!(dots(&points, &EDGES, (100, 200)), "M0.0 100.00h0M1000.0 16.67h0");
        let spots = || (0..2).map(|at| spot(&EDGES, (100, 200), points.start_ns[at], points.duration_ns[at]));
        let size = (600.0, 120.0);
        assert_eq!(nearest(spots(), (595.0, 25.0), size), Some(1));
        assert_eq!(nearest(spots(), (2.0, 118.0), size), Some(0));
        assert_eq!(nearest(spots(), (300.0, 60.0), size), None);
    }

    #[test]
    fn arrow_keys_pass_over_empty_bins() {
        let counts = [1, 0, 0, 5];
        assert_eq!((step(&counts, 0, 1, true), step(&counts, 3, -1, true)), (3, 0));
        assert_eq!((step(&counts, 0, 1, false), step(&counts, 3, 1, true)), (1, 3));
        assert_eq!(step(&[1, 0], 0, 1, true), 0, "there is nothing to go to");
    }
}
