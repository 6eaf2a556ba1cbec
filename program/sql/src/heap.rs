//! SQLite's memory, counted as the thread's own, so that a query's budget covers it.
#![expect(unsafe_code, reason = "SQLite takes an allocator as C functions")]

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use syclscope_engine::cancel::{self, Stopped};

use rusqlite::ffi::{SQLITE_CONFIG_MALLOC, SQLITE_OK, sqlite3_config, sqlite3_mem_methods};

/// Size of the header before each allocation, which contains its size. SQLite needs allocations aligned to 8.
const HEAD: usize = 16;

/// Steps charged to a query per allocation. While a statement is prepared, SQLite seldom calls the progress
/// handler, and a few lines may expand to very many.
const STEPS: u64 = 8;

thread_local! {
    /// True while a query's statement runs on this thread.
    static IS_LIMITED: Cell<bool> = const { Cell::new(false) };
    static REFUSED: Cell<Option<Stopped>> = const { Cell::new(None) };
}

/// Returns the limit for which SQLite was refused memory since [`limited`] began.
pub(crate) fn refused() -> Option<Stopped> {
    REFUSED.get()
}

/// Runs a statement with the limits of the thread's query: beyond them SQLite gets no memory, and ends with
/// an error.
pub(crate) fn limited<T>(work: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            IS_LIMITED.set(false);
        }
    }
    let _reset = Reset;
    IS_LIMITED.set(true);
    REFUSED.set(None);
    work()
}

fn is_granted() -> bool {
    let stopped = if IS_LIMITED.get() { cancel::take(STEPS).err() } else { None };
    REFUSED.set(REFUSED.get().or(stopped));
    stopped.is_none()
}

/// Makes SQLite use Rust's allocator, which counts its memory. Call it before the process uses SQLite; later
/// it has no effect, and queries are limited only by their steps.
pub fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let methods = sqlite3_mem_methods {
            xMalloc: Some(allocate),
            xFree: Some(free),
            xRealloc: Some(resize),
            xSize: Some(size),
            xRoundup: Some(round_up),
            xInit: Some(init),
            xShutdown: Some(shutdown),
            pAppData: null_mut(),
        };
        // SAFETY: SQLite copies the functions, which meet its documented requirements. If it is already in
        // use, it changes nothing and returns an error.
        let _is_refused = unsafe { sqlite3_config(SQLITE_CONFIG_MALLOC, &raw const methods) } != SQLITE_OK;
    });
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEAD)?, HEAD).ok()
}

extern "C" fn allocate(bytes: c_int) -> *mut c_void {
    if !is_granted() {
        return null_mut();
    }
    let Some((bytes, layout)) = usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(bytes)?)))
    else {
        return null_mut();
    };
    // SAFETY: the layout is not empty, since it includes the header.
    let start = unsafe { alloc(layout) };
    // SAFETY: if not null, `start` has space for a header and these bytes.
    unsafe { with_head(start, bytes) }
}

/// Writes an allocation's header and returns the address after it.
///
/// # Safety
/// `start` is null, or the start of an allocation with the [`layout`] of these bytes.
unsafe fn with_head(start: *mut u8, bytes: usize) -> *mut c_void {
    if start.is_null() {
        return null_mut();
    }
    // SAFETY: the allocation begins with space for its header, and is aligned.
    unsafe {
        start.cast::<usize>().write(bytes);
        start.add(HEAD).cast()
    }
}

/// Returns the start of an allocation, and its size without the header.
///
/// # Safety
/// `place` was returned by `with_head`.
unsafe fn head(place: *mut c_void) -> (*mut u8, usize) {
    // SAFETY: the header precedes the address.
    unsafe {
        let start = place.cast::<u8>().sub(HEAD);
        (start, start.cast::<usize>().read())
    }
}

unsafe extern "C" fn free(place: *mut c_void) {
    if place.is_null() {
        return;
    }
    // SAFETY: SQLite frees only memory from this allocator.
    let (start, bytes) = unsafe { head(place) };
    if let Some(layout) = layout(bytes) {
        // SAFETY: the memory was allocated with this layout.
        unsafe { dealloc(start, layout) };
    }
}

unsafe extern "C" fn resize(place: *mut c_void, bytes: c_int) -> *mut c_void {
    if !is_granted() {
        return null_mut();
    }
    // SAFETY: SQLite resizes only memory from this allocator.
    let (start, before) = unsafe { head(place) };
    let sizes = usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(before)?, layout(bytes)?)));
    let Some((bytes, layout, after)) = sizes else { return null_mut() };
    // SAFETY: the memory was allocated with `layout`, and the size of `after` is valid for a layout.
    let moved = unsafe { realloc(start, layout, after.size()) };
    // SAFETY: if not null, the memory has space for a header and these bytes.
    unsafe { with_head(moved, bytes) }
}

unsafe extern "C" fn size(place: *mut c_void) -> c_int {
    if place.is_null() {
        return 0;
    }
    // SAFETY: SQLite queries only the size of memory from this allocator.
    let (_, bytes) = unsafe { head(place) };
    bytes.try_into().unwrap_or(c_int::MAX)
}

extern "C" fn round_up(bytes: c_int) -> c_int {
    bytes.saturating_add(7) & !7
}

extern "C" fn init(_: *mut c_void) -> c_int {
    SQLITE_OK
}

extern "C" fn shutdown(_: *mut c_void) {}
