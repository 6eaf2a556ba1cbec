//! Figures of a run that don't depend on the machine's speed.

use serde::{Deserialize, Serialize};

/// A figure in each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureChange {
    /// Stable name (`commands`, `bytes_host_to_device`, `peak_device_bytes`, …).
    pub name: String,
    /// Unit of the metric.
    pub unit: FigureUnit,
    /// Values of the baseline's runs.
    pub a: Vec<u64>,
    /// Values of the candidate's runs.
    pub b: Vec<u64>,
}

impl FigureChange {
    /// True if a run of one side has a value that no run of the other side has.
    pub fn is_changed(&self) -> bool {
        let only = |one: &[u64], other: &[u64]| one.iter().any(|figure| !other.contains(figure));
        only(&self.a, &self.b) || only(&self.b, &self.a)
    }
}

answer_words! {
    /// Unit of a metric.
    #[derive(Default)]
    FigureUnit {
        /// A count.
        #[default]
        Count = "count",
        /// Bytes.
        Bytes = "bytes",
    }
}
