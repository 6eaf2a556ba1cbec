//! The streams that can be recorded, by name and by number.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use super::trace_type::{
    DIAGNOSTICS, FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END, NODE_CREATE, QUEUE_CREATE, TASK_BEGIN,
    TASK_END, WAIT_BEGIN,
};
use crate::shared_page::{Field, NameKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamId(pub(crate) u8);

pub(super) struct StandardStream {
    pub(super) name: &'static CStr,
    pub(super) twin: Option<Twin>,
}

/// The stream with the same events in more detail.
#[derive(Clone, Copy)]
pub(super) struct Twin {
    pub(super) name: &'static CStr,
    /// True if a subscription to this stream silences the plain one; otherwise both report each event.
    pub(super) silences: bool,
    /// Trace types that reveal a subscriber.
    pub(super) signs: &'static [u16],
}

/// True if a stream is the runtime's, not the program's own.
pub(crate) fn is_runtime_stream(stream: &str) -> bool {
    stream == "sycl" || ["sycl.", "ur.", "xpti.", "oneapi."].iter().any(|prefix| stream.starts_with(prefix))
}

macro_rules! standard {
    ($($id:ident = $number:literal: $name:literal $(, twin $twin:literal $silences:literal $signs:expr)?;)+) => {
        impl StreamId {
            $(#[doc = concat!("`", $name, "`")] pub(crate) const $id: Self = Self($number);)+
        }

        /// The streams of known runtimes, by number.
        pub(super) static STANDARD: &[StandardStream] = &[$(StandardStream {
            name: {
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name without zeros"),
                };
                NAME
            },
            twin: standard!(@twin $($twin $silences $signs)?),
        },)+];

        const _: () = {
            let numbers = [$($number,)+];
            let mut index = 0;
            while index < numbers.len() {
                assert!(numbers[index] == index, "streams are listed in the order of their numbers");
                index += 1;
            }
        };
    };
    (@twin) => { None };
    (@twin $twin:literal $silences:literal $signs:expr) => {
        Some(Twin { name: $twin, silences: $silences, signs: $signs })
    };
}

const SYCL_SIGNS: &[u16] = &[NODE_CREATE, TASK_BEGIN, TASK_END, WAIT_BEGIN, QUEUE_CREATE, DIAGNOSTICS];
const CALL_SIGNS: &[u16] = &[FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END];

standard! {
    SYCL = 0: "sycl", twin c"sycl.debug" true SYCL_SIGNS;
    UR_CALL = 1: "ur.call", twin c"ur.call.debug" true CALL_SIGNS;
    MEMORY = 2: "sycl.experimental.mem_alloc";
    BUFFER = 3: "sycl.experimental.buffer";
    IMAGE = 4: "sycl.experimental.image";
    PI = 5: "sycl.pi", twin c"sycl.pi.debug" false CALL_SIGNS;
    LEVEL_ZERO = 6: "sycl.experimental.level_zero.call", twin c"sycl.experimental.level_zero.debug" false CALL_SIGNS;
    CUDA = 7: "sycl.experimental.cuda.call", twin c"sycl.experimental.cuda.debug" false CALL_SIGNS;
    UR_API = 8: "ur.api";
    FRAMEWORK = 9: "xpti.framework";
    // Not streams of XPTI: the interfaces of frameworks, which call the recorder themselves.
    ITT = 10: "ranges.itt";
    NVTX = 11: "ranges.nvtx";
    KOKKOS = 12: "ranges.kokkos";
}

/// Maximum number of streams: [`Field::RECORDED`] has a bit for each.
pub(crate) const MAX_STREAMS: usize = 64;

/// Streams of programs and of newer runtimes, in the order of their announcement; their numbers follow those of
/// [`STANDARD`].
static OTHERS: [OnceLock<CString>; MAX_STREAMS - STANDARD.len()] =
    [const { OnceLock::new() }; MAX_STREAMS - STANDARD.len()];

/// Returns the number of a stream that isn't in [`STANDARD`]; `None` if there are too many.
pub(super) fn other(name: &CStr) -> Option<StreamId> {
    let index = OTHERS.iter().position(|place| place.get_or_init(|| name.to_owned()).as_c_str() == name)?;
    let number = STANDARD.len() + index;
    NameKind::Stream.set(number, 0, name.to_bytes());
    Some(StreamId(number as u8))
}

pub(crate) fn set_recorded(stream: StreamId) {
    Field::RECORDED.word().fetch_or(1 << stream.0, Ordering::Relaxed);
}

pub(super) fn is_recorded(stream: StreamId) -> bool {
    Field::RECORDED.get() & 1 << stream.0 != 0
}

impl StreamId {
    pub(crate) fn name(self) -> &'static str {
        let number = usize::from(self.0);
        let standard = STANDARD.get(number).map(|stream| stream.name);
        let other = || {
            let place = OTHERS.get(number.checked_sub(STANDARD.len())?)?;
            // If another process has numbered it, its name is in the shared page.
            let noted = || CString::new(NameKind::Stream.get(number)?.1).ok();
            place.get().or_else(|| noted().map(|name| place.get_or_init(|| name))).map(CString::as_c_str)
        };
        standard.or_else(other).and_then(|name| name.to_str().ok()).unwrap_or("?")
    }
}

pub(crate) fn recorded_streams() -> impl Iterator<Item = &'static str> {
    let recorded = Field::RECORDED.get();
    (0..64).filter(move |number| recorded & 1 << number != 0).map(|number| StreamId(number).name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_names() {
        assert_eq!(StreamId::SYCL.name(), "sycl");
        let mine = other(c"my.own").unwrap();
        assert_eq!(other(c"my.own").unwrap(), mine);
        assert_ne!(other(c"another").unwrap(), mine);
        assert_eq!(mine.name(), "my.own");
        assert_eq!(StreamId(63).name(), "?");
    }
}
