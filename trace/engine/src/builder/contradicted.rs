//! Dependences that the times of their commands contradict: a race between notifications can turn an edge around.

use crate::id::some;
use crate::store::cycles;
use crate::store::graph::{EdgeTable, NodeRow};
use crate::store::slices::Slices;
use crate::store::table::Table as _;

/// Removes the edges whose source started after their target had ended, and the edges that close a cycle against the
/// order in which the commands ran. Returns the remaining edges, which have no cycle, and the number of removed ones.
pub(super) fn without_contradicted(
    edges: EdgeTable,
    nodes: &[NodeRow],
    slices: &Slices,
) -> (EdgeTable, usize) {
    let ran = |node: u32| {
        let slice = some(nodes[node as usize].execution)? as usize;
        Some(slices.interval(slice))
    };
    let is_contradicted = |(source, target): (u32, u32)| match (ran(source), ran(target)) {
        (Some((begin, end)), Some((_, over))) => begin >= over && end > over,
        _ => false,
    };
    let ends = || edges.source.iter().zip(edges.target.iter());
    let created = |node: u32| (nodes[node as usize].created, node);
    let is_backward = |(source, target): (u32, u32)| created(source) >= created(target);
    let mut removed: Vec<bool> = ends().map(is_contradicted).collect();
    // Edges that all point forward in one order form no cycle.
    if ends().zip(&removed).any(|(ends, removed)| !removed && is_backward(ends)) {
        let left: Vec<usize> = (0..edges.len()).filter(|row| !removed[*row]).collect();
        let pairs: Vec<_> = left.iter().map(|row| (edges.source.at(*row), edges.target.at(*row))).collect();
        let began = |node: u32| ran(node).map_or(nodes[node as usize].created, |(begin, _)| begin);
        let against = cycles::against_order(nodes.len(), &pairs, |node| (began(node), created(node)));
        for (row, is_against) in left.into_iter().zip(against) {
            removed[row] |= is_against;
        }
    }
    let count = removed.iter().filter(|removed| **removed).count();
    if count == 0 {
        return (edges, 0);
    }
    let mut left = EdgeTable::default();
    for (row, _) in edges.iter().zip(&removed).filter(|(_, removed)| !**removed) {
        left.push(&row);
    }
    (left, count)
}
