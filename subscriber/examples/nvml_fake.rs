//! A small stand-in for NVIDIA's management library: a machine with two GPUs, the second without power readings.
#![expect(unsafe_code, reason = "speaks the C interface that it stands in for")]

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

const DONE: u32 = 0;
/// `NVML_ERROR_NOT_SUPPORTED`
const NOT_SUPPORTED: u32 = 3;
const GPUS: u32 = 2;

#[unsafe(no_mangle)]
extern "C" fn nvmlInit_v2() -> u32 {
    DONE
}

/// # Safety
/// The caller gives valid places, here and below.
#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetCount_v2(count: *mut u32) -> u32 {
    // SAFETY: as above.
    unsafe { *count = GPUS };
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: u32, handle: *mut *mut c_void) -> u32 {
    // SAFETY: as above.
    unsafe { *handle = null_mut::<c_void>().wrapping_byte_add(index as usize + 1) };
    DONE
}

fn index(handle: *mut c_void) -> u32 {
    handle.addr() as u32 - 1
}

unsafe fn write(text: &str, place: *mut c_char, length: u32) -> u32 {
    assert!(text.len() < length as usize, "the text has room");
    // SAFETY: the caller's buffer is long enough.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), place, text.len());
        *place.add(text.len()) = 0;
    }
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetName(_: *mut c_void, place: *mut c_char, length: u32) -> u32 {
    // SAFETY: as above.
    unsafe { write("Fake GPU", place, length) }
}

#[unsafe(export_name = "nvmlDeviceGetUUID")]
unsafe extern "C" fn device_id(handle: *mut c_void, place: *mut c_char, length: u32) -> u32 {
    // SAFETY: as above.
    unsafe { write(&format!("GPU-{}", index(handle)), place, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetClockInfo(handle: *mut c_void, clock: u32, place: *mut u32) -> u32 {
    let mhz = match clock {
        1 => 1980 - index(handle) * 570,
        2 => 2619,
        _ => return NOT_SUPPORTED,
    };
    // SAFETY: as above.
    unsafe { *place = mhz };
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetPowerUsage(handle: *mut c_void, place: *mut u32) -> u32 {
    if index(handle) > 0 {
        return NOT_SUPPORTED;
    }
    // SAFETY: as above.
    unsafe { *place = 412_500 };
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetTemperature(_: *mut c_void, _: u32, place: *mut u32) -> u32 {
    // SAFETY: as above.
    unsafe { *place = 54 };
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetUtilizationRates(_: *mut c_void, place: *mut [u32; 2]) -> u32 {
    // SAFETY: as above.
    unsafe { *place = [97, 41] };
    DONE
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvmlDeviceGetMemoryInfo(_: *mut c_void, place: *mut [u64; 3]) -> u32 {
    // SAFETY: as above.
    unsafe { *place = [80 << 30, 70 << 30, 10 << 30] };
    DONE
}
