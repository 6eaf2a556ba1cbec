//! Command graphs as regions of a drawing.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{MAX_LISTED, ViewFrame};

use super::super::detail::node_ref;
use super::texts::Texts;
use crate::graph::groups::Groups;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the command graph to which all members of a group belong. Partitions of one graph share its number, even
/// without edges between them.
pub(super) fn region(trace: &Trace, members: &[u32]) -> Option<u64> {
    let graphs = &trace.command_graphs;
    let of_node = |node: u32| {
        let command = graphs.commands.get(*graphs.memberships(node).first()?)?;
        Some(graphs.rows.get(command.partition)?.group)
    };
    let graph = of_node(*members.first()?)?;
    members.iter().all(|node| of_node(*node) == Some(graph)).then_some(graph)
}

/// Returns the partitions of command graphs that have commands among the shown groups, or no recorded commands.
pub(super) fn frames(trace: &Trace, groups: &Groups, shown: &[u32], texts: &mut Texts) -> Vec<ViewFrame> {
    let graphs = &trace.command_graphs;
    let mut position: FxHashMap<u32, u32> = FxHashMap::default();
    for (at, group) in shown.iter().enumerate() {
        position.insert(*group, at as u32);
    }
    let frame = |(row, partition): (usize, crate::store::command_graphs::PartitionRow)| {
        let row = row as u32;
        let commands = graphs.commands_of(row);
        let mut recorded: Vec<(u64, u32)> = commands
            .iter()
            .filter_map(|command| graphs.commands.get(*command))
            .map(|command| (command.position, command.node))
            .collect();
        recorded.sort_unstable();
        let mut nodes: Vec<u32> = Vec::new();
        let mut hidden = 0;
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for (_, node) in &recorded {
            match groups.of_node(*node).and_then(|group| position.get(&group)) {
                Some(at) if seen.insert(*at) => nodes.push(*at),
                Some(_) => {}
                None => hidden += 1,
            }
        }
        if nodes.is_empty() && !recorded.is_empty() {
            return None;
        }
        let runs = graphs.runs_of(row);
        let device = trace.machine.device(partition.process, partition.device_handle);
        Some(ViewFrame {
            graph: partition.group,
            partition: partition.number,
            place: partition.place,
            partitions: partition.partitions,
            device: device.map(|device| texts.name(trace, device.title)),
            is_in_order: partition.is_in_order,
            is_updatable: partition.is_updatable,
            created_ns: partition.created,
            location: texts.location(trace, partition.location),
            nodes,
            commands: commands.len() as u64,
            hidden,
            run_count: runs.len() as u64,
            runs: runs
                .iter()
                .take(MAX_LISTED)
                .filter_map(|run| Some(node_ref(trace, graphs.runs.get(*run)?.node)))
                .collect(),
        })
    };
    graphs.rows.iter().enumerate().filter_map(frame).collect()
}
