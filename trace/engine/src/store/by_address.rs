//! Allocations that start in a range of addresses, or contain an address.

use std::ops::Range;

use super::blocks::MaxForest;
use super::column::Column;
use super::memory::Allocations;
use super::table::{Table as _, columns};

#[derive(Clone, Debug, Default)]
pub(crate) struct ByAddress {
    row: Column<u32>,
    /// Addresses of the allocations, ascending.
    pointer: Column<u64>,
    /// End addresses of the allocations.
    end: Column<u64>,
    /// Maxima of the ends.
    forest: MaxForest,
}

columns!(ByAddress { row, pointer, end, forest });

impl ByAddress {
    pub(crate) fn new(allocations: &Allocations) -> Self {
        let mut rows: Vec<u32> = (0..allocations.len() as u32).collect();
        let pointer = |row: u32| allocations.pointer.at(row as usize);
        rows.sort_by_key(|row| pointer(*row));
        let end = |row: u32| {
            let size = allocations.size_bytes.at(row as usize);
            pointer(row).saturating_add(size.max(1))
        };
        let ends: Vec<u64> = rows.iter().map(|row| end(*row)).collect();
        let forest = MaxForest::new(&ends);
        Self {
            pointer: rows.iter().map(|row| pointer(*row)).collect(),
            row: rows.into(),
            end: ends.into(),
            forest,
        }
    }

    /// Returns the rows of the allocations that start in a range of addresses, by address.
    pub(crate) fn within(&self, addresses: &Range<u64>) -> &[u32] {
        let begin = self.pointer.partition_point(|pointer| *pointer < addresses.start);
        let end = self.pointer.partition_point(|pointer| *pointer < addresses.end);
        self.row.get(begin..end).unwrap_or_default()
    }

    /// Calls `found` with the rows of the allocations that start below an address and end above it, by address.
    pub(crate) fn over(&self, address: u64, mut found: impl FnMut(u32)) {
        let below = self.pointer.partition_point(|pointer| *pointer < address);
        self.forest.above(&self.end, 0..below, address, |position| found(self.row.at(position)));
    }
}
