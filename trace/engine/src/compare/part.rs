//! A part of a run that is compared in the place of the run.

use std::ops::Range;

/// The range of a run.
pub(super) const WHOLE: Range<u64> = 0..u64::MAX;

/// A part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPart {
    /// Its name: `iterations 5-120`. Parts of one name are compared with each other.
    pub name: String,
    /// Its time, in nanoseconds since the trace's start.
    pub range: Range<u64>,
}
