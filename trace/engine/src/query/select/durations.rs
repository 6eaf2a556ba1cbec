//! Percentiles of durations that are only partly sorted.
//!
//! A percentile is exact. To find it among very many values, a sample gives two bounds around it; then the values below
//! the bounds are counted, and only those between them are sorted.

use crate::query::percentile::rank;

/// Sample size for the bounds.
const SAMPLES: usize = 1 << 10;
/// Initial distance of a bound from the position of the percentile, in values.
const SLACK: usize = 24;
/// Values that are compared with one pair of bounds after the other: they stay in the first-level cache.
const CHUNK: usize = 1 << 10;

pub(super) fn bucket(duration: u64) -> usize {
    (64 - duration.leading_zeros()) as usize
}

/// Durations, short ones in half the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Durations<'t> {
    short: Vec<u32>,
    long: Vec<u64>,
    /// Values of parts of blocks, each sorted.
    parts: Vec<&'t [u32]>,
}

impl<'t> Durations<'t> {
    pub(super) fn push(&mut self, duration: u64) {
        match u32::try_from(duration) {
            Ok(short) => self.short.push(short),
            Err(_) => self.long.push(duration),
        }
    }

    pub(super) fn push_part(&mut self, part: &'t [u32]) {
        self.parts.push(part);
    }

    fn len(&self) -> usize {
        self.short.len() + self.long.len() + self.parts.iter().map(|part| part.len()).sum::<usize>()
    }

    /// Returns the values at ascending positions among all values, `before` of which precede these.
    fn at(
        &self,
        positions: &mut impl Iterator<Item = usize>,
        next: &mut Option<usize>,
        before: usize,
    ) -> Vec<u64> {
        let mut found = Vec::new();
        let mut offset = before;
        let mut take = |length: usize, value: &dyn Fn(usize) -> u64| {
            while let Some(position) = next.filter(|position| *position < offset + length) {
                found.push(value(position - offset));
                *next = positions.next();
            }
            offset += length;
        };
        take(self.short.len(), &|at| self.short[at].into());
        take(self.long.len(), &|at| self.long[at]);
        for part in &self.parts {
            take(part.len(), &|at| part[at].into());
        }
        found
    }

    /// Compares all values with bounds.
    fn sift(&self, bounds: &mut [Between]) {
        for chunk in self.short.chunks(CHUNK) {
            bounds
                .iter_mut()
                .for_each(|between| chunk.iter().for_each(|value| between.take((*value).into())));
        }
        for chunk in self.long.chunks(CHUNK) {
            bounds.iter_mut().for_each(|between| chunk.iter().for_each(|value| between.take(*value)));
        }
        self.parts.iter().for_each(|part| sift_sorted(part, bounds));
    }
}

/// Compares sorted values with bounds.
fn sift_sorted(values: &[u32], bounds: &mut [Between]) {
    let (mut passed, mut highest) = (0, 0);
    for between in bounds {
        // Bounds mostly ascend: values below the previous ones are not visited again.
        if between.low <= highest {
            passed = 0;
        }
        let below = passed + values[passed..].partition_point(|value| u64::from(*value) < between.low);
        between.below += below;
        let rest = &values[below..];
        // The bounds are close to each other.
        let inside = near_partition_point(rest, |value| u64::from(*value) <= between.high);
        if between.low == between.high {
            between.equal += inside;
        } else {
            between.values.extend(rest[..inside].iter().map(|value| u64::from(*value)));
        }
        (passed, highest) = (below + inside, between.high);
    }
}

/// [`slice::partition_point`] for a point near the start: takes a number of comparisons logarithmic in its distance.
fn near_partition_point<T>(values: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while values.get(end - 1).is_some_and(&is_before) {
        end *= 2;
    }
    // The value at `end / 2 - 1` is before the point.
    let begin = end / 2;
    begin + values[begin..end.min(values.len())].partition_point(is_before)
}

#[derive(Debug, Default)]
struct Between {
    low: u64,
    high: u64,
    /// Number of values below the bounds.
    below: usize,
    /// Values within the bounds; if these are equal, `equal` has only their number.
    values: Vec<u64>,
    equal: usize,
}

impl Between {
    fn take(&mut self, value: u64) {
        self.below += usize::from(value < self.low);
        if value >= self.low && value <= self.high {
            if self.low == self.high {
                self.equal += 1;
            } else {
                self.values.push(value);
            }
        }
    }

    /// Returns the value at a position in the sorted order, if it is within the bounds.
    fn nth(&mut self, position: usize) -> Option<u64> {
        let inside = position.checked_sub(self.below)?;
        if self.low == self.high {
            return (inside < self.equal).then_some(self.low);
        }
        (inside < self.values.len()).then(|| *self.values.select_nth_unstable(inside).1)
    }
}

/// Returns the percentiles of all durations together, by nearest rank; 0 if there are none.
pub(super) fn percentiles<const N: usize>(all: &[&Durations<'_>], percents: [usize; N]) -> [u64; N] {
    let count = all.iter().map(|durations| durations.len()).sum::<usize>();
    let mut found = [0; N];
    if count == 0 {
        return found;
    }
    let samples = samples(all, count);
    if samples.len() == count {
        return percents.map(|percent| samples[rank(count, percent)]);
    }
    let mut slack = SLACK;
    let mut missing: Vec<usize> = (0..N).collect();
    while !missing.is_empty() {
        let between = |number: &usize| {
            let position = rank(count, percents[*number]);
            let sample = (position as u128 * samples.len() as u128 / count as u128) as usize;
            let low = sample.checked_sub(slack).map_or(0, |low| samples[low]);
            let high = samples.get(sample + slack).copied().unwrap_or(u64::MAX);
            Between { low, high, ..Between::default() }
        };
        let mut bounds: Vec<Between> = missing.iter().map(between).collect();
        all.iter().for_each(|durations| durations.sift(&mut bounds));
        let mut bounds = bounds.into_iter();
        missing.retain(|number| {
            let value = bounds.next().and_then(|mut between| between.nth(rank(count, percents[*number])));
            found[*number] = value.unwrap_or_default();
            value.is_none()
        });
        // The sample was not representative.
        slack *= 8;
    }
    found
}

/// Returns the values at evenly spread positions, sorted.
fn samples(all: &[&Durations<'_>], count: usize) -> Vec<u64> {
    let samples = count.min(SAMPLES);
    let mut positions =
        (0..samples).map(|sample| (sample as u128 * count as u128 / samples as u128) as usize);
    let mut next = positions.next();
    let mut found = Vec::with_capacity(samples);
    let mut before = 0;
    for durations in all {
        found.extend(durations.at(&mut positions, &mut next, before));
        before += durations.len();
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn percentiles_are_those_of_all_in_order(
            groups in prop::collection::vec((prop::collection::vec(0..3_000_u64, 0..4_000), 0..4_u32, 0..40_u32), 1..6),
            percent in 0..=100_usize,
        ) {
            let groups: Vec<(Vec<u64>, u32)> = groups
                .into_iter()
                .map(|(values, sorted, shift)| (values.into_iter().map(|value| value << shift).collect(), sorted))
                .collect();
            // Values that are too long for a block are added one by one.
            let orders: Vec<Vec<u32>> = groups
                .iter()
                .map(|(values, _)| {
                    let mut order: Vec<u32> = values.iter().filter_map(|value| u32::try_from(*value).ok()).collect();
                    order.sort_unstable();
                    order
                })
                .collect();
            let durations: Vec<Durations<'_>> = groups
                .iter()
                .zip(&orders)
                .map(|((values, sorted), order)| {
                    let mut durations = Durations::default();
                    if *sorted > 0 {
                        durations.push_part(order);
                    }
                    let are_apart = |value: &&u64| *sorted == 0 || u32::try_from(**value).is_err();
                    values.iter().filter(are_apart).for_each(|value| durations.push(*value));
                    durations
                })
                .collect();
            let mut all: Vec<u64> = groups.iter().flat_map(|(values, _)| values.iter().copied()).collect();
            all.sort_unstable();
            let expected = |percent| crate::query::percentile::percentile(&all, percent);
            let found = percentiles(&durations.iter().collect::<Vec<_>>(), [50, percent, 99]);
            prop_assert_eq!(found, [expected(50), expected(percent), expected(99)]);
        }
    }
}
