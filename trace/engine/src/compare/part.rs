//! A part of a run, compared instead of the whole run.

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
    /// Name of the part, such as `iterations 5-120`. Parts with the same name are compared.
    pub name: String,
    /// Time of the part, in nanoseconds since the trace's start.
    pub range: Range<u64>,
    /// True if the range is given as times. With an end, it has the same length in every run.
    pub is_window: bool,
    /// Mark of the loop whose iterations form the part.
    pub mark: Option<LoopMark>,
}

/// Region or command that starts each iteration of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopMark {
    /// Kind of the mark.
    pub kind: IterationMarkKind,
    /// Name of the region or command.
    pub name: String,
}

impl Trace {
    /// Finds the compared part of this run; `None` for the whole run.
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
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
