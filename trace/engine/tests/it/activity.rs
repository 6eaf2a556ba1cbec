//! Counters derived from the commands, against a count at each moment.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ActivityCounter, ActivityKind};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, EventSink as _, Execution, Node, NodeKind, Queue,
    QueueOrder, Release, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::{TILE_BUCKETS, TileKey, TileView};
use syclscope_language::time::Timestamp;

use crate::brute_force;

/// A command: its queue, the time of its submission, the time from then to its start, its duration, true for a copy.
type Command = (u64, u64, u64, u64, bool);

const SUBMISSION_NS: u64 = 3;

fn bytes(command: &Command) -> u64 {
    command.1 + 1
}

fn trace(commands: &[Command]) -> Trace {
    let mut builder = TraceBuilder::new();
    let (location, args) = (SourceLocation::default(), &[][..]);
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "t",
        tid: 5,
    }));
    for queue in 1..=2 {
        builder.event(&Event::Queue(Queue {
            queue,
            at: Timestamp(0),
            runtime_id: 0,
            handle: queue,
            order: QueueOrder::OutOfOrder,
            device: "gpu",
            device_type: "GPU",
            device_handle: 1,
            context: 1,
        }));
    }
    let mut calls: Vec<(u64, usize)> =
        commands.iter().zip(0..).map(|(command, node)| (command.1, node)).collect();
    calls.sort_unstable();
    // Consecutive calls, each on a thread of its own, so that no call encloses another.
    for (at, node) in calls {
        let (queue, _, delay, duration, is_copy) = commands[node];
        let track = 10 + node as u64;
        let name = if is_copy { "urEnqueueMemBufferRead" } else { "urEnqueueKernelLaunch" };
        let kind = if is_copy { NodeKind::Copy } else { NodeKind::Kernel };
        let tid = node as u32;
        builder.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name: "t", tid }));
        let (number, at) = (node as u64 + 1, Timestamp(at));
        let (queue_of, node) = (Some(queue), Some(number));
        builder.event(&Event::Node(Node {
            node: number,
            at,
            kind,
            name,
            queue: queue_of,
            tid,
            location,
            args,
        }));
        for (category, name) in [(Category::Submission, "submit"), (Category::Call, name)] {
            builder.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        }
        for _ in 0..2 {
            builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at.0 + SUBMISSION_NS), args }));
        }
        let start = at.0 + delay;
        builder.event(&Event::Execution(Execution {
            node: number,
            queue,
            kind,
            name,
            queued: None,
            submitted: None,
            start: Timestamp(start),
            end: Timestamp(start + duration),
            args: &[("bytes", Value::Uint(bytes(&commands[number as usize - 1])))],
        }));
    }
    builder.build()
}

/// Returns the value of a counter at a moment, by a scan of every command.
fn value(counter: &ActivityCounter, queue: Option<u64>, commands: &[Command], at: u64) -> f64 {
    let values = commands.iter().map(|command| {
        let (of, submitted, delay, duration, is_copy) = *command;
        let (start, end) = (submitted + delay, submitted + delay + duration);
        let from = (submitted + SUBMISSION_NS).min(start);
        match counter.kind {
            ActivityKind::QueueDepth => f64::from(queue == Some(of) && (from..end).contains(&at)),
            ActivityKind::KernelsInFlight => f64::from(!is_copy && (start..end).contains(&at)),
            ActivityKind::TransferRate if is_copy && (start..end).contains(&at) => {
                bytes(command) as f64 / duration as f64
            }
            ActivityKind::TransferRate | ActivityKind::Memory => 0.0,
        }
    });
    values.sum()
}

/// True if the values are equal, except for rounding that depends on the order of a sum.
fn is_near(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6)
}

fn assert_counters(commands: &[Command]) {
    let trace = trace(commands);
    let names: Vec<String> = trace.activity().iter().map(|counter| counter.name.clone()).collect();
    for (track, counter) in (0..).zip(trace.activity()) {
        let tracks = trace.info().tracks;
        let name = &tracks[counter.track as usize].name;
        let queue = name.strip_prefix("queue ").and_then(|name| name[..1].parse().ok());
        let end = commands.iter().map(|(_, at, delay, duration, _)| at + delay + duration).max().unwrap();
        let mut samples: Vec<(u64, f64)> = Vec::new();
        for at in 0..=end {
            let value = value(counter, queue, commands, at);
            if (samples.last().map_or(0.0, |(_, last)| *last) - value).abs() > 1e-9 {
                samples.push((at, value));
            }
        }
        let max = samples.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        assert!((counter.max - max).abs() < 1e-6, "{names:?}: {track}");
        for level in [0, 1, 3, 6, 20] {
            for index in 0..=(end / (TILE_BUCKETS << level)) + 1 {
                let key = TileKey { view: TileView::Activity, track, level, index };
                let (tile, expected) =
                    (trace.activity_tile(key).unwrap(), brute_force::counter_tile(&samples, key));
                assert_eq!(tile.at_ns, expected.at_ns, "{key} {names:?}");
                assert!((tile.before - expected.before).abs() < 1e-6, "{key}");
                assert!(is_near(&tile.min, &expected.min) && is_near(&tile.max, &expected.max), "{key}");
                assert!(is_near(&tile.last, &expected.last) && is_near(&tile.mean, &expected.mean), "{key}");
            }
        }
    }
    let beyond = TileKey { view: TileView::Activity, track: names.len() as u32, level: 0, index: 0 };
    assert_eq!(trace.activity_tile(beyond), Err(QueryError::NoTrack(beyond.track)));
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    prop::collection::vec((1..=2_u64, 0..900_u64, 0..200_u64, 0..300_u64, any::<bool>()), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn activity_is_what_a_count_moment_by_moment_gives(commands in commands()) {
        assert_counters(&commands);
    }
}

#[test]
fn a_small_run_can_be_reckoned_by_hand() {
    // Two kernels that overlap on two queues, then a copy of 51 bytes in 10 ns.
    let trace = trace(&[(1, 0, 10, 20, false), (2, 0, 15, 20, false), (1, 50, 10, 10, true)]);
    let found: Vec<_> = trace
        .activity()
        .iter()
        .map(|counter| (counter.kind, counter.name.as_str(), counter.unit.as_str(), counter.max))
        .collect();
    assert_eq!(
        found,
        [
            (ActivityKind::QueueDepth, "queue depth", "", 1.0),
            (ActivityKind::QueueDepth, "queue depth", "", 1.0),
            (ActivityKind::KernelsInFlight, "kernels in flight", "", 2.0),
            (ActivityKind::TransferRate, "transfers: device → host", "GB/s", 5.1),
        ]
    );
    let tile =
        |track| trace.activity_tile(TileKey { view: TileView::Activity, track, level: 0, index: 0 }).unwrap();
    assert_eq!((tile(0).at_ns, tile(0).last), (vec![3, 30, 53, 70], vec![1.0, 0.0, 1.0, 0.0]));
    assert_eq!((tile(2).at_ns, tile(2).last), (vec![10, 15, 30, 35], vec![1.0, 2.0, 1.0, 0.0]));
    assert_eq!((tile(3).at_ns, tile(3).last), (vec![60, 70], vec![5.1, 0.0]));
}

#[test]
fn memory_is_told_by_device_where_there_are_several() {
    let allocate = |devices: &[&str]| {
        let mut builder = TraceBuilder::new();
        for (number, device) in (1..).zip(["gpu 0", "gpu 1"]) {
            builder.event(&Event::Queue(Queue {
                queue: number,
                at: Timestamp(0),
                runtime_id: 0,
                handle: number,
                order: QueueOrder::InOrder,
                device,
                device_type: "GPU",
                device_handle: number,
                context: 1,
            }));
        }
        for (number, device) in (1..).zip(devices) {
            builder.event(&Event::Allocation(Allocation {
                at: Timestamp(number * 10),
                pointer: number << 20,
                size_bytes: number * 100,
                guard_bytes: 0,
                kind: AllocationKind::Device,
                device,
                tid: 1,
                location: SourceLocation::default(),
            }));
        }
        builder.event(&Event::Release(Release { at: Timestamp(90), pointer: 1 << 20, tid: 1 }));
        builder.build()
    };
    assert!(allocate(&["gpu 0", "gpu 0"]).activity().is_empty());
    let trace = allocate(&["gpu 0", "gpu 1", "gpu 1"]);
    let found: Vec<_> =
        trace.activity().iter().map(|counter| (counter.kind, counter.track, counter.max)).collect();
    assert_eq!(found, [(ActivityKind::Memory, 0, 100.0), (ActivityKind::Memory, 2, 500.0)]);
    let key = TileKey { view: TileView::Activity, track: 0, level: 0, index: 0 };
    let tile = trace.activity_tile(key).unwrap();
    assert_eq!((tile.at_ns, tile.last), (vec![10, 90], vec![100.0, 0.0]));
}
