//! Both task graphs as one drawing.

use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ComparedEdge, ComparedGraph, ComparedReason, Presence};
use syclscope_language::event::{EdgeReason, QueueOrder};

use super::programs::{BODY, COPY_IN, COPY_OUT, EDGE, INNER, NORM, Step, kernel, run, solver, submit};
use super::{compare, row};
use crate::recordings::run::Run;

fn graph(a: &Trace, b: &Trace, around: Option<u32>, width: u32, limit: usize) -> ComparedGraph {
    let graph = Comparing::new(Group::single("a", a), Group::single("b", b)).graph(around, width, limit);
    let (half_width, half_height) = (graph.node_width / 2, graph.node_height / 2);
    for (place, node) in graph.nodes.iter().enumerate() {
        assert!(node.x >= half_width && node.x + half_width <= graph.width, "{node:?}");
        assert!(node.y >= half_height && node.y + half_height <= graph.height, "{node:?}");
        for other in &graph.nodes[..place] {
            let is_apart = node.x.abs_diff(other.x) >= graph.node_width as u32
                || node.y.abs_diff(other.y) >= graph.node_height as u32;
            assert!(is_apart, "{node:?} and {other:?}");
        }
    }
    graph
}

fn name(graph: &ComparedGraph, place: u32) -> &str {
    &graph.nodes[place as usize].name
}

fn edge<'g>(graph: &'g ComparedGraph, source: &str, target: &str) -> &'g ComparedEdge {
    let found = graph
        .edges
        .iter()
        .find(|edge| (name(graph, edge.source), name(graph, edge.target)) == (source, target));
    found.unwrap_or_else(|| panic!("no edge from {source} to {target}"))
}

fn count(graph: &ComparedGraph) -> u64 {
    graph.edges.iter().flat_map(|edge| &edge.reasons).map(|reason| reason.count).sum()
}

#[test]
fn a_graph_and_itself_have_nothing_changed() {
    let trace = run(&solver(20, &BODY));
    let graph = graph(&trace, &trace, None, 2, 100);
    assert_eq!((graph.nodes.len(), graph.more_nodes, graph.more_edges), (5, 0, 0));
    assert_eq!(count(&graph), 61, "each edge of the run once");
    assert!(graph.edges.iter().flat_map(|edge| &edge.reasons).all(|reason| !reason.is_changed()));
    assert!(graph.edges.iter().all(|edge| edge.points.len() >= 4));
    let round = edge(&graph, "Norm<float>", "Inner<float>");
    assert_eq!(round.reasons.iter().map(|reason| reason.count).sum::<u64>(), 19);
}

#[test]
fn what_became_of_each_node_and_edge_is_told() {
    let of = |edges: &[(u64, u64, EdgeReason)], steps: &[Step]| {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        for (place, step) in (1..).zip(steps) {
            submit(&mut run, place, place * 3_000, step, (place * 100_000, place * 100_000 + step.ns));
        }
        edges.iter().for_each(|(source, target, reason)| run.edge(*source, *target, *reason));
        run.trace()
    };
    let own = kernel("Own<float>", 60, 7_000);
    let a = of(
        &[(1, 2, EdgeReason::Event), (2, 3, EdgeReason::Accessor), (1, 4, EdgeReason::Event)],
        &[COPY_IN, INNER, EDGE, NORM, COPY_OUT],
    );
    let b = of(
        &[
            (1, 2, EdgeReason::Event),
            (2, 3, EdgeReason::Event),
            (4, 5, EdgeReason::Event),
            (4, 6, EdgeReason::Event),
        ],
        &[COPY_IN, INNER, EDGE, NORM, COPY_OUT, own],
    );
    let whole = graph(&a, &b, None, 2, 100);
    assert_eq!(whole.nodes.len(), 6);
    let only = whole.nodes.iter().filter(|node| node.presence != Presence::Both);
    assert_eq!(
        only.map(|node| (node.name.as_str(), node.presence)).collect::<Vec<_>>(),
        [("Own<float>", Presence::OnlyB)]
    );
    let told = |source: &str, target: &str| {
        let reasons = &edge(&whole, source, target).reasons;
        let [one] = reasons[..] else { panic!("{reasons:?}") };
        assert_eq!(one.count, 1);
        (one.presence, one.new_reason, one.is_changed())
    };
    assert_eq!(told("memory copy", "Inner<float>"), (Presence::Both, None, false));
    assert_eq!(told("Inner<float>", "Edge<float>"), (Presence::Both, Some(EdgeReason::Event), true));
    assert_eq!(told("memory copy", "Norm<float>"), (Presence::OnlyA, None, true));
    assert_eq!(told("Norm<float>", "memory copy"), (Presence::OnlyB, None, true));
    assert_eq!(told("Norm<float>", "Own<float>"), (Presence::OnlyB, None, true));
    // The drawing has the differences that the overview lists.
    let changed = |reason: &&ComparedReason| reason.is_changed();
    let of_graph: u64 =
        whole.edges.iter().flat_map(|edge| &edge.reasons).filter(changed).map(|reason| reason.count).sum();
    let comparison = compare(&a, &b);
    assert_eq!(of_graph, comparison.edges.iter().map(|edges| edges.count).sum::<u64>());

    // A neighbourhood; with a small limit, the differences have priority.
    let middle = row(&comparison, "Edge<float>").row;
    let near = graph(&a, &b, Some(middle), 1, 100);
    assert_eq!(
        near.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(),
        ["Inner<float>", "Edge<float>"]
    );
    assert_eq!((near.more_nodes, near.edges.len()), (0, 1));
    let few = graph(&a, &b, None, 2, 5);
    assert_eq!((few.nodes.len(), few.more_nodes), (5, 1));
    assert!(few.nodes.iter().any(|node| node.name == "Own<float>"));
    assert_eq!(count(&few) + few.more_edges, count(&whole));
    assert_eq!(graph(&a, &b, Some(99), 1, 100).nodes, []);
}

#[test]
fn no_drawing_has_more_nodes_than_one_can_look_at() {
    let names: Vec<&'static str> = (0..230).map(|number| &*format!("Kernel{number}").leak()).collect();
    let steps: Vec<Step> = names.iter().zip(1..).map(|(name, line)| kernel(name, line, 1_000)).collect();
    let trace = run(&steps);
    let graph =
        Comparing::new(Group::single("a", &trace), Group::single("b", &trace)).graph(None, 2, usize::MAX);
    assert_eq!((graph.nodes.len(), graph.more_nodes), (200, 30));
}
