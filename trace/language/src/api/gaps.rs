//! Idle stretches of devices, queues and threads, with their causes.

use serde::{Deserialize, Serialize};

use super::{CriticalStep, LocationInfo, NodeRef, SliceRef};

/// Idle time of devices, of a queue or of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Idle time in nanoseconds: the sum over all stretches, and over `classes`.
    pub idle_ns: u64,
    /// Number of stretches.
    pub count: u64,
    /// Idle time by class of cause, most first.
    pub classes: Vec<GapClassTime>,
    /// Stretches, longest first.
    pub gaps: Vec<Gap>,
    /// Stretches beyond those listed.
    pub more: u64,
}

/// Idle time of one class of cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapClassTime {
    /// Class of the cause.
    pub class: GapClass,
    /// Its part of the idle time, in nanoseconds.
    pub total_ns: u64,
    /// Number of stretches with a part of this class.
    pub count: u64,
}

answer_words! {
    /// Class of a cause of idle time.
    GapClass {
        /// The host waited, in a blocking call of the program.
        Wait = "wait",
        /// The host waited in a call of the runtime that no wait of the program made.
        Synchronisation = "synchronisation",
        /// The host built device code.
        Build = "build",
        /// The host allocated or released memory.
        Memory = "memory",
        /// The host was in another call of the runtime or the driver.
        Call = "call",
        /// The host submitted commands.
        Submission = "submission",
        /// The host ran code that is not recorded.
        Host = "host",
        /// The host ran code that samples show.
        Sampled = "sampled",
        /// The next command depended on another one, or on a host task.
        Dependence = "dependence",
        /// The device ran commands of other queues.
        DeviceBusy = "device_busy",
        /// The next command was on its way through runtime and driver.
        Launch = "launch",
        /// The recording was paused: what devices did then is not known.
        Paused = "paused",
        /// The recording does not show the cause.
        Unknown = "unknown",
    }
}

impl GapClass {
    /// Short description for tables.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Wait => "host waiting",
            Self::Synchronisation => "synchronisation by the runtime",
            Self::Build => "building device code",
            Self::Memory => "allocating memory",
            Self::Call => "runtime and driver calls",
            Self::Submission => "submitting",
            Self::Host => "host code (not recorded)",
            Self::Sampled => "host code (sampled)",
            Self::Dependence => "dependence",
            Self::DeviceBusy => "device busy with other queues",
            Self::Launch => "launch overhead",
            Self::Paused => "recording paused",
            Self::Unknown => "unknown",
        }
    }
}

/// An idle stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Track of the device, queue or thread.
    pub track: u32,
    /// Name of that track.
    pub name: String,
    /// Begin, in nanoseconds.
    pub from_ns: u64,
    /// End, in nanoseconds.
    pub to_ns: u64,
    /// Class with the most time in it.
    pub class: GapClass,
    /// Causes in the order of their begin. Their durations add up to the stretch.
    pub parts: Vec<GapPart>,
    /// The command that ended it; none at the end of the run, for native work, and for threads.
    pub next: Option<NodeRef>,
    /// Source code that submitted that command.
    pub location: Option<LocationInfo>,
    /// Last slice before the stretch.
    pub before: Option<SliceRef>,
    /// First slice after it.
    pub after: Option<SliceRef>,
    /// Explanation in a sentence.
    pub message: String,
}

/// A cause in an idle stretch: one call, or all calls of one name between two waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapPart {
    /// Class of the cause.
    pub class: GapClass,
    /// Name, time, place and source code, as on the critical path.
    pub step: CriticalStep,
}
