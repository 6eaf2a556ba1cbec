//! Records of call stacks, and of the Python line that a thread executes. A stack is written once per thread, and
//! referred to by number after that.

use std::borrow::Cow;

use super::cursor::Cursor;
use crate::buffer::Entry;
use crate::os::python::{PythonFrame, PythonLine};
use crate::os::stack::{LoadedModule, ReturnAddresses};

/// Flag in a frame's line: there is native code between this frame and its caller.
const IS_ENTRY: u64 = 1 << 32;
/// Flag in a frame's line: the code is the user's.
const IS_USERS: u64 = 1 << 33;

pub(crate) struct NativeStack<'a> {
    pub(crate) number: u64,
    /// False if outer frames are missing.
    pub(crate) is_whole: bool,
    pub(crate) addresses: Vec<u64>,
    /// Start, end and path of each file.
    pub(crate) modules: Vec<(u64, u64, Cow<'a, str>)>,
}

pub(crate) fn write_native(
    entry: &mut Entry<'_>,
    number: u64,
    stack: &ReturnAddresses,
    modules: &[LoadedModule],
) {
    entry.word(number);
    entry.word(stack.is_whole.into());
    entry.word(stack.addresses().len() as u64);
    stack.addresses().iter().for_each(|address| entry.word(*address));
    for module in modules {
        entry.word(module.begin);
        entry.word(module.end);
        entry.bytes(&module.path);
    }
}

impl<'a> NativeStack<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let (number, is_whole) = (cursor.word(), cursor.word() != 0);
        let addresses = (0..cursor.word()).map(|_| cursor.word()).collect();
        let mut modules = Vec::new();
        while !cursor.rest().is_empty() {
            modules.push((cursor.word(), cursor.word(), cursor.text()));
        }
        Self { number, is_whole, addresses, modules }
    }
}

/// Python frames, the innermost one first.
pub(crate) struct PythonStack<'a> {
    pub(crate) number: u64,
    pub(crate) frames: Vec<PythonRecord<'a>>,
}

pub(crate) struct PythonRecord<'a> {
    pub(crate) file: Cow<'a, str>,
    pub(crate) function: Cow<'a, str>,
    pub(crate) line: u32,
    /// True if it was called by native code.
    pub(crate) is_entry: bool,
    pub(crate) is_users: bool,
}

pub(crate) fn write_python<'a>(
    entry: &mut Entry<'_>,
    number: u64,
    frames: impl Iterator<Item = PythonFrame<'a>>,
) {
    entry.word(number);
    for frame in frames {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let flags = flag(frame.is_entry, IS_ENTRY) | flag(frame.is_users, IS_USERS);
        entry.word(u64::from(frame.line) | flags);
        frame.file.utf8(|text| entry.bytes(text));
        frame.function.utf8(|text| entry.bytes(text));
    }
}

impl<'a> PythonStack<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let number = cursor.word();
        let mut frames = Vec::new();
        while !cursor.rest().is_empty() {
            let line = cursor.word();
            let (file, function) = (cursor.text(), cursor.text());
            let (is_entry, is_users) = (line & IS_ENTRY != 0, line & IS_USERS != 0);
            frames.push(PythonRecord { file, function, line: line as u32, is_entry, is_users });
        }
        Self { number, frames }
    }
}

/// The Python line of the thread's next record, which has the same time.
pub(crate) struct LineRecord<'a> {
    pub(crate) file: Cow<'a, str>,
    pub(crate) function: Cow<'a, str>,
    pub(crate) line: u32,
}

pub(crate) fn write_line(entry: &mut Entry<'_>, line: &PythonLine<'_>) {
    entry.word(line.line.into());
    line.file.utf8(|text| entry.bytes(text));
    line.function.utf8(|text| entry.bytes(text));
}

impl<'a> LineRecord<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let line = cursor.word() as u32;
        Self { file: cursor.text(), function: cursor.text(), line }
    }
}
