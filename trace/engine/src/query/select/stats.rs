//! The numbers of some slices, collected one by one.

use syclscope_language::api::{Histogram, SliceStats};

use crate::query::percentile::rank;

/// Durations, the short ones in half the memory.
#[derive(Clone, Debug, Default)]
struct Durations {
    short: Vec<u32>,
    long: Vec<u64>,
}

impl Durations {
    fn push(&mut self, duration: u64) {
        match u32::try_from(duration) {
            Ok(short) => self.short.push(short),
            Err(_) => self.long.push(duration),
        }
    }

    fn append(&mut self, other: Self) {
        self.short.extend(other.short);
        self.long.extend(other.long);
    }

    /// The value at a position in the order of size.
    fn nth(&mut self, position: usize) -> u64 {
        let shorts = self.short.len();
        if position < shorts {
            (*self.short.select_nth_unstable(position).1).into()
        } else if position - shorts < self.long.len() {
            *self.long.select_nth_unstable(position - shorts).1
        } else {
            0
        }
    }

    fn histogram(&self) -> Histogram {
        let mut counts = [0_u64; 65];
        let durations = self.short.iter().map(|short| u64::from(*short)).chain(self.long.iter().copied());
        for duration in durations {
            counts[(64 - duration.leading_zeros()) as usize] += 1;
        }
        let first = counts.iter().position(|count| *count > 0).unwrap_or_default();
        let end = counts.iter().rposition(|count| *count > 0).map_or(first, |last| last + 1);
        Histogram { first: first as u32, counts: counts[first..end].to_vec() }
    }
}

/// Numbers of some slices on their way.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    pub(super) count: u64,
    pub(super) total_ns: u64,
    pub(super) clipped_ns: u64,
    pub(super) self_ns: u64,
    durations: Durations,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
}

impl Collected {
    /// Adds a slice.
    pub(super) fn push(&mut self, duration: u64, clipped: u64, own: u64) {
        self.min_ns = if self.count == 0 { duration } else { self.min_ns.min(duration) };
        self.max_ns = self.max_ns.max(duration);
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(duration);
        self.clipped_ns = self.clipped_ns.saturating_add(clipped);
        self.self_ns = self.self_ns.saturating_add(own);
        self.durations.push(duration);
    }

    /// Adds other slices.
    pub(super) fn append(&mut self, other: Self) {
        self.min_ns = if self.count == 0 { other.min_ns } else { self.min_ns.min(other.min_ns) };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.clipped_ns = self.clipped_ns.saturating_add(other.clipped_ns);
        self.self_ns = self.self_ns.saturating_add(other.self_ns);
        self.durations.append(other.durations);
    }

    pub(super) fn mean_ns(&self) -> u64 {
        self.total_ns.checked_div(self.count).unwrap_or_default()
    }

    /// The numbers; the slices are put into another order.
    pub(super) fn stats(&mut self) -> SliceStats {
        let count = self.count as usize;
        let mut percentile = |percent| self.durations.nth(rank(count, percent));
        let (p50_ns, p95_ns, p99_ns) = (percentile(50), percentile(95), percentile(99));
        SliceStats {
            count: self.count,
            total_ns: self.total_ns,
            clipped_ns: self.clipped_ns,
            self_ns: self.self_ns,
            mean_ns: self.mean_ns(),
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            p50_ns,
            p95_ns,
            p99_ns,
            histogram: self.durations.histogram(),
        }
    }
}
