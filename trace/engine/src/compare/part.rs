//! A part of a run that is compared in the place of the run.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use syclscope_language::api::IterationMarkKind;
use syclscope_language::question::PartOfRun;

use crate::query::findings::words::time;
use crate::query::{FoundPart, NoPart, QueryError};
use crate::store::Trace;

pub(super) const WHOLE: Range<u64> = 0..u64::MAX;

/// A part of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunPart {
    /// Its name: `iterations 5-120`. Parts of one name are compared with each other.
    pub name: String,
    /// Its time, in nanoseconds since the trace's start.
    pub range: Range<u64>,
    /// True if the range is given in time. Where it has an end, it is as long in every run.
    pub is_window: bool,
    /// Mark of the loop of which the part is some iterations.
    pub mark: Option<LoopMark>,
}

/// Region or command that begins each iteration of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopMark {
    /// Region or command.
    pub kind: IterationMarkKind,
    /// Its name.
    pub name: String,
}

impl Trace {
    /// Finds the part of this run that is compared; `None` if all of it is.
    ///
    /// # Errors
    /// The run has no such part.
    pub fn compared_part(&self, part: &PartOfRun) -> Result<Option<RunPart>, QueryError> {
        let Some(FoundPart { range, mark }) = self.find_part(part)? else { return Ok(None) };
        let end_ns = self.info().duration_ns;
        if range.start >= end_ns {
            return Err(NoPart::Ended { end_ns }.into());
        }
        let is_window = mark.is_none();
        let mark = mark.map(|mark| LoopMark { kind: mark.kind, name: mark.name });
        Ok(Some(RunPart { name: part.name(time), range, is_window, mark }))
    }
}
