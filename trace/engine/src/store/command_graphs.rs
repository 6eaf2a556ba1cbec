//! Command graphs: partitions, their commands, changes, and runs.

use syclscope_language::event::GraphChangeKind;

use super::adjacency::Adjacency;
use super::table::{Table as _, columns, table};
use crate::id::{ArgsId, LocationId};

table! {
    /// Partitions in the order of their first mention.
    Partitions,
    /// A partition of a command graph.
    PartitionRow {
        process: u32,
        /// Its number in the recording.
        number: u64,
        /// Time of its creation.
        created: u64,
        /// Number of the first partition of the same graph.
        group: u64,
        /// Its index among the partitions of that graph, from 0.
        place: u32,
        /// Number of that graph's partitions.
        partitions: u32,
        handle: u64,
        device_handle: u64,
        /// True if its commands run one after the other.
        is_in_order: bool,
        /// True if its commands can be updated.
        is_updatable: bool,
        /// Thread that created it.
        tid: u32,
        /// Source location that created it.
        location: LocationId,
        args: ArgsId,
        /// True if the file announces it.
        announced: bool,
    }
}

table! {
    /// Commands in recorded order.
    Commands,
    /// A command of a partition.
    CommandRow {
        /// Row of the partition.
        partition: u32,
        /// Time of its recording.
        at: u64,
        /// Its index in the partition.
        position: u64,
        /// Row of the node.
        node: u32,
        /// Its sync point, if it has one.
        sync_point: Option<u64>,
    }
}

table! {
    /// Changes in recorded order.
    Changes,
    /// A change of a partition.
    ChangeRow {
        /// Row of the partition.
        partition: u32,
        /// Time of its recording.
        at: u64,
        change: GraphChangeKind,
        args: ArgsId,
    }
}

table! {
    /// Runs in recorded order.
    Runs,
    /// A run of a partition.
    RunRow {
        /// Row of the partition.
        partition: u32,
        /// Time of its recording.
        at: u64,
        /// Row of the node.
        node: u32,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CommandGraphs {
    pub(crate) rows: Partitions,
    pub(crate) commands: Commands,
    pub(crate) changes: Changes,
    pub(crate) runs: Runs,
    commands_of: Adjacency,
    changes_of: Adjacency,
    runs_of: Adjacency,
    memberships: Adjacency,
    runs_of_node: Adjacency,
}

columns!(CommandGraphs {
    rows,
    commands,
    changes,
    runs,
    commands_of,
    changes_of,
    runs_of,
    memberships,
    runs_of_node
});

impl CommandGraphs {
    pub(crate) fn new(
        rows: Vec<PartitionRow>,
        commands: Vec<CommandRow>,
        changes: Vec<ChangeRow>,
        runs: Vec<RunRow>,
        nodes: usize,
    ) -> Self {
        let commands = Commands::of_rows(commands.into_iter());
        let changes = Changes::of_rows(changes.into_iter());
        let runs = Runs::of_rows(runs.into_iter());
        Self {
            commands_of: Adjacency::new(rows.len(), commands.partition.iter()),
            changes_of: Adjacency::new(rows.len(), changes.partition.iter()),
            runs_of: Adjacency::new(rows.len(), runs.partition.iter()),
            memberships: Adjacency::new(nodes, commands.node.iter()),
            runs_of_node: Adjacency::new(nodes, runs.node.iter()),
            rows: Partitions::of_rows(rows.into_iter()),
            commands,
            changes,
            runs,
        }
    }

    pub(crate) fn commands_of(&self, partition: u32) -> &[u32] {
        self.commands_of.get(partition)
    }

    pub(crate) fn changes_of(&self, partition: u32) -> &[u32] {
        self.changes_of.get(partition)
    }

    pub(crate) fn runs_of(&self, partition: u32) -> &[u32] {
        self.runs_of.get(partition)
    }

    /// Returns the rows of the graph's commands that a node represents.
    pub(crate) fn memberships(&self, node: u32) -> &[u32] {
        self.memberships.get(node)
    }

    /// Returns the rows of the runs that a node represents.
    pub(crate) fn runs_of_node(&self, node: u32) -> &[u32] {
        self.runs_of_node.get(node)
    }
}
