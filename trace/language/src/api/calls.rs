//! Calls by name.

use serde::{Deserialize, Serialize};

use crate::event::Category;

/// Calls with one name, summed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSummary {
    /// Name of the function.
    pub name: String,
    /// [`Category::Call`] for the Unified Runtime and its predecessor, [`Category::Native`] for the native API below.
    pub category: Category,
    /// Number of calls, including unfinished ones.
    pub count: u64,
    /// Calls that returned something other than success. Not all of these are failures: a runtime also queries optional
    /// features.
    pub errors: u64,
    /// Calls that had not returned at the end of the recording; their time counts until then.
    pub unfinished: u64,
    /// Sum of their durations.
    pub total_ns: u64,
    /// Shortest call.
    pub min_ns: u64,
    /// 95th percentile (nearest rank).
    #[serde(default)]
    pub p95_ns: u64,
    /// Longest call.
    pub max_ns: u64,
}

impl CallSummary {
    /// Returns the mean duration of a call in nanoseconds.
    pub fn mean_ns(&self) -> u64 {
        self.total_ns.checked_div(self.count).unwrap_or(0)
    }
}
