//! Texts that packets refer to by number, and the other state of a packet sequence.

use crate::event::SourceLocation;
use crate::hash::FastMap;
use crate::proto::fields::clock;

/// Numbers below this are looked up by position.
const MAX_DENSE: u64 = 1 << 16;

/// Interned values by number.
#[derive(Debug)]
pub(super) struct IidTable<T> {
    dense: Vec<Option<T>>,
    sparse: FastMap<u64, T>,
}

impl<T> Default for IidTable<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: FastMap::default() }
    }
}

impl<T: Copy> IidTable<T> {
    /// Sets the value of a number.
    pub(super) fn set(&mut self, iid: u64, value: T) {
        if iid >= MAX_DENSE {
            self.sparse.insert(iid, value);
            return;
        }
        let row = iid as usize;
        if row >= self.dense.len() {
            self.dense.resize(row + 1, None);
        }
        self.dense[row] = Some(value);
    }

    /// The value of a number.
    #[inline]
    pub(super) fn get(&self, iid: u64) -> Option<T> {
        if iid < MAX_DENSE {
            self.dense.get(iid as usize).copied().flatten()
        } else {
            self.sparse.get(&iid).copied()
        }
    }
}

/// A GPU specification: a hardware queue, or a stage (for us a kernel or command).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Specification<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) category: u64,
}

/// What the packets of a sequence share.
#[derive(Debug)]
pub(super) struct Sequence<'a> {
    pub(super) categories: IidTable<&'a str>,
    pub(super) names: IidTable<&'a str>,
    pub(super) annotation_names: IidTable<&'a str>,
    pub(super) strings: IidTable<&'a str>,
    pub(super) locations: IidTable<SourceLocation<'a>>,
    pub(super) specifications: IidTable<Specification<'a>>,
    /// Clock of packets that name none.
    pub(super) clock: u64,
    /// Track of events that name none.
    pub(super) track: u64,
}

impl Default for Sequence<'_> {
    fn default() -> Self {
        Self {
            categories: IidTable::default(),
            names: IidTable::default(),
            annotation_names: IidTable::default(),
            strings: IidTable::default(),
            locations: IidTable::default(),
            specifications: IidTable::default(),
            clock: clock::BOOTTIME,
            track: 0,
        }
    }
}
