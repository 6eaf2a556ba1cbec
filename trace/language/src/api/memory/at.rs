//! The memory at a moment, and what differs from one moment to another.

use serde::{Deserialize, Serialize};

use super::{Amount, MemoryPlace};
use crate::api::LocationInfo;
use crate::event::AllocationKind;

/// The memory that is live at a moment; with a second one, what differs between the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryAt {
    /// The moment.
    pub at_ns: u64,
    /// The second moment, if one was asked for.
    pub to_ns: Option<u64>,
    /// Memory live at the (first) time.
    pub live: Amount,
    /// Memory of one process, kind and device each.
    pub spaces: Vec<MemorySpace>,
    /// Blocks by space and address: a part of them.
    pub blocks: Vec<MemoryBlock>,
    /// Blocks before these.
    pub offset: u64,
    /// Blocks in all (after merging).
    pub total: u64,
    /// Places that blocks refer to.
    pub locations: Vec<LocationInfo>,
    /// Memory live at the (first) time by place, most bytes first; the first ones if there are many.
    pub places: Vec<MemoryPlace>,
    /// Places beyond those listed.
    pub more_places: u64,
    /// Differences at the second time.
    pub change: Option<MemoryChange>,
}

/// Live memory of one process, kind and device. Sizes are those that were requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemorySpace {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if it belongs to none or it is not known.
    pub device: String,
    /// Whether its blocks lie at their addresses. Those of buffers and images are handles, which say nothing about where
    /// the memory is: gaps between them mean nothing, so there are no regions.
    pub has_addresses: bool,
    /// Live memory.
    pub live: Amount,
    /// Lowest address.
    pub lowest: u64,
    /// Behind the highest address.
    pub highest: u64,
    /// Stretches of addresses without a gap of more than 64 MiB between blocks, by address; the first hundred.
    pub regions: Vec<MemoryRegion>,
    /// Regions beyond those listed.
    pub more_regions: u64,
    /// Bytes of all gaps between blocks within regions.
    pub gap_bytes: u64,
    /// The largest gap within a region.
    pub largest_gap_bytes: u64,
    /// Where that begins; 0 without gaps.
    pub largest_gap_at: u64,
    /// Bytes of blocks for each byte of the regions, from 0 to 1; 0 without regions. Blocks that overlap count once.
    pub utilisation: f64,
}

/// A stretch of addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryRegion {
    /// First address.
    pub pointer: u64,
    /// Bytes to the end of the last block.
    pub span_bytes: u64,
    /// Blocks in it.
    pub live: Amount,
    /// Gaps between blocks.
    pub gaps: u64,
    /// Bytes of all gaps.
    pub gap_bytes: u64,
    /// The largest gap.
    pub largest_gap_bytes: u64,
}

/// A block of memory, or several neighbours that are too small to be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBlock {
    /// Row of the allocation, as in [`MemoryTile`](crate::api::MemoryTile); the first by address of several.
    pub allocation: u32,
    /// Its space, an index into [`MemoryAt::spaces`].
    pub space: u32,
    /// First address.
    pub pointer: u64,
    /// Bytes from there to the end of the last of them.
    pub span_bytes: u64,
    /// Allocations that it stands for.
    pub count: u32,
    /// Bytes of all of them.
    pub bytes: u64,
    /// When it was made, the first of several.
    pub at_ns: u64,
    /// When it is released, the last of several; `None` if one of them never is.
    pub released_ns: Option<u64>,
    /// Place in the source code, an index into [`MemoryAt::locations`], if it is known and all have the same.
    pub location: Option<u32>,
    /// Its id in `objects`; that of the buffer or image whose memory it is. That of the first of several.
    pub object: u32,
    /// With a second moment: bytes that are there at both.
    #[serde(default)]
    pub kept_bytes: u64,
    /// With a second moment: bytes that are only there at the second.
    #[serde(default)]
    pub allocated_bytes: u64,
    /// With a second moment: bytes that are only there at the first.
    #[serde(default)]
    pub released_bytes: u64,
}

/// Differences between two times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryChange {
    /// Live at both.
    pub kept: Amount,
    /// Live at the second only.
    pub allocated: Amount,
    /// Live at the first only.
    pub released: Amount,
    /// Made and released between the two.
    pub passed: Amount,
    /// The same by place, largest change in bytes first; the first ones if there are many.
    pub places: Vec<PlaceChange>,
    /// Places beyond those listed.
    pub more_places: u64,
}

/// Differences of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceChange {
    /// Its process.
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device.
    pub device: String,
    /// Source code that allocated it.
    pub location: Option<LocationInfo>,
    /// Live at both moments.
    pub kept: Amount,
    /// Live at the second only.
    pub allocated: Amount,
    /// Live at the first only.
    pub released: Amount,
    /// Made and released between the two.
    pub passed: Amount,
}
