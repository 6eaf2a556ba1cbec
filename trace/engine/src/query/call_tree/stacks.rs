//! Time by call stack: of commands on devices, or of waits.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::CallGroup;
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight};

use super::tree::Tree;
use crate::query::QueryError;
use crate::query::select::SelectedSlices;
use crate::query::stacks::Function;
use crate::store::Trace;
use crate::store::table::Table as _;

/// The trees of a selection's commands or waits that have a stack: its frames, the outermost one at the top, and below the
/// innermost one the commands or waits themselves.
pub(super) fn trees(
    trace: &Trace,
    question: &CallTreeQuestion,
) -> Result<Vec<(CallGroup, Tree)>, QueryError> {
    let mut selected = SelectedSlices::new(trace, &question.selection)?;
    let (from, to) = (selected.from, selected.to);
    let mut groups: Vec<(CallGroup, Tree)> = Vec::new();
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    let mut threads: FxHashSet<(usize, u32)> = FxHashSet::default();
    selected.for_each(|slice| {
        let row = slice.row;
        let Some(counted) = counted(trace, question.weight, row) else { return };
        let track = counted.thread.unwrap_or(slice.track);
        let process = trace.tracks.process.at(track as usize);
        let (key, by) = match question.by {
            CallGrouping::All => (0, CallGrouping::All),
            CallGrouping::Thread if counted.thread.is_some() => (track, CallGrouping::Thread),
            CallGrouping::Process | CallGrouping::Thread => (process, CallGrouping::Process),
        };
        let group = *known.entry(key).or_insert_with(|| {
            groups.push((trace.call_group(by, process, track), Tree::default()));
            groups.len() - 1
        });
        let is_new = counted.thread.is_some_and(|thread| threads.insert((group, thread)));
        let (of, tree) = &mut groups[group];
        of.threads += u64::from(is_new);
        let duration_ns = counted.end.min(to).saturating_sub(counted.begin.max(from));
        let own = (Function::Name(trace.slices.name.at(row)), trace.slices.category(row));
        tree.add_stack(trace, Some(counted.stack), Some(own), duration_ns);
    });
    Ok(groups)
}

/// A command or wait that counts, with its stack.
struct Counted {
    /// The innermost frame.
    stack: u32,
    begin: u64,
    end: u64,
    /// Track of the thread that waits.
    thread: Option<u32>,
}

/// Returns a slice's command, or the wait that it stands for, if that has a stack. Waits within a wait are part of it, and
/// the stack of a submission is not that of the wait for it.
fn counted(trace: &Trace, weight: CallWeight, row: usize) -> Option<Counted> {
    match weight {
        CallWeight::Calls | CallWeight::Samples => None,
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
    }
}
