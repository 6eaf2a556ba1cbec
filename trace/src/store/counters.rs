//! Counters: samples by counter and time.

use super::blocks::RangeForest;
use crate::id::StringId;

/// Columns of samples, one range of rows a counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) at: Vec<u64>,
    pub(crate) value: Vec<f64>,
    /// First row of each counter, and the number of rows.
    pub(crate) starts: Vec<u32>,
    pub(crate) units: Vec<StringId>,
    pub(crate) forest: RangeForest,
}

impl Counters {
    /// Appends a counter; its number.
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

    /// Sums the rows up, once all are there.
    pub(crate) fn finish(&mut self) {
        self.forest = RangeForest::new(&self.value);
    }

    /// Rows of a counter.
    pub(crate) fn rows(&self, counter: u32) -> std::ops::Range<usize> {
        let counter = counter as usize;
        match (self.starts.get(counter), self.starts.get(counter + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// Bytes that the columns take.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.at.capacity() + self.value.capacity()) * 8
            + (self.starts.capacity() + self.units.capacity()) * 4
            + self.forest.memory_bytes()
    }
}
