//! The dependences of a command, hop by hop.

use rustc_hash::FxHashSet;
use syclscope_language::api::{Dependence, Dependences};
use syclscope_language::question::{DependenceQuestion, Way};

use super::detail::{node_of, slice_ref};
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::graph::EdgeRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

impl Trace {
    /// Returns the predecessors and successors of a slice's command. The cost is linear in the visited edges.
    ///
    /// # Errors
    /// Returns an error if the slice does not exist or belongs to no command.
    pub fn dependences(&self, question: &DependenceQuestion) -> Result<Dependences, QueryError> {
        let slice = question.slice;
        if slice as usize >= self.slices.len() {
            return Err(QueryError::NoSlice(slice));
        }
        let start = node_of(self, slice as usize).ok_or(QueryError::NoCommand(slice))?;
        let mut found = Dependences::default();
        for way in
            [Way::Before, Way::After].into_iter().filter(|way| question.way.is_none_or(|only| only == *way))
        {
            self.walk(start, way, question, &mut found);
        }
        found.edges.arrange_by_key(|edge| edge.hop);
        let beyond = found.edges.len().saturating_sub(question.limit as usize);
        found.edges.truncate(question.limit as usize);
        found.more += beyond as u64;
        Ok(found)
    }

    fn walk(&self, start: u32, way: Way, question: &DependenceQuestion, found: &mut Dependences) {
        // The nearest edges of each way, so that neither takes the other one's place.
        let end = found.edges.len() + question.limit as usize;
        // Every node once, at its least distance.
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        seen.insert(start);
        let mut front = vec![start];
        for hop in 1..=question.hops {
            let mut next = Vec::new();
            for node in front {
                let edges: Vec<EdgeRow> = match way {
                    Way::Before => self.edges.incoming(node).collect(),
                    Way::After => self.edges.outgoing(node).collect(),
                };
                for edge in edges.into_iter().filter(|edge| question.has_reason(edge.reason)) {
                    let other = if way == Way::Before { edge.source } else { edge.target };
                    if seen.insert(other) {
                        next.push(other);
                    }
                    if found.edges.len() < end {
                        found.edges.extend(self.dependence(&edge, way, hop));
                    } else {
                        found.more += 1;
                    }
                }
            }
            if next.is_empty() {
                return;
            }
            front = next;
        }
    }

    /// Returns an edge, if both of its ends can be displayed.
    fn dependence(&self, edge: &EdgeRow, way: Way, hop: u32) -> Option<Dependence> {
        let end = |row: u32| {
            let node = self.nodes.get(row)?;
            let at = slice_ref(self, some(node.execution).or(some(node.submission))?);
            Some((at, self.strings.get(node.name).to_owned()))
        };
        let ((from, from_name), (to, to_name)) = (end(edge.source)?, end(edge.target)?);
        Some(Dependence {
            before: way == Way::Before,
            hop,
            from,
            to,
            from_name,
            to_name,
            reason: edge.reason,
            access_mode: self.strings.get(edge.access_mode).to_owned(),
        })
    }
}
