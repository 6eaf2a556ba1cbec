//! Texts of nodes and edges.

use syclscope_language::api::{ViewEdge, ViewFrame, ViewNode};
use syclscope_language::event::NodeKind;

use crate::format;
use crate::state::words;
use crate::views::graph::model::Model;

pub fn letter(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel => "K",
        NodeKind::Copy => "C",
        NodeKind::Fill => "F",
        NodeKind::Allocation => "A",
        NodeKind::SubBuffer => "S",
        NodeKind::Deallocation => "R",
        NodeKind::Map => "M",
        NodeKind::Unmap => "U",
        NodeKind::HostAccessor => "H",
        NodeKind::HostTask => "T",
        NodeKind::Barrier => "B",
        NodeKind::Prefetch => "P",
        NodeKind::Advise => "V",
        NodeKind::CommandGraph => "G",
        NodeKind::Virtual => "E",
        NodeKind::Other => "?",
    }
}

pub fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel => "kernel",
        NodeKind::Copy => "copy",
        NodeKind::Fill => "fill",
        NodeKind::Allocation => "allocation",
        NodeKind::SubBuffer => "sub-buffer",
        NodeKind::Deallocation => "release",
        NodeKind::Map => "map",
        NodeKind::Unmap => "unmap",
        NodeKind::HostAccessor => "host accessor",
        NodeKind::HostTask => "host task",
        NodeKind::Barrier => "barrier",
        NodeKind::Prefetch => "prefetch",
        NodeKind::Advise => "advice",
        NodeKind::CommandGraph => "command graph",
        NodeKind::Virtual => "external event",
        NodeKind::Other => "command",
    }
}

/// Formats a count of nodes: `1 copy`, `12 copies`.
pub fn counted(node_kind: NodeKind, count: u64) -> String {
    let one = kind(node_kind);
    match node_kind {
        NodeKind::Copy => format::counted(count, one, "copies"),
        NodeKind::Prefetch => format::counted(count, one, "prefetches"),
        NodeKind::Advise => format::counted(count, one, one),
        _ => format::counted(count, one, &format!("{one}s")),
    }
}

/// Returns the title of a node: the kind if the node has no name, or only one given by the runtime.
pub fn title<'m>(model: &'m Model, node: &ViewNode) -> &'m str {
    match model.name(node) {
        _ if node.kind == NodeKind::Virtual => kind(node.kind),
        "" => kind(node.kind),
        name => name,
    }
}

/// Returns an explanation of a kind, if its name is not clear.
pub fn remark(node: &ViewNode) -> Option<&'static str> {
    (node.kind == NodeKind::Virtual)
        .then_some("The runtime's place-holder for an event that commands wait for; nothing runs here")
}

/// Formats the count of a node: `×20`; empty for a single command.
pub fn times(node: &ViewNode) -> String {
    if node.count > 1 { format!("×{}", format::count(node.count)) } else { String::new() }
}

/// Formats a sum over a node's commands, which may overlap: `2 ms summed over 20 commands`.
pub fn summed(node: &ViewNode, ns: u64) -> String {
    let time = format::duration(ns as f64);
    if node.count > 1 { format!("{time} summed over {} commands", format::count(node.count)) } else { time }
}

/// Returns `host → device`, if all copies of a node have one direction.
pub fn direction(node: &ViewNode) -> Option<String> {
    node.direction.as_ref().map(|(from, to)| format!("{from} → {to}"))
}

/// Returns the short form of [`direction`]: `H→D`.
fn short_direction(node: &ViewNode) -> Option<String> {
    let letter = |side: &str| side.chars().next().map_or('?', |letter| letter.to_ascii_uppercase());
    node.direction.as_ref().map(|(from, to)| format!("{}→{}", letter(from), letter(to)))
}

pub fn figures(node: &ViewNode) -> Vec<String> {
    let mut parts = Vec::new();
    if node.total_ns > 0 {
        parts.push(format::duration(node.total_ns as f64));
    }
    parts.extend(short_direction(node));
    if node.bytes > 0 {
        parts.push(format::bytes(node.bytes as f64));
    }
    parts
}

/// Returns the short source location of a node, if all its commands share one.
pub fn place(model: &Model, node: &ViewNode) -> Option<String> {
    let location = model.view.locations.get(node.location? as usize)?;
    Some(words::short_place(location)).filter(|place| !place.is_empty())
}

/// Returns the regions or callers of a node, at the levels that fold by them.
pub fn within<'m>(model: &'m Model, node: &ViewNode) -> Option<&'m str> {
    model.view.names.get(node.within? as usize).map(String::as_str)
}

/// Returns the shares of waiting and running in the time from submission to end.
pub fn shares(node: &ViewNode) -> Option<(f64, f64)> {
    let sum = node.delay_ns.saturating_add(node.total_ns);
    (sum > 0 && node.total_ns > 0)
        .then(|| (node.delay_ns as f64 / sum as f64, node.total_ns as f64 / sum as f64))
}

/// Describes an edge: `accessor read write · object 3 · ×20`.
pub fn edge_words(edge: &ViewEdge) -> String {
    let mut parts = Vec::new();
    for (reason, count) in &edge.reasons {
        let mut text = words::edge_reason(*reason).to_owned();
        if edge.reasons.len() > 1 {
            text += &format!(" ×{}", format::count(*count));
        }
        parts.push(text);
    }
    if !edge.modes.is_empty() {
        let modes: Vec<String> = edge.modes.iter().map(|mode| mode.replace('_', " ")).collect();
        if let Some(first) = parts.first_mut() {
            *first += &format!(" {}", modes.join("/"));
        }
    }
    if !edge.objects.is_empty() {
        let objects: Vec<String> = edge.objects.iter().map(u64::to_string).collect();
        let word = if objects.len() == 1 { "object" } else { "objects" };
        parts.push(format!("{word} {}", objects.join(", ")));
    }
    if edge.reasons.len() < 2 && edge.count > 1 {
        parts.push(format!("×{}", format::count(edge.count)));
    }
    if edge.implied == edge.count {
        parts.push("implied".to_owned());
    }
    if edge.redundant {
        parts.push("redundant".to_owned());
    }
    parts.join(" · ")
}

/// Returns the title of a partition's region, and a shorter one.
pub fn region(frame: &ViewFrame) -> [String; 2] {
    let ViewFrame { graph, run_count, partitions, place, .. } = frame;
    let [partition, short] = match partitions {
        0 | 1 => [String::new(), String::new()],
        _ => {
            [format!(", partition {} of {partitions}", place + 1), format!(", {} of {partitions}", place + 1)]
        }
    };
    let times = match run_count {
        0 => ", never run".to_owned(),
        count => format!(" ×{}", format::count(*count)),
    };
    [
        format!("command graph {graph}{partition} · {}", executed(*run_count)),
        format!("graph {graph}{short}{times}"),
    ]
}

/// Returns the title of a region of several partitions, and a shorter one.
pub fn regions(frames: &[&ViewFrame]) -> [String; 2] {
    // Every partition runs as often as its graph, and the region may lack the first one.
    let mut graphs = frames.to_vec();
    graphs.dedup_by_key(|frame| frame.graph);
    let (count, runs) = (graphs.len() as u64, graphs.iter().map(|frame| frame.run_count).sum());
    [
        format!("{}, {}", format::counted(count, "command graph", "command graphs"), executed(runs)),
        format::counted(count, "graph", "graphs"),
    ]
}

fn executed(count: u64) -> String {
    match count {
        0 => "never executed".to_owned(),
        1 => "executed once".to_owned(),
        count => format!("executed {} times", format::count(count)),
    }
}

pub fn describe(model: &Model, node: &ViewNode, number: u32) -> String {
    let mut parts = vec![format!("{} {}", kind(node.kind), title(model, node))];
    if node.count > 1 {
        parts.push(format!("{} commands", format::count(node.count)));
    }
    parts.extend(figures(node));
    parts.push(format!(
        "waits for {}, waited for by {}",
        model.incoming(number).len(),
        model.outgoing(number).len()
    ));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::EdgeReason;

    use super::*;
    use crate::views::graph::model::tests::{diamond, edge};

    #[test]
    fn nodes_and_edges_say_what_they_are() {
        let model = diamond();
        let nodes = &model.view.nodes;
        assert_eq!(
            (title(&model, &nodes[0]), figures(&nodes[0]).join(" · ")),
            ("memcpy", "1 ms · 4 MiB".into())
        );
        assert_eq!((times(&nodes[1]), times(&nodes[0])), ("×20".to_owned(), String::new()));
        assert_eq!(shares(&nodes[0]), Some((0.2, 0.8)));
        assert_eq!(shares(&nodes[3]), None);
        assert_eq!(edge_words(&model.view.edges[0]), "accessor read write · object 7 · ×2");
        let there = Some(("host".to_owned(), "device".to_owned()));
        let copy = ViewNode { direction: there, ..nodes[0].clone() };
        assert_eq!(figures(&copy).join(" · "), "1 ms · H→D · 4 MiB");
        assert_eq!(direction(&copy).as_deref(), Some("host → device"));
        let both = ViewEdge {
            reasons: vec![(EdgeReason::Event, 2), (EdgeReason::InOrder, 1)],
            count: 3,
            implied: 3,
            redundant: true,
            ..edge(0, 1, EdgeReason::Event, &[])
        };
        assert_eq!(edge_words(&both), "event ×2 · in-order queue ×1 · implied · redundant");
        assert_eq!(
            describe(&model, &nodes[1], 1),
            "kernel stencil<float>, 20 commands, 20 ms, waits for 2, waited for by 2"
        );
        let frame = ViewFrame { graph: 3, place: 1, partitions: 2, run_count: 5, ..ViewFrame::default() };
        assert_eq!(
            region(&frame),
            ["command graph 3, partition 2 of 2 · executed 5 times", "graph 3, 2 of 2 ×5"]
        );
        let never = ViewFrame { graph: 4, partitions: 1, ..ViewFrame::default() };
        assert_eq!(region(&never), ["command graph 4 · never executed", "graph 4, never run"]);
        let other = ViewFrame { place: 0, ..frame.clone() };
        assert_eq!(regions(&[&other, &frame]), ["1 command graph, executed 5 times", "1 graph"]);
        let counts =
            [(NodeKind::Kernel, 240), (NodeKind::Copy, 2), (NodeKind::Virtual, 1), (NodeKind::Advise, 3)];
        assert_eq!(
            counts.map(|(kind, count)| counted(kind, count)),
            ["240 kernels", "2 copies", "1 external event", "3 advice"]
        );
        let mut letters: Vec<_> = NodeKind::ALL.iter().map(|kind| letter(*kind)).collect();
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), NodeKind::ALL.len());
    }
}
