//! Trees by call stack: time of commands on devices, or of waits.

use syclscope_language::question::{CallTreeQuestion, CallWeight};

use super::groups::Groups;
use super::tree::Tree;
use crate::query::QueryError;
use crate::query::select::SelectedSlices;
use crate::query::stacks::Function;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the trees of a selection's commands or waits that have a stack: its frames, the outermost one at the top,
/// and below the innermost one the commands or waits themselves.
pub(super) fn trees<'t>(trace: &'t Trace, question: &CallTreeQuestion) -> Result<Groups<'t>, QueryError> {
    let mut selected = SelectedSlices::new(trace, &question.selection)?;
    let (from, to) = (selected.from, selected.to);
    let mut groups = Groups::new(trace, question.by);
    selected.for_each(|slice| {
        let Some(counted) = counted(trace, question.weight, slice.row) else { return };
        let Counted { stack, begin, end, thread } = counted;
        let duration_ns = end.min(to).saturating_sub(begin.max(from));
        let tree = match thread {
            Some(track) => groups.of_thread(track),
            None => groups.of_track(slice.track),
        };
        add(trace, tree, slice.row, stack, duration_ns);
    });
    Ok(groups)
}

/// Adds an amount to the frames of a stack, given by its innermost one, and to a slice below that.
pub(super) fn add(trace: &Trace, tree: &mut Tree, slice: usize, stack: u32, amount: u64) {
    let own = (Function::Name(trace.slices.name.at(slice)), trace.slices.category(slice));
    tree.add_stack(trace, Some(stack), Some(own), amount);
}

/// A command or wait that counts, with its stack.
struct Counted {
    stack: u32,
    begin: u64,
    end: u64,
    /// Track of the thread that waits.
    thread: Option<u32>,
}

/// Returns a slice's command or wait, if it has a stack. A wait within another one is part of that one, and a wait does
/// not take the stack of its command's submission.
fn counted(trace: &Trace, weight: CallWeight, row: usize) -> Option<Counted> {
    match weight {
        CallWeight::Device => {
            let is_command = row < trace.executions.len() && !trace.executions.in_pieces.at(row);
            let stack = is_command.then(|| trace.stack_of_slice(row))??;
            Some(Counted {
                stack,
                begin: trace.slices.start.at(row),
                end: trace.slices.end(row),
                thread: None,
            })
        }
        CallWeight::Waits => {
            let stack = trace.stack_of_args(trace.slices.args.at(row))?;
            let block = trace.blocking().of_slice(row as u32).filter(|block| block.slice as usize == row)?;
            Some(Counted { stack, begin: block.begin, end: block.end, thread: Some(block.track) })
        }
        CallWeight::Calls
        | CallWeight::Idle
        | CallWeight::Samples
        | CallWeight::Allocated
        | CallWeight::Peak => None,
    }
}
