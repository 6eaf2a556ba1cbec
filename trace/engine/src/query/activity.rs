//! Counters derived from commands and allocations. They are computed on first use and cached with the trace.
//!
//! They take 32 bytes a step, two steps a command at most. They are not stored: unused counters cost nothing, and
//! previously imported files have them too.

use std::collections::{BTreeMap, BTreeSet};

use syclscope_language::api::{ActivityCounter, ActivityKind, CounterTile};
use syclscope_language::event::{AllocationKind, NodeKind, TrackKind};
use syclscope_language::question::TileKey;

use super::counter;
use super::report::copies::{Direction, copied_bytes, directed};
use crate::convention::memory_counter_name;
use crate::graph::device_title;
use crate::id::{NONE, StringId, some};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::counters::Counters;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    counters: Counters,
    infos: Vec<ActivityCounter>,
}

cached!(Activity { counters, infos });

/// Times, each with the change of a value.
type Changes = Vec<(u64, f64)>;

impl Activity {
    fn new(trace: &Trace) -> Self {
        let mut activity = Self::default();
        activity.count_commands(trace);
        activity.rate_transfers(trace);
        activity.sum_memory(trace);
        activity.counters.finish();
        activity
    }

    /// Counts kernels in flight on each device, and the depth of each queue.
    fn count_commands(&mut self, trace: &Trace) {
        let mut kernels: BTreeMap<u32, Changes> = BTreeMap::new();
        for (number, track) in
            (0..).zip(trace.tracks.iter()).filter(|(_, track)| track.kind == TrackKind::Queue)
        {
            let mut depth = Changes::new();
            for row in executions(trace, &track) {
                let (start, end) = trace.slices.interval(row);
                if trace.executions.kind.at(row) == NodeKind::Kernel && track.parent != NONE {
                    span(kernels.entry(track.parent).or_default(), (start, end), 1.0);
                }
                if !trace.is_piece(row) {
                    span(&mut depth, (submitted(trace, row).min(start), end), 1.0);
                }
            }
            self.push(ActivityKind::QueueDepth, number, "queue depth".to_owned(), "", depth);
        }
        for (device, changes) in kernels {
            self.push(ActivityKind::KernelsInFlight, device, "kernels in flight".to_owned(), "", changes);
        }
    }

    fn rate_transfers(&mut self, trace: &Trace) {
        let mut rates: BTreeMap<(u32, Direction), Changes> = BTreeMap::new();
        for (row, direction) in directed(trace, 0..trace.executions.kind.len()) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(row));
            let device = trace.tracks.get(track as u32).map_or(NONE, |track| track.parent);
            let duration = trace.slices.duration.at(row);
            if let Some(bytes) = copied_bytes(trace, row).filter(|_| duration > 0 && device != NONE) {
                let times = trace.slices.interval(row);
                span(rates.entry((device, direction)).or_default(), times, bytes as f64 / duration as f64);
            }
        }
        for ((device, (from, to)), changes) in rates {
            let name = match (from, to) {
                ("", "") => "transfers: direction not known".to_owned(),
                (from, to) => format!("transfers: {} → {}", side_name(from), side_name(to)),
            };
            self.push(ActivityKind::TransferRate, device, name, "GB/s", changes);
        }
    }

    /// Sums up memory by device, for processes that use a kind of memory on several devices.
    fn sum_memory(&mut self, trace: &Trace) {
        let mut devices: BTreeMap<(u32, AllocationKind), BTreeSet<StringId>> = BTreeMap::new();
        for allocation in trace.allocations.iter() {
            devices.entry((allocation.process, allocation.kind)).or_default().insert(allocation.title);
        }
        devices.retain(|_, devices| devices.len() > 1);
        if devices.is_empty() {
            return;
        }
        let mut tracks: BTreeMap<(u32, StringId), u32> = BTreeMap::new();
        for (number, track) in
            (0..).zip(trace.tracks.iter()).filter(|(_, track)| track.kind == TrackKind::Device)
        {
            let title = device_title(trace, number).unwrap_or(track.name);
            tracks.entry((track.process, title)).or_insert(number);
        }
        let mut sums: BTreeMap<(u32, AllocationKind), Changes> = BTreeMap::new();
        for allocation in trace.allocations.iter() {
            if devices.contains_key(&(allocation.process, allocation.kind))
                && let Some(track) = tracks.get(&(allocation.process, allocation.title))
            {
                let end = allocation.released.unwrap_or(u64::MAX);
                let changes = sums.entry((*track, allocation.kind)).or_default();
                span(changes, (allocation.at, end), allocation.size_bytes as f64);
            }
        }
        for ((device, kind), changes) in sums {
            self.push(ActivityKind::Memory, device, memory_counter_name(kind).to_owned(), "bytes", changes);
        }
    }

    fn push(&mut self, kind: ActivityKind, track: u32, name: String, unit: &str, changes: Changes) {
        let samples = steps(changes);
        let max = samples.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        if max > 0.0 {
            self.counters.push(StringId::default(), samples);
            self.infos.push(ActivityCounter { kind, track, name, unit: unit.to_owned(), max });
        }
    }
}

fn span(changes: &mut Changes, (from, to): (u64, u64), value: f64) {
    if from < to {
        changes.extend([(from, value), (to, -value)]);
    }
}

/// Returns the value after each change.
fn steps(mut changes: Changes) -> Vec<(u64, f64)> {
    // Mostly sorted already, since commands of one lane follow one another.
    changes.sort_by_key(|(at, _)| *at);
    let mut samples: Vec<(u64, f64)> = Vec::new();
    let (mut value, mut holding) = (0.0, 0_u64);
    for now in changes.chunk_by(|one, other| one.0 == other.0) {
        let begun = now.iter().filter(|(_, by)| *by > 0.0).count() as u64;
        holding = (holding + begun).saturating_sub(now.len() as u64 - begun);
        value += now.iter().map(|(_, by)| by).sum::<f64>();
        // Discards the rounding error of sums of fractions.
        if holding == 0 {
            value = 0.0;
        }
        // Rounding differences are not steps, and an interval without an end has no last step.
        let is_step = (samples.last().map_or(0.0, |(_, last)| *last) - value).abs() > value.abs() * 1e-9;
        if now[0].0 < u64::MAX && is_step {
            samples.push((now[0].0, value));
        }
    }
    samples
}

fn executions(trace: &Trace, track: &TrackRow) -> std::ops::Range<usize> {
    let starts = &trace.slices.lane_starts;
    let row = |lane: u32| starts.get(lane as usize).map_or(0, |row| *row as usize);
    let (from, to) = (row(track.first_lane), row(track.first_lane.saturating_add(track.lanes)));
    from..to.min(trace.executions.kind.len()).max(from)
}

/// Returns the time at which a command was on its queue: the return of the host's submission, else the runtime's
/// enqueueing.
fn submitted(trace: &Trace, row: usize) -> u64 {
    let node = some(trace.slices.node.at(row)).and_then(|node| trace.nodes.get(node));
    let returned = node.and_then(|node| some(node.submission)).map(|slice| trace.slices.end(slice as usize));
    let execution = trace.executions.get(row as u32);
    returned.or(execution.and_then(|execution| execution.queued)).unwrap_or(u64::MAX)
}

fn side_name(side: &'static str) -> &'static str {
    if side.is_empty() { "not known" } else { side }
}

impl Trace {
    /// Returns the derived counters: kernels in flight, depth of queues, rates of transfers, memory by device.
    pub fn activity(&self) -> &[ActivityCounter] {
        &self.activities().infos
    }

    /// Returns the samples of a derived counter at a resolution. The key's track is the counter's index in
    /// [`Trace::activity`].
    ///
    /// # Errors
    /// Returns an error if there is no such counter.
    pub fn activity_tile(&self, key: TileKey) -> Result<CounterTile, QueryError> {
        let Activity { counters, infos } = self.activities();
        let is_there = (key.track as usize) < infos.len();
        is_there.then(|| counter::tile(counters, key.track, key)).ok_or(QueryError::NoTrack(key.track))
    }

    fn activities(&self) -> &Activity {
        self.shelf.slot().get_or_init(|| Activity::new(self))
    }
}
