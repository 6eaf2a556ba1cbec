//! Tiles of memory are what their definition says.

use std::collections::HashMap;

use proptest::prelude::*;
use syclscope_trace::api::MemoryTile;
use syclscope_trace::builder::TraceBuilder;
use syclscope_trace::event::{Allocation, AllocationKind, Event, EventSink as _, Release, SourceLocation};
use syclscope_trace::source::{MemoryKey, QueryError, TraceSource as _};
use syclscope_trace::store::Trace;
use syclscope_trace::time::Timestamp;

/// When, for how long, where and how large; no two have the same address.
type Block = (u64, Option<u64>, u64, u64);

fn trace(blocks: &[Block]) -> Trace {
    let mut builder = TraceBuilder::new();
    for (at, held, pointer, size_bytes) in blocks {
        builder.event(&Event::Allocation(Allocation {
            at: Timestamp(*at),
            pointer: *pointer,
            size_bytes: *size_bytes,
            kind: AllocationKind::Device,
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

/// A tile by its definition: look at every allocation.
fn by_scan(blocks: &[Block], end_ns: u64, key: MemoryKey) -> MemoryTile {
    let (from, to) = key.time().span_ns();
    let (lowest, highest) = key.span_bytes();
    let (bucket_ns, bucket_bytes) = (key.time().bucket_ns(), key.bucket_bytes());
    let mut tile = MemoryTile::default();
    let mut places = HashMap::new();
    for (row, (at, held, pointer, size)) in blocks.iter().enumerate() {
        let released = held.map(|held| at + held);
        let live = *at < to && (*at >= from || released.is_none_or(|released| released > from));
        let top = pointer + size.max(&1);
        if !live || *pointer >= highest || top <= lowest {
            continue;
        }
        let until = released.unwrap_or(end_ns);
        let alone = until - at >= bucket_ns && *size >= bucket_bytes;
        let place = (at / bucket_ns, pointer / bucket_bytes);
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
