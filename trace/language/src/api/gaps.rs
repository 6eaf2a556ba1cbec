//! Idle gaps of devices, queues and threads, with their causes.

use serde::{Deserialize, Serialize};

use super::{CriticalStep, LocationInfo, NodeRef, SliceRef};

/// Idle time of devices, of a queue or of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// Idle time in nanoseconds: the sum over all gaps, and over `classes`.
    pub idle_ns: u64,
    /// Number of gaps.
    pub count: u64,
    /// Idle time by class of cause, longest first.
    pub classes: Vec<GapClassTime>,
    /// Gaps, longest first.
    pub gaps: Vec<Gap>,
    /// Number of gaps that are not listed.
    pub more: u64,
}

/// Idle time of one class of cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapClassTime {
    /// Class of the cause.
    pub class: GapClass,
    /// Its part of the idle time, in nanoseconds.
    pub total_ns: u64,
    /// Number of gaps with a part of this class.
    pub count: u64,
}

answer_words! {
    /// Class of a cause of idle time.
    GapClass {
        /// The host waited in a blocking call of the program.
        Wait = "wait",
        /// The host waited in a call of the runtime outside of any wait of the program.
        Synchronisation = "synchronisation",
        /// The host built device code.
        Build = "build",
        /// The host allocated or released memory.
        Memory = "memory",
        /// The host was in another call of the runtime or the driver.
        Call = "call",
        /// The host submitted commands.
        Submission = "submission",
        /// The host ran code that was not recorded.
        Host = "host",
        /// The host ran code that samples show.
        Sampled = "sampled",
        /// The next command depended on another one, or on a host task.
        Dependence = "dependence",
        /// The device ran commands of other queues.
        DeviceBusy = "device_busy",
        /// The next command was being launched, in the runtime and the driver.
        Launch = "launch",
        /// The recording was paused: the activity of devices is unknown.
        Paused = "paused",
        /// The recording does not show the cause.
        Unknown = "unknown",
    }
}

impl GapClass {
    /// Returns a short description for tables.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Wait => "host waiting",
            Self::Synchronisation => "synchronisation by the runtime",
            Self::Build => "building device code",
            Self::Memory => "allocating and freeing memory",
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

/// An idle gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// Track of the device, queue or thread.
    pub track: u32,
    /// Name of that track.
    pub name: String,
    /// Start, in nanoseconds.
    pub from_ns: u64,
    /// End, in nanoseconds.
    pub to_ns: u64,
    /// Class with the largest part.
    pub class: GapClass,
    /// Causes by start. Their durations add up to the gap.
    pub parts: Vec<GapPart>,
    /// The command that ended it; `None` at the end of the run, for native work, and for threads.
    pub next: Option<NodeRef>,
    /// Source code that submitted that command.
    pub location: Option<LocationInfo>,
    /// Last slice before the gap.
    pub before: Option<SliceRef>,
    /// First slice after it.
    pub after: Option<SliceRef>,
    /// Explanation in one sentence.
    pub message: String,
}

/// A cause within an idle gap: one call, or all calls with one name between two waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapPart {
    /// Class of the cause.
    pub class: GapClass,
    /// Name, time and source location, as on the critical path.
    pub step: CriticalStep,
}
