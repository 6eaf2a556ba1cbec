//! The two functions that XPTI calls, and the callbacks that it is given.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::framework::{Callback, Framework, adopt_debug_streams};
use super::layout::TraceEventData;
use super::notification::Notification;
use crate::buffer::Producer;
use crate::handlers;
use crate::recorder::Recorder;

/// What is wanted of a stream.
pub(super) struct Subscription {
    pub(super) stream: &'static CStr,
    /// The stream that carries the same events with more metadata.
    pub(super) debug_twin: Option<&'static CStr>,
    pub(super) trace_types: &'static [u16],
    pub(super) callback: Callback,
}

pub(super) static SUBSCRIPTIONS: &[Subscription] = &[
    Subscription {
        stream: c"sycl",
        debug_twin: Some(c"sycl.debug"),
        trace_types: handlers::SYCL_TRACE_TYPES,
        callback: on_sycl,
    },
    Subscription {
        stream: c"ur.call",
        debug_twin: Some(c"ur.call.debug"),
        trace_types: handlers::CALL_TRACE_TYPES,
        callback: on_call,
    },
    Subscription {
        stream: c"sycl.experimental.mem_alloc",
        debug_twin: None,
        trace_types: handlers::MEMORY_TRACE_TYPES,
        callback: on_memory,
    },
];

/// Streams that were announced, by position: one bit each.
static ANNOUNCED: AtomicUsize = AtomicUsize::new(0);

/// Names of the streams that are recorded.
pub(crate) fn subscribed_streams() -> impl Iterator<Item = &'static str> {
    let announced = ANNOUNCED.load(Ordering::Relaxed);
    let is_announced = move |(index, _): &(usize, &Subscription)| announced & 1 << index != 0;
    SUBSCRIPTIONS.iter().enumerate().filter(is_announced).filter_map(|(_, known)| known.stream.to_str().ok())
}

/// Whether another subscriber is loaded: it may draw everything to the `.debug` streams a moment later, when we can no
/// longer follow without a gap.
fn has_company() -> bool {
    let subscribers = std::env::var_os("XPTI_SUBSCRIBERS").unwrap_or_default();
    subscribers.as_encoded_bytes().split(|byte| *byte == b',').filter(|path| !path.is_empty()).count() > 1
}

/// XPTI announces a stream.
#[unsafe(no_mangle)]
extern "C" fn xptiTraceInit(_major: u32, _minor: u32, _version: *const c_char, stream: *const c_char) {
    if stream.is_null() {
        return;
    }
    // SAFETY: the framework passes a terminated name.
    let stream = unsafe { CStr::from_ptr(stream) };
    let _ = catch_unwind(|| {
        let (Some(framework), Some(recorder)) = (Framework::get(), Recorder::current()) else { return };
        if let Some(index) = SUBSCRIPTIONS.iter().position(|subscription| subscription.stream == stream) {
            let wanted = &SUBSCRIPTIONS[index];
            framework.subscribe(stream, wanted.trace_types, wanted.callback);
            if let Some(twin) = wanted.debug_twin.filter(|_| has_company()) {
                framework.subscribe(twin, wanted.trace_types, wanted.callback);
            }
            ANNOUNCED.fetch_or(1 << index, Ordering::Relaxed);
            recorder.stream_announced();
        }
        adopt_debug_streams();
    });
}

/// XPTI says goodbye to a stream.
#[unsafe(no_mangle)]
extern "C" fn xptiTraceFinish(stream: *const c_char) {
    if stream.is_null() {
        return;
    }
    let _ = catch_unwind(|| {
        if let Some(recorder) = Recorder::if_started() {
            recorder.stream_finished();
        }
    });
}

unsafe extern "C" fn on_sycl(
    trace_type: u16,
    _parent: *const TraceEventData,
    event: *const TraceEventData,
    instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: this is the callback, and the notification is gone when it returns.
    let notification = unsafe { Notification::new(trace_type, event, instance, user_data) };
    deliver(|producer| handlers::on_sycl(&notification, producer));
}

unsafe extern "C" fn on_call(
    trace_type: u16,
    _parent: *const TraceEventData,
    event: *const TraceEventData,
    instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: as in `on_sycl`.
    let notification = unsafe { Notification::new(trace_type, event, instance, user_data) };
    deliver(|producer| handlers::on_call(&notification, producer));
}

unsafe extern "C" fn on_memory(
    trace_type: u16,
    _parent: *const TraceEventData,
    event: *const TraceEventData,
    instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: as in `on_sycl`.
    let notification = unsafe { Notification::new(trace_type, event, instance, user_data) };
    deliver(|producer| handlers::on_memory(&notification, producer));
}

/// Runs a handler with the thread's buffer; a panic of ours ends the recording, never the program.
#[inline]
fn deliver(handler: impl FnOnce(&Producer)) {
    let handled = catch_unwind(AssertUnwindSafe(|| {
        if let Some(producer) = Producer::enter() {
            handler(&producer);
        }
    }));
    if handled.is_err() {
        crate::recorder::switch_off("an internal error in a handler");
    }
}
