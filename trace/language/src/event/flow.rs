//! Flows, and the order of tracks: what other programs' files hold beside slices.

use super::{FlowBinding, FlowStep};
use crate::time::Timestamp;

/// A point of a flow: an arrow goes from the slice of each point to that of the next one in time. A flow says that
/// slices have to do with each other; a dependence is an [`Edge`](super::Edge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow<'a> {
    /// When.
    pub at: Timestamp,
    /// Identity of the flow in its file.
    pub flow: u64,
    /// Track of the slice.
    pub track: u64,
    /// Where in the flow the point is.
    pub step: FlowStep,
    /// Which slice of the track is meant.
    pub binding: FlowBinding,
    /// Shown name, empty if it has none.
    pub name: &'a str,
}

/// Where a track stands among those with the same parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackOrder {
    /// When this was said; the last word counts.
    pub at: Timestamp,
    /// Which track.
    pub track: u64,
    /// Lower ones come first; tracks with the same rank, and those without one (0), in the order of the file.
    pub rank: i64,
}
