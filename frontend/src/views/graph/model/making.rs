//! Construction of a model in steps, so that the page stays responsive: large drawings take a while.

use syclscope_language::api::GraphView;
use syclscope_language::event::{EdgeReason, NodeKind};

use super::{Ends, Model, edge_rect, group_name, node_rect};
use crate::views::graph::grid::Grid;
use syclscope_language::sorting::Sorting as _;

#[derive(Debug, Default)]
pub struct ModelBuilder {
    model: Model,
    steps: usize,
}

const STEPS: [fn(&mut Model); 6] = [
    place_nodes,
    place_edges,
    name,
    count,
    |model| model.incoming = ends(model, false),
    |model| {
        model.outgoing = ends(model, true);
    },
];

impl ModelBuilder {
    pub fn new(mut view: GraphView) -> Self {
        let count = view.nodes.len();
        view.edges.retain(|edge| (edge.source.max(edge.target) as usize) < count);
        Self { model: Model { view, ..Model::default() }, steps: 0 }
    }

    /// Runs the next step. True if it was the last one.
    pub fn step(&mut self) -> bool {
        if let Some(step) = STEPS.get(self.steps) {
            step(&mut self.model);
            self.steps += 1;
        }
        self.steps == STEPS.len()
    }

    pub fn finish(mut self) -> Model {
        while !self.step() {}
        self.model
    }
}

fn place_nodes(model: &mut Model) {
    let whole = model.whole();
    model.nodes_at = Grid::new(model.view.nodes.iter().map(node_rect), whole.w, whole.h);
}

fn place_edges(model: &mut Model) {
    let whole = model.whole();
    model.edges_at = Grid::new(model.view.edges.iter().map(edge_rect), whole.w, whole.h);
}

fn name(model: &mut Model) {
    let numbered = (0_u32..).zip(&model.view.nodes);
    model.by_name = numbered.map(|(number, node)| (group_name(node), number)).collect();
    model.by_name.arrange();
}

fn count(model: &mut Model) {
    let mut reasons: Vec<(EdgeReason, u64)> = EdgeReason::ALL.iter().map(|reason| (*reason, 0)).collect();
    for edge in &model.view.edges {
        model.redundant += if edge.redundant { edge.count } else { 0 };
        for (reason, more) in &edge.reasons {
            if let Some((_, sum)) = reasons.iter_mut().find(|(other, _)| other == reason) {
                *sum += more;
            }
        }
    }
    reasons.retain(|(_, sum)| *sum > 0);
    let mut kinds: Vec<(NodeKind, u64)> = NodeKind::ALL.iter().map(|kind| (*kind, 0)).collect();
    for node in &model.view.nodes {
        model.commands += if node.kind == NodeKind::Virtual { 0 } else { node.count };
        if let Some((_, sum)) = kinds.iter_mut().find(|(other, _)| *other == node.kind) {
            *sum += node.count;
        }
    }
    kinds.retain(|(_, sum)| *sum > 0);
    (model.reasons, model.kinds) = (reasons, kinds);
}

fn ends(model: &Model, is_going: bool) -> Ends {
    let view = &model.view;
    Ends::new(view.nodes.len(), &view.edges, |edge| if is_going { edge.source } else { edge.target })
}
