//! Tiles, against their definition, at every level.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Category, CounterSample, Event, EventSink as _, Execution, NodeKind, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind,
};
use syclscope_language::question::{MAX_LEVEL, TILE_BUCKETS, TileKey, TileView};
use syclscope_language::time::Timestamp;

use crate::brute_force;

const NAMES: &[&str] = &["a", "b", "c", "d"];

/// Returns slices on a thread, executions on a queue and samples of a counter, in any order and overlap.
pub(crate) fn trace(slices: &[(u64, u64)], samples: &[(u64, u64)]) -> Trace {
    let mut builder = TraceBuilder::new();
    let track = Track { track: 1, parent: None, kind: TrackKind::Thread, name: "thread", tid: 1 };
    builder.event(&Event::Track(track));
    builder.event(&Event::Track(Track { track: 2, kind: TrackKind::Counter, name: "counter", ..track }));
    for (row, (start, duration)) in slices.iter().enumerate() {
        let (at, end) = (Timestamp(*start), Timestamp(start + duration));
        let name = NAMES[row % NAMES.len()];
        let (node, location, args) = (None, SourceLocation::default(), &[]);
        let category = Category::ALL[row % Category::ALL.len()];
        builder.event(&Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args }));
        builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: end, args: &[] }));
        builder.event(&Event::Execution(Execution {
            node: row as u64,
            queue: 1,
            kind: NodeKind::Kernel,
            name,
            queued: None,
            submitted: None,
            start: at,
            end,
            args: &[],
        }));
    }
    for (at, value) in samples {
        let sample = CounterSample { track: 2, at: Timestamp(*at), value: *value as f64 };
        builder.event(&Event::Counter(sample));
    }
    builder.build()
}

fn assert_tiles(trace: &Trace, samples: &[(u64, u64)], levels: impl Iterator<Item = u8>) {
    let info = trace.info();
    let details = brute_force::details(trace);
    let mut by_time: Vec<_> = samples.iter().map(|(at, value)| (*at, *value as f64)).collect();
    by_time.sort_by_key(|(at, _)| *at);
    for level in levels {
        let last = info.duration_ns / (TILE_BUCKETS << level);
        for index in [0, 1, 2, last / 2, last.saturating_sub(1), last, last + 1] {
            for track in &info.tracks {
                let key = TileKey { view: TileView::Timeline, track: track.id, level, index };
                if track.lanes > 0 {
                    let tile = trace.timeline_tile(key).unwrap();
                    assert_eq!(tile, brute_force::timeline_tile(&details, track, key), "{key}");
                    let key = TileKey { view: TileView::Density, ..key };
                    let tile = trace.density_tile(key).unwrap();
                    // After the maximum time, buckets have no bounds.
                    if key.span_ns().1 < 1 << 62 {
                        assert_eq!(tile, brute_force::density_tile(&details, track, key), "{key}");
                    }
                } else {
                    assert_eq!(trace.timeline_tile(key), Err(QueryError::NoTrack(track.id)));
                }
                if track.kind == TrackKind::Counter {
                    let tile = trace.counter_tile(key).unwrap();
                    assert_eq!(tile, brute_force::counter_tile(&by_time, key), "{key}");
                } else {
                    assert_eq!(trace.counter_tile(key), Err(QueryError::NoTrack(track.id)));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn tiles_are_those_of_a_scan(
        slices in prop::collection::vec((0..20_000_u64, prop_oneof![Just(0), 0..20_u64, 0..3_000_u64]), 0..300),
        samples in prop::collection::vec((0..20_000_u64, 0..9_u64), 0..300),
    ) {
        assert_tiles(&trace(&slices, &samples), &samples, 0..16);
    }

    #[test]
    fn tiles_of_long_traces_are_those_of_a_scan(
        slices in prop::collection::vec((0..1_u64 << 55, 0..1_u64 << 50), 0..60),
        levels in prop::collection::vec(0..=MAX_LEVEL, 6),
    ) {
        assert_tiles(&trace(&slices, &[]), &[], levels.into_iter());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Long lanes are merged in advance, at levels that depend on the density of their slices.
    #[test]
    fn tiles_of_long_lanes_are_those_of_a_scan(
        bursts in prop::collection::vec(
            (prop_oneof![0..200_u64, 0..1_u64 << 20, 0..1_u64 << 40], 1..400_usize, 1..60_u64, 0..60_u64),
            4..24,
        ),
        levels in prop::collection::vec(0..44_u8, 8),
    ) {
        let mut slices = Vec::new();
        let mut at = 0;
        for (gap, count, duration, between) in bursts {
            at += gap;
            for number in 0..count {
                let long = if number % 97 == 96 { duration << 12 } else { duration };
                slices.push((at, long));
                at += long + between;
            }
        }
        assert_tiles(&trace(&slices, &[]), &[], levels.into_iter());
    }
}

#[test]
fn dense_lanes_are_merged_and_long_slices_stand_alone() {
    // A hundred slices of 3 ns in one bucket of 1024 ns, then one that is longer than a bucket.
    let mut slices: Vec<_> = (0..100).map(|row| (row * 10, 3)).collect();
    slices.push((1_010, 5_000));
    let trace = trace(&slices, &[]);
    let thread = trace.info().tracks.iter().find(|track| track.kind == TrackKind::Thread).unwrap().id;
    let key = TileKey { view: TileView::Timeline, track: thread, level: 10, index: 0 };
    let lane = &trace.timeline_tile(key).unwrap().lanes[0];
    assert_eq!(lane.count, [100, 1]);
    assert_eq!(lane.total_ns, [300, 5_000]);
    assert_eq!(lane.start_ns, [0, 1_010], "the first of equally long ones stands for all");
    assert_eq!(lane.duration_ns, [3, 5_000]);
    // The long slice reaches into every tile that it covers.
    let key = TileKey { level: 0, index: 3, ..key };
    assert_eq!(trace.timeline_tile(key).unwrap().lanes[0].start_ns, [1_010]);
}
