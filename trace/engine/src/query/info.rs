//! Facts about a trace that a client needs before drawing.

use rustc_hash::FxHashSet;
use syclscope_language::api::{API_VERSION, CounterInfo, Counts, QueueInfo, TraceInfo, TrackInfo};
use syclscope_language::producer::Producer;

use syclscope_language::event::{NodeKind, TrackKind};

use super::{limits, machine, program};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

impl Trace {
    /// Returns the other tool that wrote the trace, if its device work is understood.
    pub(crate) fn producer(&self) -> Option<Producer> {
        self.processes.first().and_then(|process| Producer::from_word(&process.recorder))
    }

    /// Returns the names of devices as recorded, each once: first those of queues, in the order of the queues' rows.
    pub fn device_names(&self) -> Vec<&str> {
        let ids = self.queues.device.iter().chain(self.machine.devices.name.iter());
        let mut seen = FxHashSet::default();
        let names = ids.filter(|id| seen.insert(*id)).map(|id| self.strings.get(id));
        names.filter(|name| !name.is_empty()).collect()
    }
}

pub(super) fn info(trace: &Trace) -> TraceInfo {
    let text = |id| trace.strings.get(id).to_owned();
    let queue = |row: crate::store::tracks::QueueRow| QueueInfo {
        id: row.number,
        track: row.track,
        order: row.order,
        device: text(row.title),
        device_type: text(row.device_type),
        created_ns: row.created,
        destroyed_ns: row.destroyed,
    };
    let is_listed = |queue: &QueueInfo| (queue.track as usize) < limits::TRACKS;
    let mut queues: Vec<_> = trace.queues.iter().map(queue).filter(is_listed).collect();
    queues.arrange_by_key(|queue| queue.created_ns);
    TraceInfo {
        api_version: API_VERSION,
        program: program::title(trace),
        duration_ns: trace.duration_ns,
        process: trace.processes.first().cloned().unwrap_or_default(),
        processes: trace.processes.iter().take(limits::OTHERS).cloned().collect(),
        tracks: (0..trace.tracks.len().min(limits::TRACKS)).map(|row| track(trace, row)).collect(),
        queues,
        counts: Counts {
            slices: trace.slices.len() as u64,
            nodes: trace.nodes.len() as u64,
            commands: commands(trace, |_| true),
            launches: commands(trace, |kind| kind == NodeKind::Kernel),
            edges: trace.edges.rows.len() as u64,
            executions: trace.executions.len() as u64,
            allocations: trace.allocations.len() as u64,
            unreleased: trace.allocations.unreleased(|process| !trace.goes_on(process)),
            flows: trace.flows.rows.len() as u64,
            calls: trace.calls,
            native_calls: trace.native_calls,
            regions: trace.regions,
            objects: trace.objects.rows.len() as u64,
            accessors: trace.objects.accessors.len() as u64,
            partitions: trace.command_graphs.rows.len() as u64,
            graph_commands: trace.command_graphs.commands.len() as u64,
            graph_runs: trace.command_graphs.runs.len() as u64,
            native_handles: trace.handles.len() as u64,
            stack_frames: trace.stacks.len() as u64,
            dropped: trace.dropped,
        },
        kernels: trace.kernels().iter().take(limits::KERNELS).cloned().collect(),
        diagnostics: trace.diagnostics.iter().cloned().chain(limits::left_out(trace)).collect(),
        findings: trace.handle_findings().to_vec(),
        devices: machine::devices(trace),
        facts: machine::facts(trace, limits::OTHERS),
        sources: (0..trace.machine.sources.len().min(limits::OTHERS) as u32)
            .filter_map(|row| machine::source(trace, row))
            .collect(),
        pauses: machine::pauses(trace, limits::OTHERS),
        active_ns: active(trace, |kind| kind == TrackKind::Queue).or_else(|| active(trace, |_| true)),
        complete: trace.complete,
    }
}

/// Returns the number of commands of some kinds: nodes without the runtime's placeholders, and executions that have no
/// node or are pieces. Comparisons of runs match the same commands.
fn commands(trace: &Trace, is_wanted: impl Fn(NodeKind) -> bool) -> u64 {
    let nodes = trace.nodes.kind.iter().filter(|kind| *kind != NodeKind::Virtual && is_wanted(*kind));
    let is_bare = |row: &usize| some(trace.slices.node.at(*row)).is_none() || trace.is_piece(*row);
    let bare = (0..trace.executions.kind.len()).filter(is_bare);
    (nodes.count() + bare.filter(|row| is_wanted(trace.executions.kind.at(*row))).count()) as u64
}

/// Returns the first slice's start and the last one's end on tracks of some kind. Slices of a lane don't overlap, so
/// its first and its last one suffice.
fn active(trace: &Trace, is_wanted: impl Fn(TrackKind) -> bool) -> Option<(u64, u64)> {
    let tracks = trace.tracks.iter().filter(|track| is_wanted(track.kind));
    let lanes = tracks.flat_map(|track| track.lane_range());
    let spans = lanes.map(|lane| trace.slices.lane(lane)).filter(|rows| !rows.is_empty());
    let spans = spans.map(|rows| (trace.slices.start.at(rows.start), trace.slices.end(rows.end - 1)));
    spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

fn track(trace: &Trace, row: usize) -> TrackInfo {
    let track = trace.tracks.row(row);
    let slices = track.lane_range().map(|lane| trace.slices.lane(lane).len() as u64).sum();
    let counter = some(track.counter).map(|counter| {
        let counters = &trace.counters;
        let spread = counters.forest.spread(&counters.at, &counters.value, counters.rows(counter));
        let (min, max) = spread.map_or((0.0, 0.0), |spread| (spread.min, spread.max));
        let unit = counters.units.at(counter as usize);
        CounterInfo { min, max, unit: trace.strings.get(unit).to_owned() }
    });
    TrackInfo {
        id: row as u32,
        parent: some(track.parent),
        process: track.process,
        kind: track.kind,
        name: trace.track_name(row).to_owned(),
        lanes: track.lanes.min(limits::LANES),
        slices,
        counter,
    }
}
