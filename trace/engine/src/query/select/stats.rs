//! Statistics of slices, collected one by one and block by block.

use syclscope_language::api::{Histogram, SliceStats};

use super::blocks::Part;
use super::durations::{Durations, bucket, percentiles};

/// Number of values by power of two.
#[derive(Clone, Debug)]
struct Buckets([u64; 65]);

impl Default for Buckets {
    fn default() -> Self {
        Self([0; 65])
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Collected<'t> {
    pub(super) count: u64,
    pub(super) total_ns: u64,
    pub(super) clipped_ns: u64,
    pub(super) self_ns: u64,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
    buckets: Buckets,
    durations: Durations<'t>,
}

impl<'t> Collected<'t> {
    pub(super) fn push(&mut self, duration: u64, clipped: u64, own: u64) {
        self.add(1, (duration, duration));
        self.total_ns = self.total_ns.saturating_add(duration);
        self.clipped_ns = self.clipped_ns.saturating_add(clipped);
        self.self_ns = self.self_ns.saturating_add(own);
        self.buckets.0[bucket(duration)] += 1;
        self.durations.push(duration);
    }

    /// Adds slices of a block, all of which are in the range.
    pub(super) fn push_part(&mut self, part: Part<'t>) {
        let (Some(first), Some(last)) = (part.sorted_ns.first(), part.sorted_ns.last()) else { return };
        let bounds = (u64::from(*first), u64::from(*last));
        self.add(part.sorted_ns.len() as u64, bounds);
        self.total_ns = self.total_ns.saturating_add(part.total_ns);
        self.clipped_ns = self.clipped_ns.saturating_add(part.total_ns);
        self.self_ns = self.self_ns.saturating_add(part.own_ns);
        // The counts start with the bucket of the shortest slice.
        let buckets = self.buckets.0.iter_mut().skip(bucket(bounds.0));
        buckets.zip(part.counts).for_each(|(count, more)| *count += u64::from(*more));
        self.durations.push_part(part.sorted_ns);
    }

    fn add(&mut self, count: u64, (min_ns, max_ns): (u64, u64)) {
        self.min_ns = if self.count == 0 { min_ns } else { self.min_ns.min(min_ns) };
        self.max_ns = self.max_ns.max(max_ns);
        self.count += count;
    }

    pub(super) fn mean_ns(&self) -> u64 {
        self.total_ns.checked_div(self.count).unwrap_or_default()
    }

    pub(super) fn stats(all: &[&Self]) -> SliceStats {
        let sum =
            |number: fn(&Self) -> u64| all.iter().map(|one| number(one)).fold(0_u64, u64::saturating_add);
        let durations: Vec<&Durations<'_>> = all.iter().map(|one| &one.durations).collect();
        let [p50_ns, p95_ns, p99_ns] = percentiles(&durations, [50, 95, 99]);
        let (count, total_ns) = (sum(|one| one.count), sum(|one| one.total_ns));
        SliceStats {
            count,
            total_ns,
            clipped_ns: sum(|one| one.clipped_ns),
            self_ns: sum(|one| one.self_ns),
            mean_ns: total_ns.checked_div(count).unwrap_or_default(),
            min_ns: all.iter().map(|one| one.min_ns).min().unwrap_or_default(),
            max_ns: all.iter().map(|one| one.max_ns).max().unwrap_or_default(),
            p50_ns,
            p95_ns,
            p99_ns,
            histogram: histogram(all),
        }
    }
}

fn histogram(all: &[&Collected<'_>]) -> Histogram {
    let mut counts = [0_u64; 65];
    for one in all {
        counts.iter_mut().zip(&one.buckets.0).for_each(|(count, more)| *count += more);
    }
    let first = counts.iter().position(|count| *count > 0).unwrap_or_default();
    let end = counts.iter().rposition(|count| *count > 0).map_or(first, |last| last + 1);
    Histogram { first: first as u32, counts: counts[first..end].to_vec() }
}
