//! Samples of the program's threads at regular intervals, taken by a thread of the recorder.
//!
//! Only threads with a buffer are sampled: those that have called the runtime. A sample's stack is unwound here, from a
//! copy, not on the thread itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::buffer::{Kind, ThreadBuffer, ThreadBuffers, never_wait, without_notifications, write_once};
use crate::clock;
use crate::control::{self, State};
use crate::os;
use crate::os::python::sampled::of_noted;
use crate::os::sampling::{self, Look, MAX_THREADS, Observation, SampledThread};
use crate::os::stack::{ReturnAddresses, mixed, modules_of};
use crate::record::sample::SampleRecord;
use crate::record::stack::{write_native, write_python};

pub(crate) struct Sampler {
    buffers: &'static ThreadBuffers,
    own: &'static ThreadBuffer,
    period: Duration,
    threads: Vec<Sampled>,
    free: Vec<usize>,
    /// True if a thread had no slot.
    has_unsampled: bool,
}

/// Reason for the user if more threads than [`MAX_THREADS`] run at the same time.
const TOO_MANY: &str = "those beyond the first 256";
const _: () = assert!(MAX_THREADS == 256, "the reason has the number");

struct Sampled {
    buffer: &'static ThreadBuffer,
    id: u32,
    thread: SampledThread,
    /// Number of samples missed since the last one.
    missed: u64,
}

impl Sampler {
    /// Prepares threads that get a buffer from now on for sampling; fails with the reason.
    pub(crate) fn new(samples_per_second: u32, buffers: &'static ThreadBuffers) -> Result<Self, String> {
        let own = buffers.open().ok_or("no memory")?;
        sampling::begin()?;
        let period = Duration::from_secs(1) / samples_per_second;
        let free = (0..MAX_THREADS).rev().collect();
        Ok(Self { buffers, own, period, threads: Vec::new(), free, has_unsampled: false })
    }

    /// Starts sampling. `at_work` runs a step while no other part of the recorder works. `report` gets the reason if
    /// sampling can't start, ends before the program, or leaves threads out.
    pub(crate) fn begin(mut self, at_work: fn(&mut dyn FnMut()) -> bool, report: fn(&str)) {
        let thread = std::thread::Builder::new().name("syclscope".to_owned()).stack_size(1 << 20);
        let work = move || {
            os::block_signals();
            never_wait();
            let run = AssertUnwindSafe(|| self.run(at_work, report));
            let reason = without_notifications(|| catch_unwind(run)).unwrap_or(Some("an internal error"));
            sampling::end();
            if let Some(reason) = reason {
                report(reason);
            }
        };
        if let Err(error) = thread.spawn(work) {
            sampling::end();
            report(&error.to_string());
        }
    }

    /// Samples until recording stops; returns the reason if there is one.
    fn run(&mut self, at_work: fn(&mut dyn FnMut()) -> bool, report: fn(&str)) -> Option<&'static str> {
        let (mut next, mut step_took) = (Instant::now(), Duration::ZERO);
        let mut has_reported = false;
        loop {
            next += self.period;
            let now = Instant::now();
            // Missed samples are skipped, and counted.
            while next + self.period < now {
                next += self.period;
                self.threads.iter_mut().for_each(|sampled| sampled.missed += 1);
            }
            // The writer and a fork must get their turn, even if a step takes longer than an interval.
            std::thread::sleep(next.saturating_duration_since(now).max(step_took));
            if control::state() == State::Off {
                return None;
            }
            if !sampling::is_handled_by_us() {
                return Some("the program has come to handle SIGURG itself");
            }
            let mut step = || {
                let begin = Instant::now();
                self.step();
                step_took = begin.elapsed();
            };
            if !at_work(&mut step) {
                self.threads.iter_mut().for_each(|sampled| sampled.missed += 1);
            }
            if self.has_unsampled && !std::mem::replace(&mut has_reported, true) {
                report(TOO_MANY);
            }
        }
    }

    fn step(&mut self) {
        self.follow();
        let is_recording = control::state() == State::Recording;
        let Self { own, period, threads, .. } = self;
        let period_ns = period.as_nanos() as u64;
        for Sampled { id, thread, missed, .. } in threads {
            let mut write = |seen: Observation<'_>| write(own, *id, period_ns, std::mem::take(missed), &seen);
            if let Some(seen) = thread.answer() {
                write(seen);
            }
            if !is_recording {
                continue;
            }
            match thread.look() {
                Look::Seen(seen) => write(seen),
                Look::Asked => {}
                Look::Silent | Look::Unknown => *missed += 1,
            }
        }
    }

    fn follow(&mut self) {
        let Self { buffers, threads, free, has_unsampled, .. } = self;
        threads.retain(|sampled| {
            let is_same = sampled.buffer.is_owned() && sampled.buffer.thread() == sampled.id;
            let is_over = !is_same && sampled.thread.end();
            if is_over {
                free.push(sampled.thread.number());
            }
            !is_over
        });
        for buffer in buffers.active() {
            // Another process may have reclaimed the buffer since it was listed.
            if !buffer.is_owned() || threads.iter().any(|sampled| std::ptr::eq(sampled.buffer, buffer)) {
                continue;
            }
            let Some(own) = buffer.sampled() else { continue };
            let id = buffer.thread();
            let Some(number) = free.pop() else {
                *has_unsampled = true;
                return;
            };
            let thread = SampledThread::new(number, id, own);
            threads.push(Sampled { buffer, id, thread, missed: 0 });
        }
    }
}

fn write(own: &ThreadBuffer, thread: u32, period_ns: u64, missed: u64, seen: &Observation<'_>) {
    let put = |kind: Kind, fill: &mut dyn FnMut(&mut crate::buffer::Entry<'_>)| {
        let is_there = own.rings.write(kind, 0, clock::ticks(), fill);
        if !is_there {
            own.count_dropped(kind);
        }
        is_there
    };
    let native = seen.stopped.map_or(0, |stopped| {
        ReturnAddresses::read(stopped, |stack| {
            let number = stack.number();
            write_once(number, || {
                let modules = modules_of(stack.addresses());
                put(Kind::SampleStack, &mut |entry| write_native(entry, number, stack, &modules))
            })
        })
    });
    let python = of_noted(seen.python, |frames| {
        let number = frames.iter().fold(0, |number, frame| mixed(number, frame.hash()));
        write_once(number, || {
            put(Kind::SamplePython, &mut |entry| write_python(entry, number, frames.iter().copied()))
        })
    });
    let python = python.unwrap_or(0);
    let Observation { at_ns, is_blocked, system_call, .. } = *seen;
    let record = SampleRecord { thread, at_ns, period_ns, missed, native, python, is_blocked, system_call };
    put(Kind::Sample, &mut |entry| record.write(entry));
}
