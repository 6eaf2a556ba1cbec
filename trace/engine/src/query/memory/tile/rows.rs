//! The columns of allocations that tiles read, looked up once.

use syclscope_language::event::AllocationKind;

use crate::store::Trace;
use crate::store::column::Cell as _;
use crate::store::memory_levels::MergedRow;

/// Columns of allocations, cut to the length of the shortest.
#[derive(Clone, Copy)]
pub(super) struct Rows<'t> {
    pub(super) at: &'t [u64],
    /// `u64::MAX` if never released.
    pub(super) released: &'t [u64],
    pub(super) pointer: &'t [u64],
    size_bytes: &'t [u64],
    process: &'t [u32],
    kind: &'t [u8],
    /// Process and kind of the selected allocations.
    pub(super) owner: (u32, u8),
    duration_ns: u64,
}

impl<'t> Rows<'t> {
    pub(super) fn new(trace: &'t Trace, process: u32, kind: AllocationKind) -> Self {
        let rows = &trace.allocations;
        let (at, released, pointer) = (rows.at.raw(), rows.released.raw(), rows.pointer.raw());
        let (size_bytes, processes, kinds) = (rows.size_bytes.raw(), rows.process.raw(), rows.kind.raw());
        // The columns of a damaged file may differ in length.
        let wide = [at, released, pointer, size_bytes].map(<[u64]>::len).into_iter().min().unwrap_or(0);
        let length = wide.min(processes.len()).min(kinds.len());
        Self {
            at: &at[..length],
            released: &released[..length],
            pointer: &pointer[..length],
            size_bytes: &size_bytes[..length],
            process: &processes[..length],
            kind: &kinds[..length],
            owner: (process, kind.to_raw()),
            duration_ns: trace.duration_ns,
        }
    }

    pub(super) fn kind(&self) -> AllocationKind {
        AllocationKind::of_raw(self.owner.1)
    }

    pub(super) fn is_own(&self, row: usize) -> bool {
        (self.process[row] == self.owner.0) & (self.kind[row] == self.owner.1)
    }

    /// Returns the end address of an allocation; every one has at least a byte.
    pub(super) fn end(&self, row: usize) -> u64 {
        self.pointer[row].saturating_add(self.size_bytes[row].max(1))
    }

    pub(super) fn row(&self, row: usize) -> MergedRow {
        let (at, released) = (self.at[row], self.released[row]);
        let until = if released == u64::MAX { self.duration_ns } else { released };
        MergedRow {
            first: row as u32,
            at,
            until: until.max(at),
            pointer: self.pointer[row],
            end: self.end(row),
            count: 1,
            total_bytes: self.size_bytes[row],
            first_released: released,
        }
    }
}
