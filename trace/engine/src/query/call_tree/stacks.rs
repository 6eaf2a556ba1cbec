//! Trees by call stack: time of commands on devices, or of waits.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::CallGroup;
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight};

use super::tree::Tree;
use crate::query::QueryError;
use crate::query::select::SelectedSlices;
use crate::query::stacks::Function;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the trees of a selection's commands or waits that have a stack: its frames, the outermost one at the top,
/// and below the innermost one the commands or waits themselves.
pub(super) fn trees(
    trace: &Trace,
    question: &CallTreeQuestion,
) -> Result<Vec<(CallGroup, Tree)>, QueryError> {
    let mut selected = SelectedSlices::new(trace, &question.selection)?;
    let (from, to) = (selected.from, selected.to);
    let mut trees = StackTrees::new(trace, question.by);
    selected.for_each(|slice| {
        let Some(counted) = counted(trace, question.weight, slice.row) else { return };
        let Counted { stack, begin, end, thread } = counted;
        let duration_ns = end.min(to).saturating_sub(begin.max(from));
        trees.add(slice.row, (thread.unwrap_or(slice.track), thread.is_some()), stack, duration_ns);
    });
    Ok(trees.groups)
}

pub(super) struct StackTrees<'t> {
    trace: &'t Trace,
    by: CallGrouping,
    pub(super) groups: Vec<(CallGroup, Tree)>,
    group_numbers: FxHashMap<u32, usize>,
    threads: FxHashSet<(usize, u32)>,
}

impl<'t> StackTrees<'t> {
    pub(super) fn new(trace: &'t Trace, by: CallGrouping) -> Self {
        let (groups, group_numbers, threads) = Default::default();
        Self { trace, by, groups, group_numbers, threads }
    }

    /// Adds an amount to the frames of a stack, given by its innermost one, and to a slice below that. The track is
    /// that of the thread, if it is a thread's.
    pub(super) fn add(&mut self, slice: usize, (track, is_thread): (u32, bool), stack: u32, amount: u64) {
        let trace = self.trace;
        let process = trace.tracks.process.at(track as usize);
        let (key, by) = match self.by {
            CallGrouping::All => (0, CallGrouping::All),
            CallGrouping::Thread if is_thread => (track, CallGrouping::Thread),
            CallGrouping::Process | CallGrouping::Thread => (process, CallGrouping::Process),
        };
        let group = *self.group_numbers.entry(key).or_insert_with(|| {
            self.groups.push((trace.call_group(by, process, track), Tree::default()));
            self.groups.len() - 1
        });
        let is_new = is_thread && self.threads.insert((group, track));
        let (of, tree) = &mut self.groups[group];
        of.threads += u64::from(is_new);
        let own = (Function::Name(trace.slices.name.at(slice)), trace.slices.category(slice));
        tree.add_stack(trace, Some(stack), Some(own), amount);
    }
}

/// A command or wait that counts, with its stack.
struct Counted {
    stack: u32,
    begin: u64,
    end: u64,
    /// Track of the thread that waits.
    thread: Option<u32>,
}

/// Returns a slice's command, or the wait that it stands for, if that has a stack. Waits within a wait are part of it,
/// and the stack of a submission is not that of the wait for it.
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
