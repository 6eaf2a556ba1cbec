//! Memory: usage, live allocations, the objects of a program, transfers between host and device, and leaks.

mod at;
mod leaks;
mod objects;
mod transfers;
mod usage;

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use super::flat::read_flat;
use crate::event::AllocationKind;

pub use at::{MemoryAt, MemoryBlock, MemoryChange, MemoryRegion, MemorySpace, PlaceChange};
pub use leaks::{Growth, LeakPlace, Leaks, Misuse, MisuseKind};
pub use objects::{
    AccessorCount, NativeMemory, ObjectEvent, ObjectEventKind, ObjectHistory, ObjectItem, ObjectList,
    ObjectProblem, ObjectWhat, Placement, Side,
};
pub use transfers::{Need, Transfer, TransferCause, TransferCauseKind, TransferList, TransferSums};
pub use usage::{FreeMemory, MemoryPeak, MemorySeries, MemoryUse};

/// Number and total size of allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Number of allocations.
    pub count: u64,
    /// Their total size in bytes.
    pub bytes: u64,
}

impl Amount {
    /// Adds one allocation.
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Removes one allocation.
    pub fn remove(&mut self, bytes: u64) {
        self.count = self.count.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// Memory of one kind on one device that one source location allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatMemoryPlace")]
pub struct MemoryPlace {
    /// Its process, an index into [`TraceInfo::processes`](super::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if there is none or it is unknown.
    pub device: String,
    /// Source location that allocated it; for the memory of a buffer or image, the location of its constructor.
    pub location: Option<LocationInfo>,
    /// Number and bytes.
    #[serde(flatten)]
    pub amount: Amount,
}

read_flat!(
    MemoryPlace from FlatMemoryPlace {
        process: u32, kind: AllocationKind, device: String, location: Option<LocationInfo>, count: u64,
        bytes: u64,
    }
    with process, kind, device, location; amount: Amount {
        count, bytes,
    }
);

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
