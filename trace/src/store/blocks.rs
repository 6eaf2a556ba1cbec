//! Answers over any range of a column in logarithmic time: the position of the largest value, the sum, the
//! lowest and highest value. Each takes a small fraction of the column's own memory.

use std::ops::Range;

/// Values summed up by one entry of the level above.
const FAN_OUT: usize = 16;

/// Positions of the largest values: level 0 covers blocks of 16 values, each further level 16 times as many.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaxForest {
    levels: Vec<Vec<u32>>,
}

impl MaxForest {
    /// Sums a column up.
    pub(crate) fn new(values: &[u64]) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let mut below = values.len();
        while below > FAN_OUT {
            let level = match levels.last() {
                None => (0..below)
                    .step_by(FAN_OUT)
                    .map(|start| best(values, (start..below.min(start + FAN_OUT)).map(|row| row as u32)))
                    .collect(),
                Some(last) => last
                    .chunks(FAN_OUT)
                    .map(|chunk| best(values, chunk.iter().copied()))
                    .collect::<Vec<u32>>(),
            };
            below = level.len();
            levels.push(level);
        }
        Self { levels }
    }

    /// The position of the largest value in a range of the column; the first one of equals, `range.start` for
    /// an empty range.
    pub(crate) fn position(&self, values: &[u64], range: Range<usize>) -> usize {
        let mut found = range.start;
        let mut consider = |row: usize| {
            if let (Some(value), Some(best)) = (values.get(row), values.get(found))
                && (value > best || (value == best && row < found))
            {
                found = row;
            }
        };
        let Range { mut start, mut end } = range;
        let mut level = None;
        while start < end {
            let entries: Option<&Vec<u32>> = level.map(|level: usize| &self.levels[level]);
            let row = |at: usize| entries.map_or(at, |entries| entries[at] as usize);
            let above = self.levels.get(level.map_or(0, |level| level + 1));
            if above.is_none() || end - start <= 2 * FAN_OUT {
                (start..end).for_each(|at| consider(row(at)));
                break;
            }
            while start < end && !start.is_multiple_of(FAN_OUT) {
                consider(row(start));
                start += 1;
            }
            while start < end && !end.is_multiple_of(FAN_OUT) {
                end -= 1;
                consider(row(end));
            }
            start /= FAN_OUT;
            end /= FAN_OUT;
            level = Some(level.map_or(0, |level| level + 1));
        }
        found
    }

    /// Bytes that the levels take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.capacity() * 4).sum()
    }
}

fn best(values: &[u64], rows: impl Iterator<Item = u32>) -> u32 {
    let mut found = None;
    for row in rows {
        let value = values.get(row as usize).copied().unwrap_or_default();
        if found.is_none_or(|(_, best)| value > best) {
            found = Some((row, value));
        }
    }
    found.map_or(0, |(row, _)| row)
}

/// Sums over any range of a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockSums {
    /// Sum of everything before each block; wraps around.
    before: Vec<u64>,
}

impl BlockSums {
    /// Sums a column up.
    pub(crate) fn new(values: &[u64]) -> Self {
        let mut sum = 0_u64;
        let mut before = Vec::with_capacity(values.len() / FAN_OUT + 1);
        for block in values.chunks(FAN_OUT) {
            before.push(sum);
            sum = block.iter().fold(sum, |sum, value| sum.wrapping_add(*value));
        }
        Self { before }
    }

    /// The sum of a range of the column; right as long as that sum itself fits.
    pub(crate) fn sum(&self, values: &[u64], range: Range<usize>) -> u64 {
        if range.len() <= 2 * FAN_OUT {
            return values
                .get(range)
                .unwrap_or_default()
                .iter()
                .fold(0, |sum, value| sum.wrapping_add(*value));
        }
        self.until(values, range.end).wrapping_sub(self.until(values, range.start))
    }

    fn until(&self, values: &[u64], row: usize) -> u64 {
        let Some(before) = self.before.get(row / FAN_OUT) else {
            let last = self.before.len().saturating_sub(1) * FAN_OUT;
            let rest = values.get(last..).unwrap_or_default();
            let before = self.before.last().copied().unwrap_or_default();
            return rest.iter().fold(before, |sum, value| sum.wrapping_add(*value));
        };
        let start = row / FAN_OUT * FAN_OUT;
        let rest = values.get(start..row).unwrap_or_default();
        rest.iter().fold(*before, |sum, value| sum.wrapping_add(*value))
    }

    /// Bytes that the sums take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.before.capacity() * 8
    }
}

/// Lowest and highest values: as [`MaxForest`], but with the values themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeForest {
    levels: Vec<Vec<(f64, f64)>>,
}

impl RangeForest {
    /// Sums a column up.
    pub(crate) fn new(values: &[f64]) -> Self {
        let mut levels: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut below = values.len();
        while below > FAN_OUT {
            let level: Vec<_> = match levels.last() {
                None => values.chunks(FAN_OUT).map(|chunk| spread(chunk.iter().map(|v| (*v, *v)))).collect(),
                Some(last) => last.chunks(FAN_OUT).map(|chunk| spread(chunk.iter().copied())).collect(),
            };
            below = level.len();
            levels.push(level);
        }
        Self { levels }
    }

    /// The lowest and highest value of a range of the column; zeros for an empty range.
    pub(crate) fn spread(&self, values: &[f64], range: Range<usize>) -> (f64, f64) {
        let Range { mut start, mut end } = range;
        let mut found = Vec::with_capacity(8);
        let mut level = None;
        while start < end {
            let entries: Option<&Vec<(f64, f64)>> = level.map(|level: usize| &self.levels[level]);
            let entry = |at: usize| entries.map_or_else(|| (values[at], values[at]), |entries| entries[at]);
            let above = self.levels.get(level.map_or(0, |level| level + 1));
            if above.is_none() || end - start <= 2 * FAN_OUT {
                found.push(spread((start..end).map(entry)));
                break;
            }
            let inner_start = start.next_multiple_of(FAN_OUT);
            let inner_end = end / FAN_OUT * FAN_OUT;
            if start < inner_start {
                found.push(spread((start..inner_start).map(entry)));
            }
            if inner_end < end {
                found.push(spread((inner_end..end).map(entry)));
            }
            (start, end) = (inner_start / FAN_OUT, inner_end / FAN_OUT);
            level = Some(level.map_or(0, |level| level + 1));
        }
        spread(found.into_iter())
    }

    /// Bytes that the levels take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.capacity() * 16).sum()
    }
}

fn spread(values: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    values.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn answers_are_those_of_a_scan(
            values in prop::collection::vec(0..50_u64, 1..3000),
            cuts in prop::collection::vec((0..3000_usize, 0..3000_usize), 30),
        ) {
            let (longest, sums) = (MaxForest::new(&values), BlockSums::new(&values));
            let floats: Vec<f64> = values.iter().map(|value| *value as f64).collect();
            let ranges = RangeForest::new(&floats);
            for (a, b) in cuts {
                let (a, b) = (a % values.len(), b % values.len());
                let range = a.min(b)..a.max(b) + 1;
                let slice = &values[range.clone()];
                let most = slice.iter().max().unwrap();
                let first = range.start + slice.iter().position(|value| value == most).unwrap();
                prop_assert_eq!(longest.position(&values, range.clone()), first);
                prop_assert_eq!(sums.sum(&values, range.clone()), slice.iter().sum::<u64>());
                let lowest = *slice.iter().min().unwrap() as f64;
                prop_assert_eq!(ranges.spread(&floats, range), (lowest, *most as f64));
            }
        }
    }
}
