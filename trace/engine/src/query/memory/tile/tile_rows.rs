//! Rows of a tile, filled chunk by chunk.
//!
//! The visible entries, and those that begin an entry of the tile, can't be predicted: both are computed without
//! branches. Then the tile's columns are filled one after the other.

use syclscope_language::api::MemoryTile;
use syclscope_language::question::{MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey};

use crate::store::memory_levels::MergedRow;

/// Entries that are processed together: their data stays in the first-level cache.
const CHUNK: usize = 256;
const PLACES: usize = (MEMORY_BUCKETS * MEMORY_ROWS) as usize;

/// Rows of a tile, by start.
pub(super) struct TileRows {
    key: MemoryKey,
    /// The tile's start and lowest address.
    from: u64,
    lowest: u64,
    /// Until the tile is finished, spans are end addresses.
    tile: MemoryTile,
    /// For each cell of the tile, the entry that represents the rows starting there, plus one; 0 for none. A row that
    /// stands alone uses an extra last cell, which is always reset.
    places: Vec<u32>,
    /// Rows that start before the tile, by their height.
    early: Vec<Early>,
}

/// Row at one height that starts before the tile; it may represent very many allocations.
#[derive(Clone, Copy, Default)]
struct Early {
    entry: u32,
    count: u32,
    until: u64,
    pointer: u64,
    end: u64,
    total_bytes: u64,
}

impl TileRows {
    pub(super) fn new(key: MemoryKey) -> Self {
        let (from, lowest) = (key.span_ns().0, key.span_bytes().0);
        let (tile, places) = (MemoryTile::default(), vec![0; PLACES + 1]);
        Self { key, from, lowest, tile, places, early: vec![Early::default(); MEMORY_ROWS as usize] }
    }

    pub(super) fn reserve(&mut self, entries: usize) {
        let entries = entries.min(PLACES);
        let MemoryTile { allocation, at_ns, until_ns, pointer, span_bytes, count, total_bytes } =
            &mut self.tile;
        [allocation, count].into_iter().for_each(|column| column.reserve(entries));
        let wide = [at_ns, until_ns, pointer, span_bytes, total_bytes];
        wide.into_iter().for_each(|column| column.reserve(entries));
    }

    /// Adds a row that starts before the tile. Callers add these rows before the others.
    pub(super) fn add_early(&mut self, row: &MergedRow) {
        let place = self.place(row);
        match self.early.get_mut(place) {
            Some(known) if known.count > 0 => {
                known.count = known.count.saturating_add(row.count);
                known.until = known.until.max(row.until);
                known.pointer = known.pointer.min(row.pointer);
                known.end = known.end.max(row.end);
                known.total_bytes = known.total_bytes.saturating_add(row.total_bytes);
            }
            known => {
                let MergedRow { count, until, pointer, end, total_bytes, .. } = *row;
                let entry = self.tile.allocation.len() as u32;
                if let Some(known) = known {
                    *known = Early { entry, count, until, pointer, end, total_bytes };
                    self.places[place] = entry + 1;
                }
                self.tile.allocation.push(row.first);
                self.tile.at_ns.push(row.at);
                self.tile.until_ns.push(until);
                self.tile.pointer.push(pointer);
                self.tile.span_bytes.push(end);
                self.tile.count.push(count);
                self.tile.total_bytes.push(total_bytes);
            }
        }
    }

    /// Finishes the rows that start before the tile.
    pub(super) fn end_early(&mut self) {
        let tile = &mut self.tile;
        for known in self.early.iter().filter(|known| known.count > 0) {
            let entry = known.entry as usize;
            tile.until_ns[entry] = known.until;
            tile.pointer[entry] = known.pointer;
            tile.span_bytes[entry] = known.end;
            tile.count[entry] = known.count;
            tile.total_bytes[entry] = known.total_bytes;
        }
    }

    /// Adds entries by start. The closures return an entry's number by position, its visibility, and its contents.
    pub(super) fn add_all(
        &mut self,
        entries: usize,
        number: impl Fn(usize) -> usize,
        is_shown: impl Fn(usize) -> bool,
        row: impl Fn(usize) -> MergedRow,
    ) {
        let mut shown = [0_u32; CHUNK];
        for begin in (0..entries).step_by(CHUNK) {
            let mut count = 0;
            for position in begin..entries.min(begin + CHUNK) {
                let number = number(position);
                shown[count] = number as u32;
                count += usize::from(is_shown(number));
            }
            self.add_rows(&shown[..count], &row);
        }
    }

    fn add_rows(&mut self, shown: &[u32], row: &impl Fn(usize) -> MergedRow) {
        let before = self.tile.allocation.len();
        let (mut new, mut joining) = ([0_u32; CHUNK], [(0_u32, 0_u32); CHUNK]);
        let (mut news, mut joins) = (0, 0);
        for number in shown {
            let place = self.place(&row(*number as usize));
            let known = self.places[place];
            let is_new = known == 0;
            new[news] = *number;
            joining[joins] = (known.wrapping_sub(1), *number);
            let kept = if place == PLACES { 0 } else { (before + news + 1) as u32 };
            self.places[place] = if is_new { kept } else { known };
            news += usize::from(is_new);
            joins += usize::from(!is_new);
        }
        let rows = || new[..news].iter().map(|number| row(*number as usize));
        let tile = &mut self.tile;
        tile.allocation.extend(rows().map(|row| row.first));
        tile.at_ns.extend(rows().map(|row| row.at));
        tile.until_ns.extend(rows().map(|row| row.until));
        tile.pointer.extend(rows().map(|row| row.pointer));
        tile.span_bytes.extend(rows().map(|row| row.end));
        tile.count.extend(rows().map(|row| row.count));
        tile.total_bytes.extend(rows().map(|row| row.total_bytes));
        for (entry, number) in &joining[..joins] {
            self.join(*entry as usize, &row(*number as usize));
        }
    }

    /// Returns the cell of an entry: the last one if it stands alone.
    fn place(&self, row: &MergedRow) -> usize {
        // A row that reaches into the tile starts at its edge.
        let bucket = row.at.saturating_sub(self.from) >> self.key.level;
        let height = row.pointer.saturating_sub(self.lowest) >> self.key.address_level;
        let place = bucket.saturating_mul(MEMORY_ROWS).saturating_add(height) as usize;
        let is_alone = row.stands_alone(1 << self.key.level, 1 << self.key.address_level);
        if is_alone { PLACES } else { place.min(PLACES) }
    }

    /// Adds a row with the same or a later start to an entry.
    fn join(&mut self, entry: usize, row: &MergedRow) {
        let tile = &mut self.tile;
        tile.until_ns[entry] = tile.until_ns[entry].max(row.until);
        tile.pointer[entry] = tile.pointer[entry].min(row.pointer);
        tile.span_bytes[entry] = tile.span_bytes[entry].max(row.end);
        tile.count[entry] = tile.count[entry].saturating_add(row.count);
        tile.total_bytes[entry] = tile.total_bytes[entry].saturating_add(row.total_bytes);
    }

    pub(super) fn tile(mut self) -> MemoryTile {
        for (end, pointer) in self.tile.span_bytes.iter_mut().zip(&self.tile.pointer) {
            *end = end.saturating_sub(*pointer);
        }
        self.tile
    }
}
