//! Levels of detail: the slices of long lanes, merged in advance at power-of-two resolutions.
//!
//! An entry of a level represents slices of one lane that start in one bucket and are shorter than it, or one slice
//! that is at least as long as the bucket, exactly as in a tile. So a tile of a stored level is a copy of some entries,
//! and one of a level between two stored ones merges few. A level is stored if it has at most half as many entries as
//! the one below it, the first one if it has an eighth of the lane's slices: all levels together take a fraction of the
//! slices' memory, whatever their distribution.

use std::ops::Range;

use super::blocks::{BlockSums, MaxForest};
use super::column::Column;
use super::slices::{Class, Slices};
use super::table::columns;
use crate::id::StringId;

/// Lanes with fewer slices are merged on demand.
const MIN_SLICES: usize = 512;
/// A level with at most this number of entries is the last one of its lane.
const LAST_ENTRIES: usize = 64;
/// Minimum number of slices of the lane for each entry of its first level.
const SLICES_PER_ENTRY: usize = 8;
/// Items of a bucket that are visited one by one.
const MAX_SINGLE_ITEMS: usize = 64;
/// The search for the first level starts this many levels below the level that is certainly coarse enough, because
/// slices occur in bursts.
const FINER: u32 = 6;

#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    /// Lane of each level, among all lanes of the trace; ascending.
    lane: Column<u32>,
    /// Exponent of each level's resolution: its buckets are 2^level ns wide. Ascending within a lane.
    level: Column<u8>,
    /// First entry of each level, and the number of entries.
    entry_starts: Column<u32>,
    /// Start of the longest slice of each entry.
    start: Column<u64>,
    duration: Column<u64>,
    name: Column<StringId>,
    /// Its category.
    class: Column<Class>,
    /// Its row.
    longest: Column<u32>,
    /// Row of the first slice that the entry represents; the others follow it.
    first: Column<u32>,
    total: Column<u64>,
    /// Maxima of the entries' longest slices.
    forest: MaxForest,
    sums: BlockSums,
}

columns!(Levels {
    lane,
    level,
    entry_starts,
    start,
    duration,
    name,
    class,
    longest,
    first,
    total,
    forest,
    sums
});

/// The slices of a lane, or the entries of one of its levels.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a> {
    /// First item's position in all columns.
    from: usize,
    to: usize,
    /// Row after the lane's last slice.
    end_row: usize,
    pub(crate) start: &'a [u64],
    pub(crate) duration: &'a [u64],
    pub(crate) name: &'a [u32],
    pub(crate) class: &'a [u8],
    forest: &'a MaxForest,
    sums: &'a BlockSums,
    /// For entries: longest row, first row and total.
    entries: Option<(&'a [u32], &'a [u32], &'a [u64])>,
}

/// Items that a bucket shows as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) items: Range<usize>,
    pub(crate) longest: usize,
    pub(crate) total: u64,
}

impl<'a> Items<'a> {
    pub(crate) fn range(&self) -> Range<usize> {
        self.from..self.to
    }

    /// Returns the first position whose item starts at `time` or later.
    pub(crate) fn starting_at(&self, time: u64) -> usize {
        let starts = self.start.get(self.range()).unwrap_or_default();
        self.from + starts.partition_point(|start| *start < time)
    }

    pub(crate) fn end(&self, item: usize) -> u64 {
        self.start[item].saturating_add(self.duration[item])
    }

    pub(crate) fn slice(&self, item: usize) -> u32 {
        self.entries.map_or(item as u32, |(longest, _, _)| longest.get(item).copied().unwrap_or_default())
    }

    pub(crate) fn count(&self, items: &Range<usize>) -> u32 {
        self.first_row(items.end).saturating_sub(self.first_row(items.start))
    }

    fn first_row(&self, item: usize) -> u32 {
        match self.entries {
            None => item as u32,
            Some(_) if item >= self.to => self.end_row as u32,
            Some((_, first, _)) => first.get(item).copied().unwrap_or_default(),
        }
    }

    fn total(&self, items: Range<usize>) -> u64 {
        self.sums.sum(self.totals(), items)
    }

    /// Returns the longest row, the first row and the total of each entry of a level.
    pub(crate) fn entries(&self) -> Option<(&'a [u32], &'a [u32], &'a [u64])> {
        self.entries
    }

    pub(crate) fn end_row(&self) -> u32 {
        self.end_row as u32
    }

    /// Calls `show` with the groups of items in buckets of a width, in order.
    pub(crate) fn groups(&self, items: Range<usize>, bucket_ns: u64, mut show: impl FnMut(Group)) {
        let shift = bucket_ns.trailing_zeros();
        let starts = self.start.get(..items.end).unwrap_or_default();
        let durations = self.duration.get(..items.end).unwrap_or_default();
        let totals = self.totals().get(..items.end).unwrap_or_default();
        let mut item = items.start;
        while let Some(start) = starts.get(item) {
            let bucket = start >> shift;
            let mut group = Group { items: item..item, longest: item, total: 0 };
            let mut most = None;
            let mut alone = None;
            // Most buckets contain few items. For the others, the lookups below cost less than visiting all items.
            while let Some(duration) = durations.get(group.items.end)
                && starts[group.items.end] >> shift == bucket
            {
                if *duration >= bucket_ns {
                    // A slice as long as the bucket is the last one that starts in it.
                    alone = Some(group.items.end);
                    break;
                }
                if group.items.len() == MAX_SINGLE_ITEMS {
                    (group, alone) = self.large_group(starts, item, shift);
                    break;
                }
                if most.is_none_or(|most| *duration > most) {
                    most = Some(*duration);
                    group.longest = group.items.end;
                }
                group.total =
                    group.total.wrapping_add(totals.get(group.items.end).copied().unwrap_or_default());
                group.items.end += 1;
            }
            item = group.items.end;
            if !group.items.is_empty() {
                show(group);
            }
            if let Some(alone) = alone {
                show(Group { items: alone..alone + 1, longest: alone, total: durations[alone] });
                item = alone + 1;
            }
        }
    }

    /// Returns the items in one item's bucket, found by lookups, and the long one after them.
    fn large_group(&self, starts: &[u64], item: usize, shift: u32) -> (Group, Option<usize>) {
        let bucket = starts[item] >> shift;
        let mut end = gallop(starts, item, |start| start >> shift == bucket);
        let alone = Some(end - 1).filter(|last| self.duration[*last] >> shift > 0);
        end -= usize::from(alone.is_some());
        let longest = self.forest.position(self.duration, item..end);
        (Group { items: item..end, longest, total: self.total(item..end) }, alone)
    }

    fn totals(&self) -> &'a [u64] {
        self.entries.map_or(self.duration, |(_, _, totals)| totals)
    }

    fn count_groups(&self, level: u32) -> usize {
        let (mut groups, mut open) = (0, None);
        for item in self.range() {
            let bucket = self.start[item] >> level;
            if self.duration[item] >> level > 0 {
                (groups, open) = (groups + 1, None);
            } else if open != Some(bucket) {
                (groups, open) = (groups + 1, Some(bucket));
            }
        }
        groups
    }
}

/// Returns the first position from `from` on whose start is not `is_before`; fast if it is near.
pub(crate) fn gallop(starts: &[u64], from: usize, is_before: impl Fn(u64) -> bool) -> usize {
    let mut step = 1;
    let mut low = from;
    while starts.get(low + step).is_some_and(|start| is_before(*start)) {
        low += step;
        step *= 2;
    }
    let high = starts.len().min(low + step);
    low + starts.get(low..high).unwrap_or_default().partition_point(|start| is_before(*start))
}

impl Levels {
    /// Merges the slices of every long lane.
    pub(crate) fn new(slices: &Slices) -> Self {
        let mut levels = Self::default();
        levels.entry_starts.push(0);
        for lane in 0..slices.lanes() {
            if slices.lane(lane).len() >= MIN_SLICES {
                levels.add_lane(slices, lane);
            }
        }
        levels.forest = MaxForest::new(&levels.duration);
        levels.sums = BlockSums::new(&levels.total);
        levels
    }

    fn add_lane(&mut self, slices: &Slices, lane: usize) {
        let rows = Self::rows(slices, lane);
        let span = rows.end(rows.to - 1).saturating_sub(rows.start[rows.from]).max(1);
        // A bucket shows at most one group and one long slice.
        let coarse =
            span.ilog2() + 1 - (rows.range().len() / (2 * SLICES_PER_ENTRY)).ilog2().min(span.ilog2());
        let mut most = rows.range().len() / SLICES_PER_ENTRY;
        let mut level = coarse.saturating_sub(FINER);
        let mut below: Option<Vec<Entry>> = None;
        while level < 63 {
            let count = match &below {
                None => rows.count_groups(level),
                Some(entries) => count_entries(entries, level),
            };
            if count <= most {
                let entries = match &below {
                    None => merge_rows(&rows, level),
                    Some(entries) => merge_entries(entries, level),
                };
                self.push(slices, lane, level, &entries);
                if entries.len() <= LAST_ENTRIES {
                    break;
                }
                most = entries.len() / 2;
                below = Some(entries);
            }
            level += 1;
        }
    }

    fn push(&mut self, slices: &Slices, lane: usize, level: u32, entries: &[Entry]) {
        // If the numbers of its entries don't fit in 32 bits, the level is not stored: tiles use the others.
        let Ok(end) = u32::try_from(self.start.len() + entries.len()) else { return };
        for entry in entries {
            let row = entry.longest as usize;
            self.start.push(slices.start.at(row));
            self.duration.push(entry.duration);
            self.name.push(slices.name.at(row));
            self.class.push(slices.class.at(row));
            self.longest.push(entry.longest);
            self.first.push(entry.first);
            self.total.push(entry.total);
        }
        self.lane.push(lane as u32);
        self.level.push(level as u8);
        self.entry_starts.push(end);
    }

    /// Returns the items from which a lane's tiles of a level are computed: the coarsest that are fine enough; and true
    /// if they are exactly those of the level.
    pub(crate) fn items<'a>(slices: &'a Slices, lane: usize, level: u8) -> (Items<'a>, bool) {
        let levels = &slices.levels;
        let first = levels.lane.partition_point(|known| (*known as usize) < lane);
        let here = levels.lane.get(first..).unwrap_or_default();
        let count = here.iter().take_while(|known| **known as usize == lane).count();
        let finer = levels.level.get(first..first + count).unwrap_or_default();
        let finer = finer.iter().take_while(|known| **known <= level).count();
        let rows = Self::rows(slices, lane);
        let Some(position) = finer.checked_sub(1).map(|last| first + last) else { return (rows, false) };
        let bounds = levels.entry_starts.get(position).zip(levels.entry_starts.get(position + 1));
        let (from, to) = bounds.map_or((0, 0), |(from, to)| (*from as usize, *to as usize));
        let columns = [levels.start.len(), levels.duration.len(), levels.name.len(), levels.class.len()];
        if from >= to || columns.iter().any(|length| *length < to) {
            return (rows, false);
        }
        let items = Items {
            from,
            to,
            end_row: rows.to,
            start: &levels.start,
            duration: &levels.duration,
            name: levels.name.raw(),
            class: levels.class.raw(),
            forest: &levels.forest,
            sums: &levels.sums,
            entries: Some((&levels.longest, &levels.first, &levels.total)),
        };
        (items, levels.level.at(position) == level)
    }

    fn rows(slices: &Slices, lane: usize) -> Items<'_> {
        let Range { start: from, end: to } = slices.lane(lane);
        Items {
            from,
            to,
            end_row: to,
            start: &slices.start,
            duration: &slices.duration,
            name: slices.name.raw(),
            class: slices.class.raw(),
            forest: &slices.longest,
            sums: &slices.sums,
            entries: None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u64,
    duration: u64,
    total: u64,
    longest: u32,
    first: u32,
}

fn merge_rows(rows: &Items<'_>, level: u32) -> Vec<Entry> {
    let mut entries = Vec::new();
    rows.groups(rows.range(), 1 << level, |group| {
        entries.push(Entry {
            start: rows.start[group.longest],
            duration: rows.duration[group.longest],
            total: group.total,
            longest: group.longest as u32,
            first: group.items.start as u32,
        });
    });
    entries
}

/// Returns the bucket of a finer level's entry; `None` if it stays a single slice at the level.
fn bucket(entry: &Entry, level: u32) -> Option<u64> {
    (entry.duration >> level == 0).then_some(entry.start >> level)
}

fn count_entries(entries: &[Entry], level: u32) -> usize {
    let (mut count, mut open) = (0, None);
    for entry in entries {
        let bucket = bucket(entry, level);
        count += usize::from(bucket.is_none() || bucket != open);
        open = bucket;
    }
    count
}

fn merge_entries(entries: &[Entry], level: u32) -> Vec<Entry> {
    let mut merged: Vec<Entry> = Vec::new();
    let mut open = None;
    for entry in entries {
        let bucket = bucket(entry, level);
        match merged.last_mut() {
            Some(last) if bucket.is_some() && bucket == open => {
                last.total = last.total.wrapping_add(entry.total);
                if entry.duration > last.duration {
                    let (start, duration, longest) = (entry.start, entry.duration, entry.longest);
                    *last = Entry { start, duration, longest, ..*last };
                }
            }
            _ => merged.push(*entry),
        }
        open = bucket;
    }
    merged
}
