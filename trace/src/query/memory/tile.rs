//! Tiles of memory: allocations as rectangles of address and time.
//!
//! What begins in the tile comes from the level that has the fewest entries there, or from the allocations themselves,
//! by time or by address; those that reach into it from before, or from lower addresses, are looked up one by one.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::api::MemoryTile;
use crate::convention::memory_counter_name;
use crate::event::AllocationKind;
use crate::source::{MAX_LEVEL, MEMORY_ROWS, MemoryKey, TILE_BUCKETS};
use crate::store::Trace;
use crate::store::memory_levels::MergedRow;
use crate::store::tracks::TrackRow;

/// Looking at so many allocations in their order costs what one does at a place of its own.
const SCATTERED: usize = 16;

/// The kind of memory that a counter's track counts.
pub(in crate::query) fn kind_of(trace: &Trace, track: &TrackRow) -> Option<AllocationKind> {
    let name = trace.strings.get(track.name);
    crate::id::some(track.counter)?;
    AllocationKind::ALL.iter().copied().find(|kind| memory_counter_name(*kind) == name)
}

/// The allocations of a track's kind and process in the tile's spans.
pub(in crate::query) fn tile(
    trace: &Trace,
    track: &TrackRow,
    kind: AllocationKind,
    key: MemoryKey,
) -> MemoryTile {
    let key =
        MemoryKey { level: key.level.min(MAX_LEVEL), address_level: key.address_level.min(MAX_LEVEL), ..key };
    let (from, to) = key.time().span_ns();
    let (lowest, highest) = key.span_bytes();
    let rows = &trace.allocations;
    let begun = rows.at.partition_point(|at| *at < from);
    let until = rows.at.partition_point(|at| *at < to).max(begun);
    let mut shown = Shown::new(key);
    // The allocation of a row, if it is one of the track's.
    let own = |row: usize| {
        let is_own = rows.kind.at(row) == kind && rows.process.at(row) == track.process;
        is_own.then(|| MergedRow::alone(rows, row, trace.duration_ns))
    };
    trace.live.above(rows.released.raw(), 0..begun, from, |row| {
        let (pointer, size) = (rows.pointer.at(row), rows.size_bytes.at(row));
        if pointer < highest && pointer.saturating_add(size.max(1)) > lowest {
            own(row).iter().for_each(|row| shown.add(row));
        }
    });
    let addresses = lowest..highest;
    // Few of those that begin in the tile begin at lower addresses.
    let mut reaching = Vec::new();
    let in_time = |row: &u32| (begun..until).contains(&(*row as usize));
    trace.by_address.over(lowest, |row| reaching.extend(Some(row).filter(in_time)));
    let within = trace.by_address.within(&addresses);
    if within.len() < (until - begun) / SCATTERED {
        reaching.extend(within.iter().copied().filter(in_time));
        reaching.sort_unstable();
        reaching.iter().filter_map(|row| own(*row as usize)).for_each(|row| shown.add(&row));
        return shown.tile();
    }
    reaching.sort_unstable();
    let reaching: Vec<MergedRow> = reaching.iter().filter_map(|row| own(*row as usize)).collect();
    let mut joining = Joining { shown: &mut shown, reaching: reaching.into_iter().peekable() };
    match trace.memory_levels.entries(track.process, kind, &key, until - begun) {
        Some(entries) => {
            joining.shown.reserve(entries.len().min((TILE_BUCKETS * MEMORY_ROWS) as usize));
            trace.memory_levels.each(entries, &addresses, |entry| joining.add(entry));
        }
        None => {
            let pointers = rows.pointer.get(begun..until).unwrap_or_default();
            let rows = pointers.iter().zip(begun..).filter(|(pointer, _)| addresses.contains(*pointer));
            rows.filter_map(|(_, row)| own(row)).for_each(|row| joining.add(&row));
        }
    }
    joining.finish();
    shown.tile()
}

/// Shows entries in order, and among them allocations that begin at lower addresses.
struct Joining<'s> {
    shown: &'s mut Shown,
    /// In order.
    reaching: Peekable<IntoIter<MergedRow>>,
}

impl Joining<'_> {
    fn add(&mut self, entry: &MergedRow) {
        while let Some(row) = self.reaching.next_if(|row| row.first < entry.first) {
            self.shown.add(&row);
        }
        self.shown.add(entry);
    }

    fn finish(self) {
        let Self { shown, reaching } = self;
        reaching.for_each(|row| shown.add(&row));
    }
}

/// What a tile shows, in the order in which it begins.
struct Shown {
    key: MemoryKey,
    /// The tile's first moment and lowest address.
    from: u64,
    lowest: u64,
    /// Until it is finished, spans are the addresses behind the last.
    tile: MemoryTile,
    /// For each place of the tile, the entry behind the one that stands for what begins there; 0 for none.
    places: Vec<u32>,
}

impl Shown {
    fn new(key: MemoryKey) -> Self {
        let (from, lowest) = (key.time().span_ns().0, key.span_bytes().0);
        let places = vec![0; (TILE_BUCKETS * MEMORY_ROWS) as usize];
        Self { key, from, lowest, tile: MemoryTile::default(), places }
    }

    /// Makes room for more entries.
    fn reserve(&mut self, entries: usize) {
        let MemoryTile { allocation, at_ns, until_ns, pointer, span_bytes, count, total_bytes } =
            &mut self.tile;
        [allocation, count].into_iter().for_each(|column| column.reserve(entries));
        let wide = [at_ns, until_ns, pointer, span_bytes, total_bytes];
        wide.into_iter().for_each(|column| column.reserve(entries));
    }

    fn push(&mut self, row: &MergedRow) {
        self.tile.allocation.push(row.first);
        self.tile.at_ns.push(row.at);
        self.tile.until_ns.push(row.until);
        self.tile.pointer.push(row.pointer);
        self.tile.span_bytes.push(row.end);
        self.tile.count.push(row.count);
        self.tile.total_bytes.push(row.total_bytes);
    }

    fn add(&mut self, row: &MergedRow) {
        if row.stands_alone(1 << self.key.level, 1 << self.key.address_level) {
            return self.push(row);
        }
        // What reaches into the tile begins at its edge.
        let bucket = row.at.saturating_sub(self.from) >> self.key.level;
        let height = row.pointer.saturating_sub(self.lowest) >> self.key.address_level;
        let place = bucket.saturating_mul(MEMORY_ROWS).saturating_add(height) as usize;
        let Some(known) = self.places.get(place).copied() else { return };
        match (known as usize).checked_sub(1) {
            Some(known) => self.join(known, row),
            None => {
                self.push(row);
                self.places[place] = self.tile.allocation.len() as u32;
            }
        }
    }

    /// Adds to an entry what begins no earlier.
    fn join(&mut self, entry: usize, row: &MergedRow) {
        let tile = &mut self.tile;
        tile.until_ns[entry] = tile.until_ns[entry].max(row.until);
        tile.pointer[entry] = tile.pointer[entry].min(row.pointer);
        tile.span_bytes[entry] = tile.span_bytes[entry].max(row.end);
        tile.count[entry] = tile.count[entry].saturating_add(row.count);
        tile.total_bytes[entry] = tile.total_bytes[entry].saturating_add(row.total_bytes);
    }

    fn tile(mut self) -> MemoryTile {
        for (end, pointer) in self.tile.span_bytes.iter_mut().zip(&self.tile.pointer) {
            *end = end.saturating_sub(*pointer);
        }
        self.tile
    }
}
