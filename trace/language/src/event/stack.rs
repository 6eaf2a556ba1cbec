//! Call stacks (frames, each with the frame that called it), and samples of host threads.

use super::{FrameKind, SourceLocation};
use crate::time::Timestamp;

/// Argument of a command, slice or instant: the number of its innermost [`StackFrame`].
pub const CALL_STACK: &str = "call_stack";

/// A frame of a call stack. Its outer frames are found by number, and stacks share them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackFrame<'a> {
    /// Time of its first use.
    pub at: Timestamp,
    /// Id of the frame within its file.
    pub frame: u64,
    /// The calling frame; `None` for an outermost one.
    pub caller: Option<u64>,
    /// Owner of its code.
    pub kind: FrameKind,
    /// True if the compiler inlined it into `caller`.
    pub is_inlined: bool,
    /// Name of the binary, empty for Python.
    pub module: &'a str,
    /// Offset of the return address in that binary, 0 if its function or line is known.
    pub offset: u64,
    /// Function and line.
    pub location: SourceLocation<'a>,
}

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
