//! Frames of a thread that may be anywhere in the interpreter.
//!
//! Its structures may be in the middle of a change. So memory is read by a system call, which fails for unmapped
//! memory, and only addresses are noted during a sample: each frame's code and position. Afterwards the code objects
//! are copied and read from the copies. At worst a frame has the name of other code.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::copy_words;
use super::frames::Code;
use super::layout::{BYTES, BYTES_LENGTH, FIRST_OWN_FRAME, MAX_LINE_TABLE_BYTES, TYPE};
use super::text::Text;
use super::{Interpreter, PythonFrame, interpreter};

pub(crate) const NOTED_WORDS: usize = 2;
/// Flag in a frame's first word, the address of the code: it was called by native code.
const IS_ENTRY: u64 = 1;

/// Words of a frame's structure that are read.
const FRAME_WORDS: usize = 13;
/// Maximum number of words of a code object up to its fields.
const CODE_WORDS: u64 = 128;

/// Returns the address of the calling thread's state in the interpreter; 0 without one. Safe in a signal handler.
pub(crate) fn own_state() -> u64 {
    interpreter().map_or(0, |interpreter| (interpreter.this_thread)())
}

fn read<const WORDS: usize>(address: u64) -> Option<[u64; WORDS]> {
    let mut words = [0; WORDS];
    let is_address = address.is_multiple_of(8) && (1 << 12..1 << 47).contains(&address);
    (is_address && copy_words(address, &mut words)).then_some(words)
}

/// Notes the frames of the thread with this state, the innermost one first; returns the number of words. Notes none if
/// the state belongs to another thread than `owner` by now, if that is given. Safe in a signal handler.
pub(crate) fn note(state: u64, owner: Option<u64>, words: &[AtomicU64]) -> usize {
    let Some(interpreter) = interpreter().filter(|_| state != 0) else { return 0 };
    let layout = &interpreter.layout;
    let read_at = |address: u64| read::<1>(address).map(|[word]| word);
    if owner.is_some() && read_at(state + layout.thread_pthread) != owner {
        return 0;
    }
    let first = read_at(state + layout.thread_frame);
    let first = match layout.frame_in_between {
        Some(offset) => first.and_then(|between| read_at(between + offset)),
        None => first,
    };
    let (mut next, mut count) = (first.unwrap_or(0), 0);
    let mark_last = |count: usize| {
        if let Some(last) = count.checked_sub(NOTED_WORDS).and_then(|last| words.get(last)) {
            last.store(last.load(Ordering::Relaxed) | IS_ENTRY, Ordering::Relaxed);
        }
    };
    // Frames without code take no space, but are limited, too.
    for _ in 0..words.len() {
        if count + NOTED_WORDS > words.len() {
            return count;
        }
        let Some(frame) = (next != 0).then(|| read::<FRAME_WORDS>(next)).flatten() else { break };
        let word = |offset: u64| frame.get((offset / 8) as usize).copied().unwrap_or(0);
        let byte = |offset: u64| word(offset).to_le_bytes()[(offset % 8) as usize];
        next = word(layout.previous);
        let code = word(layout.code) & !7;
        let is_own = layout.owner.is_some_and(|owner| byte(owner) >= FIRST_OWN_FRAME);
        if is_own || read_at(code.wrapping_add(TYPE)) != Some(interpreter.types.code) {
            // Since 3.12 such a frame marks a call by native code.
            mark_last(count);
            continue;
        }
        let is_entry = match (layout.owner, layout.minor) {
            (None, _) => true,
            (Some(owner), 11) => byte(owner - 1) != 0,
            _ => false,
        };
        words[count].store(code | u64::from(is_entry), Ordering::Relaxed);
        words[count + 1].store(word(layout.position), Ordering::Relaxed);
        count += NOTED_WORDS;
    }
    mark_last(count);
    count
}

/// A copy of the fields of a code object, whose references lead to copies.
struct Copied {
    code: Vec<u64>,
    /// Texts and the table of lines, referred to by the code.
    _objects: [Vec<u64>; 3],
    position: u64,
    is_entry: bool,
}

fn copy(address: u64, bytes: u64) -> Option<Vec<u64>> {
    let mut words = vec![0; bytes.div_ceil(8) as usize];
    let is_address = address.is_multiple_of(8) && (1 << 12..1 << 47).contains(&address);
    (is_address && copy_words(address, &mut words)).then_some(words)
}

impl Copied {
    fn read(interpreter: &Interpreter, noted: [u64; NOTED_WORDS]) -> Option<Self> {
        let (address, layout) = (noted[0] & !7, &interpreter.layout);
        let references = [layout.file, layout.function, layout.line_table];
        let end = references.into_iter().chain([layout.first_line]).max()? + 8;
        if end > 8 * CODE_WORDS || references.iter().any(|offset| !offset.is_multiple_of(8)) {
            return None;
        }
        let mut code = copy(address, end)?;
        if code.get((TYPE / 8) as usize) != Some(&interpreter.types.code) {
            return None;
        }
        let reference = |offset: u64| code[(offset / 8) as usize];
        let text = |offset: u64| -> Option<Vec<u64>> {
            let at = reference(offset);
            let bytes = Text::bytes_of(interpreter, &read(at)?)?;
            let copied = copy(at, bytes)?;
            // Another object may have replaced it, with another length than the copy.
            let is_same = Text::bytes_of(interpreter, copied.first_chunk()?) == Some(bytes);
            is_same.then_some(copied)
        };
        let table = |offset: u64| -> Option<Vec<u64>> {
            let at = reference(offset);
            let head = read::<{ (BYTES_LENGTH / 8 + 1) as usize }>(at)?;
            let length = head[(BYTES_LENGTH / 8) as usize];
            let is_table =
                head[(TYPE / 8) as usize] == interpreter.types.bytes && length <= MAX_LINE_TABLE_BYTES;
            let copied = is_table.then(|| copy(at, BYTES + length)).flatten()?;
            // Everything except the reference count, which may change.
            copied[1..].starts_with(&head[1..]).then_some(copied)
        };
        let objects = [text(layout.file)?, text(layout.function)?, table(layout.line_table)?];
        for (offset, object) in references.into_iter().zip(&objects) {
            code[(offset / 8) as usize] = object.as_ptr() as u64;
        }
        // Since 3.11 the position of an instruction is its address.
        let position = match layout.owner {
            None => noted[1],
            Some(_) => noted[1].wrapping_sub(address).wrapping_add(code.as_ptr() as u64),
        };
        Some(Self { code, _objects: objects, position, is_entry: noted[0] & IS_ENTRY != 0 })
    }

    fn frame(&self, interpreter: &Interpreter) -> Option<PythonFrame<'_>> {
        let code = self.code.as_ptr() as u64;
        // SAFETY: the copy of a code object, whose references lead to complete copies of texts and a table.
        let (path, line) = unsafe {
            let path = Text::read(interpreter, code, interpreter.layout.file)?;
            (path, Code::at(code).line(interpreter, path, self.position))
        };
        Some(PythonFrame::new(interpreter, path, line, self.is_entry))
    }
}

pub(crate) fn of_noted<T>(words: &[u64], with: impl FnOnce(&[PythonFrame<'_>]) -> T) -> Option<T> {
    let interpreter = interpreter()?;
    let (noted, _) = words.as_chunks::<NOTED_WORDS>();
    let copies: Vec<_> = noted.iter().map(|noted| Copied::read(interpreter, *noted)).collect();
    let read = copies.iter().map(|copied| copied.as_ref()?.frame(interpreter));
    let frames = without_unread(read.zip(noted.iter().map(|noted| noted[0] & IS_ENTRY != 0)))?;
    (!frames.is_empty()).then(|| with(&frames))
}

/// Returns the readable frames, each with its mark of a call by native code. The mark of an unreadable frame moves to
/// the frame that it called: each mark corresponds to some of the native frames. `None` if that frame is missing, or has
/// a mark of its own.
fn without_unread<'a>(
    frames: impl Iterator<Item = (Option<PythonFrame<'a>>, bool)>,
) -> Option<Vec<PythonFrame<'a>>> {
    let mut all: Vec<PythonFrame<'a>> = Vec::new();
    for (frame, is_entry) in frames {
        match frame {
            Some(frame) => all.push(frame),
            None if is_entry => all.last_mut().filter(|last| !last.is_entry)?.is_entry = true,
            None => {}
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the remaining marks of frames, given as readable or not and marked or not.
    fn left(frames: &[(bool, bool)]) -> Option<Vec<bool>> {
        let text = Text::ascii(b"a.py");
        let frame = |is_entry| PythonFrame { file: text, function: text, line: 1, is_entry, is_users: true };
        let frames = frames.iter().map(|(is_read, is_entry)| (is_read.then(|| frame(*is_entry)), *is_entry));
        without_unread(frames).map(|left| left.iter().map(|frame| frame.is_entry).collect())
    }

    #[test]
    fn a_frame_that_cannot_be_read_leaves_its_mark() {
        let (plain, entry, lost, lost_entry) = ((true, false), (true, true), (false, false), (false, true));
        assert_eq!(left(&[plain, entry, plain, entry]), Some(vec![false, true, false, true]));
        assert_eq!(left(&[lost, entry]), Some(vec![true]));
        assert_eq!(left(&[plain, plain, lost, lost_entry, entry]), Some(vec![false, true, true]));
        assert_eq!(left(&[lost]), Some(vec![]));
        assert_eq!(left(&[lost_entry, plain, entry]), None);
        assert_eq!(left(&[entry, lost, lost_entry, entry]), None);
    }
}
