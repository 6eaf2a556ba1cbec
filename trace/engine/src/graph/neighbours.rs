//! Predecessors and successors of nodes without the runtime's placeholders between them.

use syclscope_language::event::NodeKind;

use crate::store::Trace;

/// Maximum number of skipped placeholders: in a file they may form a cycle.
const MAX_PLACEHOLDERS: usize = 256;

/// Returns a node's predecessors or successors, skipping placeholders.
pub(super) fn real_neighbours(trace: &Trace, node: u32, upstream: bool) -> impl Iterator<Item = u32> {
    let mut found = Vec::new();
    let (mut next, mut passed) = (vec![node], 0);
    while let Some(node) = next.pop() {
        let edges: Vec<u32> = if upstream {
            trace.edges.incoming(node).map(|edge| edge.source).collect()
        } else {
            trace.edges.outgoing(node).map(|edge| edge.target).collect()
        };
        for other in edges {
            match trace.nodes.kind.at(other as usize) {
                NodeKind::Virtual if passed < MAX_PLACEHOLDERS => {
                    passed += 1;
                    next.push(other);
                }
                _ => found.push(other),
            }
        }
    }
    found.into_iter()
}
