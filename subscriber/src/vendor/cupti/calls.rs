//! Calls of the CUDA driver, observed on their threads.
#![expect(unsafe_code, reason = "CUPTI's functions and structures")]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::buffer::{Kind, Producer};
use crate::config::{Detail, detail};
use crate::xpti::{FunctionCall, Interface, is_described};

/// `CUpti_CallbackFunc`
pub(super) type OnCall = extern "C" fn(*mut c_void, u32, u32, *const CallbackData);

/// `CUpti_CallbackData`
#[repr(C)]
pub(super) struct CallbackData {
    site: u32,
    function_name: *const c_char,
    parameters: *const c_void,
    result: *const i32,
    symbol_name: *const c_char,
    context: *mut c_void,
    context_id: u32,
    correlation_data: *mut u64,
    correlation: u32,
}

const _: () = assert!(std::mem::offset_of!(CallbackData, correlation) == 64);

/// `CUPTI_API_ENTER`
const ENTER: u32 = 0;

thread_local! {
    /// Instance of the call of the Unified Runtime with which this thread is enqueueing a command; 0 outside one.
    static WITHIN: Cell<u64> = const { Cell::new(0) };
}

/// Returns the previous instance.
#[inline]
pub(super) fn set_within(instance: u64) -> u64 {
    WITHIN.replace(instance)
}

/// Reasons for observing calls of a function, as bits: they submit device work, whose records are joined to them.
const FOR_WORK: u8 = 1;
/// They are recorded as native calls.
const FOR_RECORDING: u8 = 2;

/// Upper bound of CUPTI's numbers of the driver's functions (CUDA 13 has some 800).
pub(super) const FUNCTIONS_AT_MOST: u32 = 2048;
/// Reasons for observing calls, by the function's number; 0 if they are not observed.
static REASONS: [AtomicU8; FUNCTIONS_AT_MOST as usize] =
    [const { AtomicU8::new(0) }; FUNCTIONS_AT_MOST as usize];

/// Prefixes of functions that submit work to a device.
const WORK: [&[u8]; 5] = [b"cuLaunch", b"cuMemcpy", b"cuMemset", b"cuGraphLaunch", b"cuMemPrefetch"];

/// Functions that an adapter calls besides every command to have an event for it: recorded with `--detail high` only.
const BESIDE_COMMANDS: [&[u8]; 2] = [b"cuEventRecord", b"cuEventDestroy"];

pub(super) extern "C" fn on_call(_: *mut c_void, _domain: u32, id: u32, data: *const CallbackData) {
    // SAFETY: CUPTI's own structure, alive during this call.
    let Some(data) = (unsafe { data.as_ref() }) else { return };
    let Some(place) = REASONS.get(id as usize) else { return };
    let reasons = place.load(Ordering::Relaxed);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let Some(cupti) = super::current() else { return };
        let is_begin = data.site == ENTER;
        let within = WITHIN.get();
        let is_joined = is_begin && within != 0 && reasons & FOR_WORK != 0;
        if !is_joined && reasons & FOR_RECORDING == 0 {
            return;
        }
        Producer::enter(cupti.host.buffers, |producer| {
            if is_joined {
                producer.write(Kind::DeviceCall, 0, |entry| {
                    entry.word(data.correlation.into());
                    entry.word(within);
                });
            }
            if reasons & FOR_RECORDING != 0 {
                // SAFETY: a NUL-terminated literal, the call's parameters laid out as in a structure, and null or a
                // place for the result; all alive during this call.
                let call = unsafe {
                    FunctionCall::native(Interface::Cuda, data.function_name, data.parameters, data.result)
                };
                (cupti.host.native)(&call, data.correlation.into(), is_begin, producer);
            }
        });
    }));
}

pub(super) fn wants(id: u32, name: &CStr, wants_native: bool) -> bool {
    let begins = |parts: &[&[u8]]| parts.iter().any(|part| name.to_bytes().starts_with(part));
    let gives_work = begins(&WORK);
    // All other functions are queries, which are many and of little use.
    let says_much = || !begins(&BESIDE_COMMANDS) && is_described(Interface::Cuda, &name.to_string_lossy());
    let is_recorded = wants_native && (detail() == Detail::High || gives_work || says_much());
    let for_work = if gives_work { FOR_WORK } else { 0 };
    let for_recording = if is_recorded { FOR_RECORDING } else { 0 };
    let reasons = for_work | for_recording;
    if let Some(place) = REASONS.get(id as usize) {
        place.store(reasons, Ordering::Relaxed);
    }
    reasons != 0
}
