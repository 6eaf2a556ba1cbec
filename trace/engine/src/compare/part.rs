//! A part of a run that is compared in the place of the run.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use syclscope_language::api::IterationMarkKind;

/// The range of a run.
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
