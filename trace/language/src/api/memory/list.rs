//! Allocations one by one.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::api::LocationInfo;
use crate::event::AllocationKind;

/// A page of a list of allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationList {
    /// All requested allocations.
    pub total: Amount,
    /// Number of allocations before this page, in the requested order.
    pub offset: u64,
    /// The allocations of this page.
    pub allocations: Vec<AllocationItem>,
}

/// An allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationItem {
    /// Its row, as in [`MemoryTile`](crate::api::MemoryTile).
    pub allocation: u32,
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if there is none or it is unknown.
    pub device: String,
    /// Its address; for buffers and images the handle of their memory.
    pub pointer: u64,
    /// Size.
    pub size_bytes: u64,
    /// Size of the guard zone around it.
    pub guard_bytes: u64,
    /// Thread that allocated it.
    pub tid: u32,
    /// Time of the allocation.
    pub at_ns: u64,
    /// Time of the release, if it was released.
    pub released_ns: Option<u64>,
    /// Source location that allocated it, or that created the buffer or image that it belongs to.
    pub location: Option<LocationInfo>,
    /// Id in `objects` of the buffer or image that it belongs to, or else its own.
    pub object: u32,
}
