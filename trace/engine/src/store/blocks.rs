//! Range queries on a column in logarithmic time: the position of the largest value, the sum, the lowest and highest
//! value and the area. Each index takes a small fraction of the column's own memory.
//!
//! The entries of level 0 represent blocks of 16 values, those of each further level 16 entries of the level below; the
//! levels are concatenated in one column.

use std::ops::Range;

use super::column::Column;
use super::table::columns;

/// Values summed up by one entry of the level above.
const FAN_OUT: usize = 16;

/// Ranges of the levels over a column, from the lowest.
struct Levels {
    /// First entry of the next level.
    offset: usize,
    /// Entries of the level below it, or values.
    below: usize,
}

impl Levels {
    fn over(values: usize) -> Self {
        Self { offset: 0, below: values }
    }

    /// Returns the entries of the next level; `None` if that would have a single entry.
    fn next(&mut self) -> Option<Range<usize>> {
        let entries = self.below.div_ceil(FAN_OUT);
        let range = (self.below > FAN_OUT).then(|| self.offset..self.offset + entries);
        self.offset += entries;
        self.below = entries;
        range
    }
}

/// Splits a range: calls `piece` with ranges of entries of a level (of values without one) that together form the
/// range, at most 32 per level.
fn pieces(values: usize, range: Range<usize>, mut piece: impl FnMut(Option<usize>, Range<usize>)) {
    let Range { mut start, end } = range;
    let mut end = end.min(values);
    let mut levels = Levels::over(values);
    let mut level = None;
    while start < end {
        let above = levels.next();
        let Some(above) = above.filter(|_| end - start > 2 * FAN_OUT) else {
            return piece(level, start..end);
        };
        let (inner_start, inner_end) = (start.next_multiple_of(FAN_OUT), end / FAN_OUT * FAN_OUT);
        if start < inner_start {
            piece(level, start..inner_start);
        }
        if inner_end < end {
            piece(level, inner_end..end);
        }
        (start, end) = (inner_start / FAN_OUT, inner_end / FAN_OUT);
        level = Some(above.start);
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MaxForest {
    rows: Column<u32>,
}

columns!(MaxForest { rows });

impl MaxForest {
    pub(crate) fn new(values: &[u64]) -> Self {
        let mut rows: Vec<u32> = Vec::with_capacity(values.len() / (FAN_OUT - 1) + 8);
        let mut levels = Levels::over(values.len());
        let mut below: Option<Range<usize>> = None;
        while let Some(level) = levels.next() {
            for entry in 0..level.len() {
                let from = entry * FAN_OUT;
                let found = match &below {
                    None => best(values, from..(from + FAN_OUT).min(values.len()), |row| row as u32),
                    Some(below) => {
                        best(values, from..(from + FAN_OUT).min(below.len()), |at| rows[below.start + at])
                    }
                };
                rows.push(found);
            }
            below = Some(level);
        }
        rows.shrink_to_fit();
        Self { rows: rows.into() }
    }

    /// Returns the position of the largest value in a range of the column; the first one of equals, `range.start` for
    /// an empty range.
    pub(crate) fn position(&self, values: &[u64], range: Range<usize>) -> usize {
        let rows = self.rows.raw();
        let mut found = (range.start, values.get(range.start).copied().unwrap_or_default());
        let mut consider = |row: usize| {
            let value = values.get(row).copied().unwrap_or_default();
            if value > found.1 || (value == found.1 && row < found.0) {
                found = (row, value);
            }
        };
        pieces(values.len(), range.clone(), |level, piece| match level {
            None => piece.for_each(&mut consider),
            Some(offset) => {
                let entries = rows.get(offset + piece.start..offset + piece.end).unwrap_or_default();
                entries.iter().for_each(|row| consider(*row as usize));
            }
        });
        // A damaged file may contain any position.
        if range.contains(&found.0) { found.0 } else { range.start }
    }

    /// Calls `found` with the positions of a range whose values are above a limit, in order. A block without any costs
    /// one lookup.
    pub(crate) fn above(
        &self,
        values: &[u64],
        range: Range<usize>,
        limit: u64,
        mut found: impl FnMut(usize),
    ) {
        let mut levels = Levels::over(values.len());
        let offsets: Vec<usize> = std::iter::from_fn(|| levels.next()).map(|level| level.start).collect();
        let rows = self.rows.raw();
        let is_above = |row: usize| values.get(row).is_some_and(|value| *value > limit);
        let has_above = |entry: usize| rows.get(entry).is_some_and(|row| is_above(*row as usize));
        let mut position = range.start;
        let end = range.end.min(values.len());
        while position < end {
            // Skips the largest block that starts here and contains no such value.
            let begins = |level: usize| position.is_multiple_of(FAN_OUT.pow(level as u32 + 1));
            let empty = (0..offsets.len())
                .take_while(|level| begins(*level))
                .take_while(|level| !has_above(offsets[*level] + position / FAN_OUT.pow(*level as u32 + 1)))
                .last();
            if let Some(level) = empty {
                position += FAN_OUT.pow(level as u32 + 1);
                continue;
            }
            let block = end.min((position + 1).next_multiple_of(FAN_OUT));
            (position..block).filter(|position| is_above(*position)).for_each(&mut found);
            position = block;
        }
    }
}

/// Returns the row with the largest value among some entries, the first of equals.
fn best(values: &[u64], entries: Range<usize>, row: impl Fn(usize) -> u32) -> u32 {
    let mut found = (row(entries.start), 0);
    for entry in entries {
        let row = row(entry);
        let value = values[row as usize];
        if value > found.1 {
            found = (row, value);
        }
    }
    found.0
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BlockSums {
    /// Sum of everything before each block; wraps around.
    before: Column<u64>,
}

columns!(BlockSums { before });

impl BlockSums {
    pub(crate) fn new(values: &[u64]) -> Self {
        let mut sum = 0_u64;
        let mut before = Vec::with_capacity(values.len() / FAN_OUT + 1);
        for block in values.chunks(FAN_OUT) {
            before.push(sum);
            sum = block.iter().fold(sum, |sum, value| sum.wrapping_add(*value));
        }
        Self { before: before.into() }
    }

    /// Returns the sum of a range of the column; correct as long as that sum itself fits in 64 bits.
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

    /// Returns the sum of the first `row` values; wraps around.
    pub(crate) fn until(&self, values: &[u64], row: usize) -> u64 {
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
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Sum of the values, each multiplied by its duration.
    pub(crate) area: f64,
}

impl Spread {
    /// The neutral element.
    const NOTHING: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY, area: 0.0 };

    fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max), area: self.area + other.area }
    }
}

/// Lowest and highest values and areas of samples; each sample is valid until the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangeForest {
    min: Column<f64>,
    max: Column<f64>,
    area: Column<f64>,
}

columns!(RangeForest { min, max, area });

impl RangeForest {
    pub(crate) fn new(at: &[u64], values: &[f64]) -> Self {
        let mut forest = Self::default();
        let mut levels = Levels::over(values.len());
        let mut below: Option<Range<usize>> = None;
        while let Some(level) = levels.next() {
            for entry in 0..level.len() {
                let from = entry * FAN_OUT;
                let Spread { min, max, area } = match &below {
                    None => of_samples(at, values, from..(from + FAN_OUT).min(values.len())),
                    Some(below) => {
                        let to = (from + FAN_OUT).min(below.len());
                        forest.of_entries(below.start + from..below.start + to)
                    }
                };
                forest.min.push(min);
                forest.max.push(max);
                forest.area.push(area);
            }
            below = Some(level);
        }
        forest
    }

    /// Summarises a range of the samples; `None` for an empty range. The area extends to the sample after the range.
    pub(crate) fn spread(&self, at: &[u64], values: &[f64], range: Range<usize>) -> Option<Spread> {
        let mut found = None;
        pieces(values.len(), range, |level, piece| {
            let spread = match level {
                None => of_samples(at, values, piece),
                Some(offset) => self.of_entries(offset + piece.start..offset + piece.end),
            };
            found = Some(found.map_or(spread, |found: Spread| found.join(spread)));
        });
        found
    }

    fn of_entries(&self, entries: Range<usize>) -> Spread {
        entries.fold(Spread::NOTHING, |spread, entry| {
            let (min, max, area) = (self.min.at(entry), self.max.at(entry), self.area.at(entry));
            spread.join(Spread { min, max, area })
        })
    }
}

fn of_samples(at: &[u64], values: &[f64], rows: Range<usize>) -> Spread {
    rows.fold(Spread::NOTHING, |spread, row| {
        let value = values.get(row).copied().unwrap_or_default();
        let time = |row: usize| at.get(row).copied();
        let held = time(row).zip(time(row + 1)).map_or(0, |(from, to)| to.saturating_sub(from));
        spread.join(Spread { min: value, max: value, area: value * held as f64 })
    })
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
            let at: Vec<u64> = (0..values.len() as u64).map(|row| row * 3).collect();
            let ranges = RangeForest::new(&at, &floats);
            for (a, b) in cuts {
                let (a, b) = (a % values.len(), b % values.len());
                let range = a.min(b)..a.max(b) + 1;
                let slice = &values[range.clone()];
                let most = slice.iter().max().unwrap();
                let first = range.start + slice.iter().position(|value| value == most).unwrap();
                prop_assert_eq!(longest.position(&values, range.clone()), first);
                let mut above = Vec::new();
                longest.above(&values, range.clone(), 40, |position| above.push(position));
                let expected: Vec<_> = range.clone().filter(|row| values[*row] > 40).collect();
                prop_assert_eq!(above, expected);
                let sum = slice.iter().sum::<u64>();
                prop_assert_eq!(sums.sum(&values, range.clone()), sum);
                let last = if range.end == values.len() { *slice.last().unwrap() } else { 0 };
                let spread = ranges.spread(&at, &floats, range).unwrap();
                let lowest = *slice.iter().min().unwrap() as f64;
                let area = (sum - last) as f64 * 3.0;
                prop_assert_eq!(spread, Spread { min: lowest, max: *most as f64, area });
            }
        }
    }

    #[test]
    fn what_a_damaged_file_says_stays_inside() {
        let values = [1; 100];
        let forest = MaxForest { rows: vec![u32::MAX, 99].into() };
        for start in 0..100 {
            assert!((start..100).contains(&forest.position(&values, start..100)));
        }
    }
}
