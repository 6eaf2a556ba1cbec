//! A history of a program's runs.

use serde::{Deserialize, Serialize};

use super::FigureUnit;

/// History of metrics and times over many runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Names of the runs, in order.
    pub runs: Vec<String>,
    /// The duration of the run, the devices' busy time, figures, kernels by device time, then copies and fills by row.
    pub series: Vec<Series>,
}

/// One figure or time over the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// `duration`, `busy`, the name of a figure (`findings` is the sum of all kinds), the name of a kernel, or the name
    /// of a copy or fill with its direction and source location.
    pub name: String,
    /// Unit of its values.
    pub unit: SeriesUnit,
    /// The value of each run; `None` if a run lacks it.
    pub values: Vec<Option<u64>>,
    /// Its change points.
    pub steps: Vec<HistoryStep>,
}

/// A lasting change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryStep {
    /// The first run of the new level, an index into [`History::runs`].
    pub run: u32,
    /// The previous level: the median of its runs.
    pub before: u64,
    /// The new level.
    pub after: u64,
}

/// Unit of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesUnit {
    /// A count.
    #[default]
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds: the median of a run's launches, or the duration of the whole run.
    Nanoseconds,
}

impl From<FigureUnit> for SeriesUnit {
    fn from(unit: FigureUnit) -> Self {
        match unit {
            FigureUnit::Count => Self::Count,
            FigureUnit::Bytes => Self::Bytes,
        }
    }
}
