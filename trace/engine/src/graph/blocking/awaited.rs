//! Commands awaited by a slice that blocks its thread.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Argument names of event lists.
const LISTS: [&str; 4] = ["phEventWaitList[", "event_wait_list[", "events_waitlist[", "event_list["];
/// Argument names under which a call returns the event of its command.
const EVENTS: [&str; 2] = ["phEvent", "event"];

/// The nodes of events over time: runtimes reuse the addresses of events.
pub(super) struct Awaited {
    /// By process and address of an event: nodes, each with the time from which the address refers to its event.
    events: FxHashMap<(u32, u64), Vec<(u64, u32)>>,
}

impl Awaited {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut events: FxHashMap<(u32, u64), Vec<(u64, u32)>> = FxHashMap::default();
        for row in trace.executions.kind.len()..trace.slices.len() {
            let Some(node) = some(trace.slices.node.at(row)) else { continue };
            if !matches!(trace.slices.category(row), Category::Call | Category::Signal) {
                continue;
            }
            for (key, value) in trace.args.get(trace.slices.args.at(row), &trace.strings) {
                if let Value::Pointer(event) = value
                    && EVENTS.contains(&key)
                {
                    events
                        .entry((trace.process_of_slice(row), event))
                        .or_default()
                        .push((trace.slices.start.at(row), node));
                }
            }
        }
        events.values_mut().for_each(|nodes| nodes.sort_unstable());
        Self { events }
    }

    /// Returns the nodes that a slice names, or whose events are its arguments.
    pub(super) fn nodes(&self, trace: &Trace, slice: usize) -> Vec<u32> {
        let mut nodes: Vec<u32> = some(trace.slices.node.at(slice)).into_iter().collect();
        let begin = trace.slices.start.at(slice);
        let is_command = !nodes.is_empty() && trace.slices.category(slice) == Category::Call;
        if is_command {
            // A blocking command returns when it has ended. Its event list has its dependences.
            return nodes;
        }
        for (key, value) in trace.args.get(trace.slices.args.at(slice), &trace.strings) {
            if let Value::Pointer(event) = value
                && LISTS.iter().any(|list| key.starts_with(list))
            {
                let known = self
                    .events
                    .get(&(trace.process_of_slice(slice), event))
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                let before = known[..known.partition_point(|(from, _)| *from <= begin)].last();
                nodes.extend(before.map(|(_, node)| *node));
            }
        }
        nodes
    }
}

/// Returns the number of the queue that a slice waits for, if the slice names no single command.
pub(super) fn queue(trace: &Trace, slice: usize) -> Option<u64> {
    if some(trace.slices.node.at(slice)).is_some() {
        return None;
    }
    let args = trace.slices.args.at(slice);
    let (_, value) = trace.args.get(args, &trace.strings).find(|(key, _)| *key == "queue")?;
    if let Value::Uint(number) = value { Some(number) } else { None }
}
