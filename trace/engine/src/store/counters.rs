//! Counters: samples by counter and time.

use super::blocks::RangeForest;
use super::column::Column;
use super::table::columns;
use crate::id::StringId;

/// Columns of samples, one range of rows a counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) at: Column<u64>,
    pub(crate) value: Column<f64>,
    /// First row of each counter, and the number of rows.
    pub(crate) starts: Column<u32>,
    pub(crate) units: Column<StringId>,
    pub(crate) forest: RangeForest,
}

columns!(Counters { at, value, starts, units, forest });

impl Counters {
    /// Appends a counter; returns its number.
    pub(crate) fn push(&mut self, unit: StringId, samples: impl IntoIterator<Item = (u64, f64)>) -> u32 {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for (at, value) in samples {
            self.at.push(at);
            self.value.push(value);
        }
        self.starts.push(u32::try_from(self.at.len()).unwrap_or(u32::MAX));
        self.units.push(unit);
        self.units.len() as u32 - 1
    }

    /// Builds the index, once all samples are added.
    pub(crate) fn finish(&mut self) {
        self.forest = RangeForest::new(&self.at, &self.value);
    }

    pub(crate) fn rows(&self, counter: u32) -> std::ops::Range<usize> {
        let counter = counter as usize;
        match (self.starts.get(counter), self.starts.get(counter + 1)) {
            (Some(start), Some(end))
                if start <= end && *end as usize <= self.at.len().min(self.value.len()) =>
            {
                *start as usize..*end as usize
            }
            _ => 0..0,
        }
    }
}
