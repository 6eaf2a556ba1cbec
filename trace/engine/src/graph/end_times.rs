//! Latest known end of each node. The end of a host task is not recorded, but is after its dependences' ends.

use syclscope_language::event::NodeKind;

use super::Links;
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// The last recorded end of a node or of its predecessors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndTime {
    pub(crate) at: u64,
    pub(crate) command: u32,
    /// The last host task between that command and the node, the node included; or `NONE`.
    pub(crate) task: u32,
}

#[derive(Debug)]
pub(crate) struct EndTimes {
    of_node: Vec<Option<EndTime>>,
}

cached!(EndTimes { of_node });

impl EndTimes {
    pub(crate) fn new(trace: &Trace) -> Self {
        let nodes = trace.nodes.len();
        let edges = &trace.edges.rows;
        let links = Links::new(nodes, edges.source.iter().zip(edges.target.iter()).collect());
        let mut ends: Vec<Option<EndTime>> = vec![None; nodes];
        for node in links.topological_order() {
            let place = node as usize;
            ends[place] = match some(trace.nodes.execution.at(place)) {
                Some(slice) => {
                    Some(EndTime { at: trace.slices.end(slice as usize), command: node, task: NONE })
                }
                None => {
                    let before = links.sources(node).filter_map(|source| ends[source as usize]);
                    let last = before.max_by_key(|end| (end.at, end.command));
                    let is_task = trace.nodes.kind.at(place) == NodeKind::HostTask;
                    last.map(|end| if is_task { EndTime { task: node, ..end } } else { end })
                }
            };
        }
        Self { of_node: ends }
    }

    pub(crate) fn get(&self, node: u32) -> Option<EndTime> {
        self.of_node.get(node as usize).copied().flatten()
    }
}
