//! Role of a node in command graphs: a command of a partition, or a run of one.

use syclscope_language::api::{
    GraphChangeDetail, GraphCommandDetail, GraphRunDetail, MAX_LISTED, NodeRef, PartitionDetail,
};

use super::{args, location, node_ref, pointer_if_any};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn commands(trace: &Trace, node: u32) -> Vec<GraphCommandDetail> {
    let graphs = &trace.command_graphs;
    let commands = graphs.memberships(node).iter().take(MAX_LISTED).filter_map(|row| {
        let command = graphs.commands.get(*row)?;
        Some(GraphCommandDetail {
            partition: partition(trace, command.partition)?,
            position: command.position,
            sync_point: command.sync_point,
            runs: nodes(trace, graphs.runs_of(command.partition), |row| graphs.runs.node.at(row)),
        })
    });
    commands.collect()
}

pub(super) fn runs(trace: &Trace, node: u32) -> Vec<GraphRunDetail> {
    let graphs = &trace.command_graphs;
    let runs = graphs.runs_of_node(node).iter().take(MAX_LISTED).filter_map(|row| {
        let run = graphs.runs.get(*row)?;
        let commands = graphs.commands_of(run.partition);
        Some(GraphRunDetail {
            partition: partition(trace, run.partition)?,
            run: graphs.runs_of(run.partition).partition_point(|other| other < row) as u64,
            commands: nodes(trace, commands, |row| graphs.commands.node.at(row)),
        })
    });
    runs.collect()
}

fn nodes(trace: &Trace, rows: &[u32], node: impl Fn(usize) -> u32) -> Vec<NodeRef> {
    rows.iter().take(MAX_LISTED).map(|row| node_ref(trace, node(*row as usize))).collect()
}

fn partition(trace: &Trace, row: u32) -> Option<PartitionDetail> {
    let graphs = &trace.command_graphs;
    let partition = graphs.rows.get(row)?;
    let device = trace.machine.device(partition.process, partition.device_handle);
    let changes = graphs.changes_of(row).iter().take(MAX_LISTED).filter_map(|row| {
        let change = graphs.changes.get(*row)?;
        Some(GraphChangeDetail { at_ns: change.at, change: change.change, args: args(trace, change.args) })
    });
    Some(PartitionDetail {
        partition: partition.number,
        graph: partition.group,
        place: partition.place,
        partitions: partition.partitions,
        handle: pointer_if_any(partition.handle),
        device: device.map_or("", |device| trace.strings.get(device.title)).to_owned(),
        is_in_order: partition.is_in_order,
        is_updatable: partition.is_updatable,
        created_ns: partition.created,
        changes: changes.collect(),
        change_count: graphs.changes_of(row).len() as u64,
        commands: graphs.commands_of(row).len() as u64,
        runs: graphs.runs_of(row).len() as u64,
        location: location(trace, partition.location),
        args: args(trace, partition.args),
    })
}
