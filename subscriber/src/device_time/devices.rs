//! References to the devices that commands run on.
//!
//! A runtime may free a device with the program's last queue on it, while the events of its commands are still unread.
//! The recorder's thread queries a device for its clock and properties only with a reference to it, which is never
//! released. The program's own thread takes it at the end of a call that enqueues a command on the device: then the
//! device exists, and its functions can be reached.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::flags::FLAGS;
use crate::xpti::UrApi;

/// Maximum number of devices that can be queried.
const MAX_DEVICES: usize = 64;

static RETAINED: DeviceSlots = DeviceSlots::new();

/// Queues on devices without a reference.
static QUEUES: [AtomicU64; MAX_DEVICES] = [const { AtomicU64::new(0) }; MAX_DEVICES];
/// The device of each of these queues.
static DEVICES: [AtomicU64; MAX_DEVICES] = [const { AtomicU64::new(0) }; MAX_DEVICES];

pub(crate) fn is_retained(device: u64) -> bool {
    device != 0 && RETAINED.0.iter().any(|slot| slot.load(Ordering::Acquire) == device)
}

struct DeviceSlots([AtomicU64; MAX_DEVICES]);

/// Set in a device's handle while its reference is being taken, and in place of the handle of a queue that is being
/// added. Handles are addresses of objects: their last bit is 0.
const CLAIMED: u64 = 1;

impl DeviceSlots {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; MAX_DEVICES])
    }

    /// Claims a slot for a device without a reference: if several threads submit a new device's first commands at the
    /// same time, one of them takes the reference.
    fn claim(&self, device: u64) -> Option<usize> {
        let is_it = |slot: &AtomicU64| slot.load(Ordering::Acquire) & !CLAIMED == device;
        if self.0.iter().any(is_it) {
            return None;
        }
        let free = |slot: &AtomicU64| {
            slot.compare_exchange(0, device | CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let place = self.0.iter().position(free)?;
        if self.0[..place].iter().any(is_it) {
            self.0[place].store(0, Ordering::Release);
            return None;
        }
        Some(place)
    }

    /// Completes a claimed slot: keeps the device if its reference was taken, otherwise frees the slot.
    fn settle(&self, place: usize, device: u64, is_taken: bool) {
        self.0[place].store(if is_taken { device } else { 0 }, Ordering::Release);
    }
}

#[cold]
pub(crate) fn add_queue(queue: u64, device: u64) {
    if queue == 0 || device == 0 || is_retained(device) {
        return;
    }
    // Several threads may add queues at the same time.
    let claim = |handle: u64| {
        let is_it = |slot: &AtomicU64| {
            slot.compare_exchange(handle, CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        QUEUES.iter().position(is_it)
    };
    // A reused handle belongs to another queue now. If the list is full, the device is left out.
    if let Some(place) = claim(queue).or_else(|| claim(0)) {
        DEVICES[place].store(device, Ordering::Relaxed);
        QUEUES[place].store(queue, Ordering::SeqCst);
        FLAGS.awaits_device.store(true, Ordering::SeqCst);
    }
}

/// True if [`on_queue_use`] has an effect.
#[inline]
pub(crate) fn is_any_waiting() -> bool {
    FLAGS.awaits_device.load(Ordering::Relaxed)
}

/// Called after a command with this event was enqueued.
#[cold]
pub(crate) fn on_queue_use(queue: u64, event: u64) {
    for place in 0..MAX_DEVICES {
        let is_it = QUEUES[place].compare_exchange(queue, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if !is_it {
            continue;
        }
        let device = DEVICES[place].load(Ordering::Relaxed);
        if let Some(place) = RETAINED.claim(device) {
            let is_taken = UrApi::of_event(event).is_some_and(|api| api.retain_device(device));
            RETAINED.settle(place, device, is_taken);
        }
    }
    // The other queues on this device no longer need to be watched.
    for (queue, device) in QUEUES.iter().zip(&DEVICES) {
        let waiting = queue.load(Ordering::Acquire);
        if !matches!(waiting, 0 | CLAIMED) && is_retained(device.load(Ordering::Relaxed)) {
            let _ = queue.compare_exchange(waiting, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
    // The queues are checked after the flag is cleared: another thread may be adding one.
    FLAGS.awaits_device.store(false, Ordering::SeqCst);
    if QUEUES.iter().any(|queue| queue.load(Ordering::SeqCst) != 0) {
        FLAGS.awaits_device.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn one_of_many_threads_takes_a_device() {
        const THREADS: usize = 8;
        for round in 1..=500_u64 {
            let slots = DeviceSlots::new();
            let begin = Barrier::new(THREADS);
            let taken = std::thread::scope(|scope| {
                let claim = || {
                    begin.wait();
                    let place = slots.claim(round << 4);
                    if let Some(place) = place {
                        slots.settle(place, round << 4, true);
                    }
                    place.is_some()
                };
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(claim)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).filter(|taken| *taken).count()
            });
            assert_eq!(taken, 1);
            assert_eq!(slots.0.iter().filter(|place| place.load(Ordering::Relaxed) != 0).count(), 1);
        }
    }

    #[test]
    fn queues_that_are_added_at_the_same_time_are_all_watched() {
        const THREADS: u64 = 8;
        for round in 1..=500_u64 {
            let queues = (0..THREADS).map(|thread| 1 << 60 | (round * THREADS + thread) << 5);
            let begin = Barrier::new(THREADS as usize);
            std::thread::scope(|scope| {
                for queue in queues.clone() {
                    let begin = &begin;
                    scope.spawn(move || {
                        begin.wait();
                        add_queue(queue, queue + 16);
                    });
                }
            });
            for queue in queues {
                let place = QUEUES.iter().position(|slot| slot.load(Ordering::Acquire) == queue);
                let place = place.unwrap_or_else(|| panic!("round {round}: a queue is lost"));
                assert_eq!(DEVICES[place].load(Ordering::Relaxed), queue + 16);
                QUEUES[place].store(0, Ordering::Release);
            }
        }
    }

    #[test]
    fn a_device_whose_reference_was_refused_may_be_tried_again() {
        let slots = DeviceSlots::new();
        let place = slots.claim(16).unwrap();
        assert_eq!(slots.claim(16), None);
        slots.settle(place, 16, false);
        assert_eq!(slots.claim(16), Some(place));
        assert_ne!(slots.claim(32), Some(place));
    }
}
