//! Counters that the engine derives from a trace's commands; the recorder does not write them.

use serde::{Deserialize, Serialize};

answer_words! {
    /// Kind of an activity counter.
    ActivityKind {
        /// Kernels running on a device at a time.
        KernelsInFlight = "kernels_in_flight",
        /// Submitted commands of a queue that have not ended. Only those with device times count.
        QueueDepth = "queue_depth",
        /// Bytes per nanosecond (GB/s) moved by a device's copies in one direction, each spread evenly over its time.
        TransferRate = "transfer_rate",
        /// Bytes of one kind of memory in use on one device, if a process uses that kind on several devices.
        Memory = "memory",
    }
}

/// A counter derived from a trace's commands. Its samples are tiles of
/// [`TileView::Activity`](crate::question::TileView::Activity), by its index in the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivityCounter {
    /// Kind of the counter.
    pub kind: ActivityKind,
    /// The track that it belongs to: a queue's, else a device's.
    pub track: u32,
    /// Name, like `queue depth`.
    pub name: String,
    /// Unit of its values; empty for plain numbers.
    pub unit: String,
    /// Highest value; the lowest is 0.
    pub max: f64,
}
