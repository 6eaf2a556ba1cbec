//! Commands that could have run side by side, and did not.

use serde::{Deserialize, Serialize};

use super::flat::read_flat;
use super::{LocationInfo, NodeRef, SliceRef};
use crate::event::NodeKind;

/// Pairs of commands that ran one after the other though nothing in the program asked for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Serialised {
    /// Pairs of equal places, names and reason, those with most to gain first.
    pub pairs: Vec<SerialisedPair>,
    /// Groups beyond those listed.
    pub more: u64,
    /// Number of commands that missed an overlap, over all groups.
    pub count: u64,
    /// Time that pairs could have overlapped, summed up: a command between two others counts with both. What the run would gain is the
    /// gain of findings.
    pub gain_ns: u64,
    /// Pairs with unknown memory accesses: the recording does not show whether they had to wait.
    pub unknown: u64,
}

/// Commands of one place that could have run beside commands of another and did not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SerialisedPair {
    /// Reason for the second command's delay.
    pub reason: SerialReason,
    /// Number of pairs.
    pub count: u64,
    /// Time that they could have overlapped, summed up.
    pub gain_ns: u64,
    /// The longest example: the command that ran first.
    pub first: SerialisedCommand,
    /// The one that could have run beside it.
    pub second: SerialisedCommand,
    /// Time that these two could have overlapped.
    pub overlap_ns: u64,
    /// Number of the queue that both are on.
    pub queue: Option<u64>,
    /// Number of the buffer or image that both use.
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
        /// Nothing but the device, which ran the first.
        SameEngine = "same_engine",
    }
}

/// A command of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatSerialisedCommand")]
pub struct SerialisedCommand {
    /// Number, kind, name, and where to jump.
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
    /// Where to jump.
    pub at: SliceRef,
    /// Source code that waited.
    pub location: Option<LocationInfo>,
}
