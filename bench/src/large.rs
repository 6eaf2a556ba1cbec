//! A trace of any size with fifty lanes, and screens of it; shared by the benchmarks of the engine, native and wasm.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, EventSink, Execution, Node, NodeKind, Process, Queue,
    QueueOrder, Release, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::{TILE_BUCKETS, TileKey, TileView};
use syclscope_language::time::Timestamp;

/// Threads; each has two lanes.
const THREADS: u64 = 16;
/// Queues; each has one lane.
const QUEUES: u64 = 18;
/// Lanes of all tracks together.
pub const LANES: u64 = THREADS * 2 + QUEUES;
/// Slices of a command: its submission, three calls and its execution.
const SLICES_OF_COMMAND: u64 = 5;
/// Width of a screen in pixels of the device.
pub const SCREEN_PX: u64 = 1600;

/// Reproducible pseudorandom numbers.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Returns a trace with about `slices` slices, each with arguments.
pub fn trace(slices: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    record(&mut builder, slices);
    builder.build()
}

/// Writes the events of [`trace`].
pub fn record(builder: &mut impl EventSink, slices: u64) {
    let process = Process { pid: 1, name: "bench", recorder: "bench", ..Process::default() };
    builder.event(&Event::Process(process));
    let group = Track { track: 1, parent: None, kind: TrackKind::Process, name: "bench", tid: 0 };
    builder.event(&Event::Track(group));
    for thread in 0..THREADS {
        let (track, tid) = (2 + thread, thread as u32 + 1);
        let (parent, kind) = (Some(1), TrackKind::Thread);
        builder.event(&Event::Track(Track { track, parent, kind, name: "worker", tid }));
    }
    for queue in 1..=QUEUES {
        builder.event(&Event::Queue(Queue {
            queue,
            at: Timestamp(queue),
            runtime_id: queue,
            handle: 0x7f00_0000_0000 + queue,
            order: QueueOrder::InOrder,
            device: "a device",
            device_type: "GPU",
            device_handle: 1,
            context: 2,
        }));
    }
    let names: Vec<String> =
        (0..60).map(|kernel| format!("void Kernel{kernel}<float, (int)3>::run()")).collect();
    let mut random = Random(7);
    let (mut host, mut device) = ([0_u64; THREADS as usize], [0_u64; QUEUES as usize]);
    for number in 1..=slices / SLICES_OF_COMMAND {
        let thread = random.below(THREADS);
        let queue = random.below(QUEUES);
        // Work is in bursts: one command in 64 follows a pause of up to a hundred commands' duration.
        let pause = if random.below(64) == 0 { 400_000 } else { 500 };
        let at = host[thread as usize] + random.below(pause);
        let name = &names[random.below(names.len() as u64) as usize];
        let submitted = command(builder, &mut random, (number, thread, queue), name, at);
        host[thread as usize] = submitted;
        let start = submitted.max(device[queue as usize]) + random.below(2_000);
        let end = start + 500 + random.below(6_000);
        device[queue as usize] = end;
        builder.event(&Event::Execution(Execution {
            node: number,
            queue: 1 + queue,
            kind: NodeKind::Kernel,
            name,
            queued: Some(Timestamp(submitted)),
            submitted: Some(Timestamp(start)),
            start: Timestamp(start),
            end: Timestamp(end),
            args: &[("bytes", Value::Uint(random.below(1 << 20)))],
        }));
        if number % 20 == 0 {
            memory(builder, &mut random, number / 20, at);
        }
    }
    builder.event(&Event::Finish { at: Timestamp(host.iter().chain(&device).max().copied().unwrap_or(0)) });
}

/// Writes a submission with three calls in it, and returns its end in ns.
fn command<S: EventSink>(
    builder: &mut S,
    random: &mut Random,
    (number, thread, queue): (u64, u64, u64),
    name: &str,
    at: u64,
) -> u64 {
    let (track, node) = (2 + thread, Some(number));
    let location = SourceLocation {
        function: "step",
        file: "/home/user/solver/src/step.cpp",
        line: random.below(200) as u32,
        column: 5,
    };
    builder.event(&Event::Node(Node {
        node: number,
        at: Timestamp(at),
        kind: NodeKind::Kernel,
        name,
        queue: Some(1 + queue),
        tid: thread as u32 + 1,
        location,
        args: &[("sycl_device", Value::Str("a device")), ("from_source", Value::Bool(true))],
    }));
    let begin = |builder: &mut S, at, category, name, node, args: &[_]| {
        let at = Timestamp(at);
        builder.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
    };
    begin(builder, at, Category::Submission, name, node, &[]);
    let mut now = at;
    for call in ["urKernelSetArgPointer", "urEnqueueKernelLaunchWithArgsExp", "urEventRetain"] {
        now += 100 + random.below(200);
        let kernel = Value::Pointer(0x7f00_1000_0000 + random.below(10_000) * 64);
        let args = [("hQueue", Value::Pointer(queue)), ("hKernel", kernel), ("workDim", Value::Uint(3))];
        begin(builder, now, Category::Call, call, None, &args);
        now += 200 + random.below(500);
        let at = Timestamp(now);
        builder.event(&Event::SliceEnd(SliceEnd { track, at, args: &[("result", Value::Int(0))] }));
    }
    let at = now + 100;
    builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at), args: &[] }));
    at
}

/// Allocates a block of memory, after releasing the previous block at its address.
fn memory(builder: &mut impl EventSink, random: &mut Random, number: u64, at: u64) {
    let pointer = 0x7f00_0000_0000 + (number % 512) * (1 << 20);
    if number >= 512 {
        builder.event(&Event::Release(Release { at: Timestamp(at), pointer, tid: 1 }));
    }
    builder.event(&Event::Allocation(Allocation {
        at: Timestamp(at),
        pointer,
        size_bytes: 64 + random.below(1 << 20),
        kind: AllocationKind::Device,
        device: "a device",
        tid: 1,
        location: SourceLocation::default(),
        guard_bytes: 0,
    }));
}

/// Returns the tiles of a random screen of all lanes: `1 / 2^zoom` of the trace.
pub fn screen(duration: u64, tracks: &[u32], zoom: u32, random: &mut Random) -> Vec<TileKey> {
    let span = (duration >> zoom).max(SCREEN_PX);
    let start = random.below(1 << 30) * (duration - span.min(duration)) / (1 << 30);
    let level = span.div_ceil(SCREEN_PX).next_power_of_two().ilog2() as u8;
    let width = TILE_BUCKETS << level;
    let tiles = start / width..=(start + span - 1) / width;
    let keys = |track: &u32| {
        let track = *track;
        tiles.clone().map(move |index| TileKey { view: TileView::Timeline, track, level, index })
    };
    tracks.iter().flat_map(keys).collect()
}

/// Requests tiles and returns the number of slices that they show.
pub fn ask(trace: &Trace, keys: &[TileKey]) -> usize {
    let shown = |key: &TileKey| {
        let tile = trace.timeline_tile(*key);
        tile.map_or(0, |tile| tile.lanes.iter().map(|lane| lane.slice.len()).sum())
    };
    keys.iter().map(shown).sum()
}

/// Returns the IDs of tracks with slices.
pub fn tracks(trace: &Trace) -> Vec<u32> {
    trace.info().tracks.iter().filter(|track| track.lanes > 0).map(|track| track.id).collect()
}
