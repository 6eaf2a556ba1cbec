//! Idle time of devices, by the call stack of the host at that time.

use std::ops::Range;

use syclscope_language::api::GapClass;
use syclscope_language::event::Category;
use syclscope_language::question::CallTreeQuestion;

use super::groups::Groups;
use super::tree::Tree;
use crate::cancel;
use crate::graph::path::each_call;
use crate::id::some;
use crate::query::gaps::{Idle, IdleCause};
use crate::query::stacks::Function;
use crate::query::{BuildTimes, QueryError, select};
use crate::store::Trace;

/// Returns the trees of idle time: the frames of the waits, calls, submissions and commands that caused it, the
/// outermost one at the top. Below them is the slice's name or, without a slice, the class of the idle time.
pub(super) fn trees<'t>(trace: &'t Trace, question: &CallTreeQuestion) -> Result<Groups<'t>, QueryError> {
    let selection = &question.selection;
    let range = selection.from_ns.unwrap_or_default()..selection.to_ns.unwrap_or(u64::MAX);
    let selected = select::tracks(trace, selection.tracks.as_deref())?;
    let groups = Groups::new(trace, question.by);
    let mut trees = IdleTrees { trace, builds: BuildTimes::new(trace), groups };
    for idle in trace.idle_by_cause(&range)? {
        cancel::spend(1);
        if selected.get(idle.device as usize) == Some(&true) {
            trees.add(idle);
        }
    }
    Ok(trees.groups)
}

struct IdleTrees<'t> {
    trace: &'t Trace,
    builds: BuildTimes,
    groups: Groups<'t>,
}

impl IdleTrees<'_> {
    fn add(&mut self, Idle { device, ns, cause }: Idle) {
        let trace = self.trace;
        match cause {
            IdleCause::Thread(track, range) => self.add_thread(track, range),
            IdleCause::Slice(slice) => {
                let track = trace.tracks.of_lane(trace.slices.lane_of(slice as usize)) as u32;
                let is_thread = trace.blocking().of_slice(slice).is_some();
                let groups = &mut self.groups;
                let tree = if is_thread { groups.of_thread(track) } else { groups.of_track(track) };
                add_slice(trace, tree, slice as usize, slice as usize, ns);
            }
            IdleCause::Command(node, class) => {
                let stack = trace.stack_of_args(trace.nodes.args.at(node as usize));
                let own = Some((Function::Idle(class), Category::Other));
                self.groups.of_track(device).add_stack(trace, stack, own, ns);
            }
            IdleCause::Other(class) => add_class(trace, self.groups.of_track(device), class, ns),
        }
    }

    /// Adds the calls and submissions of a thread in a range, with separate builds, and the time between them.
    fn add_thread(&mut self, track: u32, range: Range<u64>) {
        let trace = self.trace;
        let mut parts: Vec<(usize, Range<u64>)> = Vec::new();
        each_call(trace, track, range.clone(), |slice, part| parts.push((slice, part)));
        let mut at = range.start;
        for (slice, part) in parts {
            let builds: Vec<_> = match trace.slices.category(slice) {
                Category::Submission => self.builds.calls(track, part.clone()).collect(),
                _ => Vec::new(),
            };
            let tree = self.groups.of_thread(track);
            if part.start > at {
                add_host(trace, tree, track, at..part.start);
            }
            at = at.max(part.start);
            for (built, row) in builds {
                add_slice(trace, tree, slice, slice, built.start.saturating_sub(at));
                add_slice(trace, tree, slice, row, built.end.saturating_sub(built.start.max(at)));
                at = at.max(built.end);
            }
            add_slice(trace, tree, slice, slice, part.end.saturating_sub(at));
            at = at.max(part.end);
        }
        if range.end > at {
            add_host(trace, self.groups.of_thread(track), track, at..range.end);
        }
    }
}

/// Adds time of a slice below the frames of `at`, which is the slice itself or the submission around it.
fn add_slice(trace: &Trace, tree: &mut Tree, at: usize, slice: usize, ns: u64) {
    if ns == 0 {
        return;
    }
    let own = (Function::Name(trace.slices.name.at(slice)), trace.slices.category(slice));
    tree.add_stack(trace, trace.stack_of_slice(at), Some(own), ns);
}

/// Adds time between calls to the functions that samples show. Each sample gets an equal share.
fn add_host(trace: &Trace, tree: &mut Tree, track: u32, range: Range<u64>) {
    let rows: Vec<usize> = trace.samples.rows(track, &range).collect();
    cancel::spend(rows.len());
    let mut left = range.end - range.start;
    for (number, row) in rows.iter().enumerate() {
        let ns = left / (rows.len() - number) as u64;
        left -= ns;
        let own = trace.samples.is_blocked.at(*row).then(|| trace.samples.system_call.at(*row));
        let own = own.map(|call| (Function::Blocked(call), Category::Wait));
        match some(trace.samples.stack.at(*row)) {
            Some(stack) => tree.add_stack(trace, Some(stack), own, ns),
            None if own.is_some() => tree.add_stack(trace, None, own, ns),
            None => add_class(trace, tree, GapClass::Host, ns),
        }
    }
    if rows.is_empty() {
        add_class(trace, tree, GapClass::Host, left);
    }
}

fn add_class(trace: &Trace, tree: &mut Tree, class: GapClass, ns: u64) {
    tree.add_stack(trace, None, Some((Function::Idle(class), Category::Other)), ns);
}
