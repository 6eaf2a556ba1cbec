//! Contexts that are retained, once each, as long as one of their events is.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A program has one context, or a few. Those without a slot are retained once for each event.
const PLACES: usize = 64;

pub(super) struct Contexts([Place; PLACES]);

/// A context's slot, permanently from its first event on: another context at the same address uses the same slot.
struct Place {
    context: AtomicU64,
    /// Events for which it is retained, or [`RETAINING`].
    events: AtomicUsize,
}

/// A thread is about to retain the context for the first event.
const RETAINING: usize = usize::MAX;

impl Contexts {
    pub(super) const fn new() -> Self {
        Self([const { Place { context: AtomicU64::new(0), events: AtomicUsize::new(0) } }; PLACES])
    }

    /// Retains a context for one more event, calling `retain` for the first one; false if that fails.
    #[inline]
    pub(super) fn hold(&self, context: u64, retain: impl FnOnce() -> bool) -> bool {
        let Some(place) = self.place(context) else { return retain() };
        let one_more = |count: usize| match count {
            RETAINING => None,
            0 => Some(RETAINING),
            count => Some(count + 1),
        };
        loop {
            match place.events.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more) {
                Ok(0) => break,
                Ok(_) => return true,
                // The other thread's call is about to return.
                Err(_) => std::thread::yield_now(),
            }
        }
        // A context that refuses is about to be destroyed. Another may get its address, so that the next event tries
        // again.
        let is_retained = retain();
        place.events.store(usize::from(is_retained), Ordering::Release);
        is_retained
    }

    /// Releases a context for one event, calling `release` after the last one.
    pub(super) fn give_back(&self, context: u64, release: impl FnOnce()) {
        let Some(place) = self.place(context) else { return release() };
        if place.events.fetch_sub(1, Ordering::AcqRel) == 1 {
            release();
        }
    }

    /// Returns a context's slot, and takes the first free one if it has none; `None` if all are taken. Slots are never
    /// emptied, so that a context has at most one.
    #[inline]
    fn place(&self, context: u64) -> Option<&Place> {
        self.0.iter().find(|place| {
            let current = place.context.load(Ordering::Acquire);
            let take = || place.context.compare_exchange(0, context, Ordering::AcqRel, Ordering::Acquire);
            current == context || current == 0 && take().map_or_else(|now| now == context, |_| true)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_context_is_kept_once_until_its_last_event_is_given_back() {
        let contexts = Contexts::new();
        let references = Cell::new(0);
        let take = || {
            references.set(references.get() + 1);
            true
        };
        let give = || references.set(references.get() - 1);
        for _ in 0..3 {
            assert!(contexts.hold(8, take));
        }
        assert!(contexts.hold(16, take));
        assert_eq!(references.get(), 2);
        contexts.give_back(8, give);
        contexts.give_back(8, give);
        assert_eq!(references.get(), 2);
        contexts.give_back(8, give);
        assert_eq!(references.get(), 1);
        assert!(contexts.hold(8, take));
        assert_eq!(references.get(), 2);
    }

    #[test]
    fn a_context_that_refuses_is_not_kept() {
        let contexts = Contexts::new();
        assert!(!contexts.hold(8, || false));
        assert!(contexts.hold(8, || true), "another has its address");
        let released = Cell::new(0);
        contexts.give_back(8, || released.set(released.get() + 1));
        assert_eq!(released.get(), 1);
    }

    #[test]
    fn contexts_without_a_place_are_kept_for_each_event() {
        let contexts = Contexts::new();
        (1..=PLACES as u64).for_each(|context| assert!(contexts.hold(context, || true)));
        let asked = Cell::new(0);
        for _ in 0..2 {
            contexts.hold(1 << 20, || {
                asked.set(asked.get() + 1);
                true
            });
        }
        assert_eq!(asked.get(), 2);
        contexts.give_back(1 << 20, || asked.set(asked.get() - 1));
        assert_eq!(asked.get(), 1);
    }
}
