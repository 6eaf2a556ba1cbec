//! Slices, ordered by track, lane and start, with summaries that make queries fast.

use std::ops::Range;

use syclscope_language::event::Category;

use super::blocks::{BlockSums, MaxForest};
use super::column::{Cell, Column};
use super::levels::Levels;
use super::table::{Columns as _, Table, columns};
use crate::id::{ArgsId, LocationId, StringId};

/// Columns of slices. A slice's id is its row. Slices of one lane don't overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slices {
    pub(crate) start: Column<u64>,
    pub(crate) duration: Column<u64>,
    pub(crate) name: Column<StringId>,
    pub(crate) args: Column<ArgsId>,
    pub(crate) location: Column<LocationId>,
    /// Row of the node that the slice belongs to, or `NONE`.
    pub(crate) node: Column<u32>,
    pub(crate) class: Column<Class>,
    /// First row of each lane of each track, in track order, and the number of rows.
    pub(crate) lane_starts: Column<u32>,
    pub(crate) longest: MaxForest,
    pub(crate) sums: BlockSums,
    pub(crate) levels: Levels,
}

columns!(Slices { start, duration, name, args, location, node, class, lane_starts, longest, sums, levels });

/// Maximum number of lanes searched around a time. A file may nest its slices arbitrarily deep; no stack that a person
/// reads is deeper.
const MAX_LANES: usize = 256;

/// A slice's category, and true if the slice was unfinished at the end of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) category: Category,
    pub(crate) unfinished: bool,
}

const UNFINISHED: u8 = 0x80;

impl Cell for Class {
    type Raw = u8;

    fn to_raw(self) -> u8 {
        self.category as u8 | if self.unfinished { UNFINISHED } else { 0 }
    }

    fn of_raw(raw: u8) -> Self {
        let category = Category::ALL.get(usize::from(raw & !UNFINISHED)).copied().unwrap_or_default();
        Self { category, unfinished: raw & UNFINISHED != 0 }
    }
}

#[derive(Clone, Copy, Debug, Default)]
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

impl Table for Slices {
    type Row = SliceRow;

    fn len(&self) -> usize {
        self.start.len().min(self.duration.len())
    }

    fn row(&self, row: usize) -> SliceRow {
        let Class { category, unfinished } = self.class.at(row);
        SliceRow {
            start: self.start.at(row),
            end: self.end(row),
            name: self.name.at(row),
            args: self.args.at(row),
            location: self.location.at(row),
            node: self.node.at(row),
            category,
            unfinished,
        }
    }

    fn push(&mut self, row: &SliceRow) {
        self.start.push(row.start);
        self.duration.push(row.end.saturating_sub(row.start));
        self.name.push(row.name);
        self.args.push(row.args);
        self.location.push(row.location);
        self.node.push(row.node);
        self.class.push(Class { category: row.category, unfinished: row.unfinished });
    }
}

impl Slices {
    pub(crate) fn reserve(&mut self, rows: usize) {
        let per_row = ["start", "duration", "name", "args", "location", "node", "class"];
        self.columns_mut("", &mut |name, column| {
            if per_row.contains(&name) {
                column.reserve(rows);
            }
        });
    }

    /// Builds the indices, once all rows are added.
    pub(crate) fn finish(&mut self) {
        self.longest = MaxForest::new(&self.duration);
        self.sums = BlockSums::new(&self.duration);
        self.levels = Levels::new(self);
    }

    pub(crate) fn end(&self, row: usize) -> u64 {
        self.start.at(row).saturating_add(self.duration.at(row))
    }

    pub(crate) fn interval(&self, row: usize) -> (u64, u64) {
        (self.start.at(row), self.end(row))
    }

    /// True if a slice overlaps a range, or starts in it.
    pub(crate) fn is_in(&self, row: usize, range: &Range<u64>) -> bool {
        let start = self.start.at(row);
        range.contains(&start) || start < range.start && !range.is_empty() && self.end(row) > range.start
    }

    pub(crate) fn category(&self, row: usize) -> Category {
        self.class.at(row).category
    }

    pub(crate) fn is_unfinished(&self, row: usize) -> bool {
        self.class.at(row).unfinished
    }

    /// Returns the number of lanes of all tracks.
    pub(crate) fn lanes(&self) -> usize {
        self.lane_starts.len().saturating_sub(1)
    }

    /// Returns the rows of a lane, by its position among all lanes of the trace.
    pub(crate) fn lane(&self, lane: usize) -> Range<usize> {
        match (self.lane_starts.get(lane), self.lane_starts.get(lane + 1)) {
            (Some(start), Some(end)) if start <= end && *end as usize <= self.len() => {
                *start as usize..*end as usize
            }
            _ => 0..0,
        }
    }

    /// Returns the slices that are open at a moment on some lanes, in lane order; at most [`MAX_LANES`] lanes are
    /// searched.
    pub(crate) fn at(&self, lanes: impl Iterator<Item = usize>, moment: u64) -> impl Iterator<Item = usize> {
        lanes.take(MAX_LANES).filter_map(move |lane| {
            let rows = self.lane(lane);
            let after = self.start.get(rows.clone())?.partition_point(|start| *start <= moment);
            let row = rows.start + after.checked_sub(1)?;
            (self.end(row) >= moment).then_some(row)
        })
    }

    /// Returns the slices that enclose another one on some lanes, the last lane first.
    pub(crate) fn around(&self, lanes: Range<usize>, inner: usize) -> impl Iterator<Item = usize> {
        let (start, end) = (self.start.at(inner), self.end(inner));
        self.at(lanes.rev(), start).filter(move |row| self.end(*row) >= end)
    }

    pub(crate) fn lane_of(&self, row: usize) -> usize {
        self.lane_starts.partition_point(|start| *start as usize <= row).saturating_sub(1)
    }
}
