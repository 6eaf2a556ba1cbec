//! Layout of a trace: the order of tracks, the lanes of slices, and the filled columns.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, QueueOrder, TrackKind};

use super::TraceBuilder;
use super::chunks::Chunks;
use super::contradicted::without_contradicted;
use super::foreign_queues::link_submissions;
use super::lanes::{Lanes, by_depth, first_free};
use super::memory::MemorySamples;
use super::queues::PendingExecution;
use crate::budget::{Budget, Spent};
use crate::convention::{counter_unit, memory_counter_name};
use crate::diagnostics::DiagnosticKind;
use crate::id::{NONE, StringId, some};
use crate::store::Trace;
use crate::store::blocks::MaxForest;
use crate::store::by_address::ByAddress;
use crate::store::counters::Counters;
use crate::store::graph::{Edges, ExecutionRow, Executions, NodeRow, Nodes};
use crate::store::memory::Allocations;
use crate::store::memory_levels::MemoryLevels;
use crate::store::slices::{SliceRow, Slices};
use crate::store::table::Table as _;
use crate::store::tracks::{QueueRow, Queues, TrackRow, Tracks};

/// Additional memory to lay out a slice, in bytes.
const BYTES_PER_SLICE: u64 = 56;

#[derive(Debug, Default)]
struct Layout {
    tracks: Tracks,
    slices: Slices,
    executions: Executions,
    counters: Counters,
    /// Positions of the devices and queues that are tracks in the file, by track.
    machine: FxHashMap<u64, u32>,
    /// Positions of tracks by their rows in the builder.
    positions: FxHashMap<u32, u32>,
}

impl Layout {
    /// Appends a track without lanes; returns its position.
    fn track(&mut self, parent: u32, process: u32, kind: TrackKind, name: StringId) -> u32 {
        let first_lane = self.slices.lane_starts.len() as u32;
        let row = TrackRow { parent, process, tid: 0, kind, name, first_lane, lanes: 0, counter: NONE };
        self.tracks.push(&row);
        self.tracks.len() as u32 - 1
    }

    /// Appends the slices of the last track, lane by lane; returns their positions in `slices` by row.
    fn lanes(&mut self, slices: &Chunks<SliceRow>, lanes: &Lanes) -> Vec<u32> {
        let mut starts = vec![0_u32; lanes.count as usize + 1];
        for lane in &lanes.lane {
            starts[*lane as usize + 1] += 1;
        }
        for lane in 0..lanes.count as usize {
            starts[lane + 1] += starts[lane];
        }
        let first_row = self.slices.len() as u32;
        let lane_starts = starts[..lanes.count as usize].iter().map(|start| first_row + start);
        self.slices.lane_starts.owned().extend(lane_starts);
        let mut rows = vec![0; slices.len()];
        for (position, lane) in lanes.order.iter().zip(&lanes.lane) {
            let next = &mut starts[*lane as usize];
            rows[*next as usize] = *position;
            *next += 1;
        }
        for position in &rows {
            self.slices.push(&slices[*position as usize]);
        }
        if let Some(last) = self.tracks.lanes.owned().last_mut() {
            *last = lanes.count;
        }
        rows
    }
}

/// The track group of each process; empty if there is only one process.
struct Groups(Vec<u32>);

impl Groups {
    fn get(&self, process: u32) -> u32 {
        self.0.get(process as usize).copied().unwrap_or(NONE)
    }
}

impl TraceBuilder {
    pub(super) fn lay_out(mut self, budget: &Budget) -> Result<Trace, Spent> {
        budget.require(self.slices.saturating_mul(BYTES_PER_SLICE))?;
        self.close_open_slices();
        self.explain_untimed();
        self.diagnostics.count_many(DiagnosticKind::UnknownQueue, self.queues.unknown() as u64);
        self.join_same_named();
        self.adopt_queues();
        self.adopt_streams();
        self.flows.register_tracks();
        let memory = std::mem::take(&mut self.memory);
        let (mut allocations, strays, memory) = memory.finish(&mut self.diagnostics);
        budget.require(0)?;
        let mut layout = Layout::default();
        layout.slices.reserve(usize::try_from(self.slices).unwrap_or_default());
        let groups = self.lay_out_processes(&mut layout);
        let mut queues = self.lay_out_queues(&groups, &mut layout);
        self.lay_out_memory(memory, &groups, &mut layout);
        budget.require(0)?;
        self.lay_out_tracks(&groups, &mut layout, budget)?;
        let Layout { tracks, mut slices, executions, mut counters, positions, .. } = layout;
        let samples = std::mem::take(&mut self.host_samples).finish(&positions, &mut self.diagnostics);
        slices.lane_starts.push(slices.len() as u32);
        slices.finish();
        let flows = std::mem::take(&mut self.flows).finish(&slices, &tracks, &mut self.diagnostics);
        counters.finish();
        budget.require(0)?;
        let mut nodes = std::mem::take(&mut self.graph.nodes);
        let unknown = nodes.iter().filter(|node| !node.announced).count();
        self.diagnostics.count_many(DiagnosticKind::UnknownNode, unknown as u64);
        link_nodes(&mut nodes, &slices, &executions);
        link_submissions(&mut nodes, &mut slices, &tracks, &flows, executions.len());
        let edges = std::mem::take(&mut self.graph.edges);
        let (edges, contradicted) = without_contradicted(edges, &nodes, &slices);
        self.diagnostics.count_many(DiagnosticKind::ContradictedEdge, contradicted as u64);
        let edges = Edges::new(edges, nodes.len());
        budget.require(0)?;
        self.diagnostics.count_many(DiagnosticKind::TooMuchText, self.strings.lost());
        let objects = std::mem::take(&mut self.objects);
        let objects = objects.finish(&allocations, nodes.len(), &mut self.diagnostics);
        let command_graphs = std::mem::take(&mut self.command_graphs);
        let command_graphs = command_graphs.finish(nodes.len(), &mut self.diagnostics);
        let titles = self.entitle_devices(&mut queues, &tracks);
        let diagnostics = self.diagnostic_infos();
        let (args, strings) = (self.args.finish(), self.strings.finish());
        titles.entitle_allocations(&mut allocations, (&tracks, &slices), (&args, &strings));
        let allocations = Allocations::of_rows(allocations.into_iter());
        budget.require(0)?;
        Ok(Trace {
            locations: self.locations.finish(),
            args,
            tracks,
            queues: Queues::of_rows(queues.into_iter()),
            slices,
            executions,
            counters,
            nodes: Nodes::of_rows(nodes.into_iter()),
            edges,
            live: MaxForest::new(allocations.released.raw()),
            memory_levels: MemoryLevels::new(&allocations, self.times.last),
            by_address: ByAddress::new(&allocations),
            allocations,
            strays,
            objects,
            command_graphs,
            handles: std::mem::take(&mut self.handles).finish(),
            machine: std::mem::take(&mut self.machine).finish(),
            stacks: std::mem::take(&mut self.stacks).finish(),
            samples,
            flows,
            processes: self.processes.into_infos(),
            diagnostics,
            duration_ns: self.times.last,
            calls: self.calls,
            native_calls: self.native_calls,
            regions: self.regions,
            dropped: self.lost,
            complete: false,
            shelf: Default::default(),
            strings,
        })
    }

    fn lay_out_processes(&mut self, layout: &mut Layout) -> Groups {
        let names = self.processes.group_names();
        if names.len() < 2 {
            return Groups(Vec::new());
        }
        let group = |(process, name): (u32, &String)| {
            layout.track(NONE, process, TrackKind::Process, self.strings.intern(name))
        };
        Groups((0..).zip(&names).map(group).collect())
    }

    /// Lays out devices in the order of their first queue, each with its queues and their executions.
    fn lay_out_queues(&mut self, groups: &Groups, layout: &mut Layout) -> Vec<QueueRow> {
        let mut entries = std::mem::take(&mut self.queues.entries);
        let mut devices: Vec<((u32, u64, StringId), Vec<usize>)> = Vec::new();
        let mut known: FxHashMap<(u32, u64, StringId), usize> = FxHashMap::default();
        for (queue, entry) in entries.iter().enumerate() {
            let device = (entry.process, entry.row.device_handle, entry.row.device);
            let place = *known.entry(device).or_insert_with(|| {
                devices.push((device, Vec::new()));
                devices.len() - 1
            });
            devices[place].1.push(queue);
        }
        for (device, queues) in devices {
            let name = if device.2 == StringId::default() {
                self.strings.intern("unknown device")
            } else {
                device.2
            };
            let parent = layout.track(groups.get(device.0), device.0, TrackKind::Device, name);
            for queue in queues {
                let entry = &mut entries[queue];
                let order = match entry.row.order {
                    QueueOrder::InOrder => " · in-order",
                    QueueOrder::OutOfOrder => " · out-of-order",
                    QueueOrder::Other => "",
                };
                let name = if entry.name == StringId::default() {
                    self.strings.intern(&format!("queue {}{order}", entry.row.number))
                } else {
                    entry.name
                };
                let position = layout.track(parent, device.0, TrackKind::Queue, name);
                entry.row.track = position;
                let first_row = layout.slices.len() as u32;
                let mut lanes = first_free(&entry.slices, |row| entry.executions[row as usize].in_pieces);
                // A queue without executions is shown as one empty lane.
                lanes.count = lanes.count.max(1);
                let rows = layout.lanes(&entry.slices, &lanes);
                for row in &rows {
                    let PendingExecution { kind, queued, submitted, in_pieces } =
                        entry.executions[*row as usize];
                    layout.executions.push(&ExecutionRow { kind, queued, submitted, in_pieces });
                }
                if let Some((track, id)) = entry.adopted {
                    self.flows.place(track, position, first_row, &rows);
                    layout.machine.extend([(id, position), (entry.row.device_handle, parent)]);
                }
                (entry.slices, entry.executions) = Default::default();
            }
        }
        entries.iter().map(|entry| entry.row).collect()
    }

    fn lay_out_memory(&mut self, memory: MemorySamples, groups: &Groups, layout: &mut Layout) {
        let unit = self.strings.intern("bytes");
        for (process, kind, samples) in memory {
            let name = self.strings.intern(memory_counter_name(kind));
            let track = layout.track(groups.get(process), process, TrackKind::Counter, name) as usize;
            layout.tracks.counter.owned()[track] = layout.counters.push(unit, samples);
        }
    }

    /// Lays out the file's own tracks: children after their parent, otherwise in file order.
    fn lay_out_tracks(&mut self, groups: &Groups, layout: &mut Layout, budget: &Budget) -> Result<(), Spent> {
        let mut tracks = std::mem::take(&mut self.tracks);
        let rows: FxHashMap<u64, usize> =
            tracks.iter().enumerate().map(|(row, track)| (track.id, row)).collect();
        let mut children = vec![Vec::new(); tracks.len()];
        let mut roots = Vec::new();
        for (row, track) in tracks.iter().enumerate() {
            match track.parent.and_then(|parent| rows.get(&parent)) {
                Some(parent) if *parent != row => children[*parent].push(row),
                _ => roots.push(row),
            }
        }
        roots.sort_by_key(|row| tracks[*row].rank);
        children.iter_mut().for_each(|group| group.sort_by_key(|row| tracks[*row].rank));
        // Tracks whose parents form a cycle are reached from no root: they become roots themselves.
        let mut placed = vec![false; tracks.len()];
        for root in roots.into_iter().chain(0..tracks.len()) {
            let mut next = vec![(root, groups.get(tracks[root].process))];
            while let Some((row, parent)) = next.pop() {
                if std::mem::replace(&mut placed[row], true) {
                    continue;
                }
                let track = &mut tracks[row];
                let is_empty = track.slices.is_empty() && track.samples.is_empty();
                let is_machine = matches!(track.kind, TrackKind::Device | TrackKind::Queue);
                let on_device =
                    layout.tracks.get(parent).is_some_and(|parent| parent.kind == TrackKind::Device);
                if track.is_joined || ((is_machine || on_device) && is_empty && children[row].is_empty()) {
                    continue;
                }
                // With several processes, a process's group exists already.
                let is_group = track.kind == TrackKind::Process && is_empty && parent != NONE;
                let placed = layout.machine.get(&track.id).copied().filter(|_| is_machine && is_empty);
                let position = if let Some(placed) = placed {
                    placed
                } else if is_group && parent == groups.get(track.process) {
                    parent
                } else {
                    layout.track(parent, track.process, track.kind, track.name)
                };
                // The events of a thread's stream belong to the thread.
                let above = layout.tracks.get(parent).map_or(0, |parent| parent.tid);
                let tid = if track.tid == 0 { above } else { track.tid };
                layout.tracks.tid.owned()[position as usize] = tid;
                layout.positions.insert(row as u32, position);
                let slices = std::mem::take(&mut track.slices);
                if !slices.is_empty() {
                    budget.require(0)?;
                    let first_row = layout.slices.len() as u32;
                    let rows = layout.lanes(&slices, &by_depth(&slices));
                    self.flows.place(row, position, first_row, &rows);
                }
                let mut samples = std::mem::take(&mut track.samples);
                if !samples.is_empty() || track.kind == TrackKind::Counter {
                    samples.sort_by_key(|(at, _)| *at);
                    let unit = self.strings.intern(counter_unit(self.strings.text(track.name)));
                    let counter = layout.counters.push(unit, samples);
                    layout.tracks.counter.owned()[position as usize] = counter;
                }
                next.extend(children[row].iter().rev().map(|child| (*child, position)));
            }
        }
        Ok(())
    }
}

/// Sets every node's first submission and first execution that is not a piece of another.
fn link_nodes(nodes: &mut [NodeRow], slices: &Slices, executions: &Executions) {
    let in_pieces = |row: usize| row < executions.len() && executions.in_pieces.at(row);
    for (row, node) in slices.node.iter().enumerate() {
        let Some(node) = some(node).and_then(|node| nodes.get_mut(node as usize)) else { continue };
        let slice = if row < executions.len() {
            &mut node.execution
        } else if slices.category(row) == Category::Submission {
            &mut node.submission
        } else {
            continue;
        };
        let earlier = |other: u32| {
            let order = |row: usize| (!in_pieces(row), slices.start.at(row));
            order(row) < order(other as usize)
        };
        if some(*slice).is_none_or(earlier) {
            *slice = row as u32;
        }
    }
}
