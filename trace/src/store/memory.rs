//! Allocations and their lifetimes.

use crate::event::AllocationKind;
use crate::id::{LocationId, StringId};

/// An allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllocationRow {
    pub(crate) at: u64,
    /// When it was released; `None` if it never was.
    pub(crate) released: Option<u64>,
    pub(crate) pointer: u64,
    pub(crate) size_bytes: u64,
    pub(crate) kind: AllocationKind,
    pub(crate) device: StringId,
    pub(crate) tid: u32,
    pub(crate) location: LocationId,
}

/// The allocations of a trace, by time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocations(pub(crate) Vec<AllocationRow>);

impl Allocations {
    /// How many were never released.
    pub(crate) fn unreleased(&self) -> u64 {
        self.0.iter().filter(|allocation| allocation.released.is_none()).count() as u64
    }

    /// Bytes that the table takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<AllocationRow>()
    }
}
