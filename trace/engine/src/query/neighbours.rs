//! Neighbours of a slice.

mod alike;
mod overlaps;
mod waits;

use syclscope_language::api::{Alike, Overlaps, Waits};
use syclscope_language::question::{OverlapQuestion, WaitQuestion};

use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Slices of other tracks that run while one does.
    ///
    /// # Errors
    /// Returns an error if the slice or a track doesn't exist.
    pub fn overlaps(&self, question: &OverlapQuestion) -> Result<Overlaps, QueryError> {
        overlaps::overlaps(self, question)
    }

    /// Returns the previous and next slice with the same name, category and kind, on its track or in the trace.
    ///
    /// # Errors
    /// Returns an error if the slice doesn't exist.
    pub fn alike(&self, slice: u32, same_track: bool) -> Result<Alike, QueryError> {
        self.existing(slice)?;
        Ok(alike::alike(self, slice as usize, same_track))
    }

    /// Predecessors or successors of a command or a wait of the host.
    ///
    /// # Errors
    /// Returns an error if the slice or node doesn't exist.
    pub fn waits(&self, question: &WaitQuestion) -> Result<Waits, QueryError> {
        waits::waits(self, question)
    }

    fn existing(&self, slice: u32) -> Result<(), QueryError> {
        if (slice as usize) < self.slices.len() { Ok(()) } else { Err(QueryError::NoSlice(slice)) }
    }
}
