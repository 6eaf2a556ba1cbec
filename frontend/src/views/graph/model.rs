//! A drawing with its indices.

mod making;

pub use making::ModelBuilder;

use syclscope_language::api::{GraphView, ViewEdge, ViewFrame, ViewNode};
use syclscope_language::event::{EdgeReason, NodeKind};
use syclscope_language::question::GroupName;

use crate::canvas::draw_list::Rect;
use crate::views::graph::grid::Grid;
use crate::views::graph::state::RedundantEdges;

#[derive(Clone, Debug, Default)]
pub struct Model {
    pub view: GraphView,
    /// Number of edges by reason, in the order of reasons.
    pub reasons: Vec<(EdgeReason, u64)>,
    /// Number of commands by kind, in the order of kinds.
    pub kinds: Vec<(NodeKind, u64)>,
    /// Number of redundant edges, if the query marked them.
    pub redundant: u64,
    /// Number of commands, folded ones counted individually, without the runtime's placeholders.
    pub commands: u64,
    nodes_at: Grid,
    edges_at: Grid,
    by_name: Vec<(GroupName, u32)>,
    incoming: Ends,
    outgoing: Ends,
}

#[derive(Clone, Debug, Default)]
struct Ends {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Ends {
    fn new(nodes: usize, edges: &[ViewEdge], end: impl Fn(&ViewEdge) -> u32) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for edge in edges {
            starts[end(edge) as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0; edges.len()]);
        for (number, edge) in (0_u32..).zip(edges) {
            let place = &mut next[end(edge) as usize];
            sorted[*place as usize] = number;
            *place += 1;
        }
        Self { starts, edges: sorted }
    }

    fn get(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(start), Some(end)) => &self.edges[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeChoice {
    /// Hidden reasons; an edge with another reason stays.
    pub without: Vec<EdgeReason>,
    pub redundant: RedundantEdges,
}

impl EdgeChoice {
    pub fn shows(&self, edge: &ViewEdge) -> bool {
        let has_reason = edge.reasons.iter().any(|(reason, _)| !self.without.contains(reason));
        has_reason && !(edge.redundant && self.redundant == RedundantEdges::Hide)
    }

    /// Returns the reason that colours an edge: the most frequent visible one.
    pub fn reason(&self, edge: &ViewEdge) -> EdgeReason {
        let visible = edge.reasons.iter().find(|(reason, _)| !self.without.contains(reason));
        visible.map_or(EdgeReason::Other, |(reason, _)| *reason)
    }
}

impl Model {
    /// Creates the model of an answer. Dangling references are dropped.
    pub fn new(view: GraphView) -> Self {
        let mut builder = ModelBuilder::new(view);
        while !builder.step() {}
        builder.finish()
    }

    pub fn node(&self, number: u32) -> Option<&ViewNode> {
        self.view.nodes.get(number as usize)
    }

    pub fn edge(&self, number: u32) -> Option<&ViewEdge> {
        self.view.edges.get(number as usize)
    }

    pub fn find(&self, name: GroupName) -> Option<u32> {
        let place = self.by_name.binary_search_by_key(&name, |(other, _)| *other).ok()?;
        Some(self.by_name[place].1)
    }

    /// Returns the smallest node whose first command has this number.
    pub fn beginning_with(&self, command: u64) -> Option<u32> {
        let place = self.by_name.partition_point(|(name, _)| name.node < command);
        self.by_name.get(place).filter(|(name, _)| name.node == command).map(|(_, number)| *number)
    }

    pub fn incoming(&self, node: u32) -> &[u32] {
        self.incoming.get(node)
    }

    pub fn outgoing(&self, node: u32) -> &[u32] {
        self.outgoing.get(node)
    }

    pub fn nodes_in(&self, rect: &Rect) -> Vec<u32> {
        self.nodes_at.touching(rect)
    }

    /// Returns the edges that may touch a part of the drawing.
    pub fn edges_in(&self, rect: &Rect) -> Vec<u32> {
        self.edges_at.touching(rect)
    }

    pub fn whole(&self) -> Rect {
        Rect { x: 0.0, y: 0.0, w: f64::from(self.view.width), h: f64::from(self.view.height) }
    }

    /// Returns the left edge of the topmost node, or of the left one of several.
    pub fn first_x(&self) -> f64 {
        let first = self
            .view
            .nodes
            .iter()
            .reduce(|one, other| if (other.y, other.x) < (one.y, one.x) { other } else { one });
        first.map_or(0.0, |node| node_rect(node).x)
    }

    /// Returns a node's partition of a command graph, and its position in recorded order, from 1.
    pub fn recorded(&self, number: u32) -> Option<(&ViewFrame, usize)> {
        let frames = self.view.frames.iter();
        let mut found = frames.filter_map(|frame| {
            let place = frame.nodes.iter().position(|node| *node == number)?;
            Some((frame, place + 1))
        });
        found.next()
    }

    pub fn name<'m>(&'m self, node: &ViewNode) -> &'m str {
        self.view.names.get(node.name as usize).map_or("", String::as_str)
    }

    pub fn device<'m>(&'m self, node: &ViewNode) -> &'m str {
        let name = node.device.and_then(|device| self.view.names.get(device as usize));
        name.map_or("", String::as_str)
    }

    /// Returns the memory object of most of a node's edges.
    pub fn object(&self, node: u32) -> Option<u64> {
        let edges = self.incoming(node).iter().chain(self.outgoing(node));
        let mut counts: Vec<(u64, u64)> = Vec::new();
        for edge in edges.filter_map(|edge| self.edge(*edge)) {
            for object in &edge.objects {
                match counts.iter_mut().find(|(other, _)| other == object) {
                    Some((_, sum)) => *sum += 1,
                    None => counts.push((*object, 1)),
                }
            }
        }
        let best = counts.into_iter().max_by_key(|(object, sum)| (*sum, std::cmp::Reverse(*object)));
        best.map(|(object, _)| object)
    }
}

pub fn node_rect(node: &ViewNode) -> Rect {
    let (w, h) = (f64::from(node.width), f64::from(node.height));
    Rect { x: f64::from(node.x) - w / 2.0, y: f64::from(node.y) - h / 2.0, w, h }
}

pub fn group_name(node: &ViewNode) -> GroupName {
    GroupName { node: node.node, count: node.count }
}

pub fn corners(edge: &ViewEdge) -> impl Iterator<Item = (f64, f64)> {
    edge.points.chunks_exact(2).map(|point| (f64::from(point[0]), f64::from(point[1])))
}

fn edge_rect(edge: &ViewEdge) -> Rect {
    let mut points = corners(edge);
    // A rectangle far outside for an edge without a line.
    let Some(first) = points.next() else { return Rect { x: -1e9, y: -1e9, w: 0.0, h: 0.0 } };
    let (mut low, mut high) = (first, first);
    for (x, y) in points {
        (low.0, low.1) = (low.0.min(x), low.1.min(y));
        (high.0, high.1) = (high.0.max(x), high.1.max(y));
    }
    Rect { x: low.0, y: low.1, w: high.0 - low.0, h: high.1 - low.1 }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn node(number: u64, count: u64, kind: NodeKind, name: u32, (x, y): (i32, i32)) -> ViewNode {
        ViewNode {
            id: GroupName { node: number, count }.to_string(),
            node: number,
            count,
            kind,
            name,
            device: Some(3),
            queue: Some(1),
            x,
            y,
            width: 160,
            height: 44,
            begin_ns: number * 1_000,
            end_ns: number * 1_000 + 500,
            total_ns: 1_000_000 * count,
            max_ns: 1_000_000,
            delay_ns: 250_000,
            slack_ns: 1_000 * number,
            ..ViewNode::default()
        }
    }

    pub(crate) fn edge(source: u32, target: u32, reason: EdgeReason, points: &[i32]) -> ViewEdge {
        ViewEdge {
            source,
            target,
            count: 2,
            reasons: vec![(reason, 2)],
            points: points.to_vec(),
            ..ViewEdge::default()
        }
    }

    /// Returns the model of a copy, two kernels side by side, one of which represents twenty, and a host task below
    /// both.
    pub(crate) fn diamond() -> Model {
        let nodes = vec![
            ViewNode { bytes: 4 << 20, ..node(1, 1, NodeKind::Copy, 0, (172, 22)) },
            ViewNode { critical: 20, ..node(2, 20, NodeKind::Kernel, 1, (80, 114)) },
            node(3, 1, NodeKind::Kernel, 2, (264, 114)),
            ViewNode { total_ns: 0, device: None, ..node(30, 1, NodeKind::HostTask, 4, (172, 206)) },
        ];
        let write = ViewEdge {
            objects: vec![7],
            modes: vec!["read_write".into()],
            critical: 1,
            ..edge(0, 1, EdgeReason::Accessor, &[172, 44, 80, 92])
        };
        let edges = vec![
            write,
            edge(0, 2, EdgeReason::Event, &[172, 44, 264, 92]),
            edge(1, 1, EdgeReason::InOrder, &[160, 125, 176, 125, 176, 103, 160, 103]),
            edge(1, 3, EdgeReason::Accessor, &[80, 136, 172, 184]),
            ViewEdge { redundant: true, ..edge(2, 3, EdgeReason::Event, &[264, 136, 172, 184]) },
        ];
        let names = ["memcpy", "stencil<float>", "reduce", "gpu", "check"].map(str::to_owned).to_vec();
        Model::new(GraphView { names, nodes, edges, width: 344, height: 228, ..GraphView::default() })
    }

    #[test]
    fn neighbours_names_and_counts_are_known() {
        let model = diamond();
        assert_eq!((model.incoming(3), model.outgoing(0)), (&[3, 4][..], &[0, 1][..]));
        assert_eq!((model.incoming(0), model.outgoing(9)), (&[][..], &[][..]));
        assert_eq!(model.find(GroupName { node: 2, count: 20 }), Some(1));
        assert_eq!(model.find(GroupName { node: 2, count: 1 }), None);
        assert_eq!((model.beginning_with(2), model.beginning_with(4)), (Some(1), None));
        assert_eq!(
            model.reasons,
            [(EdgeReason::Accessor, 4), (EdgeReason::Event, 4), (EdgeReason::InOrder, 2)]
        );
        assert_eq!((model.commands, model.redundant, model.object(1)), (23, 2, Some(7)));
        let mut view = model.view.clone();
        view.nodes.push(node(31, 2, NodeKind::Virtual, 4, (172, 298)));
        assert_eq!(Model::new(view).commands, 23, "the runtime's placeholders are no commands");
        assert_eq!(model.nodes_in(&Rect { x: 0.0, y: 90.0, w: 100.0, h: 10.0 }), [1]);
        let edges = model.edges_in(&Rect { x: 0.0, y: 60.0, w: 500.0, h: 1.0 });
        assert_eq!(edges, [0, 1]);
    }

    #[test]
    fn edges_are_left_out_by_reason_and_where_they_say_nothing_new() {
        let model = diamond();
        let visible = |choice: EdgeChoice| {
            let edges = model.view.edges.iter();
            edges.enumerate().filter(|(_, edge)| choice.shows(edge)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(
            visible(EdgeChoice { without: vec![EdgeReason::Accessor], redundant: RedundantEdges::Mark }),
            [1, 2, 4]
        );
        assert_eq!(visible(EdgeChoice { without: vec![], redundant: RedundantEdges::Hide }), [0, 1, 2, 3]);
    }

    #[test]
    fn an_answer_that_makes_no_sense_shows_what_does() {
        let view = GraphView {
            edges: vec![edge(0, 7, EdgeReason::Event, &[1])],
            nodes: vec![ViewNode::default()],
            ..GraphView::default()
        };
        let model = Model::new(view);
        assert!(model.view.edges.is_empty());
        assert_eq!(model.name(&ViewNode { name: 9, ..ViewNode::default() }), "");
    }
}
