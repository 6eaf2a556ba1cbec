//! Devices: their clocks and properties.

use std::time::Duration;

use crate::calls::{ur_copy, ur_queue_create};
use crate::nodes::create_queue;
use crate::runtime::{Runtime, monotonic_ns};
use crate::{DEVICE, QUEUE};

/// Plays a copy that is queued within its call by the device's clock.
fn copy_now(runtime: &Runtime) {
    let row = [QUEUE, 0, 0xd, 0x5, 4096, 0, 0];
    let mut place = 0_u64;
    let row: Vec<u64> = row.into_iter().chain([&raw mut place as u64]).collect();
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |row| {
        let queued = runtime.device_time(monotonic_ns());
        let event = runtime.ur_event([queued, queued + 10, queued + 1_000, queued + 2_000]);
        runtime.complete_by_the_clock(event);
        // SAFETY: our own place.
        unsafe { *(row[7] as *mut u64) = event };
        0
    });
}

fn copies(runtime: &Runtime, count: u32) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, false);
    // Clocks are read as long as a command is outstanding.
    let endless = runtime.ur_event([1; 4]);
    ur_copy(runtime, &[], || endless, true);
    runtime.wait_for_a_reading();
    for _ in 0..count {
        std::thread::sleep(pace());
        copy_now(runtime);
    }
    std::thread::sleep(pace());
    runtime.event_status(endless, 4);
}

/// Returns the interval of copies: long enough for a clock to drift if the test measures that.
fn pace() -> Duration {
    Duration::from_millis(if std::env::var_os("SYCLSCOPE_SOAK").is_some() { 40 } else { 2 })
}

/// Plays a clock that is ahead by forty milliseconds and runs a hundredth too fast.
pub(crate) fn drifting_clock(runtime: &Runtime) {
    // The drift counts from now, not from the machine's start.
    let now = monotonic_ns();
    let drift_ppb = 10_000_000;
    let by_now = (u128::from(now) * u128::from(drift_ppb) / 1_000_000_000_u128) as u64;
    runtime.set_device_clock(40_000_000_u64.wrapping_sub(by_now), drift_ppb);
    copies(runtime, 20);
}

/// Plays readings of the clock that take ten milliseconds behind the device's work; the program waits for each copy.
pub(crate) fn clock_behind_copies(runtime: &Runtime) {
    slow_readings(runtime, |wait| wait());
}

/// Plays the same readings, but another thread waits.
pub(crate) fn clock_behind_copies_awaited_elsewhere(runtime: &Runtime) {
    slow_readings(runtime, |wait| {
        std::thread::scope(|scope| {
            scope.spawn(wait);
        });
    });
}

/// Plays copies behind slow readings of the clock; `awaited` runs the wait for a copy.
fn slow_readings(runtime: &Runtime, awaited: impl Fn(&(dyn Fn() + Sync))) {
    runtime.set_device_clock(1_000_000_000_000, 0);
    runtime.set_reading_takes(10_000_000);
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, false);
    let mut event = runtime.ur_event([1; 4]);
    ur_copy(runtime, &[], || event, true);
    runtime.wait_for_a_reading();
    for number in 0..60 {
        let row = [QUEUE, 0, 0xd, 0x5, 4096, 0, 0, &raw mut event as u64];
        runtime.call(33, c"urEnqueueUSMMemcpy", &row, |row| {
            let queued = runtime.device_time(monotonic_ns());
            let event = runtime.ur_event([queued, queued, queued + 1_000, queued + 100_000]);
            runtime.complete_by_the_clock(event);
            // SAFETY: our own place.
            unsafe { *(row[7] as *mut u64) = event };
            0
        });
        let wait = |event: u64| {
            while runtime.device_time(monotonic_ns()) < event {}
        };
        let end = runtime.device_time(monotonic_ns()) + 100_000;
        let events = [event];
        awaited(&|| match number % 2 {
            0 => runtime.call(50, c"urEventWait", &[1, events.as_ptr() as u64], |_| {
                wait(end);
                0
            }),
            _ => runtime.call(51, c"urQueueFinish", &[QUEUE], |_| {
                wait(end);
                0
            }),
        });
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn host_clock(runtime: &Runtime) {
    runtime.set_device_clock(0, 0);
    copies(runtime, 4);
}

fn ask(runtime: &Runtime, property: u32, answer: &[u8]) {
    let mut place = [0_u8; 64];
    let row = [DEVICE, property.into(), answer.len() as u64, place.as_mut_ptr() as u64, 0];
    runtime.call(40, c"urDeviceGetInfo", &row, |row| {
        // SAFETY: our own place.
        unsafe { std::ptr::copy_nonoverlapping(answer.as_ptr(), row[3] as *mut u8, answer.len()) };
        0
    });
}

/// Plays queries of a device by the program and the recorder, and its free memory.
pub(crate) fn device_answers(runtime: &Runtime) {
    let name = b"Fake Platform\0";
    let mut place = [0_u8; 64];
    let row = [0x9a7, 1, name.len() as u64, place.as_mut_ptr() as u64, 0];
    runtime.call(41, c"urPlatformGetInfo", &row, |row| {
        // SAFETY: our own place.
        unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), row[3] as *mut u8, name.len()) };
        0
    });
    let mut found = [0_u64; 1];
    runtime.call(42, c"urDeviceGet", &[0x9a7, 1, 1, found.as_mut_ptr() as u64, 0], |row| {
        // SAFETY: our own place.
        unsafe { *(row[3] as *mut u64) = DEVICE };
        0
    });
    ask(runtime, 0, &3_u32.to_ne_bytes());
    ask(runtime, 6, &1024_u64.to_ne_bytes());
    for free in [5_u64 << 30, 3 << 30] {
        ask(runtime, 0x2f, &free.to_ne_bytes());
    }
    runtime.set_device_clock(0, 0);
    copies(runtime, 1);
}
