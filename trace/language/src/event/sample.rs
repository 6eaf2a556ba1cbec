//! Samples of host threads.

use crate::time::Timestamp;

/// Activity of a thread of the host at one of many regular moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Moment of the sample.
    pub at: Timestamp,
    /// Track of the thread.
    pub track: u64,
    /// Innermost [`super::StackFrame`], if its stack could be read.
    pub stack: Option<u64>,
    /// Interval between samples in nanoseconds: the time that one stands for.
    pub period_ns: u64,
    /// Moments since the thread's last sample at which none could be taken.
    pub missed: u64,
    /// True if the thread was not running.
    pub is_blocked: bool,
    /// Call of Linux on x86-64 that it was blocked in, by number, if it is known.
    pub system_call: Option<u64>,
}
