//! The thread that made a record.

use super::cursor::Cursor;
use crate::buffer::ThreadBuffer;

/// Whose record it is, and its fields.
pub(crate) struct Origin<'a> {
    /// The operating system's id of the thread.
    pub(crate) thread: u32,
    /// The thread's buffer, if this is its first record: an earlier thread with the same id has ended.
    pub(crate) first_of: Option<&'static ThreadBuffer>,
    pub(crate) cursor: Cursor<'a>,
    /// What the same thread has recorded since, as far as it is in the buffer already.
    pub(crate) ahead: &'a [u8],
}
