//! The immutable tables of one trace. Only `builder` creates one.
//!
//! Rows are ordered for the queries: tracks as a view shows them, slices by track, lane and start, samples by counter
//! and time. The executions are the first slices, so that their columns need no key.

pub(crate) mod adjacency;
pub(crate) mod args;
pub(crate) mod blocks;
pub(crate) mod by_address;
pub(crate) mod cache;
pub(crate) mod column;
pub(crate) mod command_graphs;
pub(crate) mod counters;
pub(crate) mod cycles;
pub(crate) mod flows;
pub(crate) mod graph;
pub(crate) mod levels;
pub(crate) mod locations;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod memory_levels;
pub(crate) mod native;
pub(crate) mod objects;
pub(crate) mod regions;
pub(crate) mod samples;
pub(crate) mod slices;
pub(crate) mod stacks;
pub(crate) mod table;
pub(crate) mod threads;
pub(crate) mod tracks;

use rustc_hash::FxHashMap;
use syclscope_language::api::{DiagnosticInfo, ProcessInfo};
use syclscope_language::event::{Category, FactKind};

use self::args::ArgTable;
use self::blocks::MaxForest;
use self::by_address::ByAddress;
use self::cache::Shelf;
use self::command_graphs::CommandGraphs;
use self::counters::Counters;
use self::flows::Flows;
use self::graph::{Edges, Executions, Nodes};
use self::locations::LocationTable;
use self::machine::Machine;
use self::memory::{Allocations, Strays};
use self::memory_levels::MemoryLevels;
use self::native::Handles;
use self::objects::Objects;
use self::samples::Samples;
use self::slices::Slices;
use self::stacks::Stacks;
use self::table::{Table as _, columns, memory_bytes};
use self::tracks::{Queues, TrackRow, Tracks};
use crate::id::{LocationId, some};
use crate::strings::StringTable;

/// One recorded run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub(crate) strings: StringTable,
    pub(crate) locations: LocationTable,
    pub(crate) args: ArgTable,
    pub(crate) tracks: Tracks,
    pub(crate) queues: Queues,
    pub(crate) slices: Slices,
    pub(crate) executions: Executions,
    pub(crate) counters: Counters,
    pub(crate) nodes: Nodes,
    pub(crate) edges: Edges,
    pub(crate) flows: Flows,
    pub(crate) allocations: Allocations,
    pub(crate) strays: Strays,
    /// Index of the allocations by the time of their release.
    pub(crate) live: MaxForest,
    pub(crate) memory_levels: MemoryLevels,
    pub(crate) by_address: ByAddress,
    pub(crate) objects: Objects,
    pub(crate) command_graphs: CommandGraphs,
    pub(crate) handles: Handles,
    pub(crate) stacks: Stacks,
    pub(crate) samples: Samples,
    pub(crate) machine: Machine,
    /// Processes of the run, at least one.
    pub(crate) processes: Vec<ProcessInfo>,
    pub(crate) diagnostics: Vec<DiagnosticInfo>,
    pub(crate) duration_ns: u64,
    pub(crate) calls: u64,
    pub(crate) native_calls: u64,
    pub(crate) regions: u64,
    pub(crate) dropped: u64,
    pub(crate) complete: bool,
    pub(crate) shelf: Shelf,
}

columns!(Trace {
    strings,
    locations,
    args,
    tracks,
    queues,
    slices,
    executions,
    counters,
    nodes,
    edges,
    flows,
    allocations,
    strays,
    live,
    memory_levels,
    by_address,
    objects,
    command_graphs,
    handles,
    stacks,
    samples,
    machine
});

impl Trace {
    /// Returns the memory of the tables in bytes, without mapped files.
    pub fn memory_bytes(&self) -> usize {
        memory_bytes(self).0
    }

    /// Returns the memory of cached results of earlier queries, in bytes. It grows with use.
    pub fn cached_bytes(&self) -> usize {
        self.shelf.cached_bytes()
    }

    /// True if the file's part of a process begins before a moment, or with the process.
    pub(crate) fn has_since(&self, process: u32, at: u64) -> bool {
        let from = self.processes.get(process as usize).and_then(|process| process.from_ns);
        from.is_none_or(|from| at > from)
    }

    /// True if the file has the end of a process, and no event was lost: a release that it lacks did not happen.
    pub(crate) fn has_end(&self, process: u32) -> bool {
        let is_complete = self.processes.get(process as usize).is_some_and(|process| process.complete);
        is_complete && !self.goes_on(process) && self.dropped == 0
    }

    /// True if a process went on after the file's part of it.
    pub(crate) fn goes_on(&self, process: u32) -> bool {
        self.processes.get(process as usize).is_some_and(|process| process.until_ns.is_some())
    }

    /// True if the file has all events of an object from its creation to its end, or to the end of the process.
    pub(crate) fn has_life(&self, process: u32, made: u64, ended: Option<u64>) -> bool {
        self.has_since(process, made) && (ended.is_some() || !self.goes_on(process))
    }

    /// Returns the executions that are work of a device, without those that are represented by their pieces.
    pub(crate) fn device_work(&self) -> impl Iterator<Item = usize> {
        (0..self.executions.len()).filter(|row| !self.executions.in_pieces.at(*row))
    }

    /// Returns how many kernels the recorder left out by name, in words, for each process with some.
    pub(crate) fn kernels_left_out(&self) -> impl Iterator<Item = &str> {
        let text = |id| self.strings.get(id);
        let settings = self.machine.facts.iter().filter(|fact| fact.kind == FactKind::Setting);
        settings.filter(move |fact| text(fact.name) == "kernels left out").map(move |fact| text(fact.value))
    }

    /// True if a slice is a piece of a command that another execution represents.
    pub(crate) fn is_piece(&self, row: usize) -> bool {
        let node = some(self.slices.node.at(row)).filter(|_| row < self.executions.len());
        let whole = node.and_then(|node| some(self.nodes.execution.at(node as usize)));
        whole.is_some_and(|whole| whole as usize != row && self.executions.in_pieces.at(whole as usize))
    }

    /// Returns the executions that are pieces, by the node of their command.
    pub(crate) fn pieces(&self) -> FxHashMap<u32, Vec<usize>> {
        let mut pieces: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for row in self.device_work().filter(|row| self.is_piece(*row)) {
            pieces.entry(self.slices.node.at(row)).or_default().push(row);
        }
        pieces
    }

    /// Returns the slices of a category, each with its track, in the order of tracks and lanes.
    pub(crate) fn slices_of_category(&self, category: Category) -> impl Iterator<Item = (TrackRow, usize)> {
        let slices = &self.slices;
        let rows = self.tracks.iter().flat_map(move |track| {
            track.lane_range().flat_map(move |lane| slices.lane(lane)).map(move |row| (track, row))
        });
        rows.filter(move |(_, row)| slices.category(*row) == category)
    }

    /// Returns a slice and the slices that enclose it on its track, the innermost first.
    pub(crate) fn with_enclosing(&self, row: usize) -> impl Iterator<Item = usize> {
        let lane = self.slices.lane_of(row);
        let first_lane = self.tracks.first_lane.at(self.tracks.of_lane(lane)) as usize;
        std::iter::once(row).chain(self.slices.around(first_lane..lane, row))
    }

    /// Returns the source location of a slice, or else of the innermost enclosing slice with a location.
    pub(crate) fn source_location(&self, slice: u32) -> LocationId {
        let mut locations = self.with_enclosing(slice as usize).map(|row| self.slices.location.at(row));
        locations.find(|location| *location != LocationId(0)).unwrap_or_default()
    }

    /// Returns the bytes of the tables in a mapped file. The operating system reclaims this memory when it needs it.
    pub fn mapped_bytes(&self) -> usize {
        memory_bytes(self).1
    }

    /// Returns the reason why tables from a file are not safe to query, if any.
    #[cfg(feature = "tables")]
    pub(crate) fn misfit(&self) -> Option<&'static str> {
        let lanes = self.slices.lanes() as u64;
        let beyond =
            |track: self::tracks::TrackRow| u64::from(track.first_lane) + u64::from(track.lanes) > lanes;
        if self.tracks.iter().any(beyond) {
            return Some("a track without its lanes");
        }
        let starts = &self.slices.lane_starts;
        let ends = starts.last().is_none_or(|end| *end as usize != self.slices.len());
        (ends || !starts.is_sorted()).then_some("lanes without their slices")
    }
}
