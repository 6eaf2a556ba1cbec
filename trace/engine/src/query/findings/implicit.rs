//! Implicit copies: the runtime moves buffers to where they are used.

use rustc_hash::FxHashMap;
use syclscope_language::event::{NodeKind, Value};

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{size, time};
use crate::id::LocationId;
use crate::query::memory::IMPLICIT;
use crate::query::report::copies::number;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Fewer are needed to move two buffers to the device and back.
const MIN_COPIES: usize = 5;

#[derive(Default)]
struct Moved {
    copies: Vec<Command>,
    to_host: usize,
    contexts: Vec<u64>,
}

/// The runtime's own copies of buffers, by the source location that created the buffers.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let trace = run.trace;
    let mut lives: FxHashMap<(u32, u64), Vec<(u64, LocationId)>> = FxHashMap::default();
    for row in trace.objects.rows.iter() {
        lives.entry((row.process, row.address)).or_default().push((row.created, row.location));
    }
    lives.values_mut().for_each(|lives| lives.arrange_by_key(|life| life.0));
    let queue_of: FxHashMap<usize, u64> =
        trace.queues.iter().map(|queue| (queue.track as usize, queue.context)).collect();
    let mut places: FxHashMap<(u32, LocationId), Moved> = FxHashMap::default();
    let is_move = |kind| matches!(kind, NodeKind::Copy | NodeKind::Map | NodeKind::Unmap);
    for command in run.commands().iter().filter(|command| is_move(command.kind)) {
        let node = trace.nodes.row(command.node as usize);
        if command.execution.is_none() || !trace.strings.get(node.name).starts_with(IMPLICIT) {
            continue;
        }
        let mut address = 0;
        let mut to_host = false;
        for (key, value) in trace.args.get(node.args, &trace.strings) {
            match (key, value) {
                ("memory_object", Value::Pointer(pointer)) => address = pointer,
                ("copy_to", Value::Pointer(pointer)) => to_host = pointer == 0,
                _ => {}
            }
        }
        let of_address = lives.get(&(command.process, address)).map(Vec::as_slice).unwrap_or_default();
        let life = of_address[..of_address.partition_point(|life| life.0 <= command.begun)].last();
        let moved = places.entry((command.process, life.map_or(LocationId(0), |life| life.1))).or_default();
        // Mapped memory stays in place, but its map shows the context too.
        if command.kind == NodeKind::Copy {
            moved.copies.push(*command);
            moved.to_host += usize::from(to_host);
        }
        let queue = command.execution.and_then(|execution| queue_of.get(&track(trace, execution.slice)));
        if let Some(context) = queue
            && !moved.contexts.contains(context)
        {
            moved.contexts.push(*context);
        }
    }
    places
        .into_iter()
        .filter_map(|((process, location), moved)| finding(run, process, location, &moved))
        .collect()
}

fn finding(run: &Run<'_>, process: u32, location: LocationId, moved: &Moved) -> Option<Draft> {
    let times = moved.copies.iter().filter_map(|copy| copy.execution);
    let touches_ns = touched::busy(times.clone().map(|execution| execution.span()));
    let count = moved.copies.len();
    if count < MIN_COPIES || !run.is_worth(touches_ns) {
        return None;
    }
    let sizes = times.clone().filter_map(|execution| number(run.trace, execution.slice as usize, "bytes"));
    let bytes = sizes.fold(0, u64::saturating_add);
    let change = run.without_commands(moved.copies.iter());
    let remedy = if moved.contexts.len() > 1 {
        "Several contexts use the buffer in turn, and the host copies it between them: use one context for all queues."
    } else {
        "Use the buffer on one device for longer, keep it alive longer, or access it less often on the host."
    };
    Some(Draft {
        kind: "implicit_copies",
        message: format!(
            "The runtime implicitly copied buffers created{} {count} times ({}, {}).",
            run.at_place(location),
            size(bytes),
            time(touches_ns)
        ),
        remedy: remedy.to_owned(),
        evidence: vec![
            format!(
                "{} of these copies went to the host, {} to a device.",
                moved.to_host,
                count - moved.to_host
            ),
            format!("Contexts of their queues: {}.", moved.contexts.len()),
        ],
        process,
        location,
        slices: times.map(|execution| execution.slice).collect(),
        nodes: moved.copies.iter().map(|copy| copy.node).collect(),
        count: count as u64,
        touches_ns,
        change: Ok(change),
        bytes,
        how: "At most: the run replayed without these copies.",
        filter: format!("kind:copy name:\"{IMPLICIT}\""),
    })
}

fn track(trace: &Trace, slice: u32) -> usize {
    trace.tracks.of_lane(trace.slices.lane_of(slice as usize))
}
