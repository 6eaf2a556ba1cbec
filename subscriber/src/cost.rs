//! Cost of recording for the program's threads, measured on this machine: notifications of our own take the way of the
//! program's, into a buffer that nobody reads, on the recorder's own thread.
//!
//! The runtime's work to send a notification, and a vendor's library's to time commands, can't be measured here.

use std::sync::atomic::AtomicU64;

use syclscope_language::event::{Cost, Notified};

use crate::buffer::{Place, ThreadBuffers, write_to};
use crate::os::memory::Scratch;
use crate::os::monotonic_ns;
use crate::xpti::{Sample, with_samples};

/// Each notification is given so often in a row, which takes some microseconds.
const IN_A_ROW: u64 = 16;
/// The least of so many rows counts: whatever else goes on only adds.
const ROWS: usize = 12;
/// The median of so many counts where nothing is in the caches.
const COLD: usize = 5;
/// So much pushes everything else out of a core's own caches.
const CACHES_BYTES: usize = 4 << 20;
/// Bytes of the buffer: it holds what is written before it is emptied.
const BUFFER_BYTES: usize = 1 << 16;

/// Costs of the recorded streams' notifications; empty if there is no memory to measure them.
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
    write_to(buffer, || {
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
