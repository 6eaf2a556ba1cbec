//! Records of a thread's buffer, read back: compact copies of notifications, created inside the callback.
//!
//! A record is a header word, its time, and words and byte strings in an order defined by its kind. Records exist only
//! between the program's threads and the writer; the file contains events.

pub(crate) mod call;
mod cursor;
pub(crate) mod device;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod range;
pub(crate) mod raw;
pub(crate) mod sample;
pub(crate) mod stack;
mod tracepoint;

use crate::buffer::ThreadBuffer;

pub(crate) use cursor::{Cursor, lossy};
pub(crate) use tracepoint::{Tracepoint, read_value, tag};

/// The thread that wrote a record.
pub(crate) struct Origin<'a> {
    pub(crate) thread: u32,
    /// The thread's buffer, if this is its first record: an earlier thread with the same id has ended.
    pub(crate) first_of: Option<&'static ThreadBuffer>,
    pub(crate) cursor: Cursor<'a>,
    /// Later records of the same thread that are already in the buffer.
    pub(crate) ahead: &'a [u8],
}
