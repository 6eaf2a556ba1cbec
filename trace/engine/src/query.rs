//! Queries of views on a [`Trace`], at a cost that follows the size of the answer.

pub(crate) mod activity;
pub(crate) mod answer;
mod builds;
mod call_tree;
mod calls;
mod contents;
pub(crate) mod cost;
mod counter;
mod density;
mod dependences;
mod detail;
mod element_type;
mod energy;
mod error;
mod find;
pub(crate) mod findings;
mod gaps;
mod graph;
mod host_work;
mod info;
mod iterations;
mod kernel;
pub(crate) mod kernels;
mod life;
mod limits;
mod lines;
mod machine;
mod matcher;
pub(crate) mod memory;
mod neighbours;
mod part;
mod pauses;
mod percentile;
mod program;
mod program_calls;
pub(in crate::query) mod regions;
pub(crate) mod report;
mod sampled;
pub(crate) mod select;
mod serialised;
mod stacks;
mod start_up;
mod step_sums;
pub(crate) mod summary;
mod timeline;

pub use answer::json;
pub(crate) use calls::{BuildTimes, builds};
pub(crate) use detail::{location, slice_ref};
pub use error::{NoPart, QueryError};
pub use part::FoundPart;

use syclscope_language::api::{
    CounterTile, DensityTile, MemoryTile, SliceDetail, SourceText, TimelineTile, TraceInfo,
};
use syclscope_language::question::{MemoryKey, TileKey};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns the overview that a view needs before it draws: tracks, queues, kernels, problems.
    pub fn info(&self) -> TraceInfo {
        info::info(self)
    }

    /// Returns the slices of a track at a resolution.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or has no lanes.
    pub fn timeline_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError> {
        let track = self.tracks.get(key.track).filter(|track| track.lanes > 0);
        Ok(timeline::tile(self, &track.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    /// Returns the executions of a kernel at a resolution; the key's track is the kernel's index in
    /// [`TraceInfo::kernels`].
    ///
    /// # Errors
    /// Returns an error if there is no such kernel.
    pub fn kernel_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError> {
        kernels::tile(self, key, None).ok_or(QueryError::NoTrack(key.track))
    }

    /// Returns the samples of a counter track at a resolution.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or is not a counter.
    pub fn counter_tile(&self, key: TileKey) -> Result<CounterTile, QueryError> {
        let counter = self.tracks.get(key.track).and_then(|track| some(track.counter));
        Ok(counter::tile(&self.counters, counter.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    /// Returns the utilisation of a track at a resolution.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or has no lanes.
    pub fn density_tile(&self, key: TileKey) -> Result<DensityTile, QueryError> {
        let track = self.tracks.get(key.track).filter(|track| track.lanes > 0);
        Ok(density::tile(&self.slices, &track.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    /// Returns the allocations of a memory counter's track that are live in a range of time and overlap a range of
    /// addresses.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or counts no memory.
    pub fn memory_tile(&self, key: MemoryKey) -> Result<MemoryTile, QueryError> {
        let track = self.tracks.get(key.track).ok_or(QueryError::NoTrack(key.track))?;
        let kind = memory::tile::kind_of(self, &track).ok_or(QueryError::NoTrack(key.track))?;
        Ok(memory::tile::tile(self, &track, kind, key))
    }

    /// Returns the details of one slice.
    ///
    /// # Errors
    /// Returns an error if the slice does not exist.
    pub fn slice(&self, slice: u32) -> Result<SliceDetail, QueryError> {
        if (slice as usize) < self.slices.len() {
            Ok(detail::slice(self, slice))
        } else {
            Err(QueryError::NoSlice(slice))
        }
    }

    /// Returns the text of a source file, an index into [`TraceInfo::sources`].
    ///
    /// # Errors
    /// Returns an error if the file does not exist.
    pub fn source_text(&self, source: u32) -> Result<SourceText, QueryError> {
        machine::source_text(self, source).ok_or(QueryError::NoSource(source))
    }

    /// Returns the text of a source file by its path, as in source locations; the last version if there are several.
    pub fn source_file(&self, path: &str) -> Option<SourceText> {
        machine::source_file(self, path)
    }
}
