//! Measures import, memory and tile queries on a generated recording; one JSON line a figure.
//!
//! `cargo xtask bench import` runs it. Every baseline is measured in the same run: the time to touch every byte
//! of the file, a walk over the fields of its packets, its values as a tree, and tiles by a scan over the lane.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant as Clock;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use syclscope_trace::event::{
    Category, Edge, EdgeReason, Event, EventSink, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_trace::export::{Exporter, chrome_json, perfetto};
use syclscope_trace::import::{self, TraceImporter};
use syclscope_trace::source::{TILE_BUCKETS, TileKey, TileView, TraceSource as _};
use syclscope_trace::store::Trace;
use syclscope_trace::time::Timestamp;

/// Commands in the recording; each is a submission, three calls and an execution.
const COMMANDS: u64 = 200_000;
/// Slices in the recording.
const SLICES: u64 = COMMANDS * 5;
/// How often a measurement is taken; the fastest counts.
const RUNS: usize = 5;

fn main() {
    let packets = write::<perfetto::Writer>();
    let json = write::<chrome_json::Writer>();
    let trace = measure_import("perfetto", &packets, 150.0, "a varint walk", varint_walk);
    measure_import("chrome json", &json, 200.0, "serde_json::Value", parse_values);
    measure_compressed(&json);
    measure_writing();
    let per_slice = trace.memory_bytes() as f64 / SLICES as f64;
    figure("memory of a slice", per_slice, "bytes", None, 100.0, "lower");
    figure("file of a slice, perfetto", packets.len() as f64 / SLICES as f64, "bytes", None, 150.0, "lower");
    measure_tiles(&trace);
}

/// Prints a figure. A ratio above 1 is better than the baseline.
fn figure(name: &str, value: f64, unit: &str, baseline: Option<f64>, goal: f64, better: &str) {
    let holds = if better == "lower" { value <= goal } else { value >= goal };
    let ratio = baseline.map(|baseline| if better == "lower" { baseline / value } else { value / baseline });
    let line = json!({
        "name": name, "value": value, "unit": unit, "baseline": baseline, "ratio": ratio, "goal": goal,
        "holds": holds, "better": better,
    });
    println!("{line}");
}

/// The fastest of several runs, in seconds, and what it gave.
fn fastest<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut best: Option<(f64, T)> = None;
    for _ in 0..RUNS {
        let start = Clock::now();
        let result = black_box(run());
        let seconds = start.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|(fastest, _)| seconds < *fastest) {
            best = Some((seconds, result));
        }
    }
    best.expect("there is at least one run")
}

fn measure_import(
    format: &str,
    bytes: &[u8],
    goal: f64,
    baseline_name: &str,
    baseline: fn(&[u8]) -> u64,
) -> Trace {
    let megabytes = bytes.len() as f64 / 1e6;
    let (bare, _) = fastest(|| touch_every_byte(bytes));
    let (compared, _) = fastest(|| baseline(bytes));
    figure(
        &format!("{baseline_name} over the same bytes"),
        megabytes / compared,
        "MB/s",
        None,
        0.0,
        "higher",
    );
    let (seconds, trace) = fastest(|| import::open(bytes).expect("our own file opens"));
    assert_eq!(trace.info().counts.slices, SLICES);
    assert!(trace.info().diagnostics.is_empty(), "{:?}", trace.info().diagnostics);
    let compared = Some(megabytes / compared);
    figure(&format!("import {format}"), megabytes / seconds, "MB/s", compared, goal, "higher");
    let touched = Some(megabytes / bare);
    figure(
        &format!("import {format}, to touching every byte"),
        megabytes / seconds,
        "MB/s",
        touched,
        goal,
        "higher",
    );
    let mut events = Counting(0);
    import::read(bytes, &mut events).expect("our own file opens");
    figure(&format!("import {format}"), events.0 as f64 / seconds / 1e6, "M events/s", None, 1.0, "higher");
    let (reading, _) = fastest(|| import::read(bytes, &mut Counting(0)).expect("our own file opens"));
    figure(&format!("read {format}, without a store"), megabytes / reading, "MB/s", None, goal, "higher");
    // As a browser gives a file: in pieces.
    let (in_pieces, _) = fastest(|| open_in_pieces(bytes));
    figure(
        &format!("import {format} in pieces of 1 MiB"),
        megabytes / in_pieces,
        "MB/s",
        None,
        goal,
        "higher",
    );
    peak_memory(format, bytes, &trace);
    trace
}

/// Counts events.
struct Counting(u64);

impl EventSink for Counting {
    fn event(&mut self, _event: &Event<'_>) {
        self.0 += 1;
    }
}

fn open_in_pieces(bytes: &[u8]) -> Trace {
    let mut importer = TraceImporter::new();
    for piece in bytes.chunks(1 << 20) {
        importer.feed(piece).expect("our own file opens");
    }
    importer.finish().expect("our own file opens")
}

/// The most memory that an import takes beside the file's bytes, against the tables that it makes.
fn peak_memory(format: &str, bytes: &[u8], trace: &Trace) {
    let before = status_bytes("VmRSS");
    // Makes the kernel forget the peak so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    drop(open_in_pieces(bytes));
    let peak = status_bytes("VmHWM").saturating_sub(before) as f64;
    let tables = trace.memory_bytes() as f64;
    figure(&format!("peak of import {format}, to its tables"), peak / tables, "times", None, 3.0, "lower");
}

fn status_bytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

fn measure_compressed(json: &[u8]) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(json).expect("memory takes it");
    let packed = encoder.finish().expect("memory takes it");
    let (seconds, _) = fastest(|| import::open(&packed).expect("our own file opens"));
    let megabytes = json.len() as f64 / 1e6;
    figure("import chrome json out of gzip", megabytes / seconds, "MB/s", None, 100.0, "higher");
}

fn measure_writing() {
    let (seconds, bytes) = fastest(write::<perfetto::Writer>);
    figure("write perfetto", bytes.len() as f64 / 1e6 / seconds, "MB/s", None, 100.0, "higher");
    let (seconds, bytes) = fastest(write::<chrome_json::Writer>);
    figure("write chrome json", bytes.len() as f64 / 1e6 / seconds, "MB/s", None, 100.0, "higher");
}

/// Tiles at random places and all levels, against a scan of the same lanes.
fn measure_tiles(trace: &Trace) {
    let info = trace.info();
    let tracks: Vec<_> = info.tracks.iter().filter(|track| track.lanes > 0).collect();
    let levels = 10..=(info.duration_ns / TILE_BUCKETS).ilog2() as u8 + 1;
    let mut keys = Vec::new();
    let mut random = 42_u64;
    for level in levels.clone() {
        for _ in 0..200 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let tiles = info.duration_ns / (TILE_BUCKETS << level) + 1;
            let track = tracks[(random >> 32) as usize % tracks.len()].id;
            keys.push(TileKey { view: TileView::Timeline, track, level, index: (random >> 40) % tiles });
        }
    }
    let mut times: Vec<_> = keys
        .iter()
        .map(|key| fastest(|| trace.timeline_tile(*key).expect("the track exists").lanes.len()).0 * 1e6)
        .collect();
    times.sort_by(f64::total_cmp);
    let lanes = Lanes::new(trace);
    let mut scans: Vec<_> =
        keys.iter().step_by(40).map(|key| fastest(|| lanes.scan(*key).len()).0 * 1e6).collect();
    scans.sort_by(f64::total_cmp);
    let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
    figure("tile, median", at(&times, 0.5), "µs", Some(at(&scans, 0.5)), 500.0, "lower");
    figure("tile, 99 of 100", at(&times, 0.99), "µs", Some(at(&scans, 0.99)), 2000.0, "lower");
    let coarsest = *levels.end();
    let key =
        TileKey { view: TileView::Timeline, track: tracks[tracks.len() - 1].id, level: coarsest, index: 0 };
    let (whole, _) = fastest(|| trace.timeline_tile(key).expect("the track exists").lanes.len());
    let (scan, _) = fastest(|| lanes.scan(key).len());
    figure("tile of a whole thread", whole * 1e6, "µs", Some(scan * 1e6), 2000.0, "lower");
    let (text, _) =
        fastest(|| serde_json::to_vec(&trace.timeline_tile(key).expect("the track exists")).map(|t| t.len()));
    figure("tile of a whole thread as JSON", text * 1e6, "µs", None, 5000.0, "lower");
    let (seconds, _) =
        fastest(|| (0..SLICES as u32).step_by(1000).filter(|s| trace.slice(*s).is_ok()).count());
    figure("details of a slice", seconds * 1e6 / (SLICES / 1000) as f64, "µs", None, 100.0, "lower");
}

/// Start and duration of every slice by track, for the scan.
struct Lanes(Vec<Vec<(u64, u64)>>);

impl Lanes {
    fn new(trace: &Trace) -> Self {
        let mut lanes = vec![Vec::new(); trace.info().tracks.len()];
        for slice in 0..SLICES as u32 {
            let at = trace.slice(slice).expect("the slice exists").at;
            lanes[at.track as usize].push((at.start_ns, at.duration_ns));
        }
        Self(lanes)
    }

    /// Longest duration a bucket, by looking at every slice of the track.
    fn scan(&self, key: TileKey) -> Vec<u64> {
        let (from, to) = key.span_ns();
        let mut buckets = vec![0; TILE_BUCKETS as usize];
        for (start, duration) in &self.0[key.track as usize] {
            if (from..to).contains(start) {
                let bucket = &mut buckets[((start - from) / key.bucket_ns()) as usize];
                *bucket = (*bucket).max(*duration);
            }
        }
        buckets
    }
}

fn write<W: Exporter + Default>() -> Vec<u8> {
    let mut writer = W::default();
    let mut bytes = Vec::new();
    record(&mut |event| {
        writer.event(event);
        if writer.buffered_bytes() > 1 << 16 {
            writer.drain_into(&mut bytes);
        }
    });
    writer.finish();
    writer.drain_into(&mut bytes);
    bytes
}

/// A recording like a real one: two threads submit kernels and copies to four queues, with three calls each.
fn record(take: &mut dyn FnMut(&Event<'_>)) {
    let process = Process { pid: 1, name: "bench", recorder: "bench", ..Process::default() };
    take(&Event::Process(process));
    let group = Track { track: 1, parent: None, kind: TrackKind::Process, name: "bench", tid: 0 };
    take(&Event::Track(group));
    for thread in [2, 3] {
        let kind = TrackKind::Thread;
        take(&Event::Track(Track {
            track: thread,
            parent: Some(1),
            kind,
            name: "thread",
            tid: thread as u32,
        }));
    }
    for queue in 1..=4 {
        take(&Event::Queue(Queue {
            queue,
            at: Timestamp(queue),
            runtime_id: queue,
            handle: 0x7f00_0000_0000 + queue,
            order: if queue % 2 == 0 { QueueOrder::InOrder } else { QueueOrder::OutOfOrder },
            device: "a device",
            device_type: "GPU",
            device_handle: 1,
            context: 2,
        }));
    }
    let names: Vec<String> =
        (0..40).map(|kernel| format!("void Kernel{kernel}<float, (int)3>::run()")).collect();
    let mut random = 7_u64;
    for number in 1..=COMMANDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = &names[(random >> 33) as usize % names.len()];
        let at = number * 10_000 + (random >> 52);
        command(number, name, at, random, take);
    }
    take(&Event::Finish { at: Timestamp(COMMANDS * 10_000 + 100_000) });
}

fn command(number: u64, name: &str, at: u64, random: u64, take: &mut dyn FnMut(&Event<'_>)) {
    let track = 2 + number % 2;
    let queue = 1 + number % 4;
    let kind = if number.is_multiple_of(5) { NodeKind::Copy } else { NodeKind::Kernel };
    let line = (random >> 40) as u32 % 200;
    let location =
        SourceLocation { function: "step", file: "/home/user/solver/src/step.cpp", line, column: 5 };
    let args = [("sycl_device", Value::Str("a device")), ("from_source", Value::Bool(true))];
    let (tid, node) = (track as u32, Some(number));
    let created = Timestamp(at);
    take(&Event::Node(Node {
        node: number,
        at: created,
        kind,
        name,
        queue: Some(queue),
        tid,
        location,
        args: &args,
    }));
    if number > 1 {
        let reason = EdgeReason::Event;
        let (source, access_mode, memory_object) = (number - 1, "", 0);
        take(&Event::Edge(Edge { at: created, source, target: number, reason, access_mode, memory_object }));
    }
    macro_rules! slice {
        ($at:expr, $category:ident, $name:expr, $node:expr, $location:expr, $args:expr) => {
            take(&Event::SliceBegin(SliceBegin {
                track,
                at: Timestamp($at),
                category: Category::$category,
                name: $name,
                node: $node,
                location: $location,
                args: $args,
            }))
        };
    }
    slice!(at + 100, Submission, name, node, location, &[]);
    let unknown = SourceLocation::default();
    for (call, name) in
        ["urKernelSetArgPointer", "urEnqueueKernelLaunchWithArgsExp", "urEventRetain"].iter().enumerate()
    {
        let begin = at + 300 + call as u64 * 1_000;
        let args = [
            ("hQueue", Value::Pointer(0x7f00_0000_0000 + queue)),
            ("hKernel", Value::Pointer(0x7f00_1000_0000 + (random >> 50) * 64)),
            ("workDim", Value::Uint(3)),
        ];
        slice!(begin, Call, name, None, unknown, &args);
        let end = Timestamp(begin + 200 + (random >> 56));
        take(&Event::SliceEnd(SliceEnd { track, at: end, args: &[("result", Value::Int(0))] }));
    }
    take(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + 4_000), args: &[] }));
    let start = at + 5_000;
    take(&Event::Execution(Execution {
        node: number,
        queue,
        kind,
        name,
        queued: Some(Timestamp(at + 1_500)),
        submitted: Some(Timestamp(at + 1_700)),
        start: Timestamp(start),
        end: Timestamp(start + 1_000 + (random >> 49)),
        args: &[("bytes", Value::Uint(random >> 44))],
    }));
}

/// What a reader of packets can't do without: every field of packets and of the messages in them, two levels deep.
fn varint_walk(bytes: &[u8]) -> u64 {
    walk(bytes, 3)
}

fn walk(bytes: &[u8], depth: u32) -> u64 {
    let mut at = 0;
    let mut fields = 0;
    let varint = |at: &mut usize| {
        let (mut value, mut shift) = (0_u64, 0);
        while let Some(byte) = bytes.get(*at) {
            *at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            shift = (shift + 7) & 63;
            if *byte < 0x80 {
                break;
            }
        }
        value
    };
    while at < bytes.len() {
        let tag = varint(&mut at);
        fields += 1;
        match tag & 7 {
            0 => fields ^= varint(&mut at) & 1,
            1 => at += 8,
            5 => at += 4,
            2 => {
                let end = (varint(&mut at) as usize).saturating_add(at).min(bytes.len());
                if depth > 0 {
                    fields += walk(&bytes[at..end], depth - 1);
                }
                at = end;
            }
            _ => return fields,
        }
    }
    fields
}

/// What a reader of JSON takes that builds a tree of values.
fn parse_values(bytes: &[u8]) -> u64 {
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("our own file is JSON");
    value.as_array().map_or(0, |list| list.len() as u64)
}

/// The least that any reader must do.
fn touch_every_byte(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_mul(31) ^ u64::from(*byte))
}
