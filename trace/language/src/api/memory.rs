//! Memory: usage, live allocations, the objects of a program, transfers between host and device, and leaks.

mod at;
mod leaks;
mod list;
mod objects;
mod transfers;
mod usage;

use serde::{Deserialize, Serialize};

pub use at::{MemoryAt, MemoryBlock, MemoryChange, MemoryRegion, MemorySpace, PlaceChange};
pub use leaks::{Growth, LeakPlace, Leaks, Misuse, MisuseKind};
pub use list::{AllocationItem, AllocationList};
pub use objects::{
    AccessorCount, NativeMemory, ObjectEvent, ObjectEventKind, ObjectHistory, ObjectItem, ObjectList,
    ObjectProblem, ObjectWhat, Placement, Side,
};
pub use transfers::{Need, Transfer, TransferCause, TransferCauseKind, TransferList, TransferSums};
pub use usage::{FreeMemory, MemoryPeak, MemorySeries, MemoryUse};

use super::LocationInfo;
use super::flat::read_flat;
use crate::event::AllocationKind;

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
