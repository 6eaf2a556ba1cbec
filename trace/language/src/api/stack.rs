//! Call stacks, and samples of host threads in a range of time.

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use crate::event::FrameKind;

/// A frame of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrameInfo {
    /// Owner of its code.
    pub kind: FrameKind,
    /// True if the compiler inlined it into its caller.
    #[serde(default)]
    pub is_inlined: bool,
    /// Display name: the function, else the file of machine code and the offset in it.
    pub name: String,
    /// File of its machine code, empty for Python.
    #[serde(default)]
    pub module: String,
    /// Function and line, as far as known.
    pub location: Option<LocationInfo>,
}

impl StackFrameInfo {
    /// True if the code is the user's, not that of a library or of a caller of the program.
    pub fn is_users(&self) -> bool {
        self.kind.is_users()
    }
}

/// Samples in a range of the host's time: an estimate, whose accuracy grows with their number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSamples {
    /// Number of samples in the range: of its thread; if the thread is unknown, of the threads that ran in at least
    /// half of their samples; without such threads, of all threads.
    pub count: u64,
    /// Number of samples in which the thread was blocked.
    pub blocked: u64,
    /// The functions with most samples, at most five.
    pub places: Vec<SampledPlace>,
    /// Description of the function with most samples.
    pub message: String,
}

/// A function with samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledPlace {
    /// Name of the program's innermost function, or a substitute.
    pub function: String,
    /// Its line with most samples, if known.
    pub location: Option<LocationInfo>,
    /// Number of samples in the function.
    pub count: u64,
    /// Number of these in which the thread was blocked, in a call within the function.
    pub blocked: u64,
}
