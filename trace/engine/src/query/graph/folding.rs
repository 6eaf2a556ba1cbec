//! Folding of nodes at a level.

use rustc_hash::FxHashMap;
use syclscope_language::api::ViewLoop;
use syclscope_language::question::GraphLevel;
use syclscope_language::question::GroupName;

use super::context::Context;
use crate::graph::Repeats;
use crate::graph::groups::{Groups, parts};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Nodes of a trace, folded at a level.
pub(super) struct Folding {
    /// Nodes of one component or of all, by time.
    pub(super) order: Vec<u32>,
    pub(super) groups: Groups,
    /// For each node, its innermost loop; empty at other levels than iterations.
    pub(super) loop_of: Vec<Option<u32>>,
    pub(super) loops: Vec<ViewLoop>,
    pub(super) context: Context,
}

impl Folding {
    /// Folds the nodes of a level, of one component or of all.
    pub(super) fn new(trace: &Trace, level: GraphLevel, component: Option<u64>) -> Result<Self, QueryError> {
        let mut order = by_time(trace);
        let (mut loop_of, mut loops) = (Vec::new(), Vec::new());
        let context = Context::new(trace, level);
        let key = match level {
            GraphLevel::Source => places(trace, |_, node| node.location.0),
            GraphLevel::Kernels => places(trace, |_, _| 0),
            GraphLevel::Regions | GraphLevel::Stacks => places(trace, |row, _| context.key(row)),
            GraphLevel::Full => (0..trace.nodes.len() as u32).collect(),
            GraphLevel::Iterations => iterations(trace, &order, &mut loop_of, &mut loops),
        };
        if let Some(number) = component {
            let component = trace_links(trace).components();
            let wanted = component[row_of(trace, number)? as usize];
            order.retain(|node| component[*node as usize] == wanted);
        }
        Ok(Self { groups: Groups::new(&order, &key), order, loop_of, loops, context })
    }

    /// Returns the members of a group by name. The group may be a part of a folded one.
    pub(super) fn find(&self, trace: &Trace, name: GroupName) -> Result<&[u32], QueryError> {
        let first = row_of(trace, name.node)?;
        let mut members =
            self.groups.of_node(first).map(|group| self.groups.members(group)).unwrap_or_default();
        loop {
            if members.first() == Some(&first) && members.len() as u64 == name.count {
                return Ok(members);
            }
            let part = parts(members).find(|part| part.contains(&first));
            members = part.filter(|part| part.len() < members.len()).ok_or(QueryError::NoGroup(name))?;
        }
    }
}

pub(super) fn row_of(trace: &Trace, number: u64) -> Result<u32, QueryError> {
    let row = trace.nodes.number.iter().position(|known| known == number);
    row.map(|row| row as u32).ok_or(QueryError::NoNode(number))
}

pub(super) fn trace_links(trace: &Trace) -> crate::graph::Links {
    let count = trace.nodes.len() as u32;
    let pairs = trace.edges.rows.source.iter().zip(trace.edges.rows.target.iter());
    let known = pairs.filter(|(source, target)| *source < count && *target < count);
    crate::graph::Links::new(count as usize, known.collect())
}

pub(super) fn by_time(trace: &Trace) -> Vec<u32> {
    let mut order: Vec<u32> = (0..trace.nodes.len() as u32).collect();
    order.arrange_by_key(|node| (trace.nodes.created.at(*node as usize), *node));
    order
}

/// Returns a number for each node, equal for nodes of one kind, name and place.
fn places(trace: &Trace, place: impl Fn(usize, &NodeRow) -> u32) -> Vec<u32> {
    let mut numbers: FxHashMap<(u32, u32, u8), u32> = FxHashMap::default();
    let number = |(row, node): (usize, NodeRow)| {
        let next = numbers.len() as u32;
        *numbers.entry((place(row, &node), node.name.0, node.kind as u8)).or_insert(next)
    };
    trace.nodes.iter().enumerate().map(number).collect()
}

/// Returns the slot of each node among the repeats of its thread's submissions.
fn iterations(
    trace: &Trace,
    order: &[u32],
    loop_of: &mut Vec<Option<u32>>,
    loops: &mut Vec<ViewLoop>,
) -> Vec<u32> {
    let place = places(trace, |_, node| node.location.0);
    let mut threads: Vec<Vec<u32>> = Vec::new();
    let mut numbers: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for node in order {
        let row = trace.nodes.row(*node as usize);
        let number = *numbers.entry((trace.process_of_node(&row), row.tid)).or_insert_with(|| {
            threads.push(Vec::new());
            threads.len() - 1
        });
        threads[number].push(*node);
    }
    let mut slots = vec![0; trace.nodes.len()];
    *loop_of = vec![None; trace.nodes.len()];
    let mut first_slot = 0;
    for nodes in threads {
        let sequence: Vec<u32> = nodes.iter().map(|node| place[*node as usize]).collect();
        let repeats = Repeats::new(&sequence);
        let first_loop = loops.len() as u32;
        for (node, slot) in nodes.iter().zip(&repeats.slots) {
            slots[*node as usize] = first_slot + slot;
            let innermost = repeats.loops_of_slots.get(*slot as usize).copied().flatten();
            loop_of[*node as usize] = innermost.map(|number| first_loop + number);
        }
        loops.extend(repeats.loops.iter().map(|known| ViewLoop {
            parent: known.parent.map(|number| first_loop + number),
            times: known.times,
        }));
        first_slot += repeats.loops_of_slots.len() as u32;
    }
    slots
}
