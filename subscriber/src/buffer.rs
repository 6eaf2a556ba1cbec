//! Per-thread buffers between the program's threads and the writer.
//!
//! Each notified thread owns a [`ThreadBuffer`]: bounded rings of words with one producer and one consumer, written
//! without a lock, an allocation or a system call. A record that doesn't fit is dropped and counted by kind.

mod channel;
mod defined;
mod header;
mod place;
mod producer;
mod reports;
mod ring;
mod rings;
mod threads;
mod wait;
mod written;

pub(crate) use channel::Channel;
pub(crate) use defined::{Id, forget_defined};
pub(crate) use header::{Header, Kind};
pub(crate) use place::{Files, Place, SPILL};
pub(crate) use producer::{Producer, forget_buffer, with_buffer, with_notifications, without_notifications};
pub(crate) use reports::{Report, Submitted, Waited};
pub(crate) use ring::Entry;
pub(crate) use threads::{ThreadBuffer, ThreadBuffers};
pub(crate) use wait::never_wait;
pub(crate) use written::write_once;
