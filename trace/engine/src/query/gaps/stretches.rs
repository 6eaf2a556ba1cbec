//! Idle gaps of a track.

use std::cmp::Reverse;
use std::ops::Range;

use syclscope_language::event::TrackKind;
use syclscope_language::sorting::Sorting as _;

use crate::graph::device_track;
use crate::id::{NONE, some};
use crate::query::QueryError;
use crate::query::report::split::undelivered;
use crate::store::Trace;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) track: u32,
    pub(super) is_of_thread: bool,
    pub(super) from: u64,
    pub(super) to: u64,
    /// End before the gap was cut to a range.
    pub(super) whole_to: u64,
    /// Previous slice, or `NONE`.
    pub(super) before: u32,
    /// Next slice, or `NONE`.
    pub(super) after: u32,
}

impl Stretch {
    /// Cuts the gap to a range. Returns true if the rest is not empty.
    fn cut(&mut self, range: &Range<u64>) -> bool {
        (self.from, self.to) = (self.from.max(range.start), self.to.min(range.end));
        self.from < self.to
    }

    pub(super) fn next_node(&self, trace: &Trace) -> Option<u32> {
        if self.is_of_thread {
            return None;
        }
        some(trace.slices.node.at(some(self.after)? as usize))
    }
}

/// Returns the idle gaps of a track, or of all devices, in a range, in the order in which their causes are followed:
/// the longest first.
pub(super) fn find(
    trace: &Trace,
    track: Option<u32>,
    range: &Range<u64>,
) -> Result<Vec<Stretch>, QueryError> {
    let mut found = on_track(trace, track)?;
    // Executions after the last known one were lost: this time is unknown, not idle.
    let lost = undelivered(trace);
    let is_lost = |track: u32| lost.contains(&trace.tracks.process.at(track as usize));
    found.retain(|stretch| stretch.is_of_thread || some(stretch.after).is_some() || !is_lost(stretch.track));
    found.retain_mut(|stretch| stretch.cut(range));
    found.arrange_by_key(|stretch| (Reverse(stretch.to - stretch.from), stretch.from, stretch.track));
    Ok(found)
}

fn on_track(trace: &Trace, track: Option<u32>) -> Result<Vec<Stretch>, QueryError> {
    let Some(number) = track else {
        return Ok(of_devices(trace, |_| true));
    };
    let row = trace.tracks.get(number).ok_or(QueryError::NoTrack(number))?;
    match row.kind {
        TrackKind::Device => Ok(of_devices(trace, |device| device == number)),
        TrackKind::Queue => {
            let queue = trace.queues.iter().find(|queue| queue.track == number);
            let whole = queue.map_or(0..trace.duration_ns, |queue| {
                queue.created..queue.destroyed.unwrap_or(trace.duration_ns)
            });
            let is_of_queue = |row: &usize| trace.tracks.of_lane(trace.slices.lane_of(*row)) as u32 == number;
            let mut found = Vec::new();
            between(trace, number, trace.device_work().filter(is_of_queue).collect(), whole, &mut found);
            Ok(found)
        }
        TrackKind::Thread => {
            let rows: Vec<usize> = trace.slices.lane(row.first_lane as usize).collect();
            let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
            let whole = trace.slices.start.at(*first)..trace.slices.end(*last);
            let mut found = Vec::new();
            between(trace, number, rows, whole, &mut found);
            found.iter_mut().for_each(|stretch| stretch.is_of_thread = true);
            Ok(found)
        }
        _ => Err(QueryError::NoGaps(number)),
    }
}

/// Returns the idle gaps of devices. A queue without a known device counts as a separate device.
fn of_devices(trace: &Trace, is_wanted: impl Fn(u32) -> bool) -> Vec<Stretch> {
    let mut rows: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for queue in trace.queues.iter() {
        rows.entry(device_track(trace, queue.track)).or_default();
    }
    rows.retain(|device, _| is_wanted(*device));
    for row in trace.device_work() {
        let track = trace.tracks.of_lane(trace.slices.lane_of(row)) as u32;
        if let Some(rows) = rows.get_mut(&device_track(trace, track)) {
            rows.push(row);
        }
    }
    let mut found = Vec::new();
    for (device, rows) in rows {
        between(trace, device, rows, 0..trace.duration_ns, &mut found);
    }
    found
}

/// Adds the gaps between the slices.
fn between(trace: &Trace, track: u32, mut rows: Vec<usize>, whole: Range<u64>, found: &mut Vec<Stretch>) {
    rows.sort_by_key(|row| (trace.slices.start.at(*row), *row));
    let (mut until, mut before) = (whole.start, NONE);
    let mut add = |from: u64, to: u64, before: u32, after: u32| {
        if from < to {
            found.push(Stretch { track, is_of_thread: false, from, to, whole_to: to, before, after });
        }
    };
    for row in rows {
        let (start, end) = trace.slices.interval(row);
        add(until, start, before, row as u32);
        if end >= until {
            (until, before) = (end, row as u32);
        }
    }
    add(until, whole.end, before, NONE);
}
