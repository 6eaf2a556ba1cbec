//! Calls of Level Zero, reported on their threads.
//!
//! The layer does not pass the called function to its callbacks. So each function has callbacks of its own, instances
//! of one generic function for every index in a list.
#![expect(unsafe_code, reason = "callbacks of a C interface")]

use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::buffer::Producer;
use crate::xpti::{FunctionCall, Interface, described, number_of};

/// Callback of the layer: an array of pointers to the call's parameters, its result (after the call), the tracer's
/// data, and a word shared by both sides of the call.
pub(super) type OnCall = extern "C" fn(*const *mut c_void, i32, *mut c_void, *mut *mut c_void);

pub(super) struct Traced {
    pub(super) name: &'static str,
    pub(super) on_begin: OnCall,
    pub(super) on_end: OnCall,
}

const ROW: usize = 16;
const PLACES: usize = 20 * ROW;

macro_rules! row {
    ($row:literal: $($place:literal)+) => {
        [$((on_begin::<{ $row * ROW + $place }> as OnCall, on_end::<{ $row * ROW + $place }> as OnCall),)+]
    };
}

macro_rules! rows {
    ($($row:literal)+) => { [$(row!($row: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),)+] };
}

static CALLBACKS: [[(OnCall, OnCall); ROW]; PLACES / ROW] =
    rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);

/// Our own number of the function at an index.
static NUMBERS: [AtomicU16; PLACES] = [const { AtomicU16::new(0) }; PLACES];

thread_local! {
    /// Number of calls of this thread: no two open ones have the same number.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Returns every function with known parameters, with its callbacks.
pub(super) fn functions() -> Vec<Traced> {
    let traced = |((name, callbacks), number): ((&'static str, &(OnCall, OnCall)), &AtomicU16)| {
        let terminated = CString::new(name).ok()?;
        number.store(number_of(Interface::LevelZero, &terminated), Ordering::Relaxed);
        let (on_begin, on_end) = *callbacks;
        Some(Traced { name, on_begin, on_end })
    };
    described(Interface::LevelZero)
        .into_iter()
        .zip(CALLBACKS.as_flattened())
        .zip(&NUMBERS)
        .filter_map(traced)
        .collect()
}

extern "C" fn on_begin<const PLACE: usize>(
    parameters: *const *mut c_void,
    _result: i32,
    _tracer: *mut c_void,
    call: *mut *mut c_void,
) {
    begins(PLACE, parameters, call);
}

extern "C" fn on_end<const PLACE: usize>(
    parameters: *const *mut c_void,
    result: i32,
    _tracer: *mut c_void,
    call: *mut *mut c_void,
) {
    ends(PLACE, parameters, result, call);
}

fn begins(place: usize, parameters: *const *mut c_void, shared: *mut *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(host) = super::host() else { return };
        Producer::enter(host.buffers, |producer| {
            let call = function_call(place, parameters, null());
            let instance = CALLS.get() + 1;
            CALLS.set(instance);
            (host.native)(&call, instance, true, producer);
            // SAFETY: the layer's place for a word of ours, null until now.
            unsafe { shared.write(instance as *mut c_void) };
        });
    }));
}

fn ends(place: usize, parameters: *const *mut c_void, result: i32, shared: *mut *mut c_void) {
    // SAFETY: the layer's place, with the value stored by `begins`.
    let instance = unsafe { shared.read() } as u64;
    if instance == 0 {
        return;
    }
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(Ok(host)) = super::TRACED.get() else { return };
        Producer::enter(host.buffers, |producer| {
            (host.native)(&function_call(place, parameters, &result), instance, false, producer);
        });
    }));
}

#[inline]
fn function_call<'a>(place: usize, parameters: *const *mut c_void, result: *const i32) -> FunctionCall<'a> {
    let number = NUMBERS[place].load(Ordering::Relaxed);
    // SAFETY: the layer's array of pointers to the parameters, alive during the callback, as is the result.
    unsafe { FunctionCall::traced(number, parameters, result) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_function_has_callbacks_of_its_own() {
        let functions = functions();
        assert_eq!(functions.len(), described(Interface::LevelZero).len());
        assert!(functions.iter().any(|function| function.name == "zeCommandListAppendLaunchKernel"));
    }
}
