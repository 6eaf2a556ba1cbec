//! Live memory at a moment, and the differences between two moments.

use serde::{Deserialize, Serialize};

use super::{Amount, MemoryPlace};
use crate::api::LocationInfo;
use crate::event::AllocationKind;

/// Live memory at a moment; with a second moment, the differences between the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryAt {
    /// The requested moment, in nanoseconds.
    pub at_ns: u64,
    /// The second moment, if requested.
    pub to_ns: Option<u64>,
    /// Memory live at the (first) moment.
    pub live: Amount,
    /// Memory by process, kind and device.
    pub spaces: Vec<MemorySpace>,
    /// A page of blocks, sorted by space and address.
    pub blocks: Vec<MemoryBlock>,
    /// Number of blocks before this page.
    pub offset: u64,
    /// Total number of blocks (after merging).
    pub total: u64,
    /// Source locations referred to by blocks.
    pub locations: Vec<LocationInfo>,
    /// Memory live at the (first) moment by source location, most bytes first; the first ones if there are many.
    pub places: Vec<MemoryPlace>,
    /// Number of source locations that are not listed.
    pub more_places: u64,
    /// Differences at the second moment.
    pub change: Option<MemoryChange>,
}

/// Live memory of one process, kind and device. Sizes are the requested ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemorySpace {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if there is none or it is unknown.
    pub device: String,
    /// True if its blocks are at their addresses. For buffers and images, handles replace addresses: gaps between them
    /// are meaningless, so there are no regions.
    pub has_addresses: bool,
    /// Live memory.
    pub live: Amount,
    /// Lowest address.
    pub lowest: u64,
    /// End of the highest address.
    pub highest: u64,
    /// Ranges of addresses without a gap of more than 64 MiB between blocks, by address; the first hundred.
    pub regions: Vec<MemoryRegion>,
    /// Number of regions that are not listed.
    pub more_regions: u64,
    /// Total size of the gaps between blocks within regions.
    pub gap_bytes: u64,
    /// The largest gap within a region.
    pub largest_gap_bytes: u64,
    /// Its address; 0 without gaps.
    pub largest_gap_at: u64,
    /// Share of the regions' bytes that blocks cover, from 0 to 1; 0 without regions. Overlaps count once.
    pub utilisation: f64,
}

/// A range of addresses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryRegion {
    /// First address.
    pub pointer: u64,
    /// Bytes to the end of the last block.
    pub span_bytes: u64,
    /// Blocks in it.
    pub live: Amount,
    /// Number of gaps between blocks.
    pub gaps: u64,
    /// Total size of the gaps.
    pub gap_bytes: u64,
    /// The largest gap.
    pub largest_gap_bytes: u64,
}

/// A block of memory, or several neighbours that are too small to be visible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBlock {
    /// Row of the allocation, as in [`MemoryTile`](crate::api::MemoryTile); the first one by address if there are
    /// several.
    pub allocation: u32,
    /// Its space, an index into [`MemoryAt::spaces`].
    pub space: u32,
    /// First address.
    pub pointer: u64,
    /// Bytes from `pointer` to the last end address.
    pub span_bytes: u64,
    /// Number of allocations that it represents.
    pub count: u32,
    /// Their total size.
    pub bytes: u64,
    /// Time of the first allocation.
    pub at_ns: u64,
    /// Time of the last release; `None` if one is never released.
    pub released_ns: Option<u64>,
    /// Source location, an index into [`MemoryAt::locations`], if known and common to all.
    pub location: Option<u32>,
    /// Id in `objects` of the buffer or image it belongs to, or else its own; of several, the first.
    pub object: u32,
    /// With a second moment: bytes live at both.
    #[serde(default)]
    pub kept_bytes: u64,
    /// With a second moment: bytes live only at the second.
    #[serde(default)]
    pub allocated_bytes: u64,
    /// With a second moment: bytes live only at the first.
    #[serde(default)]
    pub released_bytes: u64,
}

/// Differences between two moments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryChange {
    /// Live at both.
    pub kept: Amount,
    /// Live at the second only.
    pub allocated: Amount,
    /// Live at the first only.
    pub released: Amount,
    /// Allocated and released between the two.
    pub passed: Amount,
    /// The differences by source location, largest change in bytes first; the first ones if there are many.
    pub places: Vec<PlaceChange>,
    /// Number of source locations that are not listed.
    pub more_places: u64,
}

/// Differences of one source location.
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
    /// Allocated and released between the two.
    pub passed: Amount,
}
