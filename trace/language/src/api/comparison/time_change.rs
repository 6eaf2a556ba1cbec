//! Change of a time, with its certainty.

use serde::{Deserialize, Serialize};

/// A time of two groups of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeChange {
    /// Median over the baseline's runs of each run's median, in nanoseconds; `None` without a time.
    pub a_ns: Option<u64>,
    /// The same for the candidate.
    pub b_ns: Option<u64>,
    /// Ratio of candidate to baseline. With one run on each side it is the shift of the launches (Hodges and Lehmann).
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % confidence interval; with two or more runs on each side.
    #[serde(default)]
    pub low: Option<f64>,
    /// Upper end of that interval.
    #[serde(default)]
    pub high: Option<f64>,
    /// p-value of the Mann–Whitney test, adjusted for all tested rows (Benjamini and Hochberg); with five or more runs
    /// on each side.
    #[serde(default)]
    pub p: Option<f64>,
    /// The minimum relative change that counts: smaller ones are noise, or not noticeable.
    pub threshold: f64,
    /// Number of the baseline's runs with the time.
    pub a_runs: u32,
    /// Number of the candidate's runs with the time.
    pub b_runs: u32,
    /// Verdict.
    pub verdict: Verdict,
    /// Ratios of quantiles: percent and ratio.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<(u8, f64)>,
}

impl TimeChange {
    /// True if there is one run on each side: then nothing is significant.
    pub fn is_of_single_runs(&self) -> bool {
        self.a_runs == 1 && self.b_runs == 1
    }
}

answer_words! {
    /// Verdict on a change.
    #[derive(Default)]
    Verdict {
        /// The candidate takes less time.
        Faster = "faster",
        /// The candidate takes more time.
        Slower = "slower",
        /// The change is too small to count; with two or more runs on each side, so is every ratio in its interval.
        Same = "same",
        /// More runs are needed for a verdict.
        Undecided = "undecided",
        /// At most one side has a time.
        #[default]
        Incomparable = "incomparable",
    }
}
