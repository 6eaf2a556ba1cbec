//! Memoized answers by number.

pub(super) struct Memo<C> {
    asked: C,
    known: Vec<u8>,
}

const YES: u8 = 1;
const NO: u8 = 2;

impl<C> Memo<C> {
    /// Returns a table of `entries` unknown answers.
    pub(super) fn new(entries: usize, asked: C) -> Self {
        Self { asked, known: vec![0; entries] }
    }

    /// Returns the answer for a number, computed by `find` if unknown.
    pub(super) fn get(&mut self, number: u32, find: impl FnOnce(&C) -> bool) -> bool {
        match self.known.get_mut(number as usize) {
            Some(known) => {
                if *known == 0 {
                    *known = if find(&self.asked) { YES } else { NO };
                }
                *known == YES
            }
            None => find(&self.asked),
        }
    }
}
