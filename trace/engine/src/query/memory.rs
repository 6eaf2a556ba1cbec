//! Memory: usage, live allocations at a moment, the objects of a program, transfers, leaks.
//!
//! Data shared by several answers is computed once, on first use: memory in use after each change ([`history`]), the
//! object of each allocation ([`owners`]), and the memory accesses of commands ([`activity`]).

mod activity;
mod addresses;
mod at;
mod calls;
mod history;
mod leaks;
mod list;
mod objects;
mod owners;
mod places;
mod selected;
pub(super) mod tile;
mod touched;
mod transfers;
mod usage;

use self::activity::Activity;
use self::history::History;
pub(super) use self::list::in_order;
use self::objects::Lanes;
use self::owners::{OwnedBy, Owners};
pub(super) use self::transfers::{HOST_BYTES_PER_NS, IMPLICIT};
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    fn memory_history(&self) -> &History {
        self.shelf.slot().get_or_init(|| History::new(self))
    }

    fn owners(&self) -> &Owners {
        self.shelf.slot().get_or_init(|| Owners::new(self))
    }

    fn memory_activity(&self) -> &Activity {
        self.shelf.slot().get_or_init(|| Activity::new(self))
    }

    fn object_lanes(&self) -> &Lanes {
        self.shelf.slot().get_or_init(|| Lanes::new(self))
    }

    /// Returns the public id of an object; the buffer's for a buffer's memory.
    fn public_id(&self, id: u32) -> Option<u32> {
        match self.owners().owner(id) {
            OwnedBy::Object(row) => ((row as usize) < self.objects.rows.len()).then_some(row),
            OwnedBy::Allocation(row) => ((row as usize) < self.allocations.len()).then_some(id),
        }
    }

    /// Calls `found` with the rows of the allocations that are live at a moment, in order: allocated by then, and not
    /// yet released.
    pub(in crate::query) fn live_at(&self, at: u64, found: impl FnMut(usize)) {
        let made = self.allocations.at.partition_point(|made| *made <= at);
        self.live.above(self.allocations.released.raw(), 0..made, at, found);
    }
}
