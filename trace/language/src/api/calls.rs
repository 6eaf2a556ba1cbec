//! Calls by name.

use serde::{Deserialize, Serialize};

use crate::event::Category;

/// Calls of one name, summed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSummary {
    /// Name of the function.
    pub name: String,
    /// [`Category::Call`] for the Unified Runtime and its forerunner, [`Category::Native`] for what lies below.
    pub category: Category,
    /// Calls, those included that had not returned when the recording ended.
    pub count: u64,
    /// Calls that returned something other than success. Not all of these are failures: a runtime asks for what it can
    /// do without.
    pub errors: u64,
    /// Calls that had not returned when the recording ended; their time counts up to there.
    pub unfinished: u64,
    /// Sum of the times that they took.
    pub total_ns: u64,
    /// Shortest.
    pub min_ns: u64,
    /// Time that 95 of 100 of them don't exceed (nearest rank).
    #[serde(default)]
    pub p95_ns: u64,
    /// Longest.
    pub max_ns: u64,
}

impl CallSummary {
    /// Time of a call on average.
    pub fn mean_ns(&self) -> u64 {
        self.total_ns.checked_div(self.count).unwrap_or(0)
    }
}
