//! Commands that could have run side by side, and did not.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, NodeRef, SliceRef};
use crate::event::NodeKind;

/// Pairs of commands that ran one after the other though the program did not require it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Serialised {
    /// Pairs grouped by source locations, names and reason, largest possible gain first.
    pub pairs: Vec<SerialisedPair>,
    /// Number of further groups.
    pub more: u64,
    /// Number of commands that missed an overlap, over all groups.
    pub count: u64,
    /// Total time that pairs could have overlapped: a command between two others counts with both. The gain of the
    /// whole run is in the findings.
    pub gain_ns: u64,
    /// Pairs with unknown memory accesses: the recording does not show whether they had to wait.
    pub unknown: u64,
}

/// Commands of one source location that could have overlapped commands of another, but did not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SerialisedPair {
    /// Reason for the second command's delay.
    pub reason: SerialReason,
    /// Number of pairs.
    pub count: u64,
    /// Total time that they could have overlapped.
    pub gain_ns: u64,
    /// The longest example: the command that ran first.
    pub first: SerialisedCommand,
    /// The command that could have overlapped it.
    pub second: SerialisedCommand,
    /// Time that these two could have overlapped.
    pub overlap_ns: u64,
    /// Number of their common queue.
    pub queue: Option<u64>,
    /// Number of the buffer or image used by both.
    pub object: Option<u64>,
    /// The host's wait between them.
    pub wait: Option<SerialisedWait>,
    /// Description, with the remedy.
    pub message: String,
}

answer_words! {
    /// Reason for a command's delay.
    SerialReason {
        /// Both use the same buffer, but different parts of it (sub-buffers).
        FalseDependence = "false_dependence",
        /// Both are on an in-order queue, and touch different memory.
        InOrderQueue = "in_order_queue",
        /// The host waited for the first before it submitted the second, which touches different memory.
        HostWait = "host_wait",
        /// The device was running the first; nothing else delayed the second.
        SameEngine = "same_engine",
    }
}

/// A command of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatSerialisedCommand")]
pub struct SerialisedCommand {
    /// Number, kind, name, and position.
    #[serde(flatten)]
    pub node: NodeRef,
    /// Start on the device.
    pub begin_ns: u64,
    /// End on the device.
    pub end_ns: u64,
    /// Source code that submitted it.
    pub location: Option<LocationInfo>,
}

read_flat!(
    SerialisedCommand from FlatSerialisedCommand {
        node: u64, kind: NodeKind, name: String, at: Option<SliceRef>, begin_ns: u64, end_ns: u64,
        location: Option<LocationInfo>,
    }
    with begin_ns, end_ns, location; node: NodeRef {
        node, kind, name, at,
    }
);

/// A wait of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SerialisedWait {
    /// Its position.
    pub at: SliceRef,
    /// Source code that waited.
    pub location: Option<LocationInfo>,
}
