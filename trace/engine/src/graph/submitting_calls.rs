//! The call of the runtime that enqueued each command.

use syclscope_language::event::Category;

use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns for each node the slice of the call that enqueued it, or `NONE`.
pub(crate) fn submitting_calls(trace: &Trace) -> Vec<u32> {
    let mut calls = vec![NONE; trace.nodes.len()];
    for row in trace.executions.kind.len()..trace.slices.len() {
        if trace.slices.category(row) != Category::Call {
            continue;
        }
        if let Some(place) = some(trace.slices.node.at(row)).and_then(|node| calls.get_mut(node as usize))
            && trace.strings.get(trace.slices.name.at(row)).contains("Enqueue")
        {
            *place = row as u32;
        }
    }
    calls
}
