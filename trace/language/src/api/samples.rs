//! Samples of host threads in a stretch of time.

use serde::{Deserialize, Serialize};

use super::LocationInfo;

/// Samples of a stretch of time of the host: an estimate, which is the better the more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSamples {
    /// Number of samples in the stretch: of its thread or, where that is unknown, of the threads that ran in half of theirs, or
    /// else of all.
    pub count: u64,
    /// Those in which the thread was blocked.
    pub blocked: u64,
    /// The functions with most samples, at most five.
    pub places: Vec<SampledPlace>,
    /// The first of them in words.
    pub message: String,
}

/// A function that samples were in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledPlace {
    /// Name of the innermost function of the program, or what stands for it.
    pub function: String,
    /// The line of it with most samples, if it is known.
    pub location: Option<LocationInfo>,
    /// Number of samples in the function.
    pub count: u64,
    /// Those in which the thread was blocked, in a call within the function.
    pub blocked: u64,
}
