//! Memory shared by two threads as atomic words, without bounds checks, which the callers' arithmetic makes
//! unnecessary.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// A power of two of words, addressed by wrapping positions. Never freed.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    first: *const AtomicU64,
    mask: usize,
}

// SAFETY: the words are atomic, and live as long as the process.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    /// Wraps these words; `None` if their number is not a power of two.
    pub(crate) fn new(words: &'static [AtomicU64]) -> Option<Self> {
        words.len().is_power_of_two().then_some(Self { first: words.as_ptr(), mask: words.len() - 1 })
    }

    pub(crate) fn count(self) -> usize {
        self.mask + 1
    }

    #[inline(always)]
    pub(crate) fn put(self, position: u64, word: u64) {
        // SAFETY: the mask keeps the index within the words, which live forever.
        unsafe { &*self.first.add(position as usize & self.mask) }.store(word, Ordering::Relaxed);
    }

    pub(crate) fn get(self, position: u64) -> u64 {
        // SAFETY: as for `put`.
        unsafe { &*self.first.add(position as usize & self.mask) }.load(Ordering::Relaxed)
    }

    /// Fetches the cache line of a position for writing. Has no effect on its contents.
    #[inline(always)]
    pub(crate) fn prefetch(self, position: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instruction accesses nothing and never faults; processors without it do nothing. The mask keeps
        // the index within the words.
        unsafe {
            let word = self.first.add(position as usize & self.mask);
            std::arch::asm!("prefetchw [{}]", in(reg) word, options(readonly, nostack, preserves_flags));
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = position;
    }

    /// Commits all of the memory now.
    pub(crate) fn touch(self) {
        const PAGE_WORDS: u64 = 512;
        for page in 0..(self.count() as u64).div_ceil(PAGE_WORDS) {
            self.put(page * PAGE_WORDS, 0);
        }
    }

    /// Appends the words between two positions to `target`; fewer if there are not as many.
    pub(crate) fn copy_to(self, target: &mut Vec<u8>, begin: u64, end: u64) {
        let count = (end.saturating_sub(begin) as usize).min(self.count());
        let first = begin as usize & self.mask;
        let until_wrap = count.min(self.count() - first);
        target.reserve(count * 8);
        for (from, words) in [(first, until_wrap), (0, count - until_wrap)] {
            // SAFETY: both parts lie within the words. Their producer has published them and doesn't write them again
            // before the consumer, which is the caller, releases them.
            target.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.first.add(from).cast::<u8>(), words * 8)
            });
        }
    }
}

/// A pointer to a value that lives forever; it can be cleared at any moment, in a forked child as well.
pub(crate) struct Published<T: 'static>(AtomicPtr<T>);

impl<T: Sync> Published<T> {
    pub(crate) const fn empty() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or from a reference that lives forever (`set`).
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    pub(crate) fn set(&self, value: &'static T) {
        self.0.store(std::ptr::from_ref(value).cast_mut(), Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        self.0.store(std::ptr::null_mut(), Ordering::Release);
    }
}
