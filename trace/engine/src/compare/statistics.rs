//! What can be said of two groups of runs: shifts, intervals, tests, and when numbers are enough for a verdict.
//!
//! The independent unit is the run: launches of one run share its machine, its clocks and its luck. Everything is
//! deterministic: random numbers come from a fixed seed.

mod bootstrap;
mod change_points;
mod many;
mod normal;
mod random;
mod ranks;
mod shift;
mod verdict;

pub use bootstrap::Launches;
pub use change_points::change_points;
pub use many::benjamini_hochberg;
pub use ranks::mann_whitney;
pub use shift::hodges_lehmann;
pub use verdict::{Evidence, LEAST_CHANGE, RUNS_FOR_A_TEST, evidence, noise, verdict};

/// The middle of some values that need not be sorted; the mean of the two in the middle, 0 of none.
fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}
