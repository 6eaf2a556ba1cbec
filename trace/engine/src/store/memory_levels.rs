//! Levels of detail of memory: allocations, merged in advance at power-of-two resolutions of time and address.
//!
//! An entry of a level represents allocations of one process and kind that start in one bucket of time and address and
//! are shorter or smaller than it, or one allocation that is neither, exactly as in a tile. Allocations merged at one
//! resolution are merged at all coarser ones too, so a tile can be computed from the entries of any level that is finer
//! in both directions. There are many pairs of resolutions: those with few entries are stored, each with at most three
//! quarters of the previous one's entries, and all together with at most three entries per two allocations.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::event::AllocationKind;
use syclscope_language::question::{MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey};

use super::blocks::MaxForest;
use super::memory::Allocations;
use super::table::{Table as _, columns, table};

/// Fewer allocations are merged on demand.
const MIN_ALLOCATIONS: usize = 2048;

table! {
    /// Merged allocations, by level and time.
    Merged,
    /// One allocation, or several that a tile shows as one.
    MergedRow {
        /// Row of the first allocation.
        first: u32,
        /// Its time of allocation.
        at: u64,
        /// Time when the last allocation is released; the trace's end if one never is.
        until: u64,
        /// Lowest address.
        pointer: u64,
        /// End of the highest address.
        end: u64,
        /// Number of allocations.
        count: u32,
        /// Their total size.
        total_bytes: u64,
        /// Time when the first allocation is released; the maximum time if none ever is.
        first_released: u64,
    }
}

table! {
    /// The stored levels.
    LevelTable,
    /// A stored level.
    LevelRow {
        /// Process of the allocations.
        process: u32,
        kind: AllocationKind,
        /// Buckets of 2^level ns.
        level: u8,
        /// Buckets of 2^level bytes.
        address_level: u8,
        /// Its first entry; the next level's first one is its end.
        first: u32,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryLevels {
    levels: LevelTable,
    entries: Merged,
    /// Entries by the time at which their last allocation is released.
    until: MaxForest,
}

columns!(MemoryLevels { levels, entries, until });

impl MergedRow {
    /// Returns a single allocation; `duration_ns` is the trace's.
    pub(crate) fn alone(allocations: &Allocations, row: usize, duration_ns: u64) -> Self {
        let (at, pointer) = (allocations.at.at(row), allocations.pointer.at(row));
        let (released, size_bytes) = (allocations.released.at(row), allocations.size_bytes.at(row));
        Self {
            first: row as u32,
            at,
            until: released.unwrap_or(duration_ns).max(at),
            pointer,
            end: pointer.saturating_add(size_bytes.max(1)),
            count: 1,
            total_bytes: size_bytes,
            first_released: released.unwrap_or(u64::MAX),
        }
    }

    /// True if the allocation is shown by itself at a resolution.
    pub(crate) fn stands_alone(&self, bucket_ns: u64, bucket_bytes: u64) -> bool {
        let duration_ns = self.until.saturating_sub(self.at);
        (self.count == 1) & (duration_ns >= bucket_ns) & (self.total_bytes >= bucket_bytes)
    }

    /// Merges an entry with the same or a later start.
    pub(crate) fn join(&mut self, other: &Self) {
        self.until = self.until.max(other.until);
        self.pointer = self.pointer.min(other.pointer);
        self.end = self.end.max(other.end);
        self.count = self.count.saturating_add(other.count);
        self.total_bytes = self.total_bytes.saturating_add(other.total_bytes);
        self.first_released = self.first_released.min(other.first_released);
    }
}

impl MemoryLevels {
    pub(crate) fn new(allocations: &Allocations, duration_ns: u64) -> Self {
        let mut groups: BTreeMap<(u32, AllocationKind), Vec<MergedRow>> = BTreeMap::new();
        if allocations.len() >= MIN_ALLOCATIONS {
            for row in 0..allocations.len() {
                let of = (allocations.process.at(row), allocations.kind.at(row));
                groups.entry(of).or_default().push(MergedRow::alone(allocations, row, duration_ns));
            }
        }
        let mut levels = Self::default();
        for ((process, kind), rows) in &groups {
            if rows.len() >= MIN_ALLOCATIONS {
                levels.add(*process, *kind, rows);
            }
        }
        levels.until = MaxForest::new(&levels.entries.until);
        levels
    }

    fn add(&mut self, process: u32, kind: AllocationKind, rows: &[MergedRow]) {
        let [Some(first), Some(last)] = [rows.first(), rows.last()] else { return };
        let lowest = rows.iter().map(|row| row.pointer).min().unwrap_or_default();
        let highest = rows.iter().map(|row| row.pointer).max().unwrap_or_default();
        // The resolution at which everything fits into a tile or two.
        let level = coarsest(last.at - first.at, MEMORY_BUCKETS);
        let address_level = coarsest(highest - lowest, MEMORY_ROWS);
        let mut room = rows.len() / 2 * 3;
        for level in (0..=level).rev() {
            let counts = count(rows, level);
            let mut most = room.min(rows.len() / 2);
            for address_level in 0..=address_level {
                if counts.get(usize::from(address_level)).is_none_or(|count| *count > most) {
                    continue;
                }
                let Ok(first) = u32::try_from(self.entries.len()) else { return };
                let merged = merge(rows, level, address_level);
                room = room.saturating_sub(merged.len());
                most = room.min(merged.len() / 4 * 3);
                merged.iter().for_each(|row| self.entries.push(row));
                self.levels.push(&LevelRow { process, kind, level, address_level, first });
            }
        }
    }

    /// Returns the cheapest entries from which a tile can be computed: all that start in its range of time. `None` if
    /// no level is fine enough, or none has fewer than `rows`.
    pub(crate) fn entries(
        &self,
        process: u32,
        kind: AllocationKind,
        key: &MemoryKey,
        rows: usize,
    ) -> Option<Range<usize>> {
        let (from, to) = key.span_ns();
        let fine =
            self.levels_of_kind(process, kind, key.address_level).filter(|(_, row)| row.level <= key.level);
        let least =
            fine.filter_map(|(index, _)| self.begun(index, from, to)).min_by_key(ExactSizeIterator::len)?;
        (least.len() < rows).then_some(least)
    }

    /// Returns the cheapest entries that determine the live memory at a moment, and the time up to which they start:
    /// later allocations are visited one by one. `rows` returns the number of allocations that start before a moment.
    ///
    /// Allocations that start at least one bucket before the moment and are live then last longer than a bucket. So an
    /// entry of several that are all live consists of allocations that are smaller than a bucket of addresses, which no
    /// resolution with larger buckets shows as single ones, however fine it is in time.
    pub(crate) fn live(
        &self,
        process: u32,
        kind: AllocationKind,
        (at, address_level): (u64, u8),
        rows: impl Fn(u64) -> usize,
    ) -> Option<Live> {
        let all = rows(at);
        let whole =
            self.levels_of_kind(process, kind, address_level).filter(|(_, row)| row.level <= MAX_LEVEL);
        let usable = whole.filter_map(|(index, row)| {
            let until = ((at >> row.level).checked_sub(1)?) << row.level;
            let entries = self.begun(index, 0, until)?;
            let work = entries.len() + (all - rows(until));
            Some((work, Live { entries, until, level: row.level }))
        });
        let (work, live) = usable.min_by_key(|(work, _)| *work)?;
        (work < all).then_some(live)
    }

    /// Calls `bucket` with the entries that have not ended at a moment, bucket by bucket, and with the start of the
    /// bucket.
    pub(crate) fn not_over(&self, live: &Live, at: u64, mut bucket: impl FnMut(u64, &[usize])) {
        let mut open: Option<u64> = None;
        let mut entries = Vec::new();
        self.until.above(&self.entries.until, live.entries.clone(), at, |entry| {
            let begin = self.entries.at.at(entry) >> live.level << live.level;
            if let Some(before) = open.filter(|before| *before != begin) {
                bucket(before, &entries);
                entries.clear();
            }
            open = Some(begin);
            entries.push(entry);
        });
        if let Some(begin) = open {
            bucket(begin, &entries);
        }
    }

    pub(crate) fn entry(&self, entry: usize) -> MergedRow {
        self.entries.row(entry)
    }

    /// Returns the levels of a kind whose buckets of addresses are small enough, with their numbers.
    fn levels_of_kind(
        &self,
        process: u32,
        kind: AllocationKind,
        address_level: u8,
    ) -> impl Iterator<Item = (usize, LevelRow)> {
        let levels = (0..self.levels.len()).map(|index| (index, self.levels.row(index)));
        levels.filter(move |(_, row)| {
            row.process == process && row.kind == kind && row.address_level <= address_level
        })
    }

    fn begun(&self, index: usize, from: u64, to: u64) -> Option<Range<usize>> {
        let end = self.levels.first.get(index + 1).map_or(self.entries.len(), |first| *first as usize);
        let first = self.levels.first.at(index) as usize;
        let moments = self.entries.at.get(first..end)?;
        let begin = moments.partition_point(|at| *at < from);
        Some(first + begin..first + begin + moments[begin..].partition_point(|at| *at < to))
    }

    pub(crate) fn columns(&self, entries: Range<usize>) -> Columns<'_> {
        let Merged { first, at, until, pointer, end, count, total_bytes, first_released } = &self.entries;
        // A damaged file's columns may be shorter.
        let lengths =
            [at.len(), until.len(), pointer.len(), end.len(), total_bytes.len(), count.len(), first.len()];
        let is_here =
            lengths.iter().all(|length| *length >= entries.end) && first_released.len() >= entries.end;
        let part = if is_here { entries } else { 0..0 };
        Columns {
            first: &first[part.clone()],
            at: &at[part.clone()],
            until: &until[part.clone()],
            pointer: &pointer[part.clone()],
            end: &end[part.clone()],
            count: &count[part.clone()],
            total_bytes: &total_bytes[part.clone()],
            first_released: &first_released[part],
        }
    }
}

/// Entries of the memory live at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    entries: Range<usize>,
    /// End of the last of their buckets.
    pub(crate) until: u64,
    level: u8,
}

impl Live {
    pub(crate) fn bucket_ns(&self) -> u64 {
        1 << self.level
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    /// Rows of the first allocations, sorted.
    pub(crate) first: &'a [u32],
    at: &'a [u64],
    until: &'a [u64],
    pub(crate) pointer: &'a [u64],
    end: &'a [u64],
    count: &'a [u32],
    total_bytes: &'a [u64],
    first_released: &'a [u64],
}

impl Columns<'_> {
    pub(crate) fn row(&self, at: usize) -> MergedRow {
        MergedRow {
            first: self.first[at],
            at: self.at[at],
            until: self.until[at],
            pointer: self.pointer[at],
            end: self.end[at],
            count: self.count[at],
            total_bytes: self.total_bytes[at],
            first_released: self.first_released[at],
        }
    }
}

/// Returns the lowest level at which `buckets` buckets cover a span.
fn coarsest(span: u64, buckets: u64) -> u8 {
    let level = (span / buckets).checked_ilog2().map_or(0, |level| level + 1);
    (level as u8).min(MAX_LEVEL)
}

/// Returns the rows, grouped by the bucket in which they start.
fn buckets(rows: &[MergedRow], level: u8) -> impl Iterator<Item = &[MergedRow]> {
    rows.chunk_by(move |row, next| row.at >> level == next.at >> level)
}

/// Returns the maximum number of entries of a level, for each resolution in addresses.
fn count(rows: &[MergedRow], level: u8) -> [usize; 64] {
    // Pairs of neighbours that are equal from each level on, and allocations that are single ones up to it.
    let mut counts = [0; 64];
    let mut pointers = Vec::new();
    let mut least = 0;
    for bucket in buckets(rows, level) {
        least += 1;
        pointers.clear();
        pointers.extend(bucket.iter().map(|row| row.pointer));
        pointers.sort_unstable();
        let differing = pointers.windows(2).filter_map(|pair| (pair[0] ^ pair[1]).checked_ilog2());
        let long = bucket.iter().filter(|row| (row.until - row.at) >> level > 0);
        for differs in differing.chain(long.filter_map(|row| row.total_bytes.checked_ilog2())) {
            counts[differs as usize] += 1;
        }
    }
    // Neighbours that differ at a level differ at all finer ones.
    let mut sum = least;
    for count in counts.iter_mut().rev() {
        sum += *count;
        *count = sum;
    }
    counts
}

fn merge(rows: &[MergedRow], level: u8, address_level: u8) -> Vec<MergedRow> {
    let mut merged: Vec<MergedRow> = Vec::new();
    let mut places: FxHashMap<u64, usize> = FxHashMap::default();
    for bucket in buckets(rows, level) {
        places.clear();
        for row in bucket {
            if row.stands_alone(1 << level, 1 << address_level) {
                merged.push(*row);
                continue;
            }
            let place = *places.entry(row.pointer >> address_level).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(known) => known.join(row),
                None => merged.push(*row),
            }
        }
    }
    merged
}
