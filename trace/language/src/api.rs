//! Wire types: a server's answers, which views draw. JSON through serde; times in ns since trace start, sizes in bytes.
//! A field is never renamed within one [`API_VERSION`]; answers of older servers may lack new fields.

mod activity;
mod around;
mod builds;
mod call_tree;
mod calls;
mod command_graphs;
mod comments;
mod comparison;
mod contents;
mod detail;
mod energy;
mod find;
mod findings;
mod flat;
mod float;
mod gaps;
mod graph;
mod graph_view;
mod iterations;
mod kernel;
mod life;
mod lines;
mod listing;
mod machine;
mod memory;
mod native;
mod objects;
mod parts;
mod regions;
mod report;
mod select;
mod serialised;
mod sharing;
mod sql;
mod stack;
mod tiles;
mod uploads;

use serde::{Deserialize, Serialize};

pub use activity::{ActivityCounter, ActivityKind};
pub use around::{Alike, Overlap, Overlaps, WaitLink, WaitReason, Waits};
pub use builds::{Build, BuildAgain, BuildSource, Builds, StartUp, StepSum};
pub use call_tree::{CallGroup, CallNode, CallTree, Sandwich};
pub use calls::CallSummary;
pub use command_graphs::{
    GraphChangeDetail, GraphCommandDetail, GraphRunDetail, MAX_LISTED, NodeRef, PartitionDetail,
};
pub use comments::{ChangedComment, CommentEntry, Comments, Mention, NewComment};
pub use comparison::{
    Anchor, ComparedEdge, ComparedEdges, ComparedGraph, ComparedIterations, ComparedLoop, ComparedLoopTimes,
    ComparedMemory, ComparedNode, ComparedReason, ComparedRegion, ComparedRow, ComparedSide, Comparison,
    ComparisonNote, CopyDirection, Counterpart, FactDifference, FigureChange, FigureUnit, History,
    HistoryStep, Likeness, LiveMemory, MIN_CHANGE, MatchedCommand, MatchedCommands, MemoryMoment, PartKind,
    Presence, RegionSide, RowSide, Series, SeriesUnit, TimeChange, Verdict, WaterfallPart, ratio_words,
};
pub use contents::{Contents, KindContents};
pub use detail::{EdgeDetail, ExecutionDetail, FlowDetail, HostTaskEstimate, NodeDetail, SliceDetail};
pub use energy::{
    CommandEnergy, DeviceTime, ENERGY_ESTIMATE, Energy, EnergyCounter, EnergyRest, EnergyRestReason,
};
pub use find::{Match, MatchKind, Matches};
pub use findings::{
    Finding, FindingIterations, Findings, Gain, bounded_gain, gain_bound, gain_bound_of_all, gain_sign,
    rule_title, saving,
};
pub use gaps::{Gap, GapClass, GapClassTime, GapPart, Gaps};
pub use graph::{CriticalPath, CriticalStep, NodeSlack, QueueIdle, StepKind};
pub use graph_view::{
    GraphComponent, GraphComponents, GraphMember, GraphMembers, GraphView, LeftOut, ViewEdge, ViewFrame,
    ViewLoop, ViewNode, WhatIf, WhatIfPiece, WhatIfQueue, WhatIfSchedule,
};
pub use iterations::{
    Iteration, IterationMark, IterationMarkKind, IterationStats, IterationStep, Iterations,
};
pub use kernel::{
    DurationBins, ExecutionPoints, ExecutionStats, KernelProfile, QueueExecutions, SizeExecutions,
};
pub use life::{Dependence, Dependences, Life, Phase, PhaseKind};
pub use lines::{FileCost, FileLines, Line, LineCost};
pub use listing::{
    Busiest, Figures, HistoryRun, Label, LabelKey, ListedTrace, MachineHistory, NewLabel, ProjectChange,
    ProjectEntry, TrendPoint,
};
pub use machine::{ClockInfo, DeviceInfo, FactInfo, PauseInfo, SourceInfo, SourceText, has_name};
pub use memory::{
    AccessorCount, AllocationItem, AllocationList, Amount, FreeMemory, Growth, LeakPlace, Leaks, MemoryAt,
    MemoryBlock, MemoryChange, MemoryPeak, MemoryPlace, MemoryRegion, MemorySeries, MemorySpace, MemoryUse,
    Misuse, MisuseKind, NativeMemory, Need, ObjectEvent, ObjectEventKind, ObjectHistory, ObjectItem,
    ObjectList, ObjectProblem, ObjectWhat, PlaceChange, Placement, Side, Transfer, TransferCause,
    TransferCauseKind, TransferList, TransferSums,
};
pub use native::NativeHandleDetail;
pub use objects::{AccessorDetail, ObjectDetail, ObjectMemory};
pub use parts::{ArgValue, LocationInfo, SliceRef};
pub use regions::{RegionReport, Regions};
pub use report::{
    CommandReport, Concurrency, CopyReport, Covered, HostTaskReport, IdleTime, MemoryReport, RecordingCost,
    Report, RunSplit, UnreleasedReport, WaitReport,
};
pub use select::{
    CategoryStats, Found, Histogram, Selected, SliceGroup, SliceItem, SliceList, SliceStats, Stepped,
    TrackMatches,
};
pub use serialised::{SerialReason, Serialised, SerialisedCommand, SerialisedPair, SerialisedWait};
pub use sharing::{
    AuditEntry, IdentityKind, LinkEntry, LinkRange, LinkState, MadeLink, Me, MemberEntry, NewLink, NewMember,
    NotARole, ProjectRole, Role,
};
pub use sql::{SqlCell, SqlColumn, SqlKind, SqlRows};
pub use stack::{SampledPlace, StackFrameInfo, StepSamples};
pub use tiles::{CounterTile, DensityTile, MemoryTile, NO_SLICE, TileLane, TimelineTile};
pub use uploads::{NewUpload, UploadAnswer, UploadEntry, UploadState};

use crate::event::{NodeKind, QueueOrder, TrackKind};
use crate::producer::Producer;

/// Version of these types, sent in [`TraceInfo::api_version`].
pub const API_VERSION: u32 = 1;

/// Facts about a trace that a client needs before drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// [`API_VERSION`] of the answering side.
    pub api_version: u32,
    /// The program of the first process: the script if an interpreter runs one (`heat.py`, `python -m pytest`). Else the
    /// tool that wrote the trace; empty if neither is known.
    #[serde(default)]
    pub program: String,
    /// End of the last event.
    pub duration_ns: u64,
    /// Facts of the recorded process; of the first one if there are several.
    pub process: ProcessInfo,
    /// Every recorded process, in the order of their starts.
    #[serde(default)]
    pub processes: Vec<ProcessInfo>,
    /// Every track; a track's id is its index here. Parents come before children, and the children of one parent are in
    /// display order.
    pub tracks: Vec<TrackInfo>,
    /// Queues in the order of their creation.
    pub queues: Vec<QueueInfo>,
    /// Sizes of the trace.
    pub counts: Counts,
    /// Kernels and other device commands by name, most device time first.
    pub kernels: Vec<KernelSummary>,
    /// Problems found on import and events lost while recording.
    pub diagnostics: Vec<DiagnosticInfo>,
    /// Probable errors of the program itself.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Devices in the order of their first appearance.
    #[serde(default)]
    pub devices: Vec<DeviceInfo>,
    /// Facts of the processes: environment, versions, settings of the recording.
    #[serde(default)]
    pub facts: Vec<FactInfo>,
    /// Source files; the index here is the file's number in queries for its text.
    #[serde(default)]
    pub sources: Vec<SourceInfo>,
    /// Times in which recording was paused.
    #[serde(default)]
    pub pauses: Vec<PauseInfo>,
    /// From the first execution's start to the last one's end, in nanoseconds; of all slices if nothing was executed.
    #[serde(default)]
    pub active_ns: Option<(u64, u64)>,
    /// True if the recording ended in an orderly way.
    pub complete: bool,
}

impl TraceInfo {
    /// Returns the third-party tool that wrote the trace, if its device work is understood.
    pub fn producer(&self) -> Option<Producer> {
        Producer::from_word(&self.process.recorder)
    }

    /// Returns the name of a queue: the third-party tool's own (`stream 7`), else its number (`queue 3`).
    pub fn queue_name(&self, id: u64) -> String {
        let queue = self.queues.iter().find(|queue| queue.id == id);
        let track = queue.and_then(|queue| self.tracks.get(queue.track as usize));
        // Our own names continue with the queue's properties.
        let named = track.filter(|track| !track.name.is_empty() && !track.name.starts_with("queue "));
        named.map_or_else(|| format!("queue {id}"), |track| track.name.clone())
    }

    /// True if another tool wrote the content: it has no commands or calls of SYCL, and was not written by our
    /// recorder.
    pub fn is_foreign(&self) -> bool {
        let Counts { slices, nodes, executions, calls, native_calls, allocations, .. } = self.counts;
        let is_ours =
            std::iter::once(&self.process).chain(&self.processes).any(|one| !one.recorder.is_empty());
        let has_sycl = is_ours || nodes + executions + calls + native_calls + allocations > 0;
        slices > 0 && (self.producer().is_some() || !has_sycl)
    }
}

/// Facts of the recorded process. Empty texts and 0 mean unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessInfo {
    /// Process id.
    pub pid: u32,
    /// Program name.
    pub name: String,
    /// Command line.
    pub command_line: String,
    /// Host name.
    pub host: String,
    /// Wall-clock time of the start of its recording, ns since 1970-01-01 UTC.
    pub start_unix_ns: u64,
    /// The machine's monotonic clock at the start of its recording, ns; 0 if unknown.
    #[serde(default)]
    pub start_monotonic_ns: u64,
    /// Start of its recording on the trace's clock, ns: 0 unless others started before it.
    #[serde(default)]
    pub start_ns: u64,
    /// Time from which the file has its events, ns, if it lacks earlier ones: the file is a later part of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ns: Option<u64>,
    /// Time until which the file has its events, ns, if it lacks later ones: the process went on after the file's part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ns: Option<u64>,
    /// Program that wrote the recording.
    pub recorder: String,
    /// Rank, if an MPI launcher started the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Number of ranks, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_count: Option<u32>,
    /// Rank among the ranks of its host, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_rank: Option<u32>,
    /// True if its recording, or the file's part of it, ended in an orderly way.
    #[serde(default)]
    pub complete: bool,
}

impl ProcessInfo {
    /// Returns "rank 1 of 4 · python", or the name alone for a process without a rank.
    pub fn ranked_name(&self) -> String {
        crate::rank::ranked_name(self.rank, self.rank_count, &self.name)
    }
}

/// A track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackInfo {
    /// Its index in [`TraceInfo::tracks`].
    pub id: u32,
    /// The parent track group.
    pub parent: Option<u32>,
    /// Its process, an index into [`TraceInfo::processes`].
    #[serde(default)]
    pub process: u32,
    /// Kind of the track.
    pub kind: TrackKind,
    /// Display name.
    pub name: String,
    /// Lanes: nesting depth of a thread's slices, or lanes of overlapping executions on a queue. 0 for a track that
    /// only groups others.
    pub lanes: u32,
    /// Number of slices on it.
    pub slices: u64,
    /// For a counter: lowest and highest value, and the unit.
    pub counter: Option<CounterInfo>,
}

/// A counter track's range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterInfo {
    /// Lowest value.
    pub min: f64,
    /// Highest value.
    pub max: f64,
    /// Unit (`bytes`), empty if unknown.
    pub unit: String,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueInfo {
    /// Its number in the recording.
    pub id: u64,
    /// Track of its executions.
    pub track: u32,
    /// In-order or out-of-order.
    pub order: QueueOrder,
    /// Name of its device, with a number if devices of the process share it (`GPU #1`).
    pub device: String,
    /// Device type.
    pub device_type: String,
    /// Time of its creation.
    pub created_ns: u64,
    /// Time of its destruction, if it was destroyed.
    pub destroyed_ns: Option<u64>,
}

/// Sizes of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Slices on all tracks.
    pub slices: u64,
    /// Nodes of the task graph, including the runtime's placeholders.
    pub nodes: u64,
    /// Commands: nodes without the runtime's placeholders, and executions in other tools' files, which have no nodes.
    pub commands: u64,
    /// Nodes that launch a kernel.
    pub launches: u64,
    /// Edges of the task graph.
    pub edges: u64,
    /// Executions with device times.
    pub executions: u64,
    /// Allocations.
    pub allocations: u64,
    /// Allocations that were never released.
    pub unreleased: u64,
    /// Flows: arrows between slices that are not dependences.
    #[serde(default)]
    pub flows: u64,
    /// Calls of the Unified Runtime.
    pub calls: u64,
    /// Calls of the native API below it.
    pub native_calls: u64,
    /// Regions of the program: NVTX, ITT, Kokkos, Python, tracepoints.
    #[serde(default)]
    pub regions: u64,
    /// Buffers and images.
    pub objects: u64,
    /// Accessors.
    pub accessors: u64,
    /// Partitions of command graphs.
    pub partitions: u64,
    /// Commands appended to them.
    pub graph_commands: u64,
    /// Runs of command graphs' partitions.
    pub graph_runs: u64,
    /// Native handles that were imported into SYCL or exported from it.
    pub native_handles: u64,
    /// Frames of call stacks and samples.
    #[serde(default)]
    pub stack_frames: u64,
    /// Events lost while recording.
    pub dropped: u64,
}

/// Executions with one name and kind, summed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSummary {
    /// Kernel or command name.
    pub name: String,
    /// Kernel, copy, fill, …
    pub kind: NodeKind,
    /// Number of executions.
    pub count: u64,
    /// Sum of device time.
    pub total_ns: u64,
    /// Shortest execution.
    pub min_ns: u64,
    /// Longest execution.
    pub max_ns: u64,
}

answer_words! {
    /// Severity of a diagnostic.
    #[derive(Default)]
    Severity {
        /// Information.
        #[default]
        Info = "info",
        /// Data is missing from the trace.
        DataLoss = "data_loss",
        /// The file is partly invalid.
        Error = "error",
    }
}

/// A kind of problem with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticInfo {
    /// Severity.
    pub severity: Severity,
    /// Stable name (`truncated_file`, `unknown_packet`, `dropped_full_buffer`, …).
    pub kind: String,
    /// One sentence for users: the meaning and the remedy.
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
    /// Byte offset of the first one in the file, if it has one.
    pub first_offset: Option<u64>,
}

/// A stored trace in a server's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Key in URLs.
    pub id: String,
    /// File name as uploaded or recorded.
    pub name: String,
    /// Size of the file.
    pub size_bytes: u64,
    /// Time of storage, ns since 1970-01-01 UTC.
    pub stored_unix_ns: u64,
}

/// An error's body: `{"error": {"code": …, "message": …}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorInfo,
}

/// An error of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// Stable name (`not_found`, `not_a_trace`, `too_large`, …).
    pub code: String,
    /// One sentence for users, with the remedy.
    pub message: String,
}
