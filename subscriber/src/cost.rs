//! Cost of recording for the program's threads, measured on this machine. The recorder's own thread sends notifications
//! along the same path into a buffer whose contents are discarded.
//!
//! It excludes the runtime's cost of sending a notification, and a vendor library's cost of timing commands.

use std::sync::atomic::AtomicU64;

use syclscope_language::event::{Cost, Notified};

use crate::buffer::{Place, ThreadBuffers, with_buffer};
use crate::os::memory::Scratch;
use crate::os::monotonic_ns;
use crate::xpti::{Sample, with_samples};

/// Notifications per batch; a batch takes some microseconds.
const IN_A_ROW: u64 = 16;
/// Batches, of which the fastest counts: interruptions only add time.
const ROWS: usize = 12;
/// Measurements with cold caches, of which the median counts.
const COLD: usize = 5;
/// Bytes that replace all contents of a core's own caches.
const CACHES_BYTES: usize = 4 << 20;
/// Size of the buffer in bytes, enough for everything written before it is emptied.
const BUFFER_BYTES: usize = 1 << 16;

/// Measures the cost of each recorded stream's notifications; empty if there is no memory for it.
pub(crate) fn measure() -> Vec<(Notified, Cost)> {
    static BUFFERS: AtomicU64 = AtomicU64::new(0);
    let buffers = ThreadBuffers::new(BUFFER_BYTES, Place::Private, &BUFFERS);
    let (Some(buffer), Some(mut scratch)) = (buffers.open(), Scratch::new(CACHES_BYTES)) else {
        return Vec::new();
    };
    let mut written = Vec::new();
    let mut give = |sample: &Sample<'_>, times: u64| {
        let begin = monotonic_ns();
        (0..times).for_each(|_| sample.give());
        let took_ns = monotonic_ns() - begin;
        written.clear();
        buffer.rings.drain_into(&mut written);
        took_ns
    };
    with_buffer(buffer, || {
        with_samples(|samples| {
            let mut cold = vec![[0; COLD]; samples.len()];
            for round in 0..COLD {
                scratch.fill();
                samples.iter().zip(&mut cold).for_each(|(sample, took)| took[round] = give(sample, 1));
            }
            let mut cost = |sample: &Sample<'_>, mut cold: [u64; COLD]| {
                let least = (0..ROWS).map(|_| give(sample, IN_A_ROW)).min().unwrap_or_default() / IN_A_ROW;
                cold.sort_unstable();
                let least_ns = least.max(1);
                (sample.notified, Cost { least_ns, most_ns: cold[COLD / 2].max(least_ns) })
            };
            samples.iter().zip(cold).map(|(sample, cold)| cost(sample, cold)).collect()
        })
    })
}
