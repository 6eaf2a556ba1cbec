//! Records of allocations and releases.

use super::cursor::Cursor;
use super::tracepoint::Tracepoint;

pub(crate) struct MemoryBegin<'a> {
    /// Its two numbers are the owning memory object and the size, if the runtime passes a structure.
    pub(crate) tracepoint: Tracepoint<'a>,
    /// Memory to be released, if known.
    pub(crate) pointer: u64,
    pub(crate) guard_bytes: u64,
}

impl<'a> MemoryBegin<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>) -> Self {
        let tracepoint = Tracepoint::read(&mut cursor);
        let (pointer, guard_bytes) = (cursor.word(), cursor.word());
        let pointer = if pointer == 0 { tracepoint.number("memory_ptr").unwrap_or(0) } else { pointer };
        Self { tracepoint, pointer, guard_bytes }
    }

    /// Returns the memory object that owns the memory, 0 if there is none.
    pub(crate) fn object(&self) -> u64 {
        self.tracepoint.numbers[0]
    }

    /// Returns the size in bytes; 0 if unknown.
    pub(crate) fn size_bytes(&self) -> u64 {
        match self.tracepoint.numbers[1] {
            0 => self.tracepoint.number("memory_size").unwrap_or(0),
            size => size,
        }
    }
}

/// An allocation or release that has ended; zeros mean unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryEnd {
    /// Universal id and instance.
    pub(crate) id: [u64; 2],
    pub(crate) pointer: u64,
    pub(crate) object: u64,
    pub(crate) size_bytes: u64,
    pub(crate) guard_bytes: u64,
}

impl MemoryEnd {
    pub(crate) fn read(mut cursor: Cursor<'_>) -> Self {
        Self {
            id: [cursor.word(), cursor.word()],
            pointer: cursor.word(),
            object: cursor.word(),
            size_bytes: cursor.word(),
            guard_bytes: cursor.word(),
        }
    }
}
