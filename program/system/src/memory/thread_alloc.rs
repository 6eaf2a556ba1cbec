//! Memory of each thread, counted by the allocator, for imports and queries with budgets.
#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting each thread's bytes.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Negative on a thread that frees other threads' allocations. It has no destructor, so it is accessible
    /// until the thread ends.
    static ALLOCATED_BYTES: Cell<isize> = const { Cell::new(0) };
}

/// Returns the bytes that this thread has allocated and not freed. Only the difference of two calls has a
/// meaning.
pub fn allocated_bytes() -> u64 {
    // Offset far from 0, so that a thread that frees other threads' allocations doesn't go below 0.
    (ALLOCATED_BYTES.get() as i64).cast_unsigned() ^ (1 << 63)
}

/// Limits the allocator's arenas if address space is limited. Otherwise each further concurrent thread would take
/// 64 or 128 MiB of addresses, and allocations of a busy program would fail long before its memory is used up.
pub(crate) fn share_places(are_addresses_limited: bool) {
    #[cfg(target_env = "gnu")]
    if are_addresses_limited {
        // SAFETY: sets an option of the allocator, before there is a second thread.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, PLACES) };
    }
}

/// Number of arenas if address space is limited.
#[cfg(target_env = "gnu")]
const PLACES: libc::c_int = 2;

fn count(bytes: usize, freed: usize) {
    let change = bytes.wrapping_sub(freed).cast_signed();
    ALLOCATED_BYTES.set(ALLOCATED_BYTES.get().wrapping_add(change));
}

// SAFETY: every call is passed to the system's allocator with the same arguments, and counting allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System`.
        let place = unsafe { System.alloc(layout) };
        count(if place.is_null() { 0 } else { layout.size() }, 0);
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System`.
        let place = unsafe { System.alloc_zeroed(layout) };
        count(if place.is_null() { 0 } else { layout.size() }, 0);
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller upholds the contract of `System`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System`.
        let moved = unsafe { System.realloc(place, layout, size) };
        if !moved.is_null() {
            count(size, layout.size());
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_counts_what_it_holds() {
        let before = allocated_bytes();
        let mut list: Vec<u8> = Vec::with_capacity(1000);
        assert_eq!(allocated_bytes() - before, 1000);
        list.reserve_exact(5000);
        assert_eq!(allocated_bytes() - before, 5000);
        let zeroed = vec![0_u64; 100];
        std::thread::spawn(move || {
            let before = allocated_bytes();
            drop(list);
            assert_eq!(before - allocated_bytes(), 5000);
        })
        .join()
        .unwrap();
        drop(zeroed);
    }
}
