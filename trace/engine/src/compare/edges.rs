//! Dependences of two traces: an edge is the same if both of its ends are.

use std::collections::BTreeMap;

use syclscope_language::api::Presence;
use syclscope_language::event::{EdgeReason, NodeKind};

use super::matching::Matching;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of named edges of a group.
const MAX_NAMED_EDGES: usize = 20;

/// Edges between commands of two classes with the same difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeGroup {
    pub(super) count: u64,
    /// Rows of the two nodes of the first edges.
    pub(super) nodes: Vec<(u32, u32)>,
}

/// Side, source class, target class and reason, with the new reason if only that differs.
pub(super) type EdgeKind = (Presence, u32, u32, EdgeReason, Option<EdgeReason>);

pub(super) fn changed(traces: [&Trace; 2], matching: &Matching) -> BTreeMap<EdgeKind, EdgeGroup> {
    folded(traces, matching, false)
}

/// Returns all edges; an edge that is equal on both sides has no new reason.
pub(super) fn all(traces: [&Trace; 2], matching: &Matching) -> BTreeMap<EdgeKind, EdgeGroup> {
    folded(traces, matching, true)
}

fn folded(traces: [&Trace; 2], matching: &Matching, has_equal_ones: bool) -> BTreeMap<EdgeKind, EdgeGroup> {
    let mut groups = BTreeMap::new();
    // Edges between matched commands, in the baseline's nodes: source, target, reason.
    let mut both: [Vec<(u32, u32, u8)>; 2] = Default::default();
    for side in 0..2 {
        let mut alone = Vec::new();
        for edge in traces[side].edges.rows.iter() {
            let ends = [edge.source, edge.target];
            let is_command = |node: u32| traces[side].nodes.kind.at(node as usize) != NodeKind::Virtual;
            if !ends.into_iter().all(is_command) {
                continue;
            }
            let partners = ends.map(|node| matching.other_node(side, node));
            match partners {
                [Some(source), Some(target)] => both[side].push(if side == 0 {
                    (edge.source, edge.target, edge.reason as u8)
                } else {
                    (source, target, edge.reason as u8)
                }),
                _ => alone.push((edge.source, edge.target, edge.reason as u8)),
            }
        }
        both[side].sort_unstable();
        both[side].dedup();
        alone.sort_unstable();
        alone.dedup();
        for (source, target, reason) in alone {
            add(&mut groups, matching, (only(side), side), (source, target), (reason, None));
        }
    }
    let [of_a, of_b] = &both;
    let (mut a, mut b) = (of_a.as_slice(), of_b.as_slice());
    while let Some(ends) = a.first().into_iter().chain(b.first()).map(|edge| (edge.0, edge.1)).min() {
        let own = |edges: &[(u32, u32, u8)]| edges.iter().take_while(|edge| (edge.0, edge.1) == ends).count();
        let (reasons_a, reasons_b) = (&a[..own(a)], &b[..own(b)]);
        let alone = |these: &[(u32, u32, u8)], those: &[(u32, u32, u8)]| -> Vec<u8> {
            these.iter().filter(|edge| !those.contains(edge)).map(|edge| edge.2).collect()
        };
        let (only_a, only_b) = (alone(reasons_a, reasons_b), alone(reasons_b, reasons_a));
        if has_equal_ones {
            for edge in reasons_a.iter().filter(|edge| reasons_b.contains(edge)) {
                add(&mut groups, matching, (Presence::Both, 0), ends, (edge.2, None));
            }
        }
        // Pairs a removed with an added reason; the rest are removed or added edges.
        let replaced = only_a.len().min(only_b.len());
        for (old, new) in only_a.iter().zip(&only_b) {
            add(&mut groups, matching, (Presence::Both, 0), ends, (*old, Some(*new)));
        }
        for reason in &only_a[replaced..] {
            add(&mut groups, matching, (only(0), 0), ends, (*reason, None));
        }
        for reason in &only_b[replaced..] {
            let own = [ends.0, ends.1].map(|node| matching.other_node(0, node));
            if let [Some(source), Some(target)] = own {
                add(&mut groups, matching, (only(1), 1), (source, target), (*reason, None));
            }
        }
        (a, b) = (&a[reasons_a.len()..], &b[reasons_b.len()..]);
    }
    groups
}

fn only(side: usize) -> Presence {
    if side == 0 { Presence::OnlyA } else { Presence::OnlyB }
}

/// Adds an edge whose ends are nodes of `side`.
fn add(
    groups: &mut BTreeMap<EdgeKind, EdgeGroup>,
    matching: &Matching,
    (presence, side): (Presence, usize),
    (source, target): (u32, u32),
    (reason, new_reason): (u8, Option<u8>),
) {
    let class = |node: u32| {
        let item = matching.items[side].of_node.get(node as usize).copied().and_then(some)?;
        Some(matching.class(side, item))
    };
    let (Some(from), Some(to)) = (class(source), class(target)) else { return };
    let reason_of = |reason: u8| EdgeReason::ALL.get(usize::from(reason)).copied().unwrap_or_default();
    let kind = (presence, from, to, reason_of(reason), new_reason.map(reason_of));
    let group = groups.entry(kind).or_default();
    group.count += 1;
    if group.nodes.len() < MAX_NAMED_EDGES {
        group.nodes.push((source, target));
    }
}
