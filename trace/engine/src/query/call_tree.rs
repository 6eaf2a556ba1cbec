//! Nested calls, summed up by name: trees for flame graphs, and the callers and callees of a name.

mod groups;
mod idle;
mod memory;
mod samples;
mod stacks;
mod tree;
mod walk;

use syclscope_language::api::{CallTree, Sandwich};
use syclscope_language::event::Category;
use syclscope_language::question::{CallTreeQuestion, CallWeight, SandwichQuestion};

use self::groups::Groups;
use self::tree::{Forest, Tree};
use self::walk::{Visit, threads, walk};
use super::select::SelectedSlices;
use super::stacks::Function;
use crate::id::StringId;
use crate::query::QueryError;
use crate::store::Trace;

impl Trace {
    /// Returns the calls of a selection by caller.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
    pub fn call_tree(&self, question: &CallTreeQuestion) -> Result<CallTree, QueryError> {
        let groups = match question.weight {
            CallWeight::Calls => self.calls_by_caller(question)?,
            CallWeight::Device | CallWeight::Waits => stacks::trees(self, question)?,
            CallWeight::Idle => idle::trees(self, question)?,
            CallWeight::Samples => samples::trees(self, question)?,
            CallWeight::Allocated | CallWeight::Peak => memory::trees(self, question)?,
        };
        let tree = groups.call_tree(question.limit);
        Ok(if question.weight.is_bytes() { memory::in_bytes(tree) } else { tree })
    }

    fn calls_by_caller(&self, question: &CallTreeQuestion) -> Result<Groups<'_>, QueryError> {
        let mut selected = SelectedSlices::new(self, &question.selection)?;
        let mut groups = Groups::new(self, question.by);
        for thread in threads(&selected) {
            groups.fill(thread.track, |tree| {
                walk(&mut selected, &thread, |visit: Visit<'_, u32>| {
                    let above = visit.above.last().copied();
                    let node = tree.child(above, Function::Name(visit.name), visit.category);
                    tree.add(node, visit.duration_ns, visit.is_error);
                    if let Some(above) = above {
                        tree.take_from(above, visit.duration_ns);
                    }
                    node
                });
            });
        }
        Ok(groups)
    }

    /// Returns the callers and callees of the calls of a name. Of nested calls of that name, only the outermost one's
    /// time counts.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
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
    /// True if it has the queried name.
    is_it: bool,
    /// Its node in the tree of callees.
    callee: Option<u32>,
}
