//! Call stacks: frames, each with the frame that called it.

use super::{FrameKind, SourceLocation};
use crate::time::Timestamp;

/// Argument of a command, a slice or an instant: the number of its innermost [`StackFrame`].
pub const CALL_STACK: &str = "call_stack";

/// A frame of a call stack, with all frames around it by their numbers. Stacks share their outer frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackFrame<'a> {
    /// Time of its first use.
    pub at: Timestamp,
    /// Identity of the frame in its file.
    pub frame: u64,
    /// The frame that called it; `None` for an outermost one.
    pub caller: Option<u64>,
    /// Owner of its code.
    pub kind: FrameKind,
    /// True if the compiler has put its code into that of `caller`.
    pub is_inlined: bool,
    /// Name of the file of machine code, empty for Python.
    pub module: &'a str,
    /// Offset of the return address in that file, 0 if its function or line is known.
    pub offset: u64,
    /// Function, and the line that is executed.
    pub location: SourceLocation<'a>,
}
