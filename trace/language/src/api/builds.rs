//! Start-up of a run, and builds of device code.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, NodeRef, SliceRef, StepKind};

/// Builds of device code: programs that were compiled, loaded or linked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Builds {
    /// Number of builds.
    pub count: u64,
    /// Their time in nanoseconds, clipped to the range; overlaps count once.
    pub covered_ns: u64,
    /// Number of rebuilds of the same programs.
    pub again: u64,
    /// Builds in order.
    pub builds: Vec<Build>,
    /// Builds beyond those listed.
    pub more: u64,
}

/// A build of device code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Its number in the run, counted from 1.
    pub number: u64,
    /// The call.
    pub at: SliceRef,
    /// Name of the call.
    pub name: String,
    /// Name of the building thread.
    pub thread: String,
    /// Input of the build.
    pub source: BuildSource,
    /// Size of the input in bytes; `None` if unknown.
    pub bytes: Option<u64>,
    /// Names of the commands launched from it, by first launch; at most 20.
    pub kernels: Vec<String>,
    /// Names beyond those.
    pub more_kernels: u64,
    /// The first command launched from it.
    pub command: Option<NodeRef>,
    /// Source code of that command.
    pub location: Option<LocationInfo>,
    /// Number of the first build of the same input.
    pub again_of: Option<u64>,
    /// Reason for rebuilding the same input.
    pub again: Option<BuildAgain>,
    /// True if the call failed.
    pub failed: bool,
}

answer_words! {
    /// Input of a build.
    BuildSource {
        /// SPIR-V: compiled at run time.
        SpirV = "spir_v",
        /// A binary: compiled ahead of time, or cached.
        Binary = "binary",
        /// Other programs: a link.
        Programs = "programs",
        /// Not recorded.
        Unknown = "unknown",
    }
}

answer_words! {
    /// Reason for rebuilding the same input.
    BuildAgain {
        /// The context differs.
        Context = "context",
        /// The device differs.
        Device = "device",
        /// The options differ.
        Options = "options",
        /// No recorded difference.
        Same = "same",
    }
}

/// Start-up: the time before the first command ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartUp {
    /// Start of the first command on a device, in nanoseconds; the end of the run if there is none.
    pub to_ns: u64,
    /// The first command.
    pub command: Option<NodeRef>,
    /// The steps of the critical path before it, most time first; they add up to `to_ns`.
    pub steps: Vec<StepSum>,
    /// Time of steps beyond those listed, in nanoseconds.
    pub more_ns: u64,
}

/// Steps of the critical path with the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSum {
    /// Kind of the steps.
    pub kind: StepKind,
    /// Name, as in the critical path.
    pub name: String,
    /// Source code.
    pub location: Option<LocationInfo>,
    /// Their time in nanoseconds.
    pub total_ns: u64,
    /// Number of calls or commands.
    pub count: u64,
}
