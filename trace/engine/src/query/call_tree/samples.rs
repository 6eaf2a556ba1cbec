//! Time of host threads by call stack, as their samples show it.

use syclscope_language::event::Category;
use syclscope_language::question::CallTreeQuestion;

use super::groups::Groups;
use super::tree::Tree;
use crate::cancel;
use crate::id::some;
use crate::query::QueryError;
use crate::query::select;
use crate::query::stacks::Function;
use crate::store::Trace;

/// Returns the trees of the samples of a selection's threads: frames, the outermost one at the top, and below the
/// innermost one the system call in which the thread was blocked. A sample counts for the interval between samples.
pub(super) fn trees<'t>(trace: &'t Trace, question: &CallTreeQuestion) -> Result<Groups<'t>, QueryError> {
    let selection = &question.selection;
    let range = selection.from_ns.unwrap_or_default()..selection.to_ns.unwrap_or(u64::MAX);
    let selected = select::tracks(trace, selection.tracks.as_deref())?;
    let mut groups = Groups::new(trace, question.by);
    let tracks = trace.samples.tracks();
    for track in tracks.into_iter().filter(|track| selected.get(*track as usize) == Some(&true)) {
        let rows = trace.samples.rows(track, &range);
        cancel::spend(rows.len());
        if rows.is_empty() {
            continue;
        }
        let tree = groups.of_thread(track);
        for row in rows {
            add(trace, row, tree);
        }
    }
    Ok(groups)
}

fn add(trace: &Trace, row: usize, tree: &mut Tree) {
    let stack = some(trace.samples.stack.at(row));
    let blocked = trace.samples.is_blocked.at(row).then(|| trace.samples.system_call.at(row));
    let own = match blocked {
        Some(call) => Some((Function::Blocked(call), Category::Wait)),
        None => stack.is_none().then_some((Function::Cut, Category::Other)),
    };
    tree.add_stack(trace, stack, own, trace.samples.period_ns.at(row));
}
