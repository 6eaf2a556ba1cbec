//! Slices, ordered by track, lane and start, and the summed-up blocks over them that make queries fast.

use super::blocks::{BlockSums, MaxForest};
use crate::event::Category;
use crate::id::{ArgsId, LocationId, StringId};

const UNFINISHED: u8 = 0x80;

/// Columns of slices. A slice's id is its row. Slices of one lane don't overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slices {
    pub(crate) start: Vec<u64>,
    pub(crate) duration: Vec<u64>,
    pub(crate) name: Vec<StringId>,
    pub(crate) args: Vec<ArgsId>,
    pub(crate) location: Vec<LocationId>,
    /// Row of the node that the slice belongs to, or `NONE`.
    pub(crate) node: Vec<u32>,
    /// Category, and whether the recording ended before the slice did.
    class: Vec<u8>,
    /// First row of each lane of each track, in track order, and the number of rows.
    pub(crate) lane_starts: Vec<u32>,
    pub(crate) longest: MaxForest,
    pub(crate) sums: BlockSums,
}

/// A slice on its way into the columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceRow {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: StringId,
    pub(crate) args: ArgsId,
    pub(crate) location: LocationId,
    pub(crate) node: u32,
    pub(crate) category: Category,
    pub(crate) unfinished: bool,
}

impl Slices {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.start.len()
    }

    /// Makes room for more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let Self { start, duration, name, args, location, node, class, .. } = self;
        start.reserve_exact(rows);
        duration.reserve_exact(rows);
        name.reserve_exact(rows);
        args.reserve_exact(rows);
        location.reserve_exact(rows);
        node.reserve_exact(rows);
        class.reserve_exact(rows);
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &SliceRow) {
        self.start.push(row.start);
        self.duration.push(row.end.saturating_sub(row.start));
        self.name.push(row.name);
        self.args.push(row.args);
        self.location.push(row.location);
        self.node.push(row.node);
        self.class.push(row.category as u8 | if row.unfinished { UNFINISHED } else { 0 });
    }

    /// Sums the rows up, once all are there.
    pub(crate) fn finish(&mut self) {
        self.longest = MaxForest::new(&self.duration);
        self.sums = BlockSums::new(&self.duration);
    }

    /// Moment at which a slice ends.
    pub(crate) fn end(&self, row: usize) -> u64 {
        self.start[row].saturating_add(self.duration[row])
    }

    /// A slice's category.
    pub(crate) fn category(&self, row: usize) -> Category {
        let number = usize::from(self.class[row] & !UNFINISHED);
        Category::ALL.get(number).copied().unwrap_or_default()
    }

    /// Whether the recording ended before the slice did.
    pub(crate) fn is_unfinished(&self, row: usize) -> bool {
        self.class[row] & UNFINISHED != 0
    }

    /// Rows of a lane, by its position among all lanes of the trace.
    pub(crate) fn lane(&self, lane: usize) -> std::ops::Range<usize> {
        match (self.lane_starts.get(lane), self.lane_starts.get(lane + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// The lane, among all lanes of the trace, that holds a row.
    pub(crate) fn lane_of(&self, row: usize) -> usize {
        self.lane_starts.partition_point(|start| *start as usize <= row).saturating_sub(1)
    }

    /// Bytes that the columns take.
    pub(crate) fn memory_bytes(&self) -> usize {
        let wide = self.start.capacity() + self.duration.capacity();
        let narrow = self.name.capacity()
            + self.args.capacity()
            + self.location.capacity()
            + self.node.capacity()
            + self.lane_starts.capacity();
        let sums = self.longest.memory_bytes() + self.sums.memory_bytes();
        wide * 8 + narrow * 4 + self.class.capacity() + sums
    }
}
