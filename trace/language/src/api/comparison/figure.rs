//! Figures of a run that are the same on a slow machine and on a fast one.

use serde::{Deserialize, Serialize};

/// A figure of each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureChange {
    /// Stable name (`commands`, `bytes_host_to_device`, `peak_device_bytes`, …).
    pub name: String,
    /// Unit of the metric.
    pub unit: FigureUnit,
    /// Of each run before.
    pub a: Vec<u64>,
    /// Of each run now.
    pub b: Vec<u64>,
}

impl FigureChange {
    /// True if any run of one side has a value that no run of the other has.
    pub fn is_changed(&self) -> bool {
        let only = |one: &[u64], other: &[u64]| one.iter().any(|figure| !other.contains(figure));
        only(&self.a, &self.b) || only(&self.b, &self.a)
    }
}

answer_words! {
    /// Unit of a metric.
    #[derive(Default)]
    FigureUnit {
        /// Things.
        #[default]
        Count = "count",
        /// Bytes.
        Bytes = "bytes",
    }
}
