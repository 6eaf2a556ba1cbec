//! Groups of calls, each with a tree: one for everything, for each process, or for each thread.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{CallGroup, CallTree, ProcessInfo};
use syclscope_language::question::CallGrouping;

use super::tree::{Forest, Pruned, Tree};
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

pub(super) struct Groups<'t> {
    trace: &'t Trace,
    by: CallGrouping,
    groups: Vec<(CallGroup, Tree)>,
    /// Index of each group by process and track.
    indices: FxHashMap<(Option<u32>, Option<u32>), usize>,
    /// Counted threads of each group.
    threads: FxHashSet<(usize, u32)>,
}

impl<'t> Groups<'t> {
    pub(super) fn new(trace: &'t Trace, by: CallGrouping) -> Self {
        Self { trace, by, groups: Vec::new(), indices: FxHashMap::default(), threads: FxHashSet::default() }
    }

    /// Returns the tree of a thread's group, and counts the thread there.
    pub(super) fn of_thread(&mut self, track: u32) -> &mut Tree {
        let index = self.index(track, true);
        let is_new = self.threads.insert((index, track));
        let (group, tree) = &mut self.groups[index];
        group.threads += u64::from(is_new);
        tree
    }

    /// Returns the tree of the group of a track without a thread: of its process, if threads have trees of their own.
    pub(super) fn of_track(&mut self, track: u32) -> &mut Tree {
        let index = self.index(track, false);
        &mut self.groups[index].1
    }

    /// Fills the tree of a thread's group. Counts the thread if `fill` adds time.
    pub(super) fn fill(&mut self, track: u32, fill: impl FnOnce(&mut Tree)) {
        let index = self.index(track, true);
        let (group, tree) = &mut self.groups[index];
        let before = tree.total();
        fill(tree);
        group.threads += u64::from(tree.total() > before);
    }

    fn index(&mut self, track: u32, is_thread: bool) -> usize {
        let process = self.trace.tracks.process.at(track as usize);
        let key = match self.by {
            CallGrouping::All => (None, None),
            CallGrouping::Thread if is_thread => (Some(process), Some(track)),
            CallGrouping::Process | CallGrouping::Thread => (Some(process), None),
        };
        *self.indices.entry(key).or_insert_with(|| {
            self.groups.push((group(self.trace, key), Tree::default()));
            self.groups.len() - 1
        })
    }

    /// Returns the groups that have calls, most time first, with at most `limit` nodes.
    pub(super) fn call_tree(self, limit: u32) -> CallTree {
        let Self { trace, mut groups, .. } = self;
        groups.retain(|(_, tree)| !tree.is_empty());
        for (group, tree) in &mut groups {
            group.total_ns = tree.total();
        }
        groups.arrange_by(|(a, _), (b, _)| {
            (b.total_ns, a.process, a.track).cmp(&(a.total_ns, b.process, b.track))
        });
        let trees: Vec<&Tree> = groups.iter().map(|(_, tree)| tree).collect();
        let Pruned { trees, names, left_out } = Forest::new(trace, &trees).prune(limit as usize);
        let groups = groups.into_iter().zip(trees).map(|((group, _), nodes)| CallGroup { nodes, ..group });
        CallTree { groups: groups.collect(), names, left_out }
    }
}

fn group(trace: &Trace, (process, track): (Option<u32>, Option<u32>)) -> CallGroup {
    let name = match (process, track) {
        (_, Some(track)) => trace.tracks.get(track).map(|track| trace.strings.get(track.name).to_owned()),
        (Some(process), None) => trace.processes.get(process as usize).map(ProcessInfo::ranked_name),
        (None, None) => None,
    };
    CallGroup { name: name.unwrap_or_default(), track, process, ..CallGroup::default() }
}
