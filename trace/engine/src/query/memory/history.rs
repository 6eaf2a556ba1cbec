//! Memory in use after each change, by process, kind and device, and in total.
//!
//! Allocations and releases at one moment are one change, so that the value equals the sum of the live allocations.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::event::AllocationKind;

use crate::id::StringId;
use crate::store::Trace;
use crate::store::blocks::MaxForest;
use crate::store::cache::{Cached, cached};
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// Sorted by process, kind and name of the device.
    pub(super) series: Vec<Series>,
    /// The total; empty if there is only one series.
    total: Steps,
}

impl Cached for History {
    fn cached_bytes(&self) -> usize {
        self.series.iter().map(|series| series.steps.cached_bytes()).sum::<usize>()
            + self.total.cached_bytes()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) process: u32,
    pub(super) kind: AllocationKind,
    pub(super) device: StringId,
    pub(super) steps: Steps,
}

/// Bytes in use, each from a moment on.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    at: Vec<u64>,
    bytes: Vec<u64>,
    forest: MaxForest,
    /// The exact sum during construction; damaged files can't overflow it.
    sum: i128,
}

cached!(Steps { at, bytes, forest });

impl Steps {
    fn change(&mut self, at: u64, change: i128) {
        self.sum = self.sum.saturating_add(change);
        let bytes = u64::try_from(self.sum.max(0)).unwrap_or(u64::MAX);
        match (self.at.last(), self.bytes.last_mut()) {
            (Some(last), Some(known)) if *last == at => *known = bytes,
            _ => {
                self.at.push(at);
                self.bytes.push(bytes);
            }
        }
    }

    fn finish(mut self) -> Self {
        self.at.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.forest = MaxForest::new(&self.bytes);
        self
    }

    /// Returns the number of steps before a moment.
    pub(super) fn before(&self, at: u64) -> usize {
        self.at.partition_point(|step| *step < at)
    }

    /// Returns the bytes after `steps` steps.
    pub(super) fn after(&self, steps: usize) -> u64 {
        steps.checked_sub(1).and_then(|step| self.bytes.get(step)).copied().unwrap_or_default()
    }

    /// Returns the maximum from a moment to the end of a range of later steps, and the first moment of the maximum.
    pub(super) fn most(&self, from: u64, steps: Range<usize>) -> (u64, u64) {
        let held = (self.after(steps.start), from);
        if steps.is_empty() {
            return held;
        }
        let step = self.forest.position(&self.bytes, steps.clone());
        let most = (self.bytes[step], self.at[step]);
        // The initial value does not apply in the range if the first step is at its start.
        let holds = self.at[steps.start] > from;
        if holds && held.0 >= most.0 { held } else { most }
    }
}

impl History {
    pub(super) fn new(trace: &Trace) -> Self {
        let rows = &trace.allocations;
        let mut numbers: FxHashMap<(u32, u8, u32), usize> = FxHashMap::default();
        let mut series: Vec<Series> = Vec::new();
        let mut total = Steps::default();
        let mut apply = |row: u32, at: u64, is_made: bool| {
            let row = row as usize;
            let (process, kind, device) = (rows.process.at(row), rows.kind.at(row), rows.title.at(row));
            let number = *numbers.entry((process, kind as u8, device.0)).or_insert_with(|| {
                series.push(Series { process, kind, device, steps: Steps::default() });
                series.len() - 1
            });
            let bytes = i128::from(rows.size_bytes.at(row));
            let change = if is_made { bytes } else { -bytes };
            series[number].steps.change(at, change);
            total.change(at, change);
        };
        let mut released: Vec<(u64, u32)> =
            (0..).zip(rows.released.iter()).filter_map(|(row, at)| Some((at?, row))).collect();
        released.sort_unstable();
        let mut released = released.into_iter().peekable();
        for (row, at) in (0..).zip(rows.at.iter()) {
            while let Some((at, row)) = released.next_if(|released| released.0 < at) {
                apply(row, at, false);
            }
            apply(row, at, true);
        }
        released.for_each(|(at, row)| apply(row, at, false));
        series.arrange_by_key(|series| (series.process, series.kind, trace.strings.get(series.device)));
        for series in &mut series {
            series.steps = std::mem::take(&mut series.steps).finish();
        }
        let total = if series.len() > 1 { total.finish() } else { Steps::default() };
        Self { series, total }
    }

    pub(super) fn together(&self, series: &[&Series]) -> Together<'_> {
        match series {
            _ if series.len() == self.series.len() && series.len() > 1 => Together::Known(&self.total),
            _ => Together::Summed(sum(series)),
        }
    }
}

/// Steps of the history, or computed for one answer.
pub(super) enum Together<'h> {
    Known(&'h Steps),
    Summed(Steps),
}

impl std::ops::Deref for Together<'_> {
    type Target = Steps;

    fn deref(&self) -> &Steps {
        match self {
            Self::Known(steps) => steps,
            Self::Summed(steps) => steps,
        }
    }
}

fn sum(series: &[&Series]) -> Steps {
    if let [only] = series {
        return only.steps.clone();
    }
    let mut total = Steps::default();
    // The next step of each series, by time.
    let mut next: BTreeMap<(u64, usize), usize> = BTreeMap::new();
    let step_of = |number: usize, step: usize| series[number].steps.at.get(step).map(|at| (*at, number));
    next.extend((0..series.len()).filter_map(|number| Some((step_of(number, 0)?, 0))));
    while let Some(((at, number), step)) = next.pop_first() {
        let steps = &series[number].steps;
        total.change(at, i128::from(steps.bytes[step]) - i128::from(steps.after(step)));
        next.extend(step_of(number, step + 1).map(|key| (key, step + 1)));
    }
    total.finish()
}
