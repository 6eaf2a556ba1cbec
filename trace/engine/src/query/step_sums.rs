//! Steps of the critical path summed up by kind, name and line.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CriticalStep, StepKind, StepSum};

use syclscope_language::sorting::Sorting as _;

type Key = (StepKind, String, Option<(String, u32)>);

#[derive(Default)]
pub(super) struct StepSums(FxHashMap<Key, StepSum>);

impl StepSums {
    pub(super) fn add(&mut self, step: CriticalStep) {
        let place = step.location.as_ref().map(|place| (place.file.clone(), place.line));
        let sum = self.0.entry((step.kind, step.name, place)).or_insert_with_key(|(kind, name, _)| StepSum {
            kind: *kind,
            name: name.clone(),
            location: step.location,
            total_ns: 0,
            count: 0,
        });
        sum.total_ns += step.duration_ns;
        sum.count += step.count;
    }

    pub(super) fn total_ns(&self, sum: &StepSum) -> u64 {
        let place = sum.location.as_ref().map(|place| (place.file.clone(), place.line));
        self.0.get(&(sum.kind, sum.name.clone(), place)).map_or(0, |sum| sum.total_ns)
    }

    /// Returns the sums, most time first.
    pub(super) fn into_list(self) -> Vec<StepSum> {
        let mut list: Vec<_> = self.0.into_iter().collect();
        list.arrange_by(|(one_key, one), (other_key, other)| {
            Reverse(one.total_ns).cmp(&Reverse(other.total_ns)).then_with(|| one_key.cmp(other_key))
        });
        list.into_iter().map(|(_, sum)| sum).collect()
    }
}
