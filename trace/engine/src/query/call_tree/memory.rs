//! Bytes of allocations by the call stack that allocated them.

use rustc_hash::FxHashMap;
use syclscope_language::api::{CallNode, CallTree};
use syclscope_language::question::{CallTreeQuestion, CallWeight, Selection};

use super::groups::Groups;
use super::stacks;
use crate::cancel;
use crate::query::QueryError;
use crate::query::select::SelectedSlices;
use crate::store::Trace;

/// Returns the trees of allocations with a stack: those created in the selection's range, or those live at its peak.
/// The selection's tracks, objects and filter apply to the slices in which they were allocated. These slices are below
/// the innermost frames.
pub(super) fn trees<'t>(trace: &'t Trace, question: &CallTreeQuestion) -> Result<Groups<'t>, QueryError> {
    let selection = &question.selection;
    let (from, to) = (selection.from_ns.unwrap_or_default(), selection.to_ns.unwrap_or(u64::MAX));
    let mut selected =
        SelectedSlices::new(trace, &Selection { from_ns: None, to_ns: None, ..selection.clone() })?;
    // By slice: innermost frame and bytes of each of its allocations.
    let mut made: FxHashMap<u32, Vec<(u32, u64)>> = FxHashMap::default();
    let mut add = |row: usize| {
        cancel::spend(1);
        if let Some((slice, stack)) = stack_of_allocation(trace, row) {
            made.entry(slice).or_default().push((stack, trace.allocations.size_bytes.at(row)));
        }
    };
    if question.weight == CallWeight::Peak {
        trace.live_at(trace.peak_of_memory(from, to), add);
    } else {
        let [first, end] = [from, to].map(|at| trace.allocations.at.partition_point(|made| *made < at));
        (first..end).for_each(&mut add);
    }
    let mut groups = Groups::new(trace, question.by);
    selected.for_each(|slice| {
        for (stack, bytes) in made.get(&(slice.row as u32)).into_iter().flatten() {
            stacks::add(trace, groups.of_thread(slice.track), slice.row, *stack, *bytes);
        }
    });
    Ok(groups)
}

/// Returns the innermost slice with a stack in which a thread allocated memory, and the innermost frame of that stack.
fn stack_of_allocation(trace: &Trace, row: usize) -> Option<(u32, u32)> {
    let (at, process, tid) =
        (trace.allocations.at.at(row), trace.allocations.process.at(row), trace.allocations.tid.at(row));
    trace.tracks_of_thread(process, tid).find_map(|track| {
        let with_stack = |slice: usize| {
            let stack = trace.stack_of_args(trace.slices.args.at(slice))?;
            Some((slice as u32, stack))
        };
        trace.slices.at(track.lane_range().rev(), at).find_map(with_stack)
    })
}

pub(super) fn in_bytes(mut tree: CallTree) -> CallTree {
    for group in &mut tree.groups {
        group.total_bytes = Some(std::mem::take(&mut group.total_ns));
        for CallNode { total_ns, self_ns, max_ns, total_bytes, self_bytes, .. } in &mut group.nodes {
            *total_bytes = Some(std::mem::take(total_ns));
            *self_bytes = Some(std::mem::take(self_ns));
            *max_ns = 0;
        }
    }
    tree
}
