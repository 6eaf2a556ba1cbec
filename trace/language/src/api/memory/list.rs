//! Allocations one by one.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::api::LocationInfo;
use crate::event::AllocationKind;

/// A part of a list of allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationList {
    /// All that were asked for.
    pub total: Amount,
    /// Allocations before these, in the order asked for.
    pub offset: u64,
    /// These.
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
    /// Name of the device that owns it, empty if it belongs to none or it is not known.
    pub device: String,
    /// Its address; for buffers and images the handle of their memory.
    pub pointer: u64,
    /// Size.
    pub size_bytes: u64,
    /// Size of the guard zone around it.
    pub guard_bytes: u64,
    /// Thread that made it.
    pub tid: u32,
    /// When it was made.
    pub at_ns: u64,
    /// When it was released, if it was.
    pub released_ns: Option<u64>,
    /// Source code that allocated it, or that made the buffer or image whose memory it is.
    pub location: Option<LocationInfo>,
    /// Its id in `objects`; that of the buffer or image whose memory it is.
    pub object: u32,
}
