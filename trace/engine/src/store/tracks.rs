//! Tracks and queues.

use std::ops::Range;

use syclscope_language::event::{QueueOrder, TrackKind};

use super::table::table;
use crate::id::StringId;

table! {
    /// The tracks of a trace, in display order.
    Tracks,
    TrackRow {
        /// Position of its parent track group, or `NONE`.
        parent: u32,
        process: u32,
        /// For a thread and its descendants: the thread's id; else 0.
        tid: u32,
        kind: TrackKind,
        name: StringId,
        /// Its first lane among all lanes of the trace.
        first_lane: u32,
        lanes: u32,
        /// For a counter: its position among the counters; else `NONE`.
        counter: u32,
    }
}

impl TrackRow {
    /// Returns the track's lanes, by their positions among all lanes of the trace.
    pub(crate) fn lane_range(&self) -> Range<usize> {
        let first = self.first_lane as usize;
        first..first.saturating_add(self.lanes as usize)
    }
}

impl Tracks {
    /// Returns the track with a lane, by the lane's position among all lanes.
    pub(crate) fn of_lane(&self, lane: usize) -> usize {
        let after = self.first_lane.partition_point(|first| *first as usize <= lane);
        // Tracks without lanes share their first lane with the next track; the last of these tracks owns it.
        after.saturating_sub(1)
    }
}

table! {
    /// The queues of a trace.
    Queues,
    QueueRow {
        /// Its number in the recording.
        number: u64,
        /// Track of its executions.
        track: u32,
        order: QueueOrder,
        /// Name of its device.
        device: StringId,
        /// Displayed name of the device: numbered if devices of the process share it.
        title: StringId,
        device_type: StringId,
        /// Time of its creation.
        created: u64,
        /// Time of its destruction; `None` if it never was destroyed.
        destroyed: Option<u64>,
        /// The runtime's own number for it.
        runtime_id: u64,
        handle: u64,
        device_handle: u64,
        /// Its context's handle.
        context: u64,
    }
}
