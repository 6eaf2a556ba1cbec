//! Idle time of devices by the call stack of what the host did meanwhile.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{CallGroup, GapClass};
use syclscope_language::event::Category;
use syclscope_language::question::{CallGrouping, CallTreeQuestion};

use super::tree::Tree;
use crate::cancel;
use crate::graph::path::each_call;
use crate::id::some;
use crate::query::gaps::{Idle, IdleCause};
use crate::query::stacks::Function;
use crate::query::{BuildTimes, QueryError, select};
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the trees of idle time: at the top the frames of waits, calls and submissions that the next command waited
/// for, and where these have none, or nothing is known, the class of the idle time.
pub(super) fn trees(
    trace: &Trace,
    question: &CallTreeQuestion,
) -> Result<Vec<(CallGroup, Tree)>, QueryError> {
    let selection = &question.selection;
    let range = selection.from_ns.unwrap_or_default()..selection.to_ns.unwrap_or(u64::MAX);
    let selected = select::tracks(trace, selection.tracks.as_deref())?;
    let mut trees = IdleTrees {
        trace,
        by: question.by,
        builds: BuildTimes::new(trace),
        groups: Vec::new(),
        groups_by_key: FxHashMap::default(),
        threads: FxHashSet::default(),
    };
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
    by: CallGrouping,
    builds: BuildTimes,
    groups: Vec<(CallGroup, Tree)>,
    groups_by_key: FxHashMap<u32, usize>,
    threads: FxHashSet<(usize, u32)>,
}

impl IdleTrees<'_> {
    fn add(&mut self, Idle { device, ns, cause }: Idle) {
        let trace = self.trace;
        match cause {
            IdleCause::Thread(track, range) => self.add_thread(track, range),
            IdleCause::Slice(slice) => {
                let track = trace.tracks.of_lane(trace.slices.lane_of(slice as usize)) as u32;
                let tree = self.tree(track, trace.blocking().of_slice(slice).is_some());
                add_slice(trace, tree, slice as usize, slice as usize, ns);
            }
            IdleCause::Command(node, class) => {
                let stack = trace.stack_of_args(trace.nodes.args.at(node as usize));
                self.tree(device, false).add_stack(
                    trace,
                    stack,
                    Some((Function::Idle(class), Category::Other)),
                    ns,
                );
            }
            IdleCause::Other(class) => add_class(trace, self.tree(device, false), class, ns),
        }
    }

    /// Adds the calls and submissions of a thread in a range, with builds apart, and what lies between them.
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
            let tree = self.tree(track, true);
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
            add_host(trace, self.tree(track, true), track, at..range.end);
        }
    }

    fn tree(&mut self, track: u32, is_thread: bool) -> &mut Tree {
        let trace = self.trace;
        let process = trace.tracks.process.at(track as usize);
        let (key, by) = match self.by {
            CallGrouping::All => (0, CallGrouping::All),
            CallGrouping::Thread if is_thread => (track, CallGrouping::Thread),
            CallGrouping::Process | CallGrouping::Thread => (process, CallGrouping::Process),
        };
        let by_track = by == CallGrouping::Thread;
        let group = *self
            .groups_by_key
            .entry(key + u32::from(by_track) * trace.tracks.len() as u32)
            .or_insert_with(|| {
                self.groups.push((trace.call_group(by, process, track), Tree::default()));
                self.groups.len() - 1
            });
        let is_new = is_thread && self.threads.insert((group, track));
        let (of, tree) = &mut self.groups[group];
        of.threads += u64::from(is_new);
        tree
    }
}

/// Adds time of a slice below the frames of `at`, its own or that of the submission that it is in.
fn add_slice(trace: &Trace, tree: &mut Tree, at: usize, slice: usize, ns: u64) {
    if ns == 0 {
        return;
    }
    let own = (Function::Name(trace.slices.name.at(slice)), trace.slices.category(slice));
    tree.add_stack(trace, trace.stack_of_slice(at), Some(own), ns);
}

/// Adds time between calls: to the functions that samples show in it, each sample the same part.
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
