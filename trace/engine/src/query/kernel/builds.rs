//! Calls that built the programs of launches.

use rustc_hash::FxHashSet;

use super::Execution;
use crate::id::some;
use crate::query::program_calls::ProgramCalls;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Returns the calls that built the programs of the first executions on each queue before they were launched, by start.
pub(super) fn builds(trace: &Trace, executions: &[Execution]) -> Vec<u32> {
    let first = executions.iter().filter(|one| one.is_first);
    let nodes: FxHashSet<u32> = first.filter_map(|one| some(trace.slices.node.at(one.row))).collect();
    let calls = ProgramCalls::new(trace, |node| nodes.contains(&node));
    let found = calls.launches().iter().flat_map(|(at, kernel, _)| calls.builds_of(*kernel, *at));
    let mut found: Vec<u32> = found.collect::<FxHashSet<u32>>().into_iter().collect();
    found.arrange_by_key(|row| (trace.slices.start.at(*row as usize), *row));
    found
}
