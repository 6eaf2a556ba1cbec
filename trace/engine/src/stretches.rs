//! Unions of time ranges: overlaps count once.

use std::ops::Range;

/// Returns the duration of the part of a time range that lies within another.
pub(crate) fn within(range: &Range<u64>, begin: u64, end: u64) -> u64 {
    end.min(range.end).saturating_sub(begin.max(range.start))
}

/// Disjoint, non-adjacent time ranges, by start. Operations are linear in the number of ranges, except for lookups of a
/// part of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stretches {
    list: Vec<(u64, u64)>,
    /// For each stretch, the total duration of the earlier ones.
    before: Vec<u64>,
}

impl Stretches {
    /// Returns the union of some spans.
    pub(crate) fn new(mut spans: Vec<(u64, u64)>) -> Self {
        spans.retain(|(begin, end)| begin < end);
        // Spans are often given lane by lane, as sorted runs, which a stable sort merges fast.
        spans.sort();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (begin, end) in spans {
            match joined.last_mut() {
                Some((_, until)) if begin <= *until => *until = (*until).max(end),
                _ => joined.push((begin, end)),
            }
        }
        Self::from_sorted(joined)
    }

    fn from_sorted(list: Vec<(u64, u64)>) -> Self {
        let mut sum = 0;
        let add = |(begin, end): &(u64, u64)| {
            let before = sum;
            sum += end - begin;
            before
        };
        let before = list.iter().map(add).collect();
        Self { list, before }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + DoubleEndedIterator + '_ {
        self.list.iter().copied()
    }

    pub(crate) fn ns(&self) -> u64 {
        self.until(u64::MAX)
    }

    /// Returns the covered time between two moments; 0 if the second is not after the first.
    pub(crate) fn ns_within(&self, begin: u64, end: u64) -> u64 {
        self.until(end).saturating_sub(self.until(begin))
    }

    fn until(&self, at: u64) -> u64 {
        let after = self.list.partition_point(|(begin, _)| *begin < at);
        let last = after.checked_sub(1).map(|last| (self.list[last], self.before[last]));
        last.map_or(0, |((begin, end), before)| before + end.min(at) - begin)
    }

    pub(crate) fn contains(&self, at: u64) -> bool {
        self.from(at).next().is_some_and(|(begin, _)| begin <= at)
    }

    /// Returns the first stretch that ends after a moment, and all later ones.
    pub(crate) fn from(&self, at: u64) -> impl ExactSizeIterator<Item = (u64, u64)> + '_ {
        self.list[self.list.partition_point(|(_, end)| *end <= at)..].iter().copied()
    }

    pub(crate) fn clipped(&self, begin: u64, end: u64) -> Self {
        let inside = self.from(begin).take_while(|span| span.0 < end);
        Self::from_sorted(
            inside.map(|span| (span.0.max(begin), span.1.min(end))).filter(|span| span.0 < span.1).collect(),
        )
    }

    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut rest = Vec::new();
        let mut taken = other.iter().peekable();
        for (mut begin, end) in self.iter() {
            while taken.next_if(|(_, until)| *until <= begin).is_some() {}
            while let Some((from, until)) = taken.peek().copied().filter(|(from, _)| *from < end) {
                if begin < from {
                    rest.push((begin, from));
                }
                begin = until;
                if until > end {
                    break;
                }
                taken.next();
            }
            if begin < end {
                rest.push((begin, end));
            }
        }
        Self::from_sorted(rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns each nanosecond on its own.
    fn moments(stretches: &Stretches) -> Vec<u64> {
        stretches.iter().flat_map(|(begin, end)| begin..end).collect()
    }

    fn spans() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec(
            (0..60_u64, 0..12_u64).prop_map(|(begin, length)| (begin, begin + length)),
            0..9,
        )
    }

    proptest! {
        #[test]
        fn they_are_sets_of_moments(
            one in spans(),
            other in spans(),
            from in 0..80_u64,
            to in 0..80_u64,
        ) {
            let is_in = |spans: &[(u64, u64)], at: u64| spans.iter().any(|(begin, end)| (*begin..*end).contains(&at));
            let (a, b) = (Stretches::new(one.clone()), Stretches::new(other.clone()));
            let all = |wanted: &dyn Fn(u64) -> bool| (0..80).filter(|at| wanted(*at)).collect::<Vec<u64>>();
            let mine = all(&|at| is_in(&one, at));
            prop_assert_eq!(&moments(&a), &mine);
            prop_assert_eq!(a.ns(), mine.len() as u64);
            prop_assert_eq!(all(&|at| a.contains(at)), mine);
            prop_assert_eq!(moments(&a.without(&b)), all(&|at| is_in(&one, at) && !is_in(&other, at)));
            let inside = all(&|at| is_in(&one, at) && (from..to).contains(&at));
            prop_assert_eq!(a.ns_within(from, to), inside.len() as u64);
            prop_assert!(a.iter().zip(a.iter().skip(1)).all(|(before, after)| before.1 < after.0));
        }
    }
}
