//! Commands with times of their device.

use std::time::Duration;

use crate::QUEUE;
use crate::calls::{ur_copy, ur_queue_create};
use crate::nodes::create_queue;
use crate::runtime::{Runtime, monotonic_ns};

pub(crate) fn device_times(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, true);
    let now = monotonic_ns();
    let at = |offset: u64| [now + offset, now + offset + 10, now + offset + 100, now + offset + 1100];
    // One that the program holds, and that another waits for.
    let first = runtime.ur_event(at(0));
    ur_copy(runtime, &[], first, true);
    let second = runtime.ur_event(at(2000));
    ur_copy(runtime, &[first], second, true);
    runtime.complete(first);
    runtime.complete(second);
    // Handles are used again: this wait must find the new command.
    ur_copy(runtime, &[], first, true);
    ur_copy(runtime, &[first], second, true);
    // One that the program does not ask for.
    let unasked = runtime.ur_event(at(5000));
    assert_eq!(ur_copy(runtime, &[], unasked, false), Some(unasked), "the recorder asks for it");
    runtime.complete(unasked);
    // One that fails, one without times, one that never ends.
    for (times, status) in [(at(6000), 4), ([u64::MAX; 4], 0), (at(7000), 1)] {
        let event = runtime.ur_event(times);
        ur_copy(runtime, &[], event, true);
        runtime.event_status(event, status);
        runtime.release(event);
    }
    // A command graph's event tells no duration.
    let graph = runtime.ur_event(at(8000));
    let mut place = 0_u64;
    let row = [QUEUE, 0x6, 0, 0, &raw mut place as u64];
    runtime.call(124, c"urEnqueueCommandBufferExp", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[4] as *mut u64) = graph };
        0
    });
    runtime.complete(graph);
    std::thread::sleep(Duration::from_millis(100));
    // Ours: first, second and graph. The recorder's: the one that never ends.
    assert_eq!(runtime.event_references(), 4, "every event that was read was given back");
}

/// A device that counts a thousand seconds ahead of the host.
pub(crate) fn other_clock(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    let queued = monotonic_ns() + 1_000_000_000_000;
    let event = runtime.ur_event([queued, queued + 10, queued + 1_000, queued + 2_000]);
    ur_copy(runtime, &[], event, true);
    runtime.complete(event);
    std::thread::sleep(Duration::from_millis(50));
}
