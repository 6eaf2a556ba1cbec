//! Counters that the engine computes from a trace's commands; the recorder does not write them.

use serde::{Deserialize, Serialize};

answer_words! {
    /// Subject of a counter of activity.
    ActivityKind {
        /// Kernels that run on a device at one time.
        KernelsInFlight = "kernels_in_flight",
        /// Commands of a queue that were submitted and have not ended. Only those with device times count.
        QueueDepth = "queue_depth",
        /// Bytes in a nanosecond (GB/s) that a device's copies of one direction move, each evenly over its time.
        TransferRate = "transfer_rate",
        /// Bytes of one kind in use on one device, where a process uses several.
        Memory = "memory",
    }
}

/// A counter that follows from a trace's commands. Its samples are tiles of
/// [`TileView::Activity`](crate::question::TileView::Activity), by its place in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivityCounter {
    /// Subject of the counter.
    pub kind: ActivityKind,
    /// The track that it belongs to: a queue's, else a device's.
    pub track: u32,
    /// Name of the subject, in words.
    pub name: String,
    /// Unit of its values; empty for plain numbers.
    pub unit: String,
    /// Highest value; the lowest is 0.
    pub max: f64,
}
