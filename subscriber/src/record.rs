//! Records of a thread's buffer, read back: compact copies of notifications, made inside the callback.
//!
//! A record is a header word, its time, and words and byte strings in an order defined by its kind. Records exist only
//! between the program's threads and the writer; the file contains events.

pub(crate) mod call;
mod cursor;
pub(crate) mod device;
pub(crate) mod memory;
pub(crate) mod objects;
mod origin;
pub(crate) mod python;
pub(crate) mod range;
pub(crate) mod raw;
pub(crate) mod sample;
pub(crate) mod stack;
mod tracepoint;

pub(crate) use cursor::{Cursor, lossy};
pub(crate) use origin::Origin;
pub(crate) use tracepoint::{Tracepoint, read_value, tag};
