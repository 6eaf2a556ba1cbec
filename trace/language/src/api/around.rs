//! Neighbours of a slice: overlapping slices, slices with the same name, and waits.

use serde::{Deserialize, Serialize};

use super::{CriticalStep, SliceItem};
use crate::event::EdgeReason;

/// Slices of other tracks that run while a slice does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlaps {
    /// Longest common time first; equal ones by start.
    pub slices: Vec<Overlap>,
    /// Number of others.
    pub more: u64,
}

/// A slice that runs while another one does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The overlapping slice.
    pub slice: SliceItem,
    /// Their common time.
    pub overlap_ns: u64,
}

/// The slices with the same name, category and kind, by start and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alike {
    /// Number of these slices, including the slice itself.
    pub total: u64,
    /// Number of these slices before the slice itself.
    pub position: u64,
    /// The previous slice.
    pub previous: Option<SliceItem>,
    /// The next slice.
    pub next: Option<SliceItem>,
}

/// Predecessors or successors of a command or a wait of the host, by the constraints of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// The requested command or wait; `None`, with no links, for a slice that belongs to neither.
    pub step: Option<CriticalStep>,
    /// Links, nearest first. Within a hop and for one step: the deciding one first, then the others by end, latest
    /// first (for successors by start, earliest first).
    pub links: Vec<WaitLink>,
    /// Number of links within the requested hops that are not listed.
    pub more: u64,
}

/// One step that waited for another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitLink {
    /// The other step, which is farther from the requested one.
    pub step: CriticalStep,
    /// Distance from the requested one in links, from 1.
    pub hop: u32,
    /// Index in [`Waits::links`] of the step that waited for it, or that it waited for; `None` for the requested step.
    pub of: Option<u32>,
    /// Reason of the wait.
    pub reason: WaitReason,
    /// Reason of the edge, if the task graph has one between the two.
    pub edge: Option<EdgeReason>,
    /// Number of that edge's memory object, if known.
    pub object: Option<u64>,
    /// Time of the host between the two.
    pub lag_ns: u64,
    /// True if this link determined when the later step could start, as on the critical path.
    pub decided: bool,
}

/// Reason why a step waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// An edge of the task graph.
    Edge,
    /// Both run on one in-order queue.
    QueueOrder,
    /// The device had no free capacity for it before the other one ended.
    DeviceOrder,
    /// A host thread links the two: it starts, or has waited, and then submits or waits again.
    Host,
    /// The host waits for the command.
    HostWait,
}
