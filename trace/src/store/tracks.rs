//! Tracks and queues.

use crate::event::{QueueOrder, TrackKind};
use crate::id::StringId;

/// A track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackRow {
    /// Position of the track group that holds it, or `NONE`.
    pub(crate) parent: u32,
    pub(crate) kind: TrackKind,
    pub(crate) name: StringId,
    /// Its first lane among all lanes of the trace.
    pub(crate) first_lane: u32,
    pub(crate) lanes: u32,
    /// For a counter: its position among the counters; else `NONE`.
    pub(crate) counter: u32,
}

/// The tracks of a trace, in the order in which a view shows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks(pub(crate) Vec<TrackRow>);

impl Tracks {
    /// The track with a lane, by the lane's position among all lanes.
    pub(crate) fn of_lane(&self, lane: usize) -> usize {
        let after = self.0.partition_point(|track| track.first_lane as usize <= lane);
        // Tracks without lanes share their first lane with the next one: the last of them has it.
        after.saturating_sub(1)
    }

    /// Bytes that the table takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<TrackRow>()
    }
}

/// A queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueRow {
    pub(crate) number: u64,
    pub(crate) track: u32,
    pub(crate) order: QueueOrder,
    pub(crate) device: StringId,
    pub(crate) device_type: StringId,
    pub(crate) created: u64,
    pub(crate) destroyed: Option<u64>,
    pub(crate) runtime_id: u64,
    pub(crate) handle: u64,
    pub(crate) device_handle: u64,
    pub(crate) context: u64,
}
