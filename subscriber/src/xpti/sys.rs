//! Calls of the operating system that the standard library does not offer.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::Once;
use std::sync::atomic::AtomicU64;

/// `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
pub(crate) fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// Wall-clock time: nanoseconds since 1970-01-01 UTC.
pub(crate) fn realtime_ns() -> u64 {
    clock_ns(libc::CLOCK_REALTIME)
}

#[inline]
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result; an unknown clock would leave it as it is.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// The operating system's id of the calling thread.
pub(crate) fn thread_id() -> u32 {
    // SAFETY: takes nothing and always succeeds.
    unsafe { libc::gettid() as u32 }
}

/// Bytes of a thread's name, the zero at its end included.
const THREAD_NAME_BYTES: usize = 16;

/// The calling thread's name, ended by a zero: in words, because it is handed to another thread.
pub(crate) fn own_thread_name() -> [u64; THREAD_NAME_BYTES / 8] {
    let mut name = [0_u64; THREAD_NAME_BYTES / 8];
    // SAFETY: the buffer is as long as the kernel wants it.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}

/// The host's name.
pub(crate) fn host_name() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the buffer is as long as said; one byte less keeps it terminated.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    if result != 0 {
        return String::new();
    }
    CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Adds the layer of the Unified Runtime that reports its calls to those that the user has asked for.
pub(super) fn enable_tracing_layer() {
    const NAME: &CStr = c"UR_ENABLE_LAYERS";
    const LAYER: &str = "UR_LAYER_TRACING";
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let mut layers = std::env::var("UR_ENABLE_LAYERS").unwrap_or_default();
        if layers.split(',').any(|layer| layer.trim() == LAYER) {
            return;
        }
        if !layers.is_empty() {
            layers.push(',');
        }
        layers.push_str(LAYER);
        if let Ok(layers) = CString::new(layers) {
            // SAFETY: both are terminated. The runtime is being initialised at this moment, and reads the environment
            // itself: a thread that changes it meanwhile is not to be expected, and glibc never frees what was there.
            unsafe { libc::setenv(NAME.as_ptr(), layers.as_ptr(), 1) };
        }
    });
}

/// Zeroed memory that the operating system hands out page by page as it is touched; never given back.
pub(crate) fn map_zeroed(words: usize) -> Option<&'static [AtomicU64]> {
    let bytes = words.checked_mul(8)?;
    // SAFETY: an anonymous private mapping at an address of the system's choice touches nobody's memory.
    let memory = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: page-aligned, zeroed, `words` long and never unmapped; zeroed bytes are valid `AtomicU64`s.
    Some(unsafe { std::slice::from_raw_parts(memory.cast::<AtomicU64>(), words) })
}

/// Calls `handler` in every child process that is forked from now on, before `fork` returns there.
pub(crate) fn at_fork_in_child(handler: extern "C" fn()) {
    // SAFETY: the handler is a plain function that lives as long as this library, which is pinned (`pin_library`).
    unsafe { libc::pthread_atfork(None, None, Some(as_unsafe(handler))) };
}

fn as_unsafe(handler: extern "C" fn()) -> unsafe extern "C" fn() {
    handler
}

/// Calls `handler` when the process exits; handlers that are registered later are called earlier.
pub(crate) fn at_exit(handler: extern "C" fn()) {
    // SAFETY: as for `at_fork_in_child`.
    unsafe { libc::atexit(handler) };
}

/// Keeps this library in memory for the rest of the process: its thread and its handlers outlive a `dlclose`.
pub(crate) fn pin_library() {
    let here = pin_library as fn() as *const c_void;
    if let Some(path) = library_of(here) {
        // SAFETY: `path` is a terminated string of the loader's; the library is already loaded.
        unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

/// Path of the library that contains an address, if any does.
pub(super) fn library_of(address: *const c_void) -> Option<&'static CStr> {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the loader takes any address and fills `info` only where it knows it.
    let found = unsafe { libc::dladdr(address, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a terminated string that lives while the library is loaded; callers only look at it at once.
    Some(unsafe { CStr::from_ptr(info.dli_fname) })
}

/// Blocks every signal on the calling thread, so that the program's own handlers never run on ours.
pub(crate) fn block_signals() {
    // SAFETY: the set is filled before it is used; only this thread's mask changes.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
    }
}

/// Runs `write` with the signal that a file size limit raises held back, and takes it away if it was raised.
pub(crate) fn without_file_size_signal<T>(write: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are initialised before they are used; the thread's own mask is put back at the end. A signal
    // that was pending before stays pending, because it is only taken away where it was not blocked before.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGXFSZ);
        let blocked: c_int = libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before);
        let result = write();
        if blocked == 0 {
            if libc::sigismember(&before, libc::SIGXFSZ) == 0 {
                let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                libc::sigtimedwait(&set, std::ptr::null_mut(), &at_once);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
        result
    }
}
