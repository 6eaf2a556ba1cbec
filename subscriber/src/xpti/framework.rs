//! The functions of libxptifw, found in the library that is already loaded.
//!
//! There is no link-time dependency: the library's SONAME differs between versions, and it is loaded locally, so its
//! functions can only be found through its own handle.

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::layout::{MetadataMap, ObjectData, TraceEventData};
use super::metadata::MetadataValue;
use super::values;

pub(crate) type Callback =
    unsafe extern "C" fn(u16, *const TraceEventData, *const TraceEventData, u64, *const c_void);

/// The functions of libxptifw that the recorder calls; optional ones are missing in some versions.
pub(crate) struct Framework {
    register_stream: unsafe extern "C" fn(*const c_char) -> u8,
    register_callback: unsafe extern "C" fn(u8, u16, Callback) -> i32,
    lookup_string: unsafe extern "C" fn(u32) -> *const c_char,
    lookup_object: unsafe extern "C" fn(i32) -> ObjectData,
    query_metadata: unsafe extern "C" fn(*const TraceEventData) -> *const MetadataMap,
    stashed_tuple: Option<unsafe extern "C" fn(*mut *mut c_char, *mut u64) -> i32>,
    check_trace_enabled: Option<unsafe extern "C" fn(u8, u16) -> bool>,
}

static FRAMEWORK: OnceLock<Framework> = OnceLock::new();
static IS_MISSING: AtomicBool = AtomicBool::new(false);

impl Framework {
    #[inline]
    pub(crate) fn get() -> Option<&'static Self> {
        FRAMEWORK.get().or_else(|| if IS_MISSING.load(Ordering::Relaxed) { None } else { Self::look() })
    }

    /// Returns the functions for calls from the framework itself: a recording may have started before it was loaded.
    #[cold]
    pub(crate) fn calls() -> Option<&'static Self> {
        FRAMEWORK.get().or_else(Self::look)
    }

    #[cold]
    fn look() -> Option<&'static Self> {
        let found = Self::find();
        IS_MISSING.store(found.is_none(), Ordering::Relaxed);
        found.map(|found| FRAMEWORK.get_or_init(|| found))
    }

    fn find() -> Option<Self> {
        let path = std::env::var_os("XPTI_FRAMEWORK_DISPATCHER");
        let path = path.and_then(|path| CString::new(std::os::unix::ffi::OsStringExt::into_vec(path)).ok());
        let names = path.iter().map(|path| path.as_c_str()).chain([c"libxptifw.so.1", c"libxptifw.so"]);
        let library = names.map(loaded).find(|library| !library.is_null())?;
        // SAFETY: each symbol is given the type that the XPTI headers declare for it (checked for 2024.2 to 2026.2).
        unsafe {
            Some(Self {
                register_stream: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*const c_char) -> u8>(
                    symbol(library, c"xptiRegisterStream")?,
                ),
                register_callback: std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(u8, u16, Callback) -> i32,
                >(symbol(library, c"xptiRegisterCallback")?),
                lookup_string: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u32) -> *const c_char>(
                    symbol(library, c"xptiLookupString")?,
                ),
                lookup_object: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(i32) -> ObjectData>(
                    symbol(library, c"xptiLookupObject")?,
                ),
                query_metadata: std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*const TraceEventData) -> *const MetadataMap,
                >(symbol(library, c"xptiQueryMetadata")?),
                stashed_tuple:
                    symbol(library, c"xptiGetStashedTuple").map(|found| {
                        std::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn(*mut *mut c_char, *mut u64) -> i32,
                        >(found)
                    }),
                check_trace_enabled: symbol(library, c"xptiCheckTraceEnabled").map(|found| {
                    std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u8, u16) -> bool>(found)
                }),
            })
        }
    }

    pub(crate) fn subscribe(
        &self,
        stream: &CStr,
        trace_types: impl Iterator<Item = u16>,
        callback: Callback,
    ) {
        // SAFETY: the name is NUL-terminated; the callback lives as long as this library, which is pinned. The
        // framework refuses to register one twice, as intended.
        unsafe {
            let id = (self.register_stream)(stream.as_ptr());
            for trace_type in trace_types {
                (self.register_callback)(id, trace_type, callback);
            }
        }
    }

    pub(super) fn is_subscribed(&self, stream: &CStr, trace_type: u16) -> bool {
        let Some(check) = self.check_trace_enabled else { return false };
        // SAFETY: the name is NUL-terminated; registering a stream that exists returns its number.
        unsafe { check((self.register_stream)(stream.as_ptr()), trace_type) }
    }

    pub(crate) fn string(&self, id: u32) -> &'static [u8] {
        // SAFETY: the framework's table returns NUL-terminated strings that live as long as the framework.
        unsafe {
            let text = (self.lookup_string)(id);
            if text.is_null() { &[] } else { CStr::from_ptr(text).to_bytes() }
        }
    }

    pub(super) fn object(&self, id: i32) -> ObjectData {
        // SAFETY: any id may be looked up; an unknown one gives an empty object.
        unsafe { (self.lookup_object)(id) }
    }

    /// Calls `each` with the value of an id, if it has one.
    pub(crate) fn with_value(&self, id: i32, each: impl FnOnce(MetadataValue<'_>)) {
        values::with(self, id, |kind, bytes| each(MetadataValue::decode(kind, bytes)));
    }

    /// Returns the metadata of an event.
    ///
    /// # Safety
    /// `event` is the event of the current notification.
    pub(super) unsafe fn metadata(&self, event: *const TraceEventData) -> *const MetadataMap {
        // SAFETY: the caller's promise.
        unsafe { (self.query_metadata)(event) }
    }

    /// Returns the runtime's number of the queue to which the calling thread is submitting; 0 if not reported.
    pub(crate) fn stashed_queue(&self) -> u64 {
        let Some(stashed_tuple) = self.stashed_tuple else { return 0 };
        let mut key: *mut c_char = std::ptr::null_mut();
        let mut value = 0_u64;
        // SAFETY: both places are valid; if the call succeeds, the key is a NUL-terminated string of the framework.
        unsafe {
            let result = stashed_tuple(&mut key, &mut value);
            if result == 0 && !key.is_null() && CStr::from_ptr(key) == c"queue_id" { value } else { 0 }
        }
    }
}

/// Returns the handle of a library that is already loaded.
pub(crate) fn loaded(path: &CStr) -> *mut c_void {
    // SAFETY: the path is NUL-terminated; nothing new is loaded.
    unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) }
}

pub(crate) fn symbol(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the handle is from `dlopen`, the name is NUL-terminated.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
