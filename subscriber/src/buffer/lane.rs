//! The buffers of the program's threads, and which thread has which.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::header::Kind;
use super::rings::Rings;
use crate::os;

/// The buffer of one thread.
pub(crate) struct Lane {
    pub(crate) rings: Rings,
    thread: AtomicU32,
    /// What the thread was called when it got the lane.
    name: [AtomicU64; 2],
    pub(super) has_exited: AtomicBool,
    dropped: [AtomicU64; Kind::COUNT],
}

impl Lane {
    /// The operating system's id of the thread that owns the lane.
    pub(crate) fn thread(&self) -> u32 {
        self.thread.load(Ordering::Relaxed)
    }

    /// What the thread was called when it got the lane.
    pub(crate) fn thread_name(&self) -> String {
        let bytes: Vec<u8> =
            self.name.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
        let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    /// Whether the owner is gone: what is in the ring is all that there will be.
    pub(crate) fn has_exited(&self) -> bool {
        self.has_exited.load(Ordering::Acquire)
    }

    /// Records that did not fit so far, of one kind.
    pub(crate) fn dropped(&self, kind: Kind) -> u64 {
        self.dropped[kind as usize].load(Ordering::Relaxed)
    }

    pub(super) fn count_dropped(&self, kind: Kind) {
        // Only the owner writes, so that no locked instruction is needed.
        let counter = &self.dropped[kind as usize];
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// The lanes of a recording.
pub(crate) struct Lanes {
    words_per_lane: usize,
    all: Mutex<Registered>,
}

#[derive(Default)]
struct Registered {
    active: Vec<&'static Lane>,
    /// Lanes of threads that are gone, ready for others.
    free: Vec<&'static Lane>,
}

impl Lanes {
    /// No lanes yet; each will have `bytes` of ring, rounded up to a power of two.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { words_per_lane: (bytes / 8).next_power_of_two(), all: Mutex::default() }
    }

    /// A lane for the calling thread; nothing if there is no memory for one.
    #[cold]
    pub(super) fn open(&self) -> Option<&'static Lane> {
        let mut all = self.all.lock().ok()?;
        let lane = match all.free.pop() {
            Some(lane) => lane,
            None => Box::leak(Box::new(Lane {
                rings: Rings::new(self.words_per_lane)?,
                thread: AtomicU32::new(0),
                name: [const { AtomicU64::new(0) }; 2],
                has_exited: AtomicBool::new(false),
                dropped: [const { AtomicU64::new(0) }; Kind::COUNT],
            })),
        };
        lane.thread.store(os::thread_id(), Ordering::Relaxed);
        for (place, word) in lane.name.iter().zip(os::own_thread_name()) {
            place.store(word, Ordering::Relaxed);
        }
        lane.has_exited.store(false, Ordering::Release);
        all.active.push(lane);
        Some(lane)
    }

    /// The lanes in use, those of threads that are gone but not yet emptied included.
    pub(crate) fn active(&self) -> Vec<&'static Lane> {
        self.all.lock().map(|all| all.active.clone()).unwrap_or_default()
    }

    /// Calls `each` with every lane that there ever was.
    pub(crate) fn for_each(&self, each: impl FnMut(&'static Lane)) {
        if let Ok(all) = self.all.lock() {
            all.active.iter().chain(&all.free).copied().for_each(each);
        }
    }

    /// Takes back an emptied lane of a thread that is gone.
    pub(crate) fn close(&self, lane: &'static Lane) {
        if let Ok(mut all) = self.all.lock() {
            all.active.retain(|other| !std::ptr::eq(*other, lane));
            all.free.push(lane);
        }
    }
}
