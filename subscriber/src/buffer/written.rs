//! Numbers of the stacks that a thread has written. Each stack is written to its buffer once, and later records refer
//! to its number.

use std::cell::RefCell;

/// Numbers remembered per thread. A stack whose number was replaced is written again.
const REMEMBERED: usize = 1 << 11;

thread_local! {
    /// Numbers, each at the index given by its lowest bits; empty before the first one.
    static WRITTEN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Writes a stack with `write` unless the thread has written it before. Returns its number, or 0 if it did not fit.
pub(crate) fn write_once(number: u64, write: impl FnOnce() -> bool) -> u64 {
    let place = number as usize % REMEMBERED;
    let is_written = |written: &RefCell<Vec<u64>>| {
        written.try_borrow().is_ok_and(|written| written.get(place) == Some(&number))
    };
    if WRITTEN.try_with(is_written) == Ok(true) {
        return number;
    }
    if !write() {
        return 0;
    }
    // While the thread ends, nothing is remembered, and every stack is written again.
    let _ = WRITTEN.try_with(|written| {
        if let Ok(mut written) = written.try_borrow_mut() {
            if written.is_empty() {
                written.resize(REMEMBERED, 0);
            }
            written[place] = number;
        }
    });
    number
}

/// Forgets all stacks: the thread gets a new buffer, or is in a forked child.
pub(super) fn forget_written() {
    let _ = WRITTEN.try_with(|written| written.try_borrow_mut().map(|mut written| written.clear()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_written_once_and_again_where_it_had_no_room() {
        assert_eq!(write_once(7, || false), 0);
        assert_eq!(write_once(7, || true), 7);
        assert_eq!(write_once(7, || unreachable!("it is written")), 7);
        let other = 7 + REMEMBERED as u64;
        assert_eq!((write_once(other, || true), write_once(7, || true)), (other, 7));
        forget_written();
        assert_eq!(write_once(7, || false), 0);
    }
}
