//! The buffers of the program's threads, and their owners.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::header::Kind;
use super::place::Place;
use super::reports::{Report, Reports};
use super::rings::Rings;
use crate::os;
use crate::os::memory::Shared;
use crate::os::sampling::Own;

/// The buffer of one thread: its rings, and its owner in the head of the first ring.
pub(crate) struct ThreadBuffer {
    pub(crate) rings: Rings,
    head: Shared,
    reports: Reports,
    /// Bounds of the owner's stack, and the rest of [`Own`], if threads are sampled.
    sampled: [AtomicU64; 4],
}

/// Positions in the head of the owner's words. The head also contains words of the rings.
const STATE: usize = 0;
const THREAD: usize = 1;
const NAME: usize = 2;
const DROPPED: usize = 8;
const _: () = assert!(DROPPED + Kind::COUNT <= 64, "the positions of the ring come after it");

/// Free: empty, and available to another thread.
const FREE: u64 = 0;
const OWNED: u64 = 1;
/// Its owner has exited: nothing will be added to the rings.
const EXITED: u64 = 2;

impl ThreadBuffer {
    fn new(rings: Rings, head: Shared) -> Self {
        Self { rings, head, reports: Reports::default(), sampled: [const { AtomicU64::new(0) }; 4] }
    }

    pub(crate) fn thread(&self) -> u32 {
        self.head[THREAD].load(Ordering::Relaxed) as u32
    }

    /// Returns the name of the thread when it got the buffer.
    pub(crate) fn thread_name(&self) -> String {
        let words = &self.head[NAME..NAME + os::own_thread_name().len()];
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
        let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    pub(crate) fn has_exited(&self) -> bool {
        self.head[STATE].load(Ordering::Acquire) == EXITED
    }

    pub(super) fn set_exited(&self) {
        self.head[STATE].store(EXITED, Ordering::Release);
    }

    fn is_free(&self) -> bool {
        self.head[STATE].load(Ordering::Acquire) == FREE
    }

    /// True if a thread owns the buffer, and has not exited.
    pub(crate) fn is_owned(&self) -> bool {
        self.head[STATE].load(Ordering::Acquire) == OWNED
    }

    /// Returns the owner's data for the sampler; `None` if the owner is not sampled.
    pub(crate) fn sampled(&self) -> Option<Own> {
        let end = self.sampled[1].load(Ordering::Acquire);
        let [begin, interpreter, pthread] =
            [0, 2, 3].map(|place| self.sampled[place].load(Ordering::Relaxed));
        (end != 0).then_some(Own { bounds: (begin, end), interpreter, pthread })
    }

    /// Lets the owner, the calling thread, be sampled from now on.
    pub(super) fn set_sampled(&self) {
        let Own { bounds: (begin, end), interpreter, pthread } = Own::here();
        self.sampled[0].store(begin, Ordering::Relaxed);
        self.sampled[2].store(interpreter, Ordering::Relaxed);
        self.sampled[3].store(pthread, Ordering::Relaxed);
        self.sampled[1].store(end, Ordering::Release);
    }

    fn take(&self) {
        self.sampled[1].store(0, Ordering::Relaxed);
        self.head[THREAD].store(os::thread_id().into(), Ordering::Relaxed);
        for (place, word) in self.head[NAME..].iter().zip(os::own_thread_name()) {
            place.store(word, Ordering::Relaxed);
        }
        self.head[STATE].store(OWNED, Ordering::Release);
    }

    #[inline]
    pub(super) fn report(&self, report: Report) {
        self.reports.send(report);
    }

    pub(crate) fn dropped(&self, kind: Kind) -> u64 {
        self.head[DROPPED + kind as usize].load(Ordering::Relaxed)
    }

    pub(crate) fn count_dropped(&self, kind: Kind) {
        // Only the owner writes, so that no atomic read-modify-write is needed.
        let counter = &self.head[DROPPED + kind as usize];
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

pub(crate) struct ThreadBuffers {
    words_per_buffer: usize,
    place: Place,
    /// Number of buffers, for another process that empties them.
    count: &'static AtomicU64,
    all: Mutex<Vec<&'static ThreadBuffer>>,
    /// True if a further buffer could not be created.
    is_refused: AtomicBool,
}

impl ThreadBuffers {
    /// Creates an empty set of buffers, each with `bytes` of rings, rounded up to a power of two.
    pub(crate) fn new(bytes: usize, place: Place, count: &'static AtomicU64) -> Self {
        Self {
            words_per_buffer: (bytes / 8).next_power_of_two(),
            place,
            count,
            all: Mutex::default(),
            is_refused: AtomicBool::new(false),
        }
    }

    /// Opens a buffer for the calling thread; `None` without memory for one.
    #[cold]
    pub(crate) fn open(&self) -> Option<&'static ThreadBuffer> {
        let mut all = self.all.lock().ok()?;
        if let Some(buffer) = all.iter().find(|buffer| buffer.is_free()) {
            buffer.take();
            return Some(buffer);
        }
        if self.is_refused.load(Ordering::Relaxed) {
            return None;
        }
        let buffer = self.make(all.len().to_string());
        self.is_refused.store(buffer.is_none(), Ordering::Relaxed);
        let buffer = buffer?;
        buffer.take();
        all.push(buffer);
        self.count.store(all.len() as u64, Ordering::Release);
        Some(buffer)
    }

    fn make(&self, name: String) -> Option<&'static ThreadBuffer> {
        let head = self.place.make(&name, Rings::first_words(self.words_per_buffer))?;
        let rings = Rings::new(&self.place, name, head, self.words_per_buffer)?;
        Some(Box::leak(Box::new(ThreadBuffer::new(rings, head))))
    }

    /// Returns the buffers in use, including those of exited threads that are not yet empty.
    pub(crate) fn active(&self) -> Vec<&'static ThreadBuffer> {
        let Ok(mut all) = self.all.lock() else { return Vec::new() };
        self.follow(&mut all);
        all.iter().copied().filter(|buffer| !buffer.is_free()).collect()
    }

    fn follow(&self, all: &mut Vec<&'static ThreadBuffer>) {
        while (all.len() as u64) < self.count.load(Ordering::Acquire) {
            let name = all.len().to_string();
            let Some(head) = self.place.attach(&name) else { return };
            let Some(rings) = Rings::attached(&self.place, name, head) else { return };
            all.push(Box::leak(Box::new(ThreadBuffer::new(rings, head))));
        }
    }

    /// Moves the reports of all threads to the end of `reports`; each thread's reports keep their order.
    pub(crate) fn take_reports(&self, reports: &mut Vec<Report>) {
        let mut bytes = Vec::new();
        self.for_each(|buffer| buffer.reports.take(reports, &mut bytes));
    }

    pub(crate) fn for_each(&self, each: impl FnMut(&'static ThreadBuffer)) {
        if let Ok(all) = self.all.lock() {
            all.iter().copied().for_each(each);
        }
    }

    /// Reclaims an empty buffer of an exited thread.
    pub(crate) fn close(&self, buffer: &'static ThreadBuffer) {
        buffer.head[STATE].store(FREE, Ordering::Release);
    }
}
