//! Definitions of the framework's ids. The first record that uses an id has its definition, because the framework's
//! tables disappear with the program.

use std::sync::atomic::{AtomicU64, Ordering};

/// Larger ids are defined by every record that uses them.
const MAX_IDS: usize = 1 << 20;

/// Defined ids, one bit each; untouched pages take no memory.
struct Ids([AtomicU64; MAX_IDS / 64]);

static STRINGS: Ids = Ids([const { AtomicU64::new(0) }; MAX_IDS / 64]);
static VALUES: Ids = Ids([const { AtomicU64::new(0) }; MAX_IDS / 64]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    String(u32),
    Value(i32),
}

impl Id {
    const IS_VALUE: u64 = 1 << 32;

    #[inline]
    fn place(self) -> Option<(&'static AtomicU64, u64)> {
        let (ids, number) = match self {
            Self::String(id) => (&STRINGS, id as usize),
            // Negative ids are invalid.
            Self::Value(id) => (&VALUES, id as u32 as usize),
        };
        Some((ids.0.get(number / 64)?, 1 << (number % 64)))
    }

    /// True if a record in the buffer has the definition.
    #[inline]
    pub(crate) fn is_defined(self) -> bool {
        self.place().is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    /// Marks the id as defined by a record, so that later ones need not define it.
    pub(crate) fn set_defined(self) {
        if let Some((word, bit)) = self.place() {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// True if the id is too large for the table, so that every record that uses it contains its definition.
    pub(crate) fn is_passing(self) -> bool {
        self.place().is_none()
    }

    /// Returns the first word of a definition.
    pub(crate) fn pack(self) -> u64 {
        match self {
            Self::String(id) => id.into(),
            Self::Value(id) => Self::IS_VALUE | u64::from(id as u32),
        }
    }

    pub(crate) fn unpack(word: u64) -> Self {
        if word & Self::IS_VALUE == 0 { Self::String(word as u32) } else { Self::Value(word as i32) }
    }
}

/// Forgets all definitions in a forked child, whose buffers are still empty.
pub(crate) fn forget_defined() {
    for word in STRINGS.0.iter().chain(&VALUES.0) {
        // Writing would commit untouched pages.
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
        for id in [small, large, Id::String(7)] {
            assert!(!id.is_defined());
            id.set_defined();
            assert_eq!(id.is_defined(), !id.is_passing());
            assert_eq!(Id::unpack(id.pack()), id);
        }
        assert!(large.is_passing() && !small.is_passing() && !Id::String(8).is_defined());
        assert_eq!(Id::unpack(Id::String(u32::MAX).pack()), Id::String(u32::MAX));
    }
}
