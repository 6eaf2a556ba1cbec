//! What the framework's ids stand for is written into the buffers once, by whoever uses an id first: the framework's
//! tables are gone when the program is.

use std::sync::atomic::{AtomicU64, Ordering};

/// Larger ids are defined by every record that has them.
const MOST: usize = 1 << 20;

/// Ids that were defined, by one bit each; memory is only used where ids are.
struct Ids([AtomicU64; MOST / 64]);

static STRINGS: Ids = Ids([const { AtomicU64::new(0) }; MOST / 64]);
static VALUES: Ids = Ids([const { AtomicU64::new(0) }; MOST / 64]);

/// An id of the framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// Of a text.
    String(u32),
    /// Of a value.
    Value(i32),
}

impl Id {
    const IS_VALUE: u64 = 1 << 32;

    #[inline]
    fn place(self) -> Option<(&'static AtomicU64, u64)> {
        let (ids, number) = match self {
            Self::String(id) => (&STRINGS, id as usize),
            // A negative one is no id.
            Self::Value(id) => (&VALUES, id as u32 as usize),
        };
        Some((ids.0.get(number / 64)?, 1 << (number % 64)))
    }

    #[inline]
    fn is_defined(self) -> bool {
        self.place().is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Whether every record that has it defines it: there is no need to remember what it stands for.
    pub(crate) fn is_passing(self) -> bool {
        self.place().is_none()
    }

    /// As the first word of a definition.
    pub(super) fn pack(self) -> u64 {
        match self {
            Self::String(id) => id.into(),
            Self::Value(id) => Self::IS_VALUE | u64::from(id as u32),
        }
    }

    pub(crate) fn unpack(word: u64) -> Self {
        if word & Self::IS_VALUE == 0 { Self::String(word as u32) } else { Self::Value(word as i32) }
    }
}

/// The ids that one record has to define.
pub(crate) struct Undefined {
    ids: [Id; Self::MOST],
    count: usize,
}

impl Undefined {
    /// Those that don't fit are defined by the next record that has them.
    const MOST: usize = 64;

    pub(crate) fn none() -> Self {
        Self { ids: [Id::String(0); Self::MOST], count: 0 }
    }

    /// A record has this id.
    #[inline]
    pub(crate) fn add(&mut self, id: Id) {
        if !id.is_defined() {
            self.add_new(id);
        }
    }

    #[cold]
    fn add_new(&mut self, id: Id) {
        if !self.all().contains(&id)
            && let Some(place) = self.ids.get_mut(self.count)
        {
            *place = id;
            self.count += 1;
        }
    }

    pub(crate) fn all(&self) -> &[Id] {
        &self.ids[..self.count]
    }

    /// The record is there: nobody else needs to define them.
    #[inline]
    pub(crate) fn are_defined(&self) {
        for (word, bit) in self.all().iter().filter_map(|id| id.place()) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// In a forked child: its own buffers define nothing yet.
pub(crate) fn forget_defined() {
    for word in STRINGS.0.iter().chain(&VALUES.0) {
        // What was never used takes no memory, and is not to take any now.
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_defined_once() {
        let (small, large) = (Id::Value(7), Id::Value(i32::MAX));
        let mut undefined = Undefined::none();
        [small, large, small, Id::String(7)].into_iter().for_each(|id| undefined.add(id));
        assert_eq!(undefined.all(), [small, large, Id::String(7)]);
        undefined.are_defined();
        let mut again = Undefined::none();
        [small, large, Id::String(7), Id::String(8)].into_iter().for_each(|id| again.add(id));
        assert_eq!(again.all(), [large, Id::String(8)], "there is no place for the large one");
        for id in [small, large, Id::String(u32::MAX)] {
            assert_eq!(Id::unpack(id.pack()), id);
        }
        let mut many = Undefined::none();
        (100..200).for_each(|id| many.add(Id::String(id)));
        assert_eq!(many.all().len(), Undefined::MOST);
    }
}
