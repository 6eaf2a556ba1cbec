//! Neighbours of a slice: overlapping ones, ones of the same name, and waits.

use serde::{Deserialize, Serialize};

use super::{CriticalStep, SliceItem};
use crate::event::EdgeReason;

/// Slices of other tracks that run while a slice does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlaps {
    /// Most time in common first; equal ones by start.
    pub slices: Vec<Overlap>,
    /// Number of others.
    pub more: u64,
}

/// A slice that runs while another one does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// It.
    pub slice: SliceItem,
    /// Time that they have in common.
    pub overlap_ns: u64,
}

/// The slices of a slice's name, category and kind, in the order of start and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alike {
    /// Number of them, the slice itself included.
    pub total: u64,
    /// Number of them that come before it.
    pub position: u64,
    /// The one before.
    pub previous: Option<SliceItem>,
    /// The next one.
    pub next: Option<SliceItem>,
}

/// Predecessors or successors of a command or a wait of the host, by the constraints of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// The command or wait asked for; `None` for a slice that belongs to none: then nothing is known.
    pub step: Option<CriticalStep>,
    /// Links, nearest first. Within a hop and for one step: the deciding one first, then by end, last first (of
    /// successors by start, first first).
    pub links: Vec<WaitLink>,
    /// Links within the hops asked for that are not listed.
    pub more: u64,
}

/// One step that waited for another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitLink {
    /// The other step, that is not nearer to the one asked for.
    pub step: CriticalStep,
    /// Distance from the requested one in links, from 1.
    pub hop: u32,
    /// Position in [`Waits::links`] of the step that waited for it, or that it waited for; `None` for the one asked for.
    pub of: Option<u32>,
    /// Why.
    pub reason: WaitReason,
    /// Reason of the edge, where the task graph has one between the two.
    pub edge: Option<EdgeReason>,
    /// Number of the memory object of that edge, if it is known.
    pub object: Option<u64>,
    /// Time of the host between the two.
    pub lag_ns: u64,
    /// True if this decided when the later one could start, as the critical path has it.
    pub decided: bool,
}

/// Why a step waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// The task graph says so.
    Edge,
    /// Both run on one in-order queue.
    QueueOrder,
    /// A thread of the host comes from one to the other: it begins, or has waited, and then submits or waits again.
    Host,
    /// The host waits for the command.
    HostWait,
}
