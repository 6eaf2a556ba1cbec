//! Operating system and processor functions that the standard library lacks.
#![expect(unsafe_code, reason = "calls of the C library, and memory that two threads share")]

pub(crate) mod callers;
pub(crate) mod counter;
#[cfg(test)]
pub(crate) mod driven;
pub(crate) mod files;
mod library;
pub(crate) mod memory;
pub(crate) mod nvml;
pub(crate) mod process;
pub(crate) mod python;
pub(crate) mod sampling;
pub(crate) mod stack;
pub(crate) mod sysman;
mod words;

pub(crate) use words::{Published, Words};

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::Once;

/// Returns `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
pub(crate) fn monotonic_ns() -> u64 {
    #[cfg(test)]
    if let Some(ns) = driven::test_time() {
        return ns;
    }
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// Returns the wall-clock time in nanoseconds since 1970-01-01 UTC.
pub(crate) fn realtime_ns() -> u64 {
    clock_ns(libc::CLOCK_REALTIME)
}

#[inline]
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result; an unknown clock would leave it unchanged.
    unsafe { libc::clock_gettime(clock, &mut time) };
    // A time before 1970 becomes 0.
    u64::try_from(time.tv_sec)
        .map_or(0, |seconds| seconds.wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64))
}

/// Returns the kernel's clock ticks per second, the unit of processor times.
pub(crate) fn ticks_per_second() -> u64 {
    // SAFETY: takes a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or_default().max(1)
}

pub(crate) fn page_bytes() -> u64 {
    // SAFETY: takes a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or_default()
}

pub(crate) fn thread_id() -> u32 {
    // The function `gettid` exists since glibc 2.30, but the recorder also loads with older versions.
    // SAFETY: takes nothing and always succeeds.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Size of a thread's name, with its terminating zero.
const THREAD_NAME_BYTES: usize = 16;

/// Returns the calling thread's name, NUL-terminated: as words, because it is stored in atomics for another thread.
pub(crate) fn own_thread_name() -> [u64; THREAD_NAME_BYTES / 8] {
    let mut name = [0_u64; THREAD_NAME_BYTES / 8];
    // SAFETY: the buffer is as long as the kernel requires.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}

pub(crate) fn host_name() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the buffer is as long as stated; one byte less keeps it NUL-terminated.
    let result = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    if result != 0 {
        return String::new();
    }
    CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Adds the Unified Runtime's tracing layer to the layers that the user has requested.
pub(crate) fn enable_tracing_layer() {
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
            // SAFETY: both are NUL-terminated. The runtime is being initialised, and reads the environment itself: a
            // concurrent change by another thread is not expected, and glibc never frees the old value.
            unsafe { libc::setenv(NAME.as_ptr(), layers.as_ptr(), 1) };
        }
    });
}

/// Requests the tracing layer of Level Zero's loader, unless the environment has a value already.
pub(crate) fn trace_level_zero() {
    static DONE: Once = Once::new();
    // SAFETY: as in `enable_tracing_layer`.
    DONE.call_once(|| unsafe {
        libc::setenv(c"ZE_ENABLE_TRACING_LAYER".as_ptr(), c"1".as_ptr(), 0);
    });
}

/// Registers functions to be called around every fork: before it, and after it in the parent and in the child.
pub(crate) fn at_fork(before: extern "C" fn(), in_parent: extern "C" fn(), in_child: extern "C" fn()) {
    let [before, in_parent, in_child] = [before, in_parent, in_child].map(|handler| Some(as_unsafe(handler)));
    // SAFETY: plain functions that live as long as this library, which is pinned (`pin_library`).
    unsafe { libc::pthread_atfork(before, in_parent, in_child) };
}

fn as_unsafe(handler: extern "C" fn()) -> unsafe extern "C" fn() {
    handler
}

/// Calls `handler` when the process exits; handlers that are registered later are called earlier.
pub(crate) fn at_exit(handler: extern "C" fn()) {
    // SAFETY: as for `at_fork`.
    unsafe { libc::atexit(handler) };
}

/// Keeps this library in memory until the process exits, because its threads and handlers outlive a `dlclose`.
pub(crate) fn pin_library() {
    pin(pin_library as fn() as *const c_void);
}

pub(crate) fn pin(address: *const c_void) {
    if let Some(path) = library_of(address) {
        // SAFETY: `path` is a NUL-terminated string of the loader's; the library is already loaded.
        unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
    }
}

pub(crate) fn library_of(address: *const c_void) -> Option<&'static CStr> {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the loader accepts any address and fills `info` only if it finds it.
    let found = unsafe { libc::dladdr(address, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated string that lives as long as the library is loaded; callers use it immediately.
    Some(unsafe { CStr::from_ptr(info.dli_fname) })
}

/// Copies memory that may be freed at any moment; false if it was.
pub(crate) fn read_memory(from: *const u8, into: &mut [u8]) -> bool {
    if into.is_empty() {
        return true;
    }
    // SAFETY: `into` is writable for its length.
    let copied = unsafe { copy_own(from.cast(), into.as_mut_ptr().cast(), into.len()) };
    if copied >= 0 {
        return copied as usize == into.len();
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EPERM | libc::ENOSYS) => {
            // Not permitted, as in some containers: read directly, while the memory is most likely still mapped.
            // SAFETY: a lookup has just returned this address.
            unsafe { std::ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
            true
        }
        _ => false,
    }
}

/// Copies memory of this process that may be unmapped at any moment; false if it is, or if the system refuses.
pub(crate) fn copy_words(from: u64, into: &mut [u64]) -> bool {
    let bytes = std::mem::size_of_val(into);
    // SAFETY: `into` is writable for its length.
    unsafe { copy_own(from as *const c_void, into.as_mut_ptr().cast(), bytes) == bytes as isize }
}

/// Copies bytes of this process; the kernel checks the source. `into` must be writable for that many bytes.
unsafe fn copy_own(from: *const c_void, into: *mut c_void, bytes: usize) -> isize {
    let here = libc::iovec { iov_base: into, iov_len: bytes };
    let there = libc::iovec { iov_base: from.cast_mut(), iov_len: bytes };
    // SAFETY: the caller's promise.
    unsafe { libc::process_vm_readv(libc::getpid(), &here, 1, &there, 1, 0) }
}

/// Runs `work` on a thread of the program with cancellation disabled: a cancelled thread is unwound from wherever it
/// sleeps or writes, which must not happen within our code.
pub(crate) fn without_cancellation<T>(work: impl FnOnce() -> T) -> T {
    /// `PTHREAD_CANCEL_DISABLE`
    const DISABLE: c_int = 1;
    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
    }
    /// Restores a thread's previous state, even if `work` panics.
    struct Restored(c_int);
    impl Drop for Restored {
        fn drop(&mut self) {
            // SAFETY: this is its previous state, and a valid place.
            unsafe { pthread_setcancelstate(self.0, &mut self.0) };
        }
    }
    let mut restored = Restored(0);
    // SAFETY: a valid state and a valid place.
    unsafe { pthread_setcancelstate(DISABLE, &mut restored.0) };
    work()
}

/// Installs a signal handler, unless the program handles the signal itself.
pub(crate) fn on_signal(signal: c_int, handler: extern "C" fn(c_int)) -> bool {
    // SAFETY: all zero is a valid action; the handler lives as long as this library, which is pinned.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &mut before) != 0 {
            return false;
        }
        // A forked child inherits the handler.
        if before.sa_sigaction == handler as *const () as usize {
            return true;
        }
        if before.sa_sigaction != libc::SIG_DFL {
            return false;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut()) == 0
    }
}

/// Kills this process with `SIGKILL`.
pub(crate) fn kill_this() {
    // SAFETY: the process is our own.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

/// Blocks every signal on the calling thread, so that the program's handlers never run on our threads.
pub(crate) fn block_signals() {
    // SAFETY: the set is filled before it is used; only this thread's mask changes.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
    }
}

/// Runs `write` with the file size limit's signal blocked, and discards the signal if it was raised.
pub(crate) fn without_file_size_signal<T>(write: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are initialised before they are used; the thread's own mask is restored at the end. A signal
    // that was pending before stays pending, because it is only discarded if it was not blocked before.
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

/// Runs `work` with all signals of the calling thread blocked.
pub(crate) fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are initialised before they are used; the thread's own mask is restored at the end.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        let blocked: c_int = libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let result = work();
        if blocked == 0 {
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
        result
    }
}

/// Limits the file size of this process from now on, like a full disk.
#[cfg(test)]
pub(crate) fn limit_file_size(bytes: u64) {
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a valid place, and a valid limit.
    let results = unsafe {
        let read = libc::getrlimit(libc::RLIMIT_FSIZE, &mut limits);
        limits.rlim_cur = bytes;
        [read, libc::setrlimit(libc::RLIMIT_FSIZE, &limits)]
    };
    assert_eq!(results, [0, 0]);
}
