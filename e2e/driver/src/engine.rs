//! An engine: a thread that runs the commands of its queues one at a time.
//!
//! Each queue is a ring, whose commands run in order. A ring whose next command waits for an event does not hold up
//! other rings.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use crate::clock::{self, Clock};
use crate::command::Work;
use crate::fault::{self, Fate};
use crate::layout::KernelTimes;
use crate::log::{self, Line};
use crate::progress;

/// One engine of a device.
pub(crate) struct Engine {
    name: &'static str,
    /// Indices of device and tile.
    place: (u32, Option<u32>),
    /// Ordinal of the group, and index in the group.
    number: (u32, u32),
    clock: Arc<Clock>,
    rings: Mutex<Vec<Weak<Ring>>>,
    begin: Once,
}

/// The commands of one queue.
pub(crate) struct Ring {
    engine: Arc<Engine>,
    number: u64,
    waiting: Mutex<VecDeque<Work>>,
    is_running: AtomicBool,
    /// Total duration of its commands in nanoseconds: the time of the context.
    busy_ns: AtomicU64,
}

impl Engine {
    pub(crate) fn new(
        name: &'static str,
        place: (u32, Option<u32>),
        number: (u32, u32),
        clock: Arc<Clock>,
    ) -> Arc<Self> {
        Arc::new(Self { name, place, number, clock, rings: Mutex::default(), begin: Once::new() })
    }

    /// Creates a queue on this engine.
    pub(crate) fn ring(self: &Arc<Self>) -> Arc<Ring> {
        static RINGS: AtomicU64 = AtomicU64::new(1);
        let ring = Arc::new(Ring {
            engine: Arc::clone(self),
            number: RINGS.fetch_add(1, Ordering::Relaxed),
            waiting: Mutex::default(),
            is_running: AtomicBool::new(false),
            busy_ns: AtomicU64::new(0),
        });
        self.rings.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&ring));
        ring
    }

    /// True if no command waits or runs.
    pub(crate) fn is_idle(&self) -> bool {
        self.alive().iter().all(|ring| ring.is_idle())
    }

    fn alive(&self) -> Vec<Arc<Ring>> {
        let mut rings = self.rings.lock().unwrap_or_else(PoisonError::into_inner);
        rings.retain(|ring| ring.strong_count() > 0);
        rings.iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the first submitted one of the commands that can begin.
    fn next(&self) -> Option<(Arc<Ring>, Work)> {
        if fault::is_lost() {
            return None;
        }
        let ready = |ring: &Arc<Ring>| ring.ready_since();
        let ring = self
            .alive()
            .into_iter()
            .filter_map(|ring| Some((ready(&ring)?, ring)))
            .min_by_key(|(since, _)| *since);
        let (_, ring) = ring?;
        let work = ring.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()?;
        ring.is_running.store(true, Ordering::Release);
        Some((ring, work))
    }

    fn run(self: Arc<Self>) {
        loop {
            let (ring, work) = progress::take(|| self.next());
            if fault::of_command() == Fate::Stuck {
                progress::change(|| {});
                continue;
            }
            self.work(&ring, &work);
        }
    }

    fn work(&self, ring: &Ring, work: &Work) {
        let begin_ns = clock::host_ns();
        let ticks = self.clock.ticks(begin_ns);
        work.action.run(&self.clock);
        let least_ns = work.action.duration_ns();
        if least_ns > 0 {
            clock::sleep_until(begin_ns + least_ns);
        }
        let end_ns = clock::host_ns();
        // With a slow clock, a command's end still differs from its start.
        let end_ticks = self.clock.ticks(end_ns).max(ticks + 1);
        let busy = ring.busy_ns.fetch_add(end_ns - begin_ns, Ordering::Relaxed);
        let in_context = [busy, busy + end_ns - begin_ns].map(|ns| self.clock.ticks_of(ns));
        let times = KernelTimes {
            global: [ticks, end_ticks].map(|ticks| self.clock.of_kernel(ticks)),
            context: in_context.map(|ticks| self.clock.of_kernel(ticks)),
        };
        if log::is_on() {
            self.log(ring, work, [begin_ns, end_ns], &times);
        }
        progress::change(|| {
            for target in &work.signals {
                target.set(times);
            }
            ring.is_running.store(false, Ordering::Release);
        });
    }

    fn log(&self, ring: &Ring, work: &Work, [begin_ns, end_ns]: [u64; 2], times: &KernelTimes) {
        let mut line = Line::new("command")
            .text("kind", work.action.kind())
            .number("device", self.place.0.into())
            .text("engine", self.name)
            .number("ordinal", self.number.0.into())
            .number("index", self.number.1.into())
            .number("queue", ring.number)
            .number("appended", work.appended_ns)
            .number("submitted", work.submitted_ns)
            .number("begin", begin_ns)
            .number("end", end_ns)
            .number("begin_ticks", times.global[0])
            .number("end_ticks", times.global[1])
            .number("event", work.event);
        if let Some(tile) = self.place.1 {
            line = line.number("tile", tile.into());
        }
        work.action.describe(line).end();
    }
}

impl Ring {
    /// Puts commands on the queue.
    pub(crate) fn submit(&self, work: impl IntoIterator<Item = Work>) {
        let engine = &self.engine;
        engine.begin.call_once(|| {
            let engine = Arc::clone(engine);
            let name = format!("{} {}.{}", engine.name, engine.place.0, engine.number.1);
            // Without the thread no command runs, which the program's waits show.
            let _ = std::thread::Builder::new().name(name).spawn(move || {
                block_signals();
                engine.run();
            });
        });
        progress::change(|| self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(work));
    }

    /// True if all submitted commands have run.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_running.load(Ordering::Acquire)
            && self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Returns the time of the next command's submission, if it can begin.
    fn ready_since(&self) -> Option<u64> {
        if self.is_running.load(Ordering::Acquire) {
            return None;
        }
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.front()?;
        next.waits.iter().all(|wait| wait.is_over()).then_some(next.submitted_ns)
    }
}

/// Blocks all signals in this thread, because they are the program's.
fn block_signals() {
    let mut every = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` fills the set in; nothing is done with the old mask.
    unsafe {
        libc::sigfillset(every.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, every.as_ptr(), std::ptr::null_mut());
    }
}
