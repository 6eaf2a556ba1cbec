//! Percentiles by nearest rank.

/// Returns the smallest of the sorted values that at least `percent` of 100 values don't exceed (nearest rank).
pub(super) fn percentile(sorted: &[u64], percent: usize) -> u64 {
    sorted.get(rank(sorted.len(), percent)).copied().unwrap_or_default()
}

/// Returns the index of a percentile among `count` sorted values.
pub(super) fn rank(count: usize, percent: usize) -> usize {
    (count * percent).div_ceil(100).saturating_sub(1)
}
