//! Memoized answers by number.

pub(super) struct Memo<C> {
    condition: C,
    results: Vec<u8>,
}

const YES: u8 = 1;
const NO: u8 = 2;

impl<C> Memo<C> {
    /// Returns a table of `entries` unknown answers.
    pub(super) fn new(entries: usize, condition: C) -> Self {
        Self { condition, results: vec![0; entries] }
    }

    /// Returns the answer for a number, computed by `find` if unknown.
    pub(super) fn get(&mut self, number: u32, find: impl FnOnce(&C) -> bool) -> bool {
        match self.results.get_mut(number as usize) {
            Some(result) => {
                if *result == 0 {
                    *result = if find(&self.condition) { YES } else { NO };
                }
                *result == YES
            }
            None => find(&self.condition),
        }
    }
}
