//! Merge of the records of all threads by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::lookup::Lookup;
use crate::buffer::{Header, ThreadBuffer, ThreadBuffers};
use crate::clock::Calibration;
use crate::record::{Cursor, Origin};

/// Bytes passed on between two reports.
const TELL_EVERY: usize = 1 << 20;

#[derive(Default)]
pub(crate) struct Merge {
    inputs: Vec<Input>,
    lookup: Lookup,
}

struct Input {
    buffer: &'static ThreadBuffer,
    thread: u32,
    has_exited: bool,
    has_begun: bool,
    bytes: Vec<u8>,
    position: usize,
    /// Time of the last taken record, in ticks.
    last_at: u64,
}

impl Input {
    /// Returns the time of the next record, in ticks: never before the previous record's time, whatever the processor's
    /// counter showed.
    fn next_at(&self) -> Option<u64> {
        let at = self.bytes.get(self.position + 8..self.position + 16)?;
        Some(u64::from_ne_bytes(at.try_into().ok()?).max(self.last_at))
    }

    /// Removes the taken records when they are at least half of all: records are held back for several steps, and would
    /// be moved in each of them.
    fn forget_taken(&mut self) {
        if self.position >= self.bytes.len() - self.position {
            self.bytes.drain(..self.position);
            self.position = 0;
        }
    }
}

impl Merge {
    /// Empties all buffers; returns the fill level of the fullest, and the time in ticks up to which everything has
    /// arrived that a thread has written within `hold_back_ns`.
    ///
    /// The clock is read before the first buffer: threads write more to it while the others are read, and while this
    /// thread is preempted.
    pub(crate) fn drain_until(
        &mut self,
        buffers: &ThreadBuffers,
        calibration: &mut Calibration,
        hold_back_ns: u64,
    ) -> (f64, u64) {
        calibration.update();
        let until = calibration.before_last(hold_back_ns);
        (self.drain(buffers), until)
    }

    /// Empties all buffers; returns the fill level of the fullest, from 0 to 1.
    pub(crate) fn drain(&mut self, buffers: &ThreadBuffers) -> f64 {
        for buffer in buffers.active() {
            if !self.inputs.iter().any(|input| std::ptr::eq(input.buffer, buffer)) {
                self.inputs.push(Input {
                    buffer,
                    thread: buffer.thread(),
                    has_exited: false,
                    has_begun: false,
                    bytes: Vec::new(),
                    position: 0,
                    last_at: 0,
                });
            }
        }
        let mut fullest = 0.0_f64;
        let Self { inputs, lookup } = self;
        for input in inputs {
            input.forget_taken();
            // In this order: a thread that has exited adds nothing after this read.
            input.has_exited = input.buffer.has_exited();
            let before = input.bytes.len();
            fullest = fullest.max(input.buffer.rings.drain_into(&mut input.bytes));
            lookup.learn(&input.bytes[before..]);
            #[cfg(test)]
            crate::os::driven::happens();
        }
        fullest
    }

    /// Passes on all records up to a time in ticks, with their threads; periodically reports the bytes left and in all.
    pub(crate) fn take_until(
        &mut self,
        until: u64,
        mut report: impl FnMut(u64, u64),
        mut each: impl FnMut(Header, u64, Origin<'_>),
    ) {
        let Self { inputs, lookup } = self;
        let all: usize = inputs.iter().map(|input| input.bytes.len() - input.position).sum();
        let (mut done, mut last_report) = (0, 0);
        let next = |input: &Input, index| Some(Reverse((input.next_at().filter(|at| *at <= until)?, index)));
        let mut order: BinaryHeap<_> =
            inputs.iter().enumerate().filter_map(|(index, input)| next(input, index)).collect();
        while let Some(Reverse((_, index))) = order.pop() {
            let input = &mut inputs[index];
            let limit = order.peek().map_or(until, |Reverse((at, _))| *at);
            // While no other thread is due, the heap need not be consulted.
            loop {
                let bytes = &input.bytes[input.position..];
                let Some((header, at, mut cursor)) = Cursor::record(bytes) else {
                    // Unreachable, because buffers contain complete records.
                    input.position = input.bytes.len();
                    break;
                };
                let at = at.max(input.last_at);
                input.last_at = at;
                input.position += header.words as usize * 8;
                done += header.words as usize * 8;
                if done >= last_report + TELL_EVERY {
                    last_report = done;
                    report((all - done) as u64, all as u64);
                }
                let is_first = !std::mem::replace(&mut input.has_begun, true);
                let ahead = &input.bytes[input.position..];
                if header.has_ids {
                    cursor = lookup.expand(header, bytes).unwrap_or_default();
                }
                let first_of = is_first.then_some(input.buffer);
                each(header, at, Origin { thread: input.thread, first_of, cursor, ahead });
                if input.next_at().is_none_or(|at| at > limit) {
                    break;
                }
            }
            order.extend(next(input, index));
        }
    }

    /// Frees the buffers of exited threads once they are empty.
    pub(crate) fn close_exited(&mut self, buffers: &ThreadBuffers) {
        self.inputs.retain(|input| {
            let is_done = input.has_exited && input.position == input.bytes.len();
            if is_done {
                buffers.close(input.buffer);
            }
            !is_done
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::VecDeque;
    use std::rc::Rc;
    use std::sync::atomic::AtomicU64;

    use proptest::prelude::*;

    use super::*;
    use crate::buffer::{Kind, Place};
    use crate::clock::Pair;
    use crate::os::driven;

    const HOLD_BACK_NS: u64 = 10_000_000;
    const BUFFERS: usize = 3;
    /// Maximum time of a thread from a notification to its record in the buffer.
    const WRITES_WITHIN_NS: u64 = HOLD_BACK_NS - 1;

    proptest! {
        /// Threads write while buffers are emptied one after the other, by a thread that is preempted in between.
        #[test]
        fn records_are_handed_out_by_time_whenever_they_come(
            steps in prop::collection::vec((0..40_000_000_u64, 0..BUFFERS, 0..=WRITES_WITHIN_NS), 1..60),
        ) {
            driven::begin(1_000_000_000);
            static COUNT: AtomicU64 = AtomicU64::new(0);
            let buffers = ThreadBuffers::new(1 << 12, Place::Private, &COUNT);
            let all: Vec<&ThreadBuffer> = (0..BUFFERS).filter_map(|_| buffers.open()).collect();
            let begin = Pair { ticks: driven::now(), ns: driven::now() };
            let mut calibration = Calibration::of_nanoseconds(begin);
            let steps = Rc::new(RefCell::new((VecDeque::from(steps), [0; BUFFERS])));
            let waiting = Rc::clone(&steps);
            driven::meanwhile(Some(Box::new(move || {
                let (steps, last) = &mut *waiting.borrow_mut();
                let Some((passes_ns, buffer, before_ns)) = steps.pop_front() else { return };
                driven::pass(passes_ns);
                // A thread's own records are ordered by time.
                let at = (driven::now() - before_ns).max(last[buffer]);
                last[buffer] = at;
                all[buffer].rings.write(Kind::Signal, 0, at, |_| ());
            })));
            let mut merge = Merge::default();
            let mut handed_out = Vec::new();
            let count = steps.borrow().0.len();
            while !steps.borrow().0.is_empty() {
                let (_, until) = merge.drain_until(&buffers, &mut calibration, HOLD_BACK_NS);
                merge.take_until(until, |_, _| (), |_, at, _| handed_out.push(at));
            }
            driven::meanwhile(None);
            merge.drain(&buffers);
            merge.take_until(u64::MAX, |_, _| (), |_, at, _| handed_out.push(at));
            prop_assert!(handed_out.is_sorted(), "{handed_out:?}");
            prop_assert_eq!(handed_out.len(), count);
        }
    }
}
