//! Records of the Python line that a thread executes.

use std::borrow::Cow;

use super::cursor::Cursor;
use crate::buffer::Entry;
use crate::os::python::PythonLine;

/// The line in which the next record of the same thread and time was made.
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
