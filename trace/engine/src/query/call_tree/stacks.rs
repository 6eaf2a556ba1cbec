//! Time by call stack: of commands on devices, or of waits.

use rustc_hash::FxHashMap;
use syclscope_language::api::CallGroup;
use syclscope_language::event::{Category, FrameKind};
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight};

use super::tree::Tree;
use crate::id::StringId;
use crate::query::QueryError;
use crate::query::select::SelectedSlices;
use crate::store::Trace;
use crate::store::stacks::FrameRow;
use crate::store::table::Table as _;

/// The trees of a selection's slices that have a stack: its frames, the outermost one at the top, and below the innermost
/// one the slices themselves.
pub(super) fn trees(
    trace: &Trace,
    question: &CallTreeQuestion,
) -> Result<Vec<(CallGroup, Tree)>, QueryError> {
    let mut selected = SelectedSlices::new(trace, &question.selection)?;
    let (from, to) = (selected.from, selected.to);
    let mut groups: Vec<(CallGroup, Tree)> = Vec::new();
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    selected.for_each(|slice| {
        let row = slice.row;
        let is_counted = match question.weight {
            CallWeight::Device => row < trace.executions.len() && !trace.executions.in_pieces.at(row),
            CallWeight::Waits => trace.slices.category(row) == Category::Wait,
            CallWeight::Calls => false,
        };
        let Some(stack) = trace.stack_of_slice(row).filter(|_| is_counted) else { return };
        let process = trace.tracks.process.at(slice.track as usize);
        let (key, by) = match question.by {
            CallGrouping::All => (0, CallGrouping::All),
            CallGrouping::Process | CallGrouping::Thread => (process, CallGrouping::Process),
        };
        let group = *known.entry(key).or_insert_with(|| {
            groups.push((trace.call_group(by, process, slice.track), Tree::default()));
            groups.len() - 1
        });
        let tree = &mut groups[group].1;
        let duration_ns = trace.slices.end(row).min(to).saturating_sub(trace.slices.start.at(row).max(from));
        let mut frames: Vec<FrameRow> = trace.stacks.outwards(stack).map(|(_, frame)| frame).collect();
        frames.reverse();
        let names = frames.iter().map(|frame| (name_of(trace, frame), category_of(frame.kind)));
        let own = (trace.slices.name.at(row), trace.slices.category(row));
        let mut above = None;
        for (name, category) in names.chain([own]) {
            let node = tree.child(above, name, category);
            tree.add(node, duration_ns, false);
            if let Some(above) = above {
                tree.take_from(above, duration_ns);
            }
            above = Some(node);
        }
    });
    Ok(groups)
}

/// The function, else the file of machine code.
fn name_of(trace: &Trace, frame: &FrameRow) -> StringId {
    let function = trace.locations.row(frame.location.index()).function;
    if function == StringId::default() { frame.module } else { function }
}

/// The colour of a frame.
fn category_of(kind: FrameKind) -> Category {
    match kind {
        FrameKind::Program | FrameKind::Python => Category::User,
        FrameKind::Runtime => Category::Call,
        _ => Category::Other,
    }
}
