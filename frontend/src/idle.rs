//! State of the page: idle or busy.
//!
//! Requested frames ([`crate::canvas::frame`], one of which also writes the address), pending queries, code that is
//! being loaded, and parts of the page that are built later each hold a [`Busy`].

use std::cell::Cell;

thread_local! {
    static BUSY: Cell<usize> = const { Cell::new(0) };
    static BEGUN: Cell<u32> = const { Cell::new(0) };
}

/// The page is busy until this is dropped.
#[derive(Debug)]
pub struct Busy(());

impl Busy {
    pub fn start() -> Self {
        BUSY.set(BUSY.get() + 1);
        BEGUN.set(BEGUN.get().wrapping_add(1));
        Self(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(BUSY.get().saturating_sub(1));
    }
}

/// True if nothing is loading, moving, about to be painted or about to be written to the address.
pub fn is_idle() -> bool {
    BUSY.get() == 0
}

/// Returns the number of times that the page became busy with something.
pub fn begun() -> u32 {
    BEGUN.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_rests_when_the_last_one_is_done() {
        assert!(is_idle());
        let before = begun();
        let frame = Busy::start();
        let mut questions = vec![Busy::start(), Busy::start()];
        drop(frame);
        assert!(!is_idle());
        questions.pop();
        assert!(!is_idle());
        questions.pop();
        assert!(is_idle());
        assert_eq!(begun() - before, 3);
    }
}
