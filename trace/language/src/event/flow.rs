//! Flows, and the order of tracks: further content of other tools' files.

use super::{FlowBinding, FlowStep};
use crate::time::Timestamp;

/// A point of a flow: an arrow leads from the slice of each point to the slice of the next point in time. A flow
/// relates slices; a dependence is an [`Edge`](super::Edge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// Id of the flow in its file.
    pub flow: u64,
    /// Track of the slice.
    pub track: u64,
    /// Position of the point in the flow.
    pub step: FlowStep,
    /// Rule for the slice of the track.
    pub binding: FlowBinding,
    /// Display name, may be empty.
    pub name: &'a str,
}

/// Position of a track among those with the same parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackOrder {
    /// Time of the event; the last one wins.
    pub at: Timestamp,
    /// The track.
    pub track: u64,
    /// Lower ranks come first; tracks with the same rank, and those without one (0), in file order.
    pub rank: i64,
}
