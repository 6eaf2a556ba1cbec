//! Queries: what a view asks of a [`Trace`], at a cost that follows what is shown.

pub(crate) mod activity;
mod answer;
mod around;
mod call_tree;
mod calls;
mod counter;
mod density;
mod dependences;
mod detail;
mod element_type;
pub(crate) mod findings;
mod graph;
mod info;
pub(crate) mod kernels;
mod life;
mod lines;
mod machine;
mod matcher;
pub(crate) mod memory;
pub(crate) mod report;
mod select;
mod serialised;
pub(crate) mod summary;
mod timeline;

use crate::api::{CounterTile, DensityTile, MemoryTile, SliceDetail, SourceText, TimelineTile, TraceInfo};
use crate::id::some;
use crate::source::{MemoryKey, QueryError, TileKey, TraceSource};
use crate::store::Trace;
use crate::store::table::Table as _;

impl TraceSource for Trace {
    fn info(&self) -> TraceInfo {
        info::info(self)
    }

    fn timeline_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError> {
        let track = self.tracks.get(key.track).filter(|track| track.lanes > 0);
        Ok(timeline::tile(self, &track.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    fn kernel_tile(&self, key: TileKey) -> Result<TimelineTile, QueryError> {
        kernels::tile(self, key, None).ok_or(QueryError::NoTrack(key.track))
    }

    fn counter_tile(&self, key: TileKey) -> Result<CounterTile, QueryError> {
        let counter = self.tracks.get(key.track).and_then(|track| some(track.counter));
        Ok(counter::tile(&self.counters, counter.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    fn density_tile(&self, key: TileKey) -> Result<DensityTile, QueryError> {
        let track = self.tracks.get(key.track).filter(|track| track.lanes > 0);
        Ok(density::tile(&self.slices, &track.ok_or(QueryError::NoTrack(key.track))?, key))
    }

    fn memory_tile(&self, key: MemoryKey) -> Result<MemoryTile, QueryError> {
        let track = self.tracks.get(key.track).ok_or(QueryError::NoTrack(key.track))?;
        let kind = memory::tile::kind_of(self, &track).ok_or(QueryError::NoTrack(key.track))?;
        Ok(memory::tile::tile(self, &track, kind, key))
    }

    fn slice(&self, slice: u32) -> Result<SliceDetail, QueryError> {
        if (slice as usize) < self.slices.len() {
            Ok(detail::slice(self, slice))
        } else {
            Err(QueryError::NoSlice(slice))
        }
    }

    fn source_text(&self, source: u32) -> Result<SourceText, QueryError> {
        machine::source_text(self, source).ok_or(QueryError::NoSource(source))
    }
}

impl Trace {
    /// The text of a source file by its path, as source locations have it; the last version where there are several.
    pub fn source_file(&self, path: &str) -> Option<SourceText> {
        machine::source_file(self, path)
    }
}
