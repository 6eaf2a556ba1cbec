//! Frames of call stacks, by their numbers.

use rustc_hash::FxHashMap;
use syclscope_language::event::StackFrame;

use super::TraceBuilder;
use crate::id::NONE;
use crate::store::stacks::{FrameRow, Stacks};
use crate::store::table::Table as _;

/// Frames in the order of their first mention.
#[derive(Debug, Default)]
pub(super) struct StackBuilder {
    rows: Vec<FrameRow>,
    numbers: FxHashMap<u64, u32>,
}

impl StackBuilder {
    /// Returns the row of a frame; adds a placeholder for one that was not announced.
    pub(super) fn row_of(&mut self, number: u64) -> u32 {
        let Self { rows, numbers } = self;
        *numbers.entry(number).or_insert_with(|| {
            rows.push(FrameRow { caller: NONE, ..FrameRow::default() });
            rows.len() as u32 - 1
        })
    }

    pub(super) fn finish(self) -> Stacks {
        Stacks::of_rows(self.rows.into_iter())
    }
}

impl TraceBuilder {
    pub(super) fn stack_frame(&mut self, frame: &StackFrame<'_>) {
        self.time(frame.at);
        // A frame follows its caller in the file, so that no stack is endless.
        let caller = frame.caller.and_then(|caller| self.stacks.numbers.get(&caller).copied());
        let (module, location) = (self.strings.intern(frame.module), self.location(&frame.location));
        if self.stacks.numbers.contains_key(&frame.frame) {
            return;
        }
        let row = self.stacks.row_of(frame.frame);
        self.stacks.rows[row as usize] = FrameRow {
            caller: caller.unwrap_or(NONE),
            kind: frame.kind,
            is_inlined: frame.is_inlined,
            module,
            offset: frame.offset,
            location,
        };
    }
}
