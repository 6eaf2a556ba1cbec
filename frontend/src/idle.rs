//! Whether the page is at rest: whoever still has something to do says so here.
//!
//! Frames that are asked for ([`crate::canvas::frame`]; the address is written in one too), questions without an answer and
//! parts of the page that are made in a later turn each hold a [`Busy`].

use std::cell::Cell;

thread_local! {
    static BUSY: Cell<usize> = const { Cell::new(0) };
}

/// Something is still to be done until this is dropped.
#[derive(Debug)]
pub struct Busy(());

impl Busy {
    /// Something is to be done from now on.
    pub fn start() -> Self {
        BUSY.set(BUSY.get() + 1);
        Self(())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(BUSY.get().saturating_sub(1));
    }
}

/// Whether nothing is loading, moving, about to be painted or to be written into the address.
pub fn is_idle() -> bool {
    BUSY.get() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_rests_when_the_last_one_is_done() {
        assert!(is_idle());
        let frame = Busy::start();
        let mut questions = vec![Busy::start(), Busy::start()];
        drop(frame);
        assert!(!is_idle());
        questions.pop();
        assert!(!is_idle());
        questions.pop();
        assert!(is_idle());
    }
}
