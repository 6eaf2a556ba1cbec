//! Allocations and their lifetimes.

use syclscope_language::event::AllocationKind;

use super::table::table;
use crate::id::{LocationId, StringId};

table! {
    /// The allocations of a trace, by time.
    Allocations,
    AllocationRow {
        process: u32,
        /// When it was made.
        at: u64,
        /// When it was released; `None` if it never was.
        released: Option<u64>,
        /// Its address.
        pointer: u64,
        size_bytes: u64,
        /// Size of the guard zone around it.
        guard_bytes: u64,
        /// Kind of memory.
        kind: AllocationKind,
        /// Name of the device.
        device: StringId,
        /// Thread that made it.
        tid: u32,
        /// Source code that made it.
        location: LocationId,
    }
}

table! {
    /// Releases of addresses at which nothing was live, by time; the first ones if there are many.
    Strays,
    /// A release of an address at which nothing was live.
    StrayRow {
        process: u32,
        /// When.
        at: u64,
        /// The address.
        pointer: u64,
        /// Thread that released it.
        tid: u32,
    }
}

impl Allocations {
    pub(crate) fn unreleased(&self) -> u64 {
        self.released.iter().filter(Option::is_none).count() as u64
    }
}
