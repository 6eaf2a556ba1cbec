//! A million allocations in patterns of real programs, and tiles of them; shared by the benchmarks, native and wasm.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{Allocation, AllocationKind, Event, EventSink as _, Release, SourceLocation};
use syclscope_language::question::{MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey, Question, TILE_BUCKETS};
use syclscope_language::time::Timestamp;

use crate::large::Random;

/// Pattern of memory use.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// Blocks are released soon, and their addresses are used again.
    Reused,
    /// Half of all blocks are small and live until the end.
    Kept,
}

impl Use {
    /// All patterns with their names.
    pub const ALL: [(Self, &str); 2] = [(Self::Reused, "reused"), (Self::Kept, "half of it kept")];
}

/// Number of addresses of blocks that are released.
const PLACES: u64 = 4096;
/// Distance of two addresses in bytes.
const PLACE_BYTES: u64 = 1 << 18;

/// Returns a trace with `allocations` allocations.
pub fn trace(allocations: u64, usage: Use) -> Trace {
    let mut builder = TraceBuilder::new();
    let mut random = Random(11);
    let mut allocate = |at: u64, pointer: u64, size_bytes: u64| {
        builder.event(&Event::Release(Release { at: Timestamp(at), pointer, tid: 1 }));
        builder.event(&Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer,
            size_bytes,
            kind: AllocationKind::Device,
            device: "a device",
            tid: 1,
            location: SourceLocation::default(),
            guard_bytes: 0,
        }));
    };
    let mut at = 0;
    for number in 0..allocations {
        at += random.below(2_000);
        let is_kept = matches!(usage, Use::Kept) && number % 2 == 0;
        if is_kept {
            allocate(at, 0x7f80_0000_0000 + number * 512, 64 + random.below(900));
        } else {
            let place = 0x7f00_0000_0000 + random.below(PLACES) * PLACE_BYTES;
            allocate(at, place, 64 << random.below(13));
        }
    }
    builder.event(&Event::Finish { at: Timestamp(at) });
    builder.build()
}

/// Returns a random tile that shows `1 / 2^zoom` of the run and `1 / 2^address_zoom` of the addresses.
pub fn picture(trace: &Trace, usage: Use, zoom: u32, address_zoom: u32, random: &mut Random) -> MemoryKey {
    let info = trace.info();
    let track = info.tracks.iter().find(|track| track.counter.is_some()).map_or(0, |track| track.id);
    let span = info.duration_ns >> zoom;
    let bytes = (PLACES * PLACE_BYTES) >> address_zoom;
    let level = (span / TILE_BUCKETS).next_power_of_two().ilog2() as u8;
    let address_level = (bytes / MEMORY_ROWS).next_power_of_two().ilog2() as u8;
    let base = match usage {
        Use::Kept if random.below(2) == 0 => 0x7f80_0000_0000,
        Use::Kept | Use::Reused => 0x7f00_0000_0000,
    };
    let (moment, address) = (random.below(info.duration_ns), base + random.below(PLACES * PLACE_BYTES));
    MemoryKey {
        track,
        level,
        index: moment / (MEMORY_BUCKETS << level),
        address_level,
        address_index: address / (MEMORY_ROWS << address_level),
    }
}

/// Requests a tile and returns the number of allocations that it shows.
pub fn ask(trace: &Trace, key: MemoryKey) -> usize {
    trace.memory_tile(key).map_or(0, |tile| tile.allocation.len())
}

/// Queries of a view of memory, in its order.
pub const QUESTIONS: &[&str] = &[
    "memory_use?points=1000",
    "memory_use?from=100000000&to=200000000&points=1000",
    "memory_at?at=500000000&limit=1000",
    "memory_at?at=300000000&to=700000000&merge=1048576&limit=1000",
    "allocations?sort=-size",
    "objects?sort=-size",
    "objects?problems=unreleased.unused&sort=-lifetime",
    "objects/500000",
    "transfers",
    "leaks",
];

/// Runs a query and returns the length of its answer in bytes.
pub fn answer(trace: &Trace, question: &str) -> usize {
    let question: Question = question.parse().expect("a good question");
    trace.answer(&question).map_or(0, |answer| answer.len())
}
