//! Benchmark of import, memory and tile queries on a generated recording; one JSON line a figure.
//!
//! `cargo xtask bench import` runs it. Every baseline is measured in the same run: the time to touch every byte of the
//! file, a walk over the fields of its packets, its values as a tree, and tiles by a scan over the lane.

#[path = "support/recording.rs"]
mod recording;

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant as Clock;

use flate2::Compression;
use flate2::write::GzEncoder;
use recording::write;
use serde_json::json;
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import::{self, TraceImporter};
use syclscope_engine::store::Trace;
use syclscope_language::event::{Event, EventSink};
use syclscope_language::question::{TILE_BUCKETS, TileKey, TileView};

const COMMANDS: u64 = 200_000;
const SLICES: u64 = COMMANDS * recording::SLICES_OF_COMMAND;
/// Number of runs of a measurement; the fastest counts.
const RUNS: usize = 5;

fn main() {
    if let Some(path) = std::env::args_os().nth(1) {
        return print_peak(&path);
    }
    let packets = write::<perfetto::Writer>(COMMANDS);
    let json = write::<chrome_json::Writer>(COMMANDS);
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

/// Returns the time of the fastest of several runs, in seconds, and its result.
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
    // In chunks, as a browser reads a file.
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

/// Measures the peak memory of an import, relative to the tables that it creates. A separate process does the import,
/// because memory released in this process stays resident.
fn peak_memory(format: &str, bytes: &[u8], trace: &Trace) {
    let path = std::env::temp_dir().join(format!("syclscope-bench-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("there is room for the file");
    let program = std::env::current_exe().expect("this program");
    let output = std::process::Command::new(program).arg(&path).output().expect("it starts again");
    // A leftover file does no harm.
    let _ = std::fs::remove_file(&path);
    let peak: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("the peak in bytes");
    let tables = trace.memory_bytes() as f64;
    figure(&format!("peak of import {format}, to its tables"), peak / tables, "times", None, 3.0, "lower");
}

/// Imports a file in chunks, as a server does, and prints the peak of the memory in use, in bytes.
fn print_peak(path: &std::ffi::OsStr) {
    use std::io::Read as _;
    let before = status_bytes("VmRSS");
    let mut file = std::fs::File::open(path).expect("the file is there");
    let mut importer = TraceImporter::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut piece).expect("the file can be read");
        if read == 0 {
            break;
        }
        importer.feed(&piece[..read]).expect("our own file opens");
    }
    let trace = importer.finish().expect("our own file opens");
    println!("{}", status_bytes("VmHWM").saturating_sub(before));
    drop(trace);
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
    let (seconds, bytes) = fastest(|| write::<perfetto::Writer>(COMMANDS));
    figure("write perfetto", bytes.len() as f64 / 1e6 / seconds, "MB/s", None, 100.0, "higher");
    let (seconds, bytes) = fastest(|| write::<chrome_json::Writer>(COMMANDS));
    figure("write chrome json", bytes.len() as f64 / 1e6 / seconds, "MB/s", None, 100.0, "higher");
}

/// Measures queries of tiles at random positions and all levels, against a scan of the same lanes.
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

    /// Returns the longest duration in each bucket, by a scan of every slice of the track.
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

/// Reads every field of packets and of the messages in them, two levels deep: the minimum work of a packet reader.
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

/// Builds a tree of values, as a JSON reader may do.
fn parse_values(bytes: &[u8]) -> u64 {
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("our own file is JSON");
    value.as_array().map_or(0, |list| list.len() as u64)
}

/// Reads every byte: the minimum work of any reader.
fn touch_every_byte(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_mul(31) ^ u64::from(*byte))
}
