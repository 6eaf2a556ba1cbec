//! The immutable tables of one trace. Only `builder` makes one.
//!
//! Rows are ordered for the queries: tracks as a view shows them, slices by track, lane and start, samples by
//! counter and time. The executions are the first slices, so that a column of theirs needs no key.

pub(crate) mod adjacency;
pub(crate) mod args;
pub(crate) mod blocks;
pub(crate) mod by_address;
pub(crate) mod column;
pub(crate) mod command_graphs;
pub(crate) mod counters;
mod dump;
pub(crate) mod flows;
pub(crate) mod graph;
pub(crate) mod kept;
pub(crate) mod levels;
pub(crate) mod locations;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod memory_levels;
pub(crate) mod native;
pub(crate) mod objects;
pub(crate) mod slices;
pub(crate) mod table;
pub(crate) mod tracks;

use std::sync::{Arc, OnceLock};

use syclscope_language::api::{DiagnosticInfo, Finding, KernelSummary, ProcessInfo};

use self::args::ArgTable;
use self::blocks::MaxForest;
use self::by_address::ByAddress;
use self::command_graphs::CommandGraphs;
use self::counters::Counters;
use self::flows::Flows;
use self::graph::{Edges, Executions, Nodes};
use self::kept::Kept;
use self::locations::LocationTable;
use self::machine::Machine;
use self::memory::{Allocations, Strays};
use self::memory_levels::MemoryLevels;
use self::native::Handles;
use self::objects::Objects;
use self::slices::Slices;
use self::table::{columns, memory_bytes};
use self::tracks::{Queues, Tracks};
use crate::graph::AsItRan;
use crate::hash::FastMap;
use crate::query::activity::Activity;
use crate::query::kernels::KernelTracks;
use crate::query::memory::Caches;
use crate::query::report::copies::Direction;
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
    /// Allocations by the moment of their release.
    pub(crate) live: MaxForest,
    /// Allocations, merged at resolutions.
    pub(crate) memory_levels: MemoryLevels,
    /// Allocations by address.
    pub(crate) by_address: ByAddress,
    pub(crate) objects: Objects,
    pub(crate) command_graphs: CommandGraphs,
    pub(crate) handles: Handles,
    pub(crate) machine: Machine,
    pub(crate) kernels: Vec<KernelSummary>,
    /// At least one.
    pub(crate) processes: Vec<ProcessInfo>,
    pub(crate) diagnostics: Vec<DiagnosticInfo>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) duration_ns: u64,
    pub(crate) calls: u64,
    pub(crate) native_calls: u64,
    pub(crate) dropped: u64,
    pub(crate) complete: bool,
    /// Executions by kernel, once somebody asked for them.
    pub(crate) kernel_tracks: OnceLock<KernelTracks>,
    /// What questions about memory keep, once somebody asked one.
    pub(crate) memory: Caches,
    /// The graph of the run, once somebody asked for what follows from it.
    pub(crate) as_it_ran: OnceLock<Arc<AsItRan>>,
    /// From where to where each node copies, once somebody asked for a drawing.
    pub(crate) copy_directions: OnceLock<FastMap<u32, Direction>>,
    /// Counters that follow from the commands, once somebody asked for them.
    pub(crate) activities: OnceLock<Activity>,
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
    machine
});

impl Trace {
    /// Memory that the tables take, in bytes; what lies in a mapped file is not counted.
    pub fn memory_bytes(&self) -> usize {
        memory_bytes(self).0
    }

    /// Memory, in bytes, of what earlier questions left behind so that the next one is answered sooner. It grows while
    /// the trace is asked.
    pub fn kept_bytes(&self) -> usize {
        let kept: [&dyn Kept; 5] =
            [&self.kernel_tracks, &self.memory, &self.as_it_ran, &self.copy_directions, &self.activities];
        kept.into_iter().map(Kept::kept_bytes).sum()
    }

    /// Bytes of a mapped file that the tables lie in. The system takes this memory back when it needs it.
    pub fn mapped_bytes(&self) -> usize {
        memory_bytes(self).1
    }

    /// Why queries could not go through these tables safely, which came from a file.
    #[cfg(feature = "tables")]
    pub(crate) fn misfit(&self) -> Option<&'static str> {
        use self::table::Table as _;
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

    /// Everything in the trace as readable text, for tests and for a closer look. Not a stable format.
    pub fn dump(&self) -> String {
        dump::dump(self)
    }
}
