//! Commands with device times.

use crate::QUEUE;
use crate::calls::{ur_copy, ur_queue_create};
use crate::nodes::create_queue;
use crate::runtime::{Runtime, monotonic_ns, wait_until};

/// Time from a command's queueing to its end.
const LASTS_NS: u64 = 1_100;

/// Returns the event of a command that is queued now and takes a microsecond.
pub(crate) fn microsecond(runtime: &Runtime) -> u64 {
    let now = monotonic_ns();
    runtime.ur_event([now, now + 10, now + 100, now + LASTS_NS])
}

/// Completes a queued command once it can have ended, because the recorder may query it at any moment.
pub(crate) fn end(runtime: &Runtime, event: u64) {
    let ended = monotonic_ns() + LASTS_NS;
    while monotonic_ns() < ended {}
    runtime.complete(event);
}

/// `ur_event_status_t`, and an error.
const RUNNING: u32 = 1;
const FAILED: u32 = 4;

pub(crate) fn device_times(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, true);
    let copy = |waits: &[u64]| ur_copy(runtime, waits, || microsecond(runtime), true).unwrap();
    // The program keeps a reference to one event, and another command waits for it.
    let first = copy(&[]);
    let second = copy(&[first]);
    end(runtime, first);
    end(runtime, second);
    // Handles are reused: this wait must find the new command.
    for (waits, event) in [(&[][..], first), (&[first], second)] {
        let again = || {
            runtime.event_status(event, RUNNING);
            event
        };
        ur_copy(runtime, waits, again, true);
    }
    end(runtime, first);
    end(runtime, second);
    // The program does not request this event.
    let unasked = ur_copy(runtime, &[], || microsecond(runtime), false);
    end(runtime, unasked.expect("the recorder asks for it"));
    // A failed command, one without times, one that never ends.
    let timeless = || runtime.ur_event([u64::MAX; 4]);
    for (event, status) in
        [(copy(&[]), FAILED), (ur_copy(runtime, &[], timeless, true).unwrap(), 0), (copy(&[]), RUNNING)]
    {
        runtime.event_status(event, status);
        runtime.release(event);
    }
    // A command graph's event has no duration.
    let mut place = 0_u64;
    let row = [QUEUE, 0x6, 0, 0, &raw mut place as u64];
    runtime.call(124, c"urEnqueueCommandBufferExp", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[4] as *mut u64) = microsecond(runtime) };
        0
    });
    end(runtime, place);
    // Three references are the program's: first, second and graph. One is the recorder's: the command that never ends.
    wait_until("every event that was read was given back", || runtime.event_references() == 4);
}

/// Plays the end of one of the program's own streams in the middle of the run.
pub(crate) fn own_stream_ends(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, true);
    runtime.announce(c"solver.phases");
    runtime.finish(c"solver.phases");
    let event = ur_copy(runtime, &[], || microsecond(runtime), true).unwrap();
    end(runtime, event);
    wait_until("the event was read and given back", || runtime.event_references() == 1);
}

pub(crate) fn a_copy_is_refused(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, true);
    let copy = || end(runtime, ur_copy(runtime, &[], || microsecond(runtime), true).unwrap());
    copy();
    let row = [QUEUE, 0, 0xd, 0x5, 4096, 0, 0, 0];
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |_| 5);
    copy();
}

/// Plays a device that counts a thousand seconds ahead of the host.
pub(crate) fn other_clock(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    // The recorder reads the clock only while a command is outstanding, and a busy machine may delay it.
    let endless = runtime.ur_event([1; 4]);
    ur_copy(runtime, &[], || endless, true);
    runtime.wait_for_a_reading();
    let ahead = || {
        let queued = runtime.device_time(monotonic_ns());
        let event = runtime.ur_event([queued, queued + 10, queued + 1_000, queued + 2_000]);
        runtime.complete_by_the_clock(event);
        event
    };
    ur_copy(runtime, &[], ahead, true);
    wait_until("the recorder has read the copy's times", || runtime.event_references() == 3);
}
