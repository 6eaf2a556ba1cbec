//! Samples of host threads in a range of time.

use serde::{Deserialize, Serialize};

use super::LocationInfo;

/// Samples in a range of the host's time: an estimate, whose accuracy grows with their number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSamples {
    /// Number of samples in the range: those of its thread or, if that is unknown, of the threads that ran in half of
    /// their samples, or else of all threads.
    pub count: u64,
    /// Number of samples in which the thread was blocked.
    pub blocked: u64,
    /// The functions with most samples, at most five.
    pub places: Vec<SampledPlace>,
    /// Description of the first sample.
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
