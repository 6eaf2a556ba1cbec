//! Nodes of the page's selection.

use syclscope_language::api::{GraphMember, LocationInfo, NodeDetail, ObjectEvent, ViewNode};
use syclscope_language::question::GroupName;

use crate::state::selection::Selection;
use crate::views::graph::model::Model;

/// Returns the node of a command. This is a node of its own, or the folded node with the command's kind, name and
/// location whose range of time contains it.
pub fn node_of(model: &Model, command: &NodeDetail) -> Option<u32> {
    let begun_ns = command.execution.map_or(command.created_ns, |execution| execution.at.start_ns);
    let is_it = |node: &ViewNode| {
        let location = node.location.and_then(|location| model.view.locations.get(location as usize));
        let is_there = location.is_none() || location == command.location.as_ref();
        node.kind == command.kind && model.name(node) == command.name && is_there
    };
    let numbered = || (0_u32..).zip(&model.view.nodes);
    let alone = numbered().find(|(_, node)| node.node == command.id && (node.count == 1 || is_it(node)));
    let around = numbered().filter(|(_, node)| {
        node.count > 1
            && node.node <= command.id
            && is_it(node)
            && node.begin_ns <= begun_ns
            && begun_ns <= node.end_ns.max(node.begin_ns)
    });
    let narrowest = || around.min_by_key(|(_, node)| node.end_ns - node.begin_ns.min(node.end_ns));
    alone.or_else(narrowest).map(|(number, _)| number)
}

/// Returns the folded node with a command's kind and name whose range of time contains it.
pub fn folded_around(model: &Model, member: &GraphMember) -> Option<u32> {
    let GraphMember { node: command, begin_ns, .. } = member;
    let around = (0_u32..).zip(&model.view.nodes).filter(|(_, node)| {
        node.count > 1
            && node.node <= command.node
            && node.kind == command.kind
            && model.name(node) == command.name
            && node.begin_ns <= *begin_ns
            && *begin_ns <= node.end_ns.max(node.begin_ns)
    });
    around.min_by_key(|(_, node)| node.end_ns.saturating_sub(node.begin_ns)).map(|(number, _)| number)
}

/// Returns the nodes of a selection, except for a slice, whose node is its command's, see [`node_of`].
pub fn find_nodes(model: &Model, selection: &Selection) -> Vec<u32> {
    if let Selection::Object(object) = selection {
        let edges = model.view.edges.iter().filter(|edge| edge.objects.contains(object));
        let mut ends: Vec<u32> = edges.flat_map(|edge| [edge.source, edge.target]).collect();
        ends.sort_unstable();
        ends.dedup();
        return ends;
    }
    let is_line = |node: &ViewNode, file: &str, line: u32| {
        let location = node.location.and_then(|location| model.view.locations.get(location as usize));
        location.is_some_and(|location| location.line == line && location.file == file)
    };
    let is_meant = |node: &ViewNode| match selection {
        Selection::Node(command) => node.node == *command,
        Selection::Name(name) => model.name(node) == name,
        Selection::Queue(queue) => node.queue == Some(*queue),
        Selection::Line { file, line } => is_line(node, file, *line),
        Selection::Range { start_ns, end_ns } => {
            node.total_ns > 0 && node.begin_ns < *end_ns && node.end_ns > *start_ns
        }
        Selection::Slice(_) | Selection::Allocation(_) | Selection::Object(_) | Selection::Gap { .. } => {
            false
        }
    };
    let numbered = (0_u32..).zip(&model.view.nodes);
    numbered.filter(|(_, node)| is_meant(node)).map(|(number, _)| number).collect()
}

/// Returns the nodes whose commands use a memory object, according to its events.
pub fn using(model: &Model, selection: &Selection, events: &[ObjectEvent]) -> Vec<u32> {
    let mut nodes = find_nodes(model, selection);
    // Only folded nodes are searched for each event: a drawing may have as many nodes as an object has events, and most
    // nodes are single commands.
    let folded: Vec<_> = (0_u32..).zip(&model.view.nodes).filter(|(_, node)| node.count > 1).collect();
    for event in events {
        let Some(command) = event.node else { continue };
        let around = folded.iter().filter(|(_, node)| {
            node.node <= command
                && (node.begin_ns..=node.end_ns).contains(&event.start_ns)
                && model.name(node) == event.name
        });
        let narrowest = || around.min_by_key(|(_, node)| node.end_ns - node.begin_ns);
        let alone = model.find(GroupName { node: command, count: 1 });
        nodes.extend(alone.or_else(|| narrowest().map(|(number, _)| *number)));
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Returns the page selection for a folded node: its commands' source line, else their name.
pub fn of_group(model: &Model, node: &ViewNode) -> Selection {
    let location = node.location.and_then(|location| model.view.locations.get(location as usize));
    match location {
        Some(LocationInfo { file, line, .. }) if *line > 0 => {
            Selection::Line { file: file.clone(), line: *line }
        }
        _ => Selection::Name(model.name(node).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::NodeRef;
    use syclscope_language::event::NodeKind;

    use super::*;
    use crate::views::graph::model::tests::diamond;

    fn command(id: u64, kind: NodeKind, name: &str, created_ns: u64) -> NodeDetail {
        NodeDetail {
            id,
            kind,
            name: name.into(),
            queue: None,
            created_ns,
            location: None,
            args: vec![],
            stack: vec![],
            submission: None,
            execution: None,
            estimate: None,
            waits_for: vec![],
            waited_by: vec![],
            accessors: vec![],
            objects: vec![],
            graph_commands: vec![],
            graph_runs: vec![],
        }
    }

    #[test]
    fn a_command_is_found_alone_and_in_a_folded_node() {
        let model = diamond();
        let find = |id, kind, name, at_ns| node_of(&model, &command(id, kind, name, at_ns));
        assert_eq!(find(3, NodeKind::Kernel, "reduce", 0), Some(2));
        assert_eq!(find(9, NodeKind::Kernel, "stencil<float>", 2_200), Some(1));
        assert_eq!(find(2, NodeKind::Kernel, "stencil<float>", 0), Some(1), "its first one");
        assert_eq!(find(9, NodeKind::Kernel, "stencil<float>", 99_000), None, "not at that time");
        assert_eq!(find(9, NodeKind::Copy, "stencil<float>", 2_200), None);
    }

    #[test]
    fn a_command_without_details_is_found_in_a_folded_node() {
        let model = diamond();
        let find = |node, name: &str, begin_ns| {
            let node = NodeRef { node, kind: NodeKind::Kernel, name: name.into(), at: None };
            let (queue, duration_ns, slack_ns, is_critical) = (None, 0, 0, false);
            let command = GraphMember { node, queue, begin_ns, duration_ns, slack_ns, is_critical };
            folded_around(&model, &command)
        };
        assert_eq!(find(9, "stencil<float>", 2_200), Some(1));
        assert_eq!(find(9, "stencil<float>", 99_000), None, "not at that time");
        assert_eq!(find(1, "stencil<float>", 2_200), None, "before its first one");
        assert_eq!(find(9, "reduce", 2_200), None);
    }

    #[test]
    fn users_of_memory_are_meant_without_edges_too() {
        let event = |node, name: &str, start_ns| ObjectEvent {
            node,
            name: name.into(),
            start_ns,
            ..ObjectEvent::default()
        };
        let events = [
            event(None, "urUSMDeviceAlloc", 5),
            event(Some(3), "reduce", 0),
            event(Some(9), "stencil<float>", 2_200),
            event(Some(9), "stencil<float>", 99_000),
        ];
        let model = diamond();
        assert_eq!(using(&model, &Selection::Allocation(0), &events), [1, 2]);
        assert_eq!(using(&model, &Selection::Object(7), &events), [0, 1, 2]);
    }

    #[test]
    fn selections_mean_nodes() {
        let model = diamond();
        let means = |selection| find_nodes(&model, &selection);
        assert_eq!(means(Selection::Name("reduce".into())), [2]);
        assert_eq!(means(Selection::Queue(1)), [0, 1, 2, 3]);
        assert_eq!(means(Selection::Object(7)), [0, 1]);
        assert_eq!(means(Selection::Range { start_ns: 1_400, end_ns: 2_100 }), [0, 1]);
        assert_eq!(means(Selection::Node(30)), [3]);
        assert!(means(Selection::Allocation(0)).is_empty());
        assert_eq!(of_group(&model, &model.view.nodes[1]), Selection::Name("stencil<float>".into()));
    }
}
