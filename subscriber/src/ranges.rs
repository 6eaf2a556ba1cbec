//! Interfaces of frameworks: ITT, NVTX and Kokkos Tools. Their clients find this library through environment variables
//! of their own, whether or not the process uses SYCL, and call it directly.
//!
//! Once a thread has its buffer, nothing here waits or allocates, except for a new name with a handle.
#![expect(unsafe_code, reason = "functions of C interfaces, and the structures of their headers")]

mod itt;
mod kokkos;
mod names;
mod nvtx;

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::buffer::Producer;
use crate::config;
use crate::handlers::range::Detail;
use crate::os;
use crate::record::range::{RangePlace, Scope};
use crate::recorder::{self, Recorder};
use crate::xpti::StreamId;

/// Calls a handler for a client's call. A panic of the recorder stops the recording, never the program.
#[inline]
fn tell(handler: impl FnOnce(&Producer)) {
    let handled = catch_unwind(AssertUnwindSafe(move || {
        Producer::enter(Recorder::buffers, move |producer| {
            crate::fault::at("handler");
            handler(producer);
        });
    }));
    if handled.is_err() {
        recorder::switch_off("an internal error in a handler of ranges");
    }
}

/// Registers a client of an interface; true if its ranges are recorded.
#[cold]
fn is_wanted(stream: StreamId) -> bool {
    let is_wanted = catch_unwind(|| config::wants_stream(stream.name())).unwrap_or_default();
    if is_wanted {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            os::pin_library();
            os::at_exit(process_ends);
        });
    }
    is_wanted
}

/// Ends a recording without XPTI streams, which has no other sign of the process's exit.
extern "C" fn process_ends() {
    if !Recorder::has_streams() {
        recorder::at_end(Recorder::stream_finished);
    }
}

/// Returns the track of ranges that nest on their thread.
#[inline]
fn nested(stream: StreamId, domain: &[u8]) -> RangePlace<'_> {
    RangePlace { stream, scope: Scope::Thread, domain }
}

/// Returns the track of ranges that may overlap and end on another thread.
#[inline]
fn overlapping(stream: StreamId, domain: &[u8]) -> RangePlace<'_> {
    RangePlace { stream, scope: Scope::Process, domain }
}

#[inline]
fn plain() -> std::iter::Empty<Detail<'static>> {
    std::iter::empty()
}

/// Returns the bytes of a text.
///
/// # Safety
/// `text` is null or a NUL-terminated string that is valid for `'a`.
#[inline]
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: the caller's promise.
    if text.is_null() { &[] } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}
