//! Intervals between the samples of a power counter.

use std::ops::Range;

use crate::cancel;
use crate::store::counters::Counters;

/// Longest time between two samples of momentary power: ten times the recorder's interval. Power is unknown in a longer
/// interval.
const MAX_INTERVAL_NS: u64 = 1_000_000_000;
/// Higher values are not plausible.
const MAX_WATTS: f64 = 1e9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    /// The power at the time of the sample.
    Moment,
    /// The mean power since the previous sample.
    MeanSinceLast,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) watts: f64,
}

impl Interval {
    pub(super) fn joules(&self) -> f64 {
        joules(self.watts, self.to - self.from)
    }
}

pub(super) fn joules(watts: f64, ns: u64) -> f64 {
    watts * ns as f64 * 1e-9
}

/// Returns the intervals of a counter in a range, by time.
pub(super) fn intervals(
    counters: &Counters,
    counter: u32,
    kind: SampleKind,
    range: &Range<u64>,
) -> Vec<Interval> {
    let rows = counters.rows(counter);
    let mut found = Vec::new();
    for (number, row) in rows.clone().skip(1).enumerate() {
        cancel::row(number);
        let (begin, end) = (counters.at.at(row - 1), counters.at.at(row));
        let (from, to) = (begin.max(range.start), end.min(range.end));
        let watts = watts(kind, end.saturating_sub(begin), [row - 1, row].map(|row| counters.value.at(row)));
        if let Some(watts) = watts.filter(|_| from < to) {
            found.push(Interval { from, to, watts });
        }
    }
    found
}

fn watts(kind: SampleKind, length_ns: u64, [before, after]: [f64; 2]) -> Option<f64> {
    let is_power = |watts: f64| (0.0..=MAX_WATTS).contains(&watts);
    match kind {
        SampleKind::MeanSinceLast => Some(after).filter(|watts| is_power(*watts)),
        SampleKind::Moment => {
            let is_known = length_ns <= MAX_INTERVAL_NS && is_power(before) && is_power(after);
            is_known.then_some((before + after) / 2.0)
        }
    }
}
