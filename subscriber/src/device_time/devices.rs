//! References to the devices that commands run on.
//!
//! A runtime may free a device with the program's last queue on it, while the events of its commands still wait to be
//! read. The recorder's thread asks a device for its clock and properties only if a reference was taken, which is never released.
//! It is taken by the program's own thread at the end of a call that puts a command on a queue of the device: then the
//! device is there, and its functions can be reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::xpti::UrApi;

/// So many devices can be asked.
const MOST: usize = 64;

static KEPT: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];

/// Queues on devices to which no reference is held yet.
static QUEUES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// The device of each of them.
static DEVICES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// Whether there is any: commands look no further if not.
static WAITING: AtomicBool = AtomicBool::new(false);

/// Whether a device may be asked.
pub(crate) fn is_kept(device: u64) -> bool {
    device != 0 && KEPT.iter().any(|kept| kept.load(Ordering::Acquire) == device)
}

/// A queue was made.
#[cold]
pub(crate) fn queue_made(queue: u64, device: u64) {
    if queue == 0 || device == 0 || is_kept(device) {
        return;
    }
    // A handle that is used again is another queue now; a full list leaves the device out.
    let place = |wanted: u64| QUEUES.iter().position(|known| known.load(Ordering::Relaxed) == wanted);
    if let Some(place) = place(queue).or_else(|| place(0)) {
        QUEUES[place].store(0, Ordering::Release);
        DEVICES[place].store(device, Ordering::Relaxed);
        QUEUES[place].store(queue, Ordering::Release);
        WAITING.store(true, Ordering::Release);
    }
}

/// Whether [`queue_used`] is of any use.
#[inline]
pub(crate) fn is_any_waiting() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// A command with this event was put on a queue.
#[cold]
pub(crate) fn queue_used(queue: u64, event: u64) {
    for place in 0..MOST {
        let is_it = QUEUES[place].compare_exchange(queue, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if !is_it {
            continue;
        }
        let device = DEVICES[place].load(Ordering::Relaxed);
        if !is_kept(device) && UrApi::of_event(event).is_some_and(|api| api.retain_device(device)) {
            let _ = KEPT
                .iter()
                .find(|kept| kept.compare_exchange(0, device, Ordering::AcqRel, Ordering::Relaxed).is_ok());
        }
    }
    // Other queues on the same device need not wait.
    for (queue, device) in QUEUES.iter().zip(&DEVICES) {
        let waiting = queue.load(Ordering::Acquire);
        if waiting != 0 && is_kept(device.load(Ordering::Relaxed)) {
            let _ = queue.compare_exchange(waiting, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
    WAITING.store(QUEUES.iter().any(|queue| queue.load(Ordering::Acquire) != 0), Ordering::Release);
}
