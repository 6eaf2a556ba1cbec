//! Call stacks: frames, each with the row of its caller.

use syclscope_language::event::{CALL_STACK, FrameKind, Value};

use super::Trace;
use super::table::{Table as _, table};
use crate::id::{ArgsId, LocationId, StringId, some};

table! {
    /// The frames of a trace's stacks, callers before callees.
    Stacks,
    /// A frame of stacks.
    FrameRow {
        /// Row of the frame that called it.
        caller: u32,
        kind: FrameKind,
        /// True if the compiler inlined it into its caller.
        is_inlined: bool,
        /// File of its machine code.
        module: StringId,
        /// Offset in that file, if nothing more is known.
        offset: u64,
        /// Function and line.
        location: LocationId,
    }
}

impl Stacks {
    /// Returns the frames from the innermost one, with their rows.
    pub(crate) fn outwards(&self, frame: u32) -> impl Iterator<Item = (u32, FrameRow)> {
        let mut next = Some(frame);
        std::iter::from_fn(move || {
            let row = next?;
            let frame = self.get(row)?;
            // A damaged derived file may contain any row.
            next = some(frame.caller).filter(|caller| *caller < row);
            Some((row, frame))
        })
    }
}

impl Trace {
    /// Returns the innermost frame of the stack named by arguments.
    pub(crate) fn stack_of_args(&self, args: ArgsId) -> Option<u32> {
        if self.stacks.len() == 0 {
            return None;
        }
        self.args.get(args, &self.strings).find_map(|(key, value)| match value {
            Value::Uint(frame) if key == CALL_STACK => u32::try_from(frame).ok(),
            _ => None,
        })
    }

    /// Returns the innermost frame of the stack of a slice, or else of its command.
    pub(crate) fn stack_of_slice(&self, row: usize) -> Option<u32> {
        let own = self.stack_of_args(self.slices.args.at(row));
        own.or_else(|| {
            let node = some(self.slices.node.at(row))?;
            self.stack_of_args(self.nodes.args.at(node as usize))
        })
    }
}
