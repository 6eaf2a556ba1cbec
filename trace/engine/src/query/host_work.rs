//! Host tasks: their number, with upper bounds of their time. No runtime reports the times of their bodies.

use rustc_hash::FxHashMap;
use syclscope_language::event::NodeKind;

use crate::id::LocationId;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

pub(in crate::query) struct HostWork {
    pub(in crate::query) count: u64,
    /// Host tasks with bounds on both sides.
    pub(in crate::query) bounded: u64,
    /// Upper bound of the time in which at least one of the bounded tasks ran.
    pub(in crate::query) at_most_ns: u64,
    /// Rows of the tasks without dependences: others may only keep memory alive until a command has ended.
    pub(in crate::query) free: Vec<u32>,
    /// Most frequent source location of all host tasks.
    pub(in crate::query) location: LocationId,
}

impl HostWork {
    pub(in crate::query) fn new(trace: &Trace) -> Self {
        let (mut count, mut spans, mut free) = (0, Vec::new(), Vec::new());
        let mut places: FxHashMap<LocationId, u64> = FxHashMap::default();
        for node in (0..trace.nodes.len() as u32)
            .filter(|node| trace.nodes.kind.at(*node as usize) == NodeKind::HostTask)
        {
            count += 1;
            spans.extend(trace.host_tasks().get(node).map(|task| (task.from, task.to)));
            if trace.edges.incoming(node).next().is_none() {
                free.push(node);
            }
            *places.entry(trace.nodes.location.at(node as usize)).or_default() += 1;
        }
        let location = places.into_iter().max_by_key(|(place, count)| (*count, place.0));
        Self {
            count,
            bounded: spans.len() as u64,
            at_most_ns: Stretches::new(spans).ns(),
            free,
            location: location.map_or(LocationId(0), |(place, _)| place),
        }
    }

    /// Returns the most frequent source location as the end of a sentence; empty if unknown.
    pub(in crate::query) fn from(&self, trace: &Trace) -> String {
        match trace.locations.place(self.location, &trace.strings) {
            Some(place) if place.file.is_empty() => format!("; most come from {}", place.function),
            Some(place) => {
                let file = place.file.rsplit('/').next().unwrap_or(place.file);
                format!("; most come from {file}:{}", place.line)
            }
            None => String::new(),
        }
    }
}
