//! The life of a command, and the commands around it.

use serde::{Deserialize, Serialize};

use super::SliceRef;
use crate::event::EdgeReason;

/// The life of the command that a slice belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Number of the node.
    pub node: u64,
    /// Kernel or command name.
    pub name: String,
    /// What it went through, first to last; phases that the recording can't tell are left out.
    pub phases: Vec<Phase>,
    /// The host's wait that ended because of it, if there is one: the first that waited for it, or for its queue.
    pub wait: Option<SliceRef>,
    /// Commands of the same name and kind that the medians are of. A long run's are every so many, evenly.
    pub samples: u32,
    /// Commands of the same name and kind.
    pub same: u64,
}

/// A part of a command's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Which.
    pub kind: PhaseKind,
    /// Begin.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// What half of the commands of the same name and kind don't exceed, of those that have the phase.
    pub median_ns: Option<u64>,
}

/// Which part of a command's life. Each begins where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// The host submits it.
    Submission,
    /// It waits for what it depends on.
    Dependences,
    /// Runtime and driver take their time until it is handed to the device.
    HandOver,
    /// The device takes its time until it starts.
    Start,
    /// It runs.
    Execution,
    /// The host takes its time until its wait returns.
    Return,
}

impl PhaseKind {
    /// Every kind in the order of a life.
    pub const ALL: [Self; 6] =
        [Self::Submission, Self::Dependences, Self::HandOver, Self::Start, Self::Execution, Self::Return];
}

/// The dependences around a command, nearest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependences {
    /// Those asked for.
    pub edges: Vec<Dependence>,
    /// Those beyond that number.
    pub more: u64,
}

/// A dependence between two commands that can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    /// Whether it lies before the command: the command waited for it.
    pub before: bool,
    /// How many dependences away, from 1.
    pub hop: u32,
    /// What must finish: its execution, else its submission.
    pub from: SliceRef,
    /// What must wait.
    pub to: SliceRef,
    /// Name of what must finish.
    pub from_name: String,
    /// Name of what must wait.
    pub to_name: String,
    /// Why.
    pub reason: EdgeReason,
    /// Access mode, empty if not by an accessor.
    pub access_mode: String,
}
