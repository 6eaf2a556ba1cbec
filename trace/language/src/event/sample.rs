//! Samples of host threads.

use crate::time::Timestamp;

/// State of a host thread at one of the regular sampling times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub at: Timestamp,
    /// Track of the thread.
    pub track: u64,
    /// Innermost [`super::StackFrame`], if its stack could be read.
    pub stack: Option<u64>,
    /// Sampling interval in nanoseconds: the time that one sample represents.
    pub period_ns: u64,
    /// Number of samples missed since the previous one of the thread.
    pub missed: u64,
    /// True if the thread was not running.
    pub is_blocked: bool,
    /// Number of the Linux system call (x86-64) in which it was blocked, if known.
    pub system_call: Option<u64>,
}
