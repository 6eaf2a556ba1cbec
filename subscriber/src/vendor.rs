//! Vendors' records of devices' work: true begins and ends, on the host's clock.
//!
//! The Unified Runtime's events show when a stream of the device reached a command, on a clock of the device's, and
//! reading them costs the program more than the command. Where a vendor has better records, they take their place for
//! the queues of that vendor's adapter: commands need no profiling, no event of ours and no query. They are written to
//! the buffers like any notification, so that any reader of buffers gets them.
//!
//! A vendor is a file here and an entry of [`begin`]. Where its tools are missing or refuse, everything is as without
//! it, and the recording states the reason.

mod cupti;
mod level_zero;

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::buffer::{Producer, ThreadBuffers};
use crate::xpti::FunctionCall;

/// Services of the recorder for a vendor's callbacks.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub(crate) buffers: fn() -> Option<&'static ThreadBuffers>,
    /// A call of the vendor's native interface begins (true) or has returned, with its instance.
    pub(crate) native: fn(&FunctionCall<'_>, u64, bool, &Producer),
    /// True if native calls of CUDA are recorded.
    pub(crate) wants_native: bool,
    /// True if native calls of Level Zero were requested.
    pub(crate) wants_level_zero: bool,
}

pub(crate) trait DeviceRecords: Sync {
    /// True if they cover the work of this queue or device of the Unified Runtime.
    fn tell_of(&self, handle: u64) -> bool;

    /// The calling thread is about to put a command on a queue, by the call of this instance.
    fn command_begins(&self, instance: u64);

    /// A call that puts a command on a queue has returned, and whether it has given the device something to do. True if
    /// this is the end of what [`Self::command_begins`] was called for.
    fn command_ends(&self, has_worked: bool) -> bool;

    /// Has finished records delivered; at the end also unfinished ones.
    fn deliver(&self, is_end: bool);
}

/// True if any vendor's records are there: commands look no further otherwise.
static IS_ANY: AtomicBool = AtomicBool::new(false);

/// An adapter of the Unified Runtime is about to be made: the last moment at which a vendor's tools let themselves be set
/// up without a gap; or it has been made. Comes several times; the first in which an adapter is loaded counts.
#[cold]
pub(crate) fn begin(host: Host, producer: &Producer) {
    level_zero::begin(host);
    if cupti::begin(host, producer) {
        IS_ANY.store(true, Ordering::Release);
    }
}

/// Notes a stream of XPTI: native calls that are sent there are not told a second time, and unwanted ones not at all.
#[cold]
pub(crate) fn stream_announced(stream: &CStr, wants: impl Fn(&str) -> bool) {
    level_zero::announced(stream);
    cupti::announced(stream, wants);
}

/// Returns the requested data that no vendor's tools can tell, with the reason; for the user, at the end.
#[cold]
pub(crate) fn lacks() -> Option<String> {
    level_zero::lacks()
}

/// A call that puts a command on a queue has returned; true if a vendor's records tell of the command.
#[inline]
pub(crate) fn command_ends(has_worked: bool) -> bool {
    IS_ANY.load(Ordering::Relaxed) && cupti::get().is_some_and(|records| records.command_ends(has_worked))
}

/// Returns the records that cover the work of a queue or device.
#[inline]
pub(crate) fn of(handle: u64) -> Option<&'static dyn DeviceRecords> {
    if !IS_ANY.load(Ordering::Relaxed) {
        return None;
    }
    cupti::get().filter(|records| records.tell_of(handle))
}

/// Has every vendor deliver: on the thread of the program that is about to exit, without a lock of ours.
#[cold]
pub(crate) fn deliver(is_end: bool) {
    if let Some(records) = cupti::get() {
        records.deliver(is_end);
    }
}
