//! The Python stack of a thread.

use super::layout::{BYTES, BYTES_LENGTH, FIRST_OWN_FRAME, MAX_LINE_TABLE_BYTES, TYPE};
use super::line_table;
use super::memo::{Memo, hash};
use super::text::Text;
use super::{Interpreter, PythonLine, word};

/// Maximum number of frames examined: a test in a test runner has about sixty.
const MAX_FRAMES: usize = 256;

/// Number of cached lines. A test runner's stack has sixty frames, most of which recur in the next stack.
const LINES_REMEMBERED: usize = 1024;

/// Bytes at either end of a table that are part of its key.
const KEY_BYTES: usize = 64;

thread_local! {
    static LINES: Memo<LINES_REMEMBERED> = const { Memo::new() };
}

/// Frames of the calling thread, starting with the innermost one.
pub(super) struct Frames<'i> {
    interpreter: &'i Interpreter,
    next: u64,
    left: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) file: Text<'a>,
    pub(super) code: Code,
    /// The instruction, as encoded in the frame's structure.
    pub(super) position: u64,
    /// True if it was called by native code, as far as the frame itself shows.
    pub(super) is_entry: bool,
}

#[cfg(test)]
impl<'a> Frame<'a> {
    pub(super) fn for_test(file: &'a str) -> Self {
        Self { file: Text::ascii(file.as_bytes()), code: Code(0), position: 0, is_entry: false }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Code(u64);

impl<'i> Frames<'i> {
    /// # Safety
    /// `thread` is null, or the address of the calling thread's state; the thread stays in native code during
    /// the lifetime.
    pub(super) unsafe fn new(interpreter: &'i Interpreter, thread: u64) -> Option<Self> {
        if thread == 0 {
            return None;
        }
        let layout = &interpreter.layout;
        // SAFETY: the thread's state points to its innermost frame, or to a structure that does.
        let next = unsafe {
            let frame = word(thread, layout.thread_frame)?;
            match layout.frame_in_between {
                Some(offset) => word(frame, offset)?,
                None => frame,
            }
        };
        Some(Self { interpreter, next, left: MAX_FRAMES })
    }

    /// Returns the next frame; `Some(None)` for an internal one of the interpreter, `None` at the end of the stack.
    pub(super) unsafe fn step<'a>(&mut self) -> Option<Option<Frame<'a>>> {
        let (frame, layout) = (self.next, &self.interpreter.layout);
        if frame == 0 || self.left == 0 {
            return None;
        }
        self.left -= 1;
        // SAFETY: a frame of the stack, which does not change while the thread is in native code.
        unsafe {
            self.next = word(frame, layout.previous)?;
            let owner = layout.owner.map_or(0, |owner| *((frame + owner) as *const u8));
            if owner >= FIRST_OWN_FRAME {
                return Some(None);
            }
            // Since 3.14 the lowest bits are flags of the reference's counting.
            let code = word(frame, layout.code)? & !7;
            if word(code, TYPE) != Some(self.interpreter.types.code) {
                return Some(None);
            }
            let position = word(frame, layout.position)?;
            let file = Text::read(self.interpreter, code, layout.file);
            let is_entry = match (layout.owner, layout.minor) {
                (None, _) => true,
                (Some(owner), 11) => *((frame + owner - 1) as *const u8) != 0,
                _ => false,
            };
            Some(file.map(|file| Frame { file, code: Code(code), position, is_entry }))
        }
    }
}

impl Iterator for Frames<'_> {
    type Item = Frame<'static>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // SAFETY: the caller's promise to `new`.
            if let Some(frame) = unsafe { self.step() }? {
                return Some(frame);
            }
        }
    }
}

impl Code {
    pub(super) fn at(address: u64) -> Self {
        Self(address)
    }

    /// Returns the line of this code at a position.
    ///
    /// # Safety
    /// The code belongs to a frame of the calling thread, which is in native code.
    pub(super) unsafe fn line<'a>(
        self,
        interpreter: &Interpreter,
        file: Text<'a>,
        position: u64,
    ) -> Option<PythonLine<'a>> {
        let (code, layout) = (self.0, &interpreter.layout);
        // SAFETY: fields of a code object, and a table that it owns.
        unsafe {
            let function = Text::read(interpreter, code, layout.function)?;
            let first = *((code + layout.first_line) as *const i32);
            let table = word(code, layout.line_table)?;
            if word(table, TYPE)? != interpreter.types.bytes {
                return None;
            }
            let length = word(table, BYTES_LENGTH).filter(|length| *length <= MAX_LINE_TABLE_BYTES)?;
            let table = std::slice::from_raw_parts((table + BYTES) as *const u8, length as usize);
            let is_old = layout.owner.is_none();
            let instruction = if is_old {
                // A number of instructions.
                u32::try_from(position as i32).ok()?
            } else {
                u32::try_from(position.checked_sub(code + layout.instructions)? / 2).ok()?
            };
            let find = if is_old { line_table::line_before_3_11 } else { line_table::line };
            let line = LINES.with(|lines| {
                let head = &table[..table.len().min(KEY_BYTES)];
                let tail = &table[table.len().saturating_sub(KEY_BYTES)..];
                let texts = (file.utf8(|text| hash(text)), function.utf8(|text| hash(text)));
                // Code with other lines differs in one of these, unless a function was edited only in the middle and
                // loaded again.
                let key = (head, tail, table.len(), first, instruction, texts);
                lines.get(key, || find(table, first, instruction).unwrap_or(0).into())
            });
            Some(PythonLine { file, function, line: line as u32 }).filter(|found| found.line != 0)
        }
    }
}
