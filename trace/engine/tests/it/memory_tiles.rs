//! Tiles of memory, against their definition.

use std::collections::HashMap;

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::MemoryTile;
use syclscope_language::event::{Allocation, AllocationKind, Event, EventSink as _, Release, SourceLocation};
use syclscope_language::question::MemoryKey;
use syclscope_language::time::Timestamp;

/// Time, lifetime, address and size; no two blocks have the same address at the same time.
type Block = (u64, Option<u64>, u64, u64);

fn trace(blocks: &[Block]) -> Trace {
    trace_of(blocks, |_| AllocationKind::Device)
}

fn trace_of(blocks: &[Block], kind: impl Fn(usize) -> AllocationKind) -> Trace {
    let mut builder = TraceBuilder::new();
    for (row, (at, held, pointer, size_bytes)) in blocks.iter().enumerate() {
        builder.event(&Event::Allocation(Allocation {
            at: Timestamp(*at),
            pointer: *pointer,
            size_bytes: *size_bytes,
            kind: kind(row),
            guard_bytes: 0,
            device: "",
            tid: 1,
            location: SourceLocation::default(),
        }));
        if let Some(held) = held {
            let release = Release { at: Timestamp(at + held), pointer: *pointer, tid: 1 };
            builder.event(&Event::Release(release));
        }
    }
    builder.build()
}

/// Returns a tile by its definition, from a scan of every allocation.
fn by_scan(blocks: &[Block], end_ns: u64, key: MemoryKey) -> MemoryTile {
    by_scan_of(blocks, |_| true, end_ns, key)
}

fn by_scan_of(blocks: &[Block], own: impl Fn(usize) -> bool, end_ns: u64, key: MemoryKey) -> MemoryTile {
    let (from, to) = key.span_ns();
    let (lowest, highest) = key.span_bytes();
    let (bucket_ns, bucket_bytes) = (key.bucket_ns(), key.bucket_bytes());
    let mut tile = MemoryTile::default();
    let mut places = HashMap::new();
    for (row, (at, held, pointer, size)) in blocks.iter().enumerate() {
        let released = held.map(|held| at + held);
        let live = *at < to && (*at >= from || released.is_none_or(|released| released > from));
        let top = pointer + size.max(&1);
        if !own(row) || !live || *pointer >= highest || top <= lowest {
            continue;
        }
        let until = released.unwrap_or(end_ns);
        let alone = until - at >= bucket_ns && *size >= bucket_bytes;
        let place = (*at.max(&from) / bucket_ns, *pointer.max(&lowest) / bucket_bytes);
        let known = if alone { None } else { places.get(&place).copied() };
        let entry: usize = known.unwrap_or_else(|| {
            tile.allocation.push(row as u32);
            tile.at_ns.push(*at);
            tile.until_ns.push(0);
            tile.pointer.push(*pointer);
            tile.span_bytes.push(0);
            tile.count.push(0);
            tile.total_bytes.push(0);
            tile.count.len() - 1
        });
        if !alone {
            places.insert(place, entry);
        }
        let end = (tile.pointer[entry] + tile.span_bytes[entry]).max(top);
        tile.pointer[entry] = tile.pointer[entry].min(*pointer);
        tile.span_bytes[entry] = end - tile.pointer[entry];
        tile.until_ns[entry] = tile.until_ns[entry].max(until);
        tile.count[entry] += 1;
        tile.total_bytes[entry] += size;
    }
    tile
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn tiles_of_memory_are_those_of_a_scan(
        blocks in prop::collection::vec(
            (0..30_000_u64, prop::option::of(0..4_000_u64), 0..60_000_u64, prop_oneof![0..64_u64, 0..9_000_u64]),
            1..200,
        ),
        keys in prop::collection::vec((0..12_u8, 0..8_u64, 0..12_u8, 0..20_u64), 20),
    ) {
        let mut blocks: Vec<Block> = blocks
            .into_iter()
            .enumerate()
            // The last digits make addresses distinct.
            .map(|(row, (at, held, pointer, size))| (at, held, pointer * 1_000 + row as u64, size))
            .collect();
        blocks.sort_by_key(|(at, ..)| *at);
        let trace = trace(&blocks);
        let info = trace.info();
        let track = info.tracks.iter().find(|track| track.counter.is_some()).unwrap().id;
        for (level, index, address_level, address_index) in keys {
            let key = MemoryKey { track, level, index, address_level: address_level + 8, address_index };
            prop_assert_eq!(trace.memory_tile(key).unwrap(), by_scan(&blocks, info.duration_ns, key), "{:?}", key);
        }
        let key = MemoryKey { track: 99, level: 0, index: 0, address_level: 0, address_index: 0 };
        prop_assert_eq!(trace.memory_tile(key), Err(QueryError::NoTrack(99)));
    }
}

/// Returns many allocations, as of a real program: from pools whose slots are reused, some of them never released. If
/// `kept` is not 0, one of `kept` allocations is small and long-lived.
fn pools(seed: u64, count: u64, slots: u64, step: u64, sizes: u64, kept: u64) -> Vec<Block> {
    let mut random = seed;
    let mut below = |limit: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit.max(1)
    };
    let mut free = vec![Some(0); slots as usize];
    let mut now = 0;
    let mut blocks = Vec::new();
    while (blocks.len() as u64) < count {
        now += below(step);
        if kept > 0 && below(kept) == 0 {
            let held = (below(60) == 0).then(|| below(step * count));
            let (pointer, size) = (0x7f80_0000_0000 + blocks.len() as u64 * 512, below(600));
            blocks.push((now, held, pointer, size));
            continue;
        }
        let slot = below(slots);
        let Some(until) = free[slot as usize].filter(|until| *until <= now) else { continue };
        // Two heaps, far from each other.
        let heap = if slot % 8 == 7 { 0xffff_8000_0000_0000 } else { 0x7f00_0000_0000 };
        let held = match below(1_000) {
            0 if slot > 2 => None,
            1..400 => Some(below(20)),
            _ => Some(1 + below(step * slots)),
        };
        free[slot as usize] = held.map(|held| until.max(now) + held);
        blocks.push((now, held, heap + (slot << 20) + below(4096), below(sizes)));
    }
    blocks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn tiles_of_many_allocations_are_those_of_a_scan(
        seed in any::<u64>(),
        slots in prop_oneof![4 => 3..40_u64, 1 => 4_000..30_000_u64],
        step in 2..200_u64,
        sizes in prop_oneof![Just(64_u64), Just(8_192), Just(1 << 20), Just(1 << 24)],
        kept in 0..3_u64,
        tiles in prop::collection::vec((4..14_u32, 8..36_u32, any::<u64>(), any::<prop::sample::Index>()), 30),
    ) {
        let blocks = pools(seed, 9_000, slots, step, sizes, kept);
        // One kind has few allocations, so that these are merged on demand.
        let kind = |row: usize| if row.is_multiple_of(5) { AllocationKind::Shared } else { AllocationKind::Host };
        let trace = trace_of(&blocks, kind);
        let info = trace.info();
        for (name, wanted) in [("shared", AllocationKind::Shared), ("host", AllocationKind::Host)] {
            let mut tracks = info.tracks.iter().filter(|track| track.counter.is_some());
            let track = tracks.find(|track| track.name.to_lowercase().contains(name)).unwrap().id;
            for (level, address_level, moment, place) in &tiles {
                let (level, address_level) = (*level as u8, *address_level as u8);
                let (_, _, pointer, _) = blocks[place.index(blocks.len())];
                let index = moment % (info.duration_ns / (512 << level) + 1);
                let address_index = pointer / (256 << address_level) + moment % 2;
                let key = MemoryKey { track, level, index, address_level, address_index };
                let expected = by_scan_of(&blocks, |row| kind(row) == wanted, info.duration_ns, key);
                prop_assert_eq!(trace.memory_tile(key).unwrap(), expected, "{:?}", key);
            }
        }
    }
}
