//! Change of a time, with its certainty.

use serde::{Deserialize, Serialize};

/// A time of two groups of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeChange {
    /// Median over the runs before of each run's median, in nanoseconds; `None` without a time.
    pub a_ns: Option<u64>,
    /// The same now.
    pub b_ns: Option<u64>,
    /// Ratio of now to before. With one run on each side it is the shift of the launches (Hodges and Lehmann).
    pub ratio: Option<f64>,
    /// The interval that holds the ratio in 95 of 100 cases; of two runs or more on each side.
    #[serde(default)]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(default)]
    pub high: Option<f64>,
    /// Probability of such a difference by chance (Mann and Whitney), adjusted for all rows that are tested (Benjamini and
    /// Hochberg); of five runs or more on each side.
    #[serde(default)]
    pub p: Option<f64>,
    /// The least change that counts, as a part of 1: what is smaller is noise, or nobody would notice it.
    pub threshold: f64,
    /// Runs before that have the time.
    pub a_runs: u32,
    /// Runs now that have it.
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
        /// Now takes less time.
        Faster = "faster",
        /// Now takes more time.
        Slower = "slower",
        /// The change is too small to count. With two runs or more on each side, that holds for its whole interval.
        Same = "same",
        /// The runs do not decide it: more are needed.
        Undecided = "undecided",
        /// There is a time on one side at most.
        #[default]
        Incomparable = "incomparable",
    }
}
