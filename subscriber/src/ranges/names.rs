//! Names registered by clients. The table only grows, and has no lock, because in a forked child it could stay locked
//! by a thread of the parent.

use std::ffi::{CString, c_char};
use std::hash::Hasher as _;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use rustc_hash::FxHasher;

const BUCKETS: usize = 1024;
/// Maximum number of numbered names; later ones have no number.
const NUMBERED: usize = 4096;

/// Names by text, each with a handle of the interface.
pub(super) struct Names<H: 'static> {
    heads: [AtomicPtr<Name<H>>; BUCKETS],
}

/// A name that lives forever.
pub(super) struct Name<H: 'static> {
    pub(super) handle: H,
    text: CString,
    next: Option<&'static Self>,
}

impl<H> Name<H> {
    pub(super) fn text(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Finds a text among this name and those after it.
    fn find(&'static self, text: &[u8]) -> Option<&'static Self> {
        std::iter::successors(Some(self), |name| name.next).find(|name| name.text() == text)
    }
}

impl<H> Names<H> {
    pub(super) const fn new() -> Self {
        Self { heads: [const { AtomicPtr::new(std::ptr::null_mut()) }; BUCKETS] }
    }

    /// Returns the name with this text; `make` creates a new one's handle from its own copy of the text.
    pub(super) fn intern(&self, text: &[u8], make: impl FnOnce(*const c_char) -> H) -> &'static Name<H> {
        let mut hasher = FxHasher::default();
        hasher.write(text);
        let head = &self.heads[(hasher.finish() >> 32) as usize % BUCKETS];
        let mut first = head.load(Ordering::Acquire);
        // SAFETY: null, or a leaked name that is never written again.
        if let Some(name) = unsafe { first.as_ref() }.and_then(|first| first.find(text)) {
            return name;
        }
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let copy = CString::new(&text[..end]).unwrap_or_default();
        let handle = make(copy.as_ptr());
        let new = Box::into_raw(Box::new(Name { handle, text: copy, next: None }));
        loop {
            // SAFETY: as above; the new name is not published yet.
            unsafe { (*new).next = first.as_ref() };
            let Err(other) = head.compare_exchange(first, new, Ordering::AcqRel, Ordering::Acquire) else {
                // SAFETY: leaked, and not written again.
                return unsafe { &*new };
            };
            // Another thread has added a name, maybe this one.
            // SAFETY: as above.
            if let Some(name) = unsafe { other.as_ref() }.and_then(|other| other.find(text)) {
                // SAFETY: from `into_raw`, and never published.
                drop(unsafe { Box::from_raw(new) });
                return name;
            }
            first = other;
        }
    }
}

/// Names by number, counted from 1.
pub(super) struct Numbered {
    names: Names<u32>,
    count: AtomicU32,
    by_number: [AtomicPtr<Name<u32>>; NUMBERED],
}

impl Numbered {
    pub(super) const fn new() -> Self {
        Self {
            names: Names::new(),
            count: AtomicU32::new(0),
            by_number: [const { AtomicPtr::new(std::ptr::null_mut()) }; NUMBERED],
        }
    }

    pub(super) fn number(&self, text: &[u8]) -> u32 {
        let name = self.names.intern(text, |_| self.count.fetch_add(1, Ordering::Relaxed) + 1);
        if let Some(place) = self.by_number.get(name.handle as usize - 1) {
            place.store(std::ptr::from_ref(name).cast_mut(), Ordering::Release);
        }
        name.handle
    }

    pub(super) fn text(&self, number: u32) -> Option<&'static [u8]> {
        let place = self.by_number.get((number as usize).checked_sub(1)?)?;
        // SAFETY: null, or a leaked name.
        unsafe { place.load(Ordering::Acquire).as_ref() }.map(Name::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_name() {
        static NAMES: Numbered = Numbered::new();
        let numbers: Vec<u32> = (0..5000).map(|at| NAMES.number(format!("n{at}").as_bytes())).collect();
        assert!(numbers.iter().enumerate().all(|(at, number)| *number == at as u32 + 1));
        assert_eq!(NAMES.number(b"n17"), 18);
        assert_eq!(NAMES.text(18), Some(&b"n17"[..]));
        assert_eq!((NAMES.text(0), NAMES.text(4999), NAMES.text(u32::MAX)), (None, None, None));
    }
    #[test]
    fn threads_that_bring_a_text_at_once_get_one_name() {
        static NAMES: Names<()> = Names::new();
        const COUNT: usize = 2000;
        let add = || {
            (0..COUNT)
                .map(|at| std::ptr::from_ref(NAMES.intern(format!("n{at}").as_bytes(), |_| ())) as usize)
        };
        let found: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(move || add().collect())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|names| *names == found[0]));
    }
}
