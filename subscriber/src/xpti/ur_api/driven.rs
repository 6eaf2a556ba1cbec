//! A device with a simulated clock, for tests that control the time.

use std::cell::Cell;
use std::ffi::c_void;

use super::{OF_UNIFIED_RUNTIME, UrApi};
use crate::os::driven;

/// Event of a command. Like a real one's, its first word identifies its adapter.
#[repr(C)]
struct Event {
    mark: usize,
    /// On the device's clock: queued, submitted, started, ended.
    times: [u64; 4],
    has_failed: Cell<bool>,
}

const MARK: usize = 0x7e57;

thread_local! {
    /// Lead of the device's clock over the host's, the host's time at which it applies, and its excess speed in parts
    /// per billion.
    static CLOCK: Cell<(i64, u64, i64)> = const { Cell::new((0, 0, 0)) };
}

/// Sets the lead of the device's clock, and its excess speed in parts per billion.
pub(crate) fn set_clock(ahead_ns: i64, drift_ppb: i64) {
    CLOCK.set((ahead_ns, driven::now(), drift_ppb));
}

pub(crate) fn device_now() -> u64 {
    let (ahead_ns, since, drift_ppb) = CLOCK.get();
    let host = i128::from(driven::now());
    let drift = (host - i128::from(since)) * i128::from(drift_ppb) / 1_000_000_000;
    u64::try_from(host + i128::from(ahead_ns) + drift).unwrap()
}

/// Creates the event of a command with these times on the device's clock, finished when that clock reaches its end.
/// Never freed.
pub(crate) fn event(times: [u64; 4]) -> u64 {
    Box::leak(Box::new(Event { mark: MARK, times, has_failed: Cell::new(false) })) as *const Event as u64
}

pub(crate) fn fail(event: u64) {
    at(event).has_failed.set(true);
}

fn at(event: u64) -> &'static Event {
    // SAFETY: from `event`, which is never freed.
    unsafe { &*(event as *const Event) }
}

pub(super) fn api_of(event: u64) -> Option<UrApi> {
    // SAFETY: a live handle is the address of an object that is at least a word long.
    let mark = unsafe { *(event as *const usize) };
    (mark == MARK).then_some(UrApi {
        get_info,
        get_profiling_info,
        retain: counted,
        release: counted,
        get_timestamps: Some(get_timestamps),
        retain_device: Some(counted),
        get_device_info: None,
        get_platform_info: None,
        contexts: None,
        table: 0,
        questions: &OF_UNIFIED_RUNTIME,
        usable_at_exit: true,
    })
}

extern "C" fn counted(_: u64) -> i32 {
    0
}

unsafe extern "C" fn get_info(event: u64, _: u32, _: usize, value: *mut c_void, _: *mut usize) -> i32 {
    let event = at(event);
    let is_done = device_now() >= event.times[3];
    let status: u32 = if event.has_failed.get() {
        4
    } else if is_done {
        0
    } else {
        2
    };
    // SAFETY: the caller's place.
    unsafe { *value.cast() = status };
    0
}

unsafe extern "C" fn get_profiling_info(
    event: u64,
    what: u32,
    _: usize,
    value: *mut c_void,
    _: *mut usize,
) -> i32 {
    // SAFETY: the caller's place.
    unsafe { *value.cast() = at(event).times[what as usize] };
    0
}

unsafe extern "C" fn get_timestamps(_: u64, on_device: *mut u64, on_host: *mut u64) -> i32 {
    // SAFETY: the caller's places.
    unsafe {
        *on_device = device_now();
        *on_host = driven::now();
    }
    0
}
