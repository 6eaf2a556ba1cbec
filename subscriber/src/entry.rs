//! Entry points: the library's two functions that XPTI calls, the callbacks of the streams, and the launcher's
//! functions.
//!
//! XPTI calls only this module, and only this module controls the whole recording. It uses the handlers, which use the
//! layouts and functions of [`crate::xpti`].
#![expect(unsafe_code, reason = "exported functions and callbacks of a C interface")]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::buffer::Producer;
use crate::control;
use crate::handlers;
use crate::os;
use crate::recorder::{self, Recorder};
use crate::vendor;
use crate::xpti::layout::TraceEventData;
use crate::xpti::{
    Callbacks, Framework, Notification, STANDARD_TYPES, StreamId, Subscribed, follow_debug_streams,
    is_runtime_stream, subscribe, text,
};

/// Empties the buffers of a run's programs in this process for the launcher, see [`crate::drain`]. Returns 0 on
/// success.
///
/// It needs a process of its own, with a single thread, whose standard input and output are the launcher's.
#[unsafe(no_mangle)]
extern "C" fn syclscope_drain(folder: *const c_char) -> c_int {
    with_path(folder, crate::drain::run)
}

/// Writes to a new file which counters of this machine can be read, see [`crate::counters::readable`]. Returns 0 on
/// success.
///
/// It needs a process of its own, because a driver's library may terminate it.
#[unsafe(no_mangle)]
extern "C" fn syclscope_counters(file: *const c_char) -> c_int {
    with_path(file, |file| os::files::write(file, crate::counters::readable().as_bytes()))
}

fn with_path(path: *const c_char, work: impl FnOnce(&Path) -> io::Result<()>) -> c_int {
    if path.is_null() {
        return 1;
    }
    // SAFETY: the launcher passes a NUL-terminated path.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    let done = catch_unwind(AssertUnwindSafe(|| work(path)));
    c_int::from(!matches!(done, Ok(Ok(()))))
}

#[unsafe(no_mangle)]
extern "C" fn xptiTraceInit(_major: u32, _minor: u32, _version: *const c_char, stream: *const c_char) {
    if stream.is_null() {
        return;
    }
    // SAFETY: the framework passes a NUL-terminated name.
    let stream = unsafe { CStr::from_ptr(stream) };
    let _ = catch_unwind(|| os::without_cancellation(|| stream_begins(stream)));
}

/// Handles the announcement of a stream; the first one starts the recording.
fn stream_begins(stream: &CStr) {
    let (Some(framework), Some(recorder)) = (Framework::calls(), Recorder::current()) else { return };
    let choice = &recorder.config.streams;
    if stream.to_str().is_ok_and(is_runtime_stream) {
        recorder::runtime_announced();
    }
    if choice.wants("ur.call") || choice.wants("ur.call.debug") {
        // The Unified Runtime reads the variable when it is loaded, which is after the first announcement.
        os::enable_tracing_layer();
    }
    if choice.asks_for_level_zero() {
        // Level Zero's loader reads the variable when an adapter is created.
        os::trace_level_zero();
    }
    vendor::stream_announced(stream, |name| choice.wants(name));
    static LISTENS: AtomicBool = AtomicBool::new(false);
    if !LISTENS.swap(true, Ordering::Relaxed) {
        framework.subscribe(CONTROL, STANDARD_TYPES, on_control);
    }
    if stream != CONTROL {
        announced(framework, recorder, stream);
    }
    follow_debug_streams(|name| choice.wants(name));
}

/// Subscribes to a stream if the settings select it. A stream beyond the limit gets a note.
fn announced(framework: &Framework, recorder: &Recorder, stream: &CStr) {
    match subscribe(framework, stream, &CALLBACKS, |name| recorder.config.streams.wants(name)) {
        Subscribed::Yes => recorder.stream_announced(),
        Subscribed::NotWanted => {}
        Subscribed::TooMany => {
            let name = stream.to_string_lossy();
            recorder.note(&format!("the stream {name} is not recorded: only 64 streams can be"));
        }
    }
}

/// Called by XPTI at the end of a stream.
#[unsafe(no_mangle)]
extern "C" fn xptiTraceFinish(stream: *const c_char) {
    if stream.is_null() {
        return;
    }
    // SAFETY: the framework passes a NUL-terminated name.
    let stream = unsafe { CStr::from_ptr(stream) };
    // A program may end its own streams at any time.
    if recorder::has_runtime() && !stream.to_str().is_ok_and(is_runtime_stream) {
        return;
    }
    recorder::at_end(|recorder| {
        vendor::deliver(true);
        recorder.note_what_is_lacking();
        recorder.stream_finished();
    });
}

/// Stream on which a program pauses and resumes its recording.
const CONTROL: &CStr = c"syclscope.control";

/// Handles a notification from the program to the recorder, of any trace type. The user data is `pause`, `resume`, or
/// `alone`, after which forked children are not recorded.
unsafe extern "C" fn on_control(
    _trace_type: u16,
    _parent: *const TraceEventData,
    _event: *const TraceEventData,
    _instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: on this stream the user data is null or a NUL-terminated string.
    match unsafe { text(user_data.cast()) } {
        b"pause" => control::set_paused_by_program(true),
        b"resume" => control::set_paused_by_program(false),
        b"alone" => control::set_alone(),
        _ => {}
    }
}

macro_rules! callbacks {
    ($($number:literal)+) => { [$(on_stream::<$number>,)+] };
}

/// One instance of the generic function per stream number.
static CALLBACKS: Callbacks = callbacks!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

/// Handles a notification of the stream `STREAM`. A panic of the recorder stops the recording, never the program.
unsafe extern "C" fn on_stream<const STREAM: u8>(
    trace_type: u16,
    parent: *const TraceEventData,
    event: *const TraceEventData,
    instance: u64,
    user_data: *const c_void,
) {
    // The closure captures by value, so that the arguments are stored in memory only once.
    let handled = catch_unwind(AssertUnwindSafe(move || {
        Producer::enter(Recorder::buffers, move |producer| {
            // SAFETY: these are the arguments of a callback, and the notification is dropped before this function
            // returns.
            let notification = unsafe {
                Notification::new(StreamId(STREAM), trace_type, [parent, event], instance, user_data)
            };
            crate::fault::at("handler");
            handlers::handle(&notification, producer);
        });
    }));
    if handled.is_err() {
        recorder::switch_off("an internal error in a handler");
    }
}
