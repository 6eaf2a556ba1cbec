//! Vendors' records of devices' work: actual start and end times, on the host's clock.
//!
//! The Unified Runtime's events show when a stream of the device reached a command, on the device's clock, and reading
//! them costs the program more than the command. If a vendor has better records, they replace the events for the queues
//! of that vendor's adapter: commands need no profiling, no event of ours and no query. They are written to the buffers
//! like any notification, so that every reader of the buffers gets them.
//!
//! A vendor is a file here and an entry of [`begin`]. If its tools are missing or fail, recording works as without
//! them, and the recording states the reason.

mod cupti;
mod level_zero;

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use crate::buffer::{Producer, ThreadBuffers};
use crate::flags::FLAGS;
use crate::xpti::FunctionCall;

/// Services of the recorder for a vendor's callbacks.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub(crate) buffers: fn() -> Option<&'static ThreadBuffers>,
    /// Called when a call of the vendor's native interface starts (true) or has returned, with its instance.
    pub(crate) native: fn(&FunctionCall<'_>, u64, bool, &Producer),
    /// True if native calls of CUDA are recorded.
    pub(crate) wants_native: bool,
    /// True if native calls of Level Zero were requested.
    pub(crate) wants_level_zero: bool,
}

pub(crate) trait DeviceRecords: Sync {
    /// True if the records cover the work of this queue or device of the Unified Runtime.
    fn covers(&self, handle: u64) -> bool;

    /// Called before the calling thread enqueues a command, by the call with this instance.
    fn command_begins(&self, instance: u64);

    /// Called after a call that enqueues a command; `has_worked` is true if the call gave the device work. Returns true
    /// if it ends the call of [`Self::command_begins`].
    fn command_ends(&self, has_worked: bool) -> bool;

    /// Requests delivery of finished records; at the end also of unfinished ones.
    fn deliver(&self, is_end: bool);
}

/// Sets up the vendors' tools. Called before an adapter of the Unified Runtime is created, the last moment to do so
/// without a gap, and after it. Called several times; the first call with a loaded adapter counts.
#[cold]
pub(crate) fn begin(host: Host, producer: &Producer) {
    level_zero::begin(host);
    if cupti::begin(host, producer) {
        FLAGS.has_vendor.store(true, Ordering::Release);
    }
}

/// Notes a stream of XPTI: native calls on it are not reported a second time, and unwanted ones not at all.
#[cold]
pub(crate) fn stream_announced(stream: &CStr, wants: impl Fn(&str) -> bool) {
    level_zero::announced(stream);
    cupti::announced(stream, wants);
}

/// Returns the requested data that no vendor's tools provide, with the reason; for the user, at the end.
#[cold]
pub(crate) fn lacks() -> Option<String> {
    level_zero::lacks()
}

/// Called after a call that enqueues a command; true if a vendor's records cover the command.
#[inline]
pub(crate) fn command_ends(has_worked: bool) -> bool {
    FLAGS.has_vendor.load(Ordering::Relaxed)
        && cupti::get().is_some_and(|records| records.command_ends(has_worked))
}

/// Returns the records that cover the work of a queue or device.
#[inline]
pub(crate) fn device_records(handle: u64) -> Option<&'static dyn DeviceRecords> {
    if !FLAGS.has_vendor.load(Ordering::Relaxed) {
        return None;
    }
    cupti::get().filter(|records| records.covers(handle))
}

/// Requests delivery from every vendor: on the thread of the exiting program, without holding a lock of the recorder.
#[cold]
pub(crate) fn deliver(is_end: bool) {
    if let Some(records) = cupti::get() {
        records.deliver(is_end);
    }
}
