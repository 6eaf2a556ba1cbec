//! What a view asks of a trace, wherever the trace is: [`Question`] for everything, by name; [`TraceSource`] for tiles
//! and details.

mod question;
mod tile;

pub use question::{
    AllocationOrder, AllocationsQuestion, LeaksQuestion, MemoryAtQuestion, MemoryOf, MemoryUseQuestion,
    ObjectOrder, ObjectQuestion, ObjectsQuestion, TouchedBy, TransferOrder, TransfersQuestion,
};
pub use question::{
    CallGrouping, CallTreeQuestion, DependenceQuestion, GroupOrder, LinesOf, ListQuestion, OverlapQuestion,
    Question, QuestionError, SandwichQuestion, SelectQuestion, Selection, SliceOrder, StepFrom, StepQuestion,
    WaitDirection, WaitOf, WaitQuestion, Way,
};
pub use question::{
    Factor, GraphLevel, GraphQuestion, MembersQuestion, Redundant, SerialisedQuestion, WhatIfQuestion,
};
pub use tile::{
    MAX_LEVEL, MEMORY_BUCKETS, MEMORY_ROWS, MemoryKey, TILE_BUCKETS, TileKey, TileKeyError, TileView,
};

use crate::api::{CounterTile, DensityTile, MemoryTile, SliceDetail, SourceText, TimelineTile, TraceInfo};
use crate::graph::GroupName;

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The track does not exist or is not of the kind asked for.
    #[error("the trace has no such track: {0}")]
    NoTrack(u32),
    /// The slice does not exist.
    #[error("the trace has no such slice: {0}")]
    NoSlice(u32),
    /// The source file does not exist.
    #[error("the trace has no such source file: {0}")]
    NoSource(u32),
    /// The slice belongs to no command.
    #[error("slice {0} belongs to no command")]
    NoCommand(u32),
    /// The node does not exist.
    #[error("the trace has no such command: {0}")]
    NoNode(u64),
    /// The buffer, image or allocation does not exist.
    #[error("the trace has no such object: {0}")]
    NoObject(u32),
    /// The process does not exist.
    #[error("the trace has no such process: {0}")]
    NoProcess(u32),
    /// The group of nodes does not exist at that level.
    #[error("the graph has no group {0} at this level; a view's nodes have the names of those there are")]
    NoGroup(GroupName),
    /// The answer can't be told as JSON.
    #[error("an answer can't be written as JSON; please report this with the file")]
    Unwritable,
}

/// A trace that answers queries: the store itself, or a server that holds it.
pub trait TraceSource {
    /// What is known before anything is drawn: tracks, queues, kernels, problems.
    fn info(&self) -> TraceInfo;

    /// The slices of a track at a resolution.
    ///
    /// # Errors
    /// When the track does not exist or holds no slices.
    fn timeline_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError>;

    /// The executions of a kernel at a resolution; the key's track is the kernel's place in [`TraceInfo::kernels`].
    ///
    /// # Errors
    /// When there is no such kernel.
    fn kernel_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError>;

    /// The samples of a counter track at a resolution.
    ///
    /// # Errors
    /// When the track does not exist or is not a counter.
    fn counter_tile(&self, key: TileKey) -> Result<CounterTile, QueryError>;

    /// How busy a track is at a resolution.
    ///
    /// # Errors
    /// When the track does not exist or holds no slices.
    fn density_tile(&self, key: TileKey) -> Result<DensityTile, QueryError>;

    /// The allocations of a memory counter's track that are live in a span of time and touch a span of addresses.
    ///
    /// # Errors
    /// When the track does not exist or counts no memory.
    fn memory_tile(&self, key: MemoryKey) -> Result<MemoryTile, QueryError>;

    /// Everything known of one slice.
    ///
    /// # Errors
    /// When the slice does not exist.
    fn slice(&self, slice: u32) -> Result<SliceDetail, QueryError>;

    /// The text of a source file, an index into [`TraceInfo::sources`].
    ///
    /// # Errors
    /// When the file does not exist.
    fn source_text(&self, source: u32) -> Result<SourceText, QueryError>;
}
