//! The thread that wrote a record.

use super::cursor::Cursor;
use crate::buffer::ThreadBuffer;

pub(crate) struct Origin<'a> {
    pub(crate) thread: u32,
    /// The thread's buffer, if this is its first record: an earlier thread with the same id has ended.
    pub(crate) first_of: Option<&'static ThreadBuffer>,
    pub(crate) cursor: Cursor<'a>,
    /// Later records of the same thread that are already in the buffer.
    pub(crate) ahead: &'a [u8],
}
