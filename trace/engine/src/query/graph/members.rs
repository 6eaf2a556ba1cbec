//! The members of a folded node.

use syclscope_language::api::{GraphMember, GraphMembers};
use syclscope_language::question::MembersQuestion;

use super::super::detail::node_ref;
use super::folding::Folding;
use super::standing::{Run, Standing};
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Number of members in an answer by default, and at most.
const USUAL_COUNT: u64 = 100;
const MAX_COUNT: u64 = 10_000;

impl Trace {
    /// Returns some members of a group of the folded task graph, by time.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown group or node.
    pub fn graph_members(&self, question: &MembersQuestion) -> Result<GraphMembers, QueryError> {
        let folding = Folding::new(self, question.level, question.component)?;
        let members = folding.find(self, question.group)?;
        let standing = Standing::new(self);
        let from = question.from.min(members.len() as u64);
        let count = question.count.unwrap_or(USUAL_COUNT).min(MAX_COUNT);
        let member = |node: &u32| {
            let run = Run::new(self, *node);
            let queue = some(self.nodes.queue.at(*node as usize)).and_then(|queue| self.queues.get(queue));
            GraphMember {
                node: node_ref(self, *node),
                queue: queue.map(|queue| queue.number),
                begin_ns: run.begin_ns,
                duration_ns: run.duration_ns(),
                slack_ns: standing.slack_ns[*node as usize],
                is_critical: standing.is_critical[*node as usize],
            }
        };
        let listed = members.iter().skip(from as usize).take(count as usize).map(member).collect();
        Ok(GraphMembers { count: members.len() as u64, from, members: listed })
    }
}
