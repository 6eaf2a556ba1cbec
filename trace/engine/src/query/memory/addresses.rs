//! Memory at an address at a moment, separately for each process.

use std::collections::BTreeMap;

use syclscope_language::event::AllocationKind;

use crate::store::Trace;

/// Maximum number of allocations at or below an address that may contain it: a smaller one may have replaced a larger
/// one, or be within it.
const MAX_BELOW: usize = 16;

/// The memory of each process by address, at a moment that only moves forward.
pub(super) struct Addresses<'t> {
    trace: &'t Trace,
    /// The next allocation.
    next: usize,
    /// Pending releases, the next one last.
    releases: Vec<(u64, u32)>,
    live: BTreeMap<(u32, u64), u32>,
    /// Last released memory at each address.
    released: BTreeMap<(u32, u64), u32>,
}

impl<'t> Addresses<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let rows = (0..).zip(trace.allocations.released.iter());
        let mut releases: Vec<(u64, u32)> = rows.filter_map(|(row, at)| Some((at?, row))).collect();
        releases.sort_unstable_by(|a, b| b.cmp(a));
        Self { trace, next: 0, releases, live: BTreeMap::new(), released: BTreeMap::new() }
    }

    /// Moves to a moment, and includes all allocations and releases until then.
    pub(super) fn go_to(&mut self, at: u64) {
        let rows = &self.trace.allocations;
        loop {
            let made = (self.next < rows.at.len()).then(|| rows.at.at(self.next)).filter(|made| *made <= at);
            let released = self.releases.last().map(|release| release.0).filter(|released| *released <= at);
            match (made, released) {
                (Some(made), released) if released.is_none_or(|released| made < released) => self.make(),
                (_, Some(_)) => self.release(),
                (Some(_), None) => self.make(),
                (None, None) => return,
            }
        }
    }

    fn key(&self, row: usize) -> (u32, u64) {
        (self.trace.allocations.process.at(row), self.trace.allocations.pointer.at(row))
    }

    fn make(&mut self) {
        // An allocation released at the moment of its creation was never live.
        let rows = &self.trace.allocations;
        if rows.released.at(self.next) != Some(rows.at.at(self.next)) {
            self.live.insert(self.key(self.next), self.next as u32);
        }
        self.next += 1;
    }

    fn release(&mut self) {
        let Some((_, row)) = self.releases.pop() else { return };
        let key = self.key(row as usize);
        if self.live.get(&key) == Some(&row) {
            self.live.remove(&key);
        }
        self.released.insert(key, row);
    }

    /// Returns the live allocation that contains an address, and the offset in it.
    pub(super) fn at(&self, process: u32, pointer: u64) -> Option<(u32, u64)> {
        self.within(&self.live, process, pointer)
    }

    /// Returns the last released allocation that contained an address, and the offset in it.
    pub(super) fn before(&self, process: u32, pointer: u64) -> Option<(u32, u64)> {
        self.within(&self.released, process, pointer)
    }

    fn within(&self, rows: &BTreeMap<(u32, u64), u32>, process: u32, pointer: u64) -> Option<(u32, u64)> {
        let allocations = &self.trace.allocations;
        let size = |row: u32| match allocations.kind.at(row as usize) {
            // A handle is no address: it has no range.
            AllocationKind::Buffer | AllocationKind::Image => 1,
            _ => allocations.size_bytes.at(row as usize).max(1),
        };
        let below = rows.range((process, 0)..=(process, pointer)).rev().take(MAX_BELOW);
        below.map(|((_, begin), row)| (*row, pointer - begin)).find(|(row, offset)| *offset < size(*row))
    }
}
