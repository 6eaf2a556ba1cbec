//! Calls within calls, summed up by name: for flame graphs, and what leads to the calls of a name.

mod idle;
mod memory;
mod samples;
mod stacks;
mod tree;
mod walk;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CallGroup, CallTree, ProcessInfo, Sandwich};
use syclscope_language::event::Category;
use syclscope_language::question::{CallGrouping, CallTreeQuestion, CallWeight, SandwichQuestion};

use self::tree::{Forest, Pruned, Tree};
use self::walk::{Visit, threads, walk};
use super::select::SelectedSlices;
use super::stacks::Function;
use crate::id::StringId;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

impl Trace {
    /// Returns the calls of a selection by caller.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track.
    pub fn call_tree(&self, question: &CallTreeQuestion) -> Result<CallTree, QueryError> {
        let groups = match question.weight {
            CallWeight::Calls => self.calls_by_caller(question)?,
            CallWeight::Device | CallWeight::Waits => stacks::trees(self, question)?,
            CallWeight::Idle => idle::trees(self, question)?,
            CallWeight::Samples => samples::trees(self, question)?,
            CallWeight::Allocated | CallWeight::Peak => memory::trees(self, question)?,
        };
        let tree = self.call_tree_of(groups, question.limit);
        Ok(if question.weight.is_bytes() { memory::in_bytes(tree) } else { tree })
    }

    fn calls_by_caller(&self, question: &CallTreeQuestion) -> Result<Vec<(CallGroup, Tree)>, QueryError> {
        let mut selected = SelectedSlices::new(self, &question.selection)?;
        let mut groups: Vec<(CallGroup, Tree)> = Vec::new();
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for thread in threads(&selected) {
            let key = match question.by {
                CallGrouping::All => 0,
                CallGrouping::Process => thread.process,
                CallGrouping::Thread => thread.track,
            };
            let group = *known.entry(key).or_insert_with(|| {
                groups.push((self.call_group(question.by, thread.process, thread.track), Tree::default()));
                groups.len() - 1
            });
            let (group, tree) = &mut groups[group];
            let before = tree.total();
            walk(&mut selected, &thread, |visit: Visit<'_, u32>| {
                let node =
                    tree.child(visit.above.last().copied(), Function::Name(visit.name), visit.category);
                tree.add(node, visit.duration_ns, visit.is_error);
                if let Some(above) = visit.above.last() {
                    tree.take_from(*above, visit.duration_ns);
                }
                node
            });
            group.threads += u64::from(tree.total() > before);
        }
        Ok(groups)
    }

    fn call_tree_of(&self, mut groups: Vec<(CallGroup, Tree)>, limit: u32) -> CallTree {
        groups.retain(|(_, tree)| !tree.is_empty());
        for (group, tree) in &mut groups {
            group.total_ns = tree.total();
        }
        groups.arrange_by(|(a, _), (b, _)| {
            (b.total_ns, a.process, a.track).cmp(&(a.total_ns, b.process, b.track))
        });
        let trees: Vec<&Tree> = groups.iter().map(|(_, tree)| tree).collect();
        let Pruned { trees, names, left_out } = Forest::new(self, &trees).prune(limit as usize);
        let groups = groups.into_iter().zip(trees).map(|((group, _), nodes)| CallGroup { nodes, ..group });
        CallTree { groups: groups.collect(), names, left_out }
    }

    fn call_group(&self, by: CallGrouping, process: u32, track: u32) -> CallGroup {
        let (name, track, process) = match by {
            CallGrouping::All => (String::new(), None, None),
            CallGrouping::Process => {
                let name = self.processes.get(process as usize).map(ProcessInfo::ranked_name);
                (name.unwrap_or_default(), None, Some(process))
            }
            CallGrouping::Thread => {
                let name = self.tracks.get(track).map_or("", |track| self.strings.get(track.name));
                (name.to_owned(), Some(track), Some(process))
            }
        };
        CallGroup { name, track, process, ..CallGroup::default() }
    }

    /// Callers and callees of the calls of a name. Of calls within calls of the same name only the outermost one's time
    /// counts.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track.
    pub fn sandwich(&self, question: &SandwichQuestion) -> Result<Sandwich, QueryError> {
        let mut selected = SelectedSlices::new(self, &question.selection)?;
        let (mut callers, mut callees) = (Tree::default(), Tree::default());
        let mut answer = Sandwich::default();
        for thread in threads(&selected) {
            walk(&mut selected, &thread, |visit: Visit<'_, Frame>| {
                let is_it = self.strings.get(visit.name) == question.name;
                let outer = visit.above.last().and_then(|frame| frame.callee);
                let frame = |callee| Frame { name: visit.name, category: visit.category, is_it, callee };
                if visit.above.last().is_some_and(|frame| frame.is_it) {
                    answer.self_ns = answer.self_ns.saturating_sub(visit.duration_ns);
                }
                if is_it {
                    answer.count += 1;
                    answer.self_ns = answer.self_ns.saturating_add(visit.duration_ns);
                }
                if outer.is_none() && !is_it {
                    return frame(None);
                }
                if outer.is_none() {
                    answer.total_ns = answer.total_ns.saturating_add(visit.duration_ns);
                    let mut node = callers.child(None, Function::Name(visit.name), visit.category);
                    callers.add(node, visit.duration_ns, visit.is_error);
                    for above in visit.above.iter().rev() {
                        callers.take_from(node, visit.duration_ns);
                        node = callers.child(Some(node), Function::Name(above.name), above.category);
                        callers.add(node, visit.duration_ns, visit.is_error);
                    }
                }
                let node = callees.child(outer, Function::Name(visit.name), visit.category);
                callees.add(node, visit.duration_ns, visit.is_error);
                if let Some(outer) = outer {
                    callees.take_from(outer, visit.duration_ns);
                }
                frame(Some(node))
            });
        }
        let limit = question.limit as usize;
        let callers = Forest::new(self, &[&callers]).prune(limit);
        let mut both = Forest::new(self, &[&callees]);
        both.names = callers.names;
        let mut callees = both.prune(limit);
        answer.callers = callers.trees.into_iter().flatten().collect();
        answer.callees = std::mem::take(&mut callees.trees).into_iter().flatten().collect();
        answer.names = callees.names;
        answer.left_out = callers.left_out + callees.left_out;
        Ok(answer)
    }
}

#[derive(Clone, Copy)]
struct Frame {
    name: StringId,
    category: Category,
    /// It has the name asked for.
    is_it: bool,
    /// Its node among what the calls of that name lead to.
    callee: Option<u32>,
}
