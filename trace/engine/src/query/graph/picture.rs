//! Drawing of the shown part of a folded graph.

use std::collections::VecDeque;

use syclscope_language::question::Size;

use crate::graph::Links;
use crate::graph::groups::Groups;
use crate::graph::layout::{Layout, Plan, Spot};

/// A kept edge. Its row in the table of edges is `NONE` if it only follows from a queue's order.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownEdge {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) row: u32,
    pub(super) is_redundant: bool,
}

pub(super) struct Frame<'f> {
    pub(super) edges: &'f [ShownEdge],
    /// True if a group may be shown, by its first member.
    pub(super) is_wanted: &'f dyn Fn(u32) -> bool,
    /// The node in the middle, and the maximum number of edges from it to a shown node.
    pub(super) around: Option<(u32, u32)>,
    pub(super) limit: usize,
    /// Region of a group, by its members.
    pub(super) region: &'f dyn Fn(&[u32]) -> Option<u64>,
    pub(super) size: &'f dyn Fn(&[u32]) -> Size,
}

pub(super) struct Picture {
    /// Shown groups, by time.
    pub(super) shown: Vec<u32>,
    /// Number of wanted groups beyond the limit.
    pub(super) beyond: usize,
    /// Folded edges: positions in `shown` of source and target, and the range of their own edges in `members`.
    pub(super) edges: Vec<(u32, u32, std::ops::Range<usize>)>,
    /// Indices of kept edges.
    pub(super) members: Vec<u32>,
    /// For each shown group, the number of edges to groups that are not shown.
    pub(super) hidden: Vec<u64>,
    pub(super) hidden_edges: u64,
    pub(super) sizes: Vec<Size>,
    pub(super) layout: Layout,
}

impl Picture {
    /// Draws groups. The spots of `before`, the previous drawing, are hints.
    pub(super) fn new(frame: &Frame<'_>, groups: &Groups, before: Option<(&Groups, &Picture)>) -> Self {
        let (shown, beyond) = choose(frame, groups);
        let mut position = vec![u32::MAX; groups.len()];
        for (at, group) in shown.iter().enumerate() {
            position[*group as usize] = at as u32;
        }
        let at = |node: u32| {
            groups
                .of_node(node)
                .map(|group| position[group as usize])
                .filter(|position| *position != u32::MAX)
        };
        let mut hidden = vec![0; shown.len()];
        let mut hidden_edges = 0;
        let mut pairs: Vec<(u32, u32, u32)> = Vec::new();
        for (number, edge) in frame.edges.iter().enumerate() {
            match (at(edge.source), at(edge.target)) {
                (Some(source), Some(target)) => pairs.push((source, target, number as u32)),
                (Some(end), None) | (None, Some(end)) => {
                    hidden[end as usize] += 1;
                    hidden_edges += 1;
                }
                (None, None) => {}
            }
        }
        pairs.sort_unstable();
        let mut edges = Vec::new();
        let mut start = 0;
        for same in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            edges.push((same[0].0, same[0].1, start..start + same.len()));
            start += same.len();
        }
        let links: Vec<(u32, u32)> = edges.iter().map(|(source, target, _)| (*source, *target)).collect();
        let sizes: Vec<Size> = shown.iter().map(|group| (frame.size)(groups.members(*group))).collect();
        let hints = before.map(|(old, picture)| hints(&shown, groups, old, picture)).unwrap_or_default();
        let together: Vec<Option<u64>> =
            shown.iter().map(|group| (frame.region)(groups.members(*group))).collect();
        let layout = Layout::new(&Plan { sizes: &sizes, links: &links, before: &hints, together: &together });
        let members = pairs.into_iter().map(|(_, _, number)| number).collect();
        Self { shown, beyond, edges, members, hidden, hidden_edges, sizes, layout }
    }
}

/// Returns the spot of each shown group, or of the group that contained it, in the previous drawing.
fn hints(shown: &[u32], groups: &Groups, old: &Groups, picture: &Picture) -> Vec<Option<Spot>> {
    let mut spots = vec![None; old.len()];
    for (group, spot) in picture.shown.iter().zip(&picture.layout.spots) {
        spots[*group as usize] = Some(*spot);
    }
    let spot = |group: &u32| spots[old.of_node(*groups.members(*group).first()?)? as usize];
    shown.iter().map(spot).collect()
}

/// Returns the shown groups, by time, and the number of wanted ones beyond the limit.
fn choose(frame: &Frame<'_>, groups: &Groups) -> (Vec<u32>, usize) {
    let is_wanted = |group: u32| groups.members(group).first().is_some_and(|node| (frame.is_wanted)(*node));
    let Some((middle, width)) = frame.around else {
        let mut wanted = (0..groups.len() as u32).filter(|group| is_wanted(*group));
        let shown: Vec<u32> = wanted.by_ref().take(frame.limit).collect();
        return (shown, wanted.count());
    };
    let Some(middle) = groups.of_node(middle) else { return (Vec::new(), 0) };
    let ends = |edge: &ShownEdge| groups.of_node(edge.source).zip(groups.of_node(edge.target));
    let mut pairs: Vec<(u32, u32)> = frame.edges.iter().filter_map(ends).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let links = Links::new(groups.len(), pairs);
    let mut distance = vec![u32::MAX; groups.len()];
    distance[middle as usize] = 0;
    let mut next = VecDeque::from([middle]);
    let mut near = Vec::new();
    while let Some(group) = next.pop_front() {
        near.push(group);
        if distance[group as usize] == width {
            continue;
        }
        for other in links.sources(group).chain(links.targets(group)) {
            if distance[other as usize] == u32::MAX && is_wanted(other) {
                distance[other as usize] = distance[group as usize] + 1;
                next.push_back(other);
            }
        }
    }
    // The nearest groups are shown, up to the limit.
    let beyond = near.len().saturating_sub(frame.limit);
    near.truncate(frame.limit);
    near.sort_unstable();
    (near, beyond)
}
