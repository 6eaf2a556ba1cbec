//! Allocations and their lifetimes.

use syclscope_language::event::AllocationKind;

use super::table::table;
use crate::id::{LocationId, StringId};

table! {
    /// The allocations of a trace, by time.
    Allocations,
    AllocationRow {
        process: u32,
        /// Time of the allocation.
        at: u64,
        /// Time of the release; `None` if never released.
        released: Option<u64>,
        pointer: u64,
        size_bytes: u64,
        /// Size of the guard zone around it.
        guard_bytes: u64,
        kind: AllocationKind,
        device: StringId,
        /// Displayed name of the device: numbered if devices of the process share it.
        title: StringId,
        /// Thread that allocated it.
        tid: u32,
        /// Source location that allocated it.
        location: LocationId,
    }
}

table! {
    /// Releases of addresses without live memory, by time; only the first ones if there are many.
    Strays,
    /// A release of an address without live memory.
    StrayRow {
        process: u32,
        /// Time of the release.
        at: u64,
        pointer: u64,
        /// Thread that released it.
        tid: u32,
    }
}

impl Allocations {
    /// Returns the number of allocations that are never released, of the wanted processes.
    pub(crate) fn unreleased(&self, is_wanted: impl Fn(u32) -> bool) -> u64 {
        let rows = self.released.iter().zip(self.process.iter());
        rows.filter(|(released, process)| released.is_none() && is_wanted(*process)).count() as u64
    }
}
