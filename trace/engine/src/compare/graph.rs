//! Both task graphs as one drawing: a node for each row, and the changes of the dependences between rows.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;

use syclscope_language::api::{
    ComparedEdge, ComparedGraph, ComparedNode, ComparedReason, ComparedRow, Presence, RowSide,
};
use syclscope_language::question::Size;

use super::{Comparing, edges};
use crate::graph::Links;
use crate::graph::layout::{Layout, Plan};
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of drawn nodes: in a larger graph, differences are hard to find.
const MAX_LIMIT: usize = 200;
/// Size of a node, large enough for a name and its verdict.
const SIZE: Size = Size { width: 196, height: 46 };

type Pairs = BTreeMap<(u32, u32), Vec<ComparedReason>>;

impl<T: Deref<Target = Trace>> Comparing<T> {
    /// Returns both task graphs as one, each row a node. The nodes are the rows within `width` dependences of `around`;
    /// without `around`, the changed rows, their neighbours and then the others. Walks the edges of both sides once.
    pub fn graph(&self, around: Option<u32>, width: u32, limit: usize) -> ComparedGraph {
        let pairs = self.pairs();
        let mut shown = match around {
            Some(row) => self.near(&pairs, row, width),
            None => self.ranked(&pairs),
        };
        let limit = limit.min(MAX_LIMIT);
        let more_nodes = shown.len().saturating_sub(limit) as u64;
        shown.truncate(limit);
        shown.arrange_by_key(|row| (first_ns(&self.rows.list[*row as usize]), *row));
        let place = |row: u32| shown.iter().position(|known| *known == row).map(|place| place as u32);
        let mut edges = Vec::new();
        let mut more_edges = 0;
        for ((source, target), reasons) in pairs {
            match (place(source), place(target)) {
                (Some(source), Some(target)) => {
                    edges.push(ComparedEdge { source, target, reasons, points: Vec::new() });
                }
                _ => more_edges += reasons.iter().map(|reason| reason.count).sum::<u64>(),
            }
        }
        let links: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.source, edge.target)).collect();
        let sizes = vec![SIZE; shown.len()];
        let layout = Layout::new(&Plan { sizes: &sizes, links: &links, before: &[], together: &[] });
        for (edge, route) in edges.iter_mut().zip(&layout.routes) {
            edge.points = route.iter().flat_map(|point| [point.x, point.y]).collect();
        }
        let nodes = shown.iter().zip(&layout.spots).map(|(row, spot)| ComparedNode {
            x: spot.middle.x,
            y: spot.middle.y,
            ..node(&self.rows.list[*row as usize])
        });
        ComparedGraph {
            nodes: nodes.collect(),
            edges,
            node_width: SIZE.width,
            node_height: SIZE.height,
            width: layout.size.width,
            height: layout.size.height,
            more_nodes,
            more_edges,
        }
    }

    fn pairs(&self) -> Pairs {
        let mut pairs = Pairs::new();
        for ((presence, source, target, reason, new_reason), group) in
            edges::all(self.traces(), &self.matching)
        {
            let ends = [source, target].map(|class| self.rows.of_class[class as usize]);
            let count = group.count;
            pairs.entry((ends[0], ends[1])).or_default().push(ComparedReason {
                presence,
                reason,
                new_reason,
                count,
            });
        }
        pairs
    }

    /// Returns all rows of commands: changed ones, then their neighbours, then the others; each group by importance for
    /// the run's time.
    fn ranked(&self, pairs: &Pairs) -> Vec<u32> {
        let is_command = |row: &&ComparedRow| row.a.iter().chain(&row.b).any(|side| !side.nodes.is_empty());
        let rows = &self.rows.list;
        let mut rank: Vec<u8> =
            rows.iter().map(|row| if row.presence == Presence::Both { 2 } else { 0 }).collect();
        for ((source, target), reasons) in pairs {
            if reasons.iter().any(ComparedReason::is_changed) {
                [source, target].into_iter().for_each(|row| rank[*row as usize] = 0);
            }
        }
        for (source, target) in pairs.keys() {
            let ends = [*source as usize, *target as usize];
            if ends.iter().any(|row| rank[*row] == 0) {
                ends.into_iter().for_each(|row| rank[row] = rank[row].min(1));
            }
        }
        let mut ranked: Vec<u32> = rows.iter().filter(is_command).map(|row| row.row).collect();
        ranked.arrange_by_key(|row| (rank[*row as usize], *row));
        ranked
    }

    /// Returns the rows within `width` dependences of a row, the nearest first.
    fn near(&self, pairs: &Pairs, middle: u32, width: u32) -> Vec<u32> {
        let count = self.rows.list.len();
        if middle as usize >= count {
            return Vec::new();
        }
        let links = Links::new(count, pairs.keys().copied().collect());
        let mut distance = vec![u32::MAX; count];
        distance[middle as usize] = 0;
        let mut next = VecDeque::from([middle]);
        let mut near = Vec::new();
        while let Some(row) = next.pop_front() {
            near.push(row);
            if distance[row as usize] == width {
                continue;
            }
            for other in links.sources(row).chain(links.targets(row)) {
                if distance[other as usize] == u32::MAX {
                    distance[other as usize] = distance[row as usize] + 1;
                    next.push_back(other);
                }
            }
        }
        near
    }
}

fn node(row: &ComparedRow) -> ComparedNode {
    let count = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.count);
    let named = row.b.as_ref().or(row.a.as_ref());
    ComparedNode {
        row: row.row,
        presence: row.presence,
        verdict: row.time.verdict,
        ratio: row.time.ratio,
        name: named.map(RowSide::title).unwrap_or_default(),
        kind: named.map(|side| side.kind).unwrap_or_default(),
        a_count: count(&row.a),
        b_count: count(&row.b),
        a_node: first_node(&row.a),
        b_node: first_node(&row.b),
        x: 0,
        y: 0,
    }
}

fn first_node(side: &Option<RowSide>) -> Option<u64> {
    side.as_ref().and_then(|side| side.nodes.first().copied())
}

/// Returns the start of a row's first command: in the candidate, if it ran there.
fn first_ns(row: &ComparedRow) -> u64 {
    let at = |side: &Option<RowSide>| side.as_ref().and_then(|side| side.at);
    at(&row.b).or_else(|| at(&row.a)).map_or(u64::MAX, |at| at.start_ns)
}
