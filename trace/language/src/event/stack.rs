//! Call stacks: frames, each with the frame that called it.

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
