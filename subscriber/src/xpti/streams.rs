//! The streams that can be recorded, and the callback that each is given.
//!
//! XPTI doesn't tell a callback which stream it is called for, so that each stream has one of its own: the same generic
//! function, made for the stream's number.

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::entry::on_notification;
use super::framework::Callback;
use super::layout::TraceEventData;

/// Number of a stream in this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamId(pub(crate) u8);

/// A stream that a runtime is known to have.
pub(super) struct Known {
    pub(super) name: &'static CStr,
    /// The stream that carries the same events with more detail.
    pub(super) twin: Option<Twin>,
    pub(super) callback: Callback,
}

/// The stream that carries the same events with more detail.
#[derive(Clone, Copy)]
pub(super) struct Twin {
    pub(super) name: &'static CStr,
    pub(super) callback: Callback,
    /// The plain stream falls silent as soon as anybody listens to this one; otherwise both tell the same.
    pub(super) silences: bool,
    /// Trace types by which it shows whether somebody listens.
    pub(super) signs: &'static [u16],
}

macro_rules! known {
    ($($id:ident = $number:literal: $name:literal $(, twin $twin:literal $silences:literal $signs:expr)?;)+) => {
        impl StreamId {
            $(#[doc = concat!("`", $name, "`")] pub(crate) const $id: Self = Self($number);)+
        }

        /// The streams that runtimes are known to have.
        pub(super) static KNOWN: &[Known] = &[$(Known {
            name: {
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name without zeros"),
                };
                NAME
            },
            twin: known!(@twin $number $($twin $silences $signs)?),
            callback: on_stream::<$number>,
        },)+];

        const _: () = {
            let numbers = [$($number,)+];
            let mut index = 0;
            while index < numbers.len() {
                assert!(numbers[index] == index, "streams are listed in the order of their numbers");
                index += 1;
            }
            assert!(numbers.len() <= FIRST_OTHER as usize);
        };
    };
    (@twin $number:literal) => { None };
    (@twin $number:literal $twin:literal $silences:literal $signs:expr) => {
        Some(Twin { name: $twin, callback: on_stream::<$number>, silences: $silences, signs: $signs })
    };
}

known! {
    SYCL = 0: "sycl", twin c"sycl.debug" true &[4, 10, 11, 22, 42, 126];
    UR_CALL = 1: "ur.call", twin c"ur.call.debug" true &[28, 29];
    MEMORY = 2: "sycl.experimental.mem_alloc";
    BUFFER = 3: "sycl.experimental.buffer";
    IMAGE = 4: "sycl.experimental.image";
    PI = 5: "sycl.pi", twin c"sycl.pi.debug" false &[28, 29];
    LEVEL_ZERO = 6: "sycl.experimental.level_zero.call", twin c"sycl.experimental.level_zero.debug" false &[28, 29];
    CUDA = 7: "sycl.experimental.cuda.call", twin c"sycl.experimental.cuda.debug" false &[28, 29];
    UR_API = 8: "ur.api";
    FRAMEWORK = 9: "xpti.framework";
}

/// Number of the first stream that is not known: a program's own, or one of a newer runtime.
const FIRST_OTHER: u8 = 16;
/// How many of them there can be.
const MOST_OTHERS: usize = 48;

/// Streams that are not known, in the order of their announcement.
static OTHERS: [OnceLock<CString>; MOST_OTHERS] = [const { OnceLock::new() }; MOST_OTHERS];

macro_rules! callbacks_of_others {
    ($($offset:literal)+) => { [$(on_stream::<{ FIRST_OTHER + $offset }>,)+] };
}

static CALLBACKS_OF_OTHERS: [Callback; MOST_OTHERS] = callbacks_of_others!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    40 41 42 43 44 45 46 47
);

/// Streams that are recorded: one bit each.
static RECORDED: AtomicU64 = AtomicU64::new(0);

/// A stream that is not known: its number and its callback; nothing if there are too many.
pub(super) fn other(name: &CStr) -> Option<(StreamId, Callback)> {
    for (index, place) in OTHERS.iter().enumerate() {
        if place.get_or_init(|| name.to_owned()).as_c_str() == name {
            return Some((StreamId(FIRST_OTHER + index as u8), CALLBACKS_OF_OTHERS[index]));
        }
    }
    None
}

/// Notes that a stream is recorded.
pub(super) fn set_recorded(stream: StreamId) {
    RECORDED.fetch_or(1 << stream.0, Ordering::Relaxed);
}

impl StreamId {
    /// The stream's name.
    pub(crate) fn name(self) -> &'static str {
        let known = KNOWN.get(usize::from(self.0)).map(|known| known.name);
        let other =
            || OTHERS.get(usize::from(self.0.checked_sub(FIRST_OTHER)?))?.get().map(CString::as_c_str);
        known.or_else(other).and_then(|name| name.to_str().ok()).unwrap_or("?")
    }
}

/// Names of the streams that are recorded.
pub(crate) fn recorded_streams() -> impl Iterator<Item = &'static str> {
    let recorded = RECORDED.load(Ordering::Relaxed);
    (0..64).filter(move |number| recorded & 1 << number != 0).map(|number| StreamId(number).name())
}

/// A notification of the stream `STREAM`.
unsafe extern "C" fn on_stream<const STREAM: u8>(
    trace_type: u16,
    parent: *const TraceEventData,
    event: *const TraceEventData,
    instance: u64,
    user_data: *const c_void,
) {
    // SAFETY: this is the callback: what it is given lives until it returns.
    unsafe { on_notification::<STREAM>(trace_type, [parent, event], instance, user_data) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_names() {
        assert_eq!(StreamId::SYCL.name(), "sycl");
        let (mine, _) = other(c"my.own").unwrap();
        assert_eq!(other(c"my.own").unwrap().0, mine);
        assert_ne!(other(c"another").unwrap().0, mine);
        assert_eq!(mine.name(), "my.own");
        assert_eq!(StreamId(15).name(), "?");
    }
}
