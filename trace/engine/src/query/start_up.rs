//! Start-up: the critical path before the first command ran.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::api::{LocationInfo, StartUp, StepKind, StepSum};
use syclscope_language::question::PathQuestion;

use super::detail::node_ref;
use crate::id::some;
use crate::store::Trace;

/// Steps that are listed.
const MOST_STEPS: usize = 50;

/// Steps with the same key are summed up: kind, name and line.
type Key = (StepKind, String, Option<(String, u32)>);

impl Trace {
    /// The time before the first command ran on a device, by step of the critical path.
    pub fn start_up(&self) -> StartUp {
        let first = self.device_work().min_by_key(|row| (self.slices.start.at(*row), *row));
        let to_ns = first.map_or(self.duration_ns, |row| self.slices.start.at(row));
        let question = PathQuestion { from_ns: Some(0), to_ns: Some(to_ns), limit: None };
        let mut sums: FxHashMap<Key, StepSum> = FxHashMap::default();
        let path = self.critical_path_within(&question);
        let listed_ns: u64 = path.steps.iter().map(|step| step.duration_ns).sum();
        for step in path.steps {
            let place = |place: &LocationInfo| (place.file.clone(), place.line);
            let key = (step.kind, step.name.clone(), step.location.as_ref().map(place));
            let (kind, name, location) = (step.kind, step.name, step.location);
            let sum = sums.entry(key).or_insert(StepSum { kind, name, location, total_ns: 0, count: 0 });
            sum.total_ns += step.duration_ns;
            sum.count += step.count;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|(one_key, one), (other_key, other)| {
            Reverse(one.total_ns).cmp(&Reverse(other.total_ns)).then_with(|| one_key.cmp(other_key))
        });
        let mut steps: Vec<StepSum> = sums.into_iter().map(|(_, sum)| sum).collect();
        let rest = steps.split_off(steps.len().min(MOST_STEPS));
        let more_ns = to_ns - listed_ns + rest.iter().map(|step| step.total_ns).sum::<u64>();
        let command = first.and_then(|row| some(self.slices.node.at(row)));
        StartUp { to_ns, command: command.map(|node| node_ref(self, node)), steps, more_ns }
    }
}
