//! Command graphs: partitions, their commands, changes and runs.

use rustc_hash::FxHashMap;
use syclscope_language::event::{CommandGraph, GraphChange, GraphCommand, GraphRun};

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::store::command_graphs::{ChangeRow, CommandGraphs, CommandRow, PartitionRow, RunRow};

/// Partitions in the order of their first mention.
#[derive(Debug, Default)]
pub(super) struct CommandGraphBuilder {
    rows: Vec<PartitionRow>,
    numbers: FxHashMap<u64, u32>,
    commands: Vec<CommandRow>,
    changes: Vec<ChangeRow>,
    runs: Vec<RunRow>,
}

impl CommandGraphBuilder {
    /// Returns the row of a partition; adds a placeholder for one that was not announced yet.
    fn row(&mut self, number: u64, process: u32) -> u32 {
        *self.numbers.entry(number).or_insert_with(|| {
            self.rows.push(PartitionRow {
                process,
                number,
                group: number,
                partitions: 1,
                ..PartitionRow::default()
            });
            self.rows.len() as u32 - 1
        })
    }

    /// Returns the tables; partitions of one graph get their index in it.
    pub(super) fn finish(self, nodes: usize, diagnostics: &mut Diagnostics) -> CommandGraphs {
        let Self { mut rows, commands, changes, runs, .. } = self;
        for _ in rows.iter().filter(|partition| !partition.announced) {
            diagnostics.count(DiagnosticKind::UnknownGraph);
        }
        let mut graphs: FxHashMap<u64, u32> = FxHashMap::default();
        for partition in &mut rows {
            let count = graphs.entry(partition.group).or_default();
            partition.place = *count;
            *count += 1;
        }
        for partition in &mut rows {
            partition.partitions = graphs.get(&partition.group).copied().unwrap_or(1);
        }
        CommandGraphs::new(rows, commands, changes, runs, nodes)
    }
}

impl TraceBuilder {
    pub(super) fn command_graph(&mut self, graph: &CommandGraph<'_>) {
        let created = self.time(graph.at);
        let process = self.processes.number();
        let location = self.location(&graph.location);
        let args = self.args(graph.args);
        let row = self.command_graphs.row(graph.graph, process) as usize;
        let entry = &mut self.command_graphs.rows[row];
        *entry = PartitionRow {
            process,
            created,
            // 0 means none: it is a graph of its own.
            group: if graph.group == 0 { graph.graph } else { graph.group },
            handle: graph.handle,
            device_handle: graph.device_handle,
            is_in_order: graph.is_in_order,
            is_updatable: graph.is_updatable,
            tid: graph.tid,
            location,
            args,
            announced: true,
            ..*entry
        };
    }

    pub(super) fn graph_command(&mut self, command: &GraphCommand) {
        let at = self.time(command.at);
        let partition = self.command_graphs.row(command.graph, self.processes.number());
        let node = self.graph.row(command.node);
        let GraphCommand { position, sync_point, .. } = *command;
        self.command_graphs.commands.push(CommandRow { partition, at, position, node, sync_point });
    }

    pub(super) fn graph_change(&mut self, change: &GraphChange<'_>) {
        let at = self.time(change.at);
        let partition = self.command_graphs.row(change.graph, self.processes.number());
        let args = self.args(change.args);
        self.command_graphs.changes.push(ChangeRow { partition, at, change: change.change, args });
    }

    pub(super) fn graph_run(&mut self, run: &GraphRun) {
        let at = self.time(run.at);
        let partition = self.command_graphs.row(run.graph, self.processes.number());
        let node = self.graph.row(run.node);
        self.command_graphs.runs.push(RunRow { partition, at, node });
    }
}
