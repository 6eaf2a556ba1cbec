//! The buffers of the program's threads, and which thread has which.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::header::Kind;
use super::rings::Rings;
use crate::os;

/// The buffer of one thread.
pub(crate) struct ThreadBuffer {
    pub(crate) rings: Rings,
    thread: AtomicU32,
    /// What the thread was called when it got the buffer.
    name: [AtomicU64; 2],
    pub(super) has_exited: AtomicBool,
    dropped: [AtomicU64; Kind::COUNT],
}

impl ThreadBuffer {
    /// The operating system's id of the thread that owns the buffer.
    pub(crate) fn thread(&self) -> u32 {
        self.thread.load(Ordering::Relaxed)
    }

    /// What the thread was called when it got the buffer.
    pub(crate) fn thread_name(&self) -> String {
        let bytes: Vec<u8> =
            self.name.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
        let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    /// Whether the owner has exited: nothing will be added to the rings.
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

/// The buffers of a recording.
pub(crate) struct ThreadBuffers {
    words_per_buffer: usize,
    all: Mutex<Registered>,
}

#[derive(Default)]
struct Registered {
    active: Vec<&'static ThreadBuffer>,
    /// Buffers of threads that have exited, ready for others.
    free: Vec<&'static ThreadBuffer>,
}

impl ThreadBuffers {
    /// No buffers yet; each will have `bytes` of ring, rounded up to a power of two.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { words_per_buffer: (bytes / 8).next_power_of_two(), all: Mutex::default() }
    }

    /// A buffer for the calling thread; nothing if there is no memory for one.
    #[cold]
    pub(super) fn open(&self) -> Option<&'static ThreadBuffer> {
        let mut all = self.all.lock().ok()?;
        let buffer = match all.free.pop() {
            Some(buffer) => buffer,
            None => Box::leak(Box::new(ThreadBuffer {
                rings: Rings::new(self.words_per_buffer)?,
                thread: AtomicU32::new(0),
                name: [const { AtomicU64::new(0) }; 2],
                has_exited: AtomicBool::new(false),
                dropped: [const { AtomicU64::new(0) }; Kind::COUNT],
            })),
        };
        buffer.thread.store(os::thread_id(), Ordering::Relaxed);
        for (place, word) in buffer.name.iter().zip(os::own_thread_name()) {
            place.store(word, Ordering::Relaxed);
        }
        buffer.has_exited.store(false, Ordering::Release);
        all.active.push(buffer);
        Some(buffer)
    }

    /// The buffers in use, also those of threads that have exited and that are not yet empty.
    pub(crate) fn active(&self) -> Vec<&'static ThreadBuffer> {
        self.all.lock().map(|all| all.active.clone()).unwrap_or_default()
    }

    /// Calls `each` with every buffer that there ever was.
    pub(crate) fn for_each(&self, each: impl FnMut(&'static ThreadBuffer)) {
        if let Ok(all) = self.all.lock() {
            all.active.iter().chain(&all.free).copied().for_each(each);
        }
    }

    /// Takes back an empty buffer of a thread that has exited.
    pub(crate) fn close(&self, buffer: &'static ThreadBuffer) {
        if let Ok(mut all) = self.all.lock() {
            all.active.retain(|other| !std::ptr::eq(*other, buffer));
            all.free.push(buffer);
        }
    }
}
