//! Native handles that were imported into SYCL or exported from it, and their lifetimes.

use syclscope_language::event::{HandleDirection, Ownership};

use super::table::{Table as _, table};
use crate::id::{LocationId, StringId};

table! {
    /// The native handles of a trace, by process, thread and time.
    Handles,
    /// A native handle that was imported into SYCL or exported from it.
    HandleRow {
        process: u32,
        /// Thread that passed it.
        tid: u32,
        /// Time of its recording.
        at: u64,
        object: StringId,
        handle: u64,
        native: u64,
        direction: HandleDirection,
        /// Owner that must release it.
        ownership: Ownership,
        /// Source location that passed it.
        location: LocationId,
        /// Time when the last reference to the Unified Runtime's handle was released; `None` if it never was.
        released: Option<u64>,
    }
}

impl Handles {
    pub(crate) fn new(mut rows: Vec<HandleRow>) -> Self {
        rows.sort_by_key(|row| (row.process, row.tid, row.at));
        Self::of_rows(rows.into_iter())
    }

    /// Returns the handles passed by a thread in a range of time.
    pub(crate) fn on_thread(
        &self,
        process: u32,
        tid: u32,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = HandleRow> {
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first.midpoint(end);
            if self.key(middle) < (process, tid, from) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        (first..self.len())
            .take_while(move |row| self.key(*row) <= (process, tid, to))
            .map(|row| self.row(row))
    }

    fn key(&self, row: usize) -> (u32, u32, u64) {
        (self.process.at(row), self.tid.at(row), self.at.at(row))
    }
}
