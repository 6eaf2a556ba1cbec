//! The two functions that XPTI calls, and what becomes of a notification.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::framework::Framework;
use super::layout::TraceEventData;
use super::notification::{Notification, text};
use super::streams::{self, KNOWN, StreamId};
use super::sys;
use crate::buffer::Producer;
use crate::control::{self, Reason};
use crate::handlers;
use crate::recorder::Recorder;

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
        let choice = &recorder.config.streams;
        if choice.wants("ur.call") || choice.wants("ur.call.debug") {
            // The Unified Runtime reads it when it is loaded, which is after the first announcement.
            sys::enable_tracing_layer();
        }
        static LISTENS: AtomicBool = AtomicBool::new(false);
        if !LISTENS.swap(true, Ordering::Relaxed) {
            framework.subscribe(CONTROL, STANDARD_TYPES, on_control);
        }
        if stream != CONTROL {
            announced(framework, recorder, stream);
        }
        adopt_debug_streams();
    });
}

/// The stream by which a program pauses and resumes its recording itself.
const CONTROL: &CStr = c"syclscope.control";

/// A notification of the program to us: the user data says `pause` or `resume`, whatever the trace type.
unsafe extern "C" fn on_control(
    _trace_type: u16,
    _parent: *const TraceEventData,
    _event: *const TraceEventData,
    _instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: on this stream the user data is null or a terminated string.
    match unsafe { text(user_data.cast()) } {
        b"pause" => control::set_paused(true, Reason::Program),
        b"resume" => control::set_paused(false, Reason::Program),
        _ => {}
    }
}

/// Subscribes to a stream, if it is wanted.
fn announced(framework: &Framework, recorder: &Recorder, stream: &CStr) {
    let choice = &recorder.config.streams;
    let wants = |name: &CStr| name.to_str().is_ok_and(|name| choice.wants(name));
    let known = KNOWN.iter().enumerate().find_map(|(number, known)| {
        let is_twin = known.twin.is_some_and(|twin| twin.name == stream);
        (known.name == stream || is_twin).then_some((StreamId(number as u8), known))
    });
    match known {
        Some((id, known)) => {
            let twin = known.twin.filter(|twin| wants(twin.name) || (twin.silences && has_company()));
            let is_doubled = twin.is_some_and(|twin| !twin.silences && wants(twin.name));
            if wants(known.name) && !is_doubled {
                framework.subscribe(known.name, STANDARD_TYPES, known.callback);
                streams::set_recorded(id);
            }
            if let Some(twin) = twin.filter(|twin| wants(twin.name) || wants(known.name)) {
                framework.subscribe(twin.name, STANDARD_TYPES, twin.callback);
                streams::set_recorded(id);
            }
        }
        None if wants(stream) => match streams::other(stream) {
            Some((id, callback)) => {
                framework.subscribe(stream, STANDARD_TYPES.chain(own_types()), callback);
                streams::set_recorded(id);
            }
            None => recorder.note(&format!(
                "the stream {} is not recorded: there are too many",
                stream.to_string_lossy()
            )),
        },
        None => return,
    }
    recorder.stream_announced();
}

/// All trace types that XPTI has a place for.
const STANDARD_TYPES: std::ops::RangeInclusive<u16> = 1..=255;

/// The trace types that the first tools of a program can register for themselves.
fn own_types() -> impl Iterator<Item = u16> {
    const TOOLS: u16 = 8;
    (0..=TOOLS)
        .flat_map(|tool| (128..=255).map(move |number| tool << 8 | number))
        .filter(|number| *number > 255)
}

/// Whether another subscriber is loaded: it may draw everything to the `.debug` streams a moment later, when we can no
/// longer follow without a gap.
fn has_company() -> bool {
    let subscribers = std::env::var_os("XPTI_SUBSCRIBERS").unwrap_or_default();
    subscribers.as_encoded_bytes().split(|byte| *byte == b',').filter(|path| !path.is_empty()).count() > 1
}

/// Follows other subscribers to the `.debug` streams.
///
/// A stream and its `.debug` twin carry the same events, and the plain one falls silent as soon as somebody subscribes
/// to the other. That costs the program time, so where nobody else is loaded it is never us who begins with it.
pub(crate) fn adopt_debug_streams() {
    let (Some(framework), Some(recorder)) = (Framework::get(), Recorder::if_started()) else { return };
    for known in KNOWN {
        let Some(twin) = known.twin.filter(|twin| twin.silences) else { continue };
        let is_wanted = known.name.to_str().is_ok_and(|name| recorder.config.streams.wants(name));
        if is_wanted && twin.signs.iter().any(|sign| framework.is_subscribed(twin.name, *sign)) {
            framework.subscribe(twin.name, STANDARD_TYPES, twin.callback);
        }
    }
}

/// XPTI says goodbye to a stream.
#[unsafe(no_mangle)]
extern "C" fn xptiTraceFinish(stream: *const c_char) {
    if stream.is_null() {
        return;
    }
    let _ = catch_unwind(|| {
        if let Some(recorder) = Recorder::if_started() {
            sys::without_cancellation(|| recorder.stream_finished());
        }
    });
}

/// Runs a stream's handler with the thread's buffer; a panic of ours ends the recording, never the program.
///
/// # Safety
/// The arguments are those of a callback from XPTI: parent and event, and what else it is given.
#[inline(always)]
pub(super) unsafe fn on_notification<const STREAM: u8>(
    trace_type: u16,
    [parent, event]: [*const TraceEventData; 2],
    instance: u64,
    user_data: *const c_void,
) {
    // The stream is a constant in here, and the rest is handed over by value: it goes through memory only once.
    let handled = catch_unwind(AssertUnwindSafe(move || {
        Producer::enter(move |producer| {
            // SAFETY: the caller's promise; the notification is gone when this function returns.
            let notification = unsafe {
                Notification::new(StreamId(STREAM), trace_type, [parent, event], instance, user_data)
            };
            crate::fault::at("handler");
            handlers::handle(&notification, producer);
        });
    }));
    if handled.is_err() {
        crate::recorder::switch_off("an internal error in a handler");
    }
}
