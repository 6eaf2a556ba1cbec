//! Per-thread buffers between the program's threads and the writer.
//!
//! Each thread that is notified owns a [`Lane`]: a bounded ring of words with one producer and one consumer, written
//! without a lock, an allocation or a system call. A record that doesn't fit is counted by kind and left out.

mod header;
mod lane;
mod producer;
mod ring;
mod rings;
mod wait;

pub(crate) use header::{Header, Kind};
pub(crate) use lane::{Lane, Lanes};
pub(crate) use producer::{Producer, forget_lane, keep_out};
pub(crate) use ring::Entry;
