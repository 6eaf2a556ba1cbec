//! Parts of the time, of which some are taken away and others added: each for the logarithm of how many there are.

use std::collections::BTreeMap;

use crate::query::stretches::Stretches;

/// Parts of a time range by owner.
pub(super) trait Within {
    /// What of them lies between two moments.
    fn within(&self, from: u64, to: u64) -> Stretches;
}

impl Within for Stretches {
    fn within(&self, from: u64, to: u64) -> Stretches {
        Self::within(self, from, to)
    }
}

/// Parts of the time that don't overlap: the end of each by its begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts(BTreeMap<u64, u64>);

impl FromIterator<(u64, u64)> for Parts {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

impl Within for Parts {
    fn within(&self, from: u64, to: u64) -> Stretches {
        let parts = self.from(from).take_while(|(begin, _)| *begin < to);
        Stretches::new(parts.map(|(begin, end)| (begin.max(from), end.min(to))).collect())
    }
}

impl Parts {
    /// The first to end after a moment, and those that follow.
    fn from(&self, at: u64) -> impl Iterator<Item = (u64, u64)> {
        let before = self.0.range(..at).next_back().filter(|(_, end)| **end > at);
        before.into_iter().chain(self.0.range(at..)).map(|(begin, end)| (*begin, *end))
    }

    /// True if one of them overlaps the range.
    pub(super) fn meet(&self, from: u64, to: u64) -> bool {
        from < to && self.from(from).next().is_some_and(|(begin, _)| begin < to)
    }

    /// Adds the time between two moments, which is in none of them.
    pub(super) fn add(&mut self, from: u64, to: u64) {
        self.0.insert(from, to);
    }

    /// Takes the time between two moments away, all of which is in one of them.
    pub(super) fn take(&mut self, from: u64, to: u64) {
        let Some((begin, end)) = self.0.range(..=from).next_back().map(|(begin, end)| (*begin, *end)) else {
            return;
        };
        self.0.remove(&begin);
        self.0.extend([(begin, from), (to, end)].into_iter().filter(|(begin, end)| begin < end));
    }
}
