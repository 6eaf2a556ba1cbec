//! Grouping of queues by device.

use rustc_hash::FxHashMap;
use syclscope_language::event::TrackKind;

use crate::id::{NONE, StringId, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::QueueRow;

/// Returns the row of each track's queue, or `NONE`.
pub(crate) fn queues_of_tracks(trace: &Trace) -> Vec<u32> {
    let mut of_track = vec![NONE; trace.tracks.len()];
    for (row, queue) in (0..).zip(trace.queues.iter()) {
        if let Some(place) = of_track.get_mut(queue.track as usize) {
            *place = row;
        }
    }
    of_track
}

/// Returns the track of a queue's device. A queue without a known device is a device of its own.
pub(crate) fn device_track(trace: &Trace, queue: u32) -> u32 {
    let parent = trace.tracks.get(queue).and_then(|row| some(row.parent));
    let device = parent
        .filter(|parent| trace.tracks.get(*parent).is_some_and(|parent| parent.kind == TrackKind::Device));
    device.unwrap_or(queue)
}

/// Returns the displayed name of the device of a track; `None` if the device has no queue or no name.
pub(crate) fn device_title(trace: &Trace, track: u32) -> Option<StringId> {
    let is_on_it = |queue: &QueueRow| trace.tracks.get(queue.track).is_some_and(|row| row.parent == track);
    let title = trace.queues.iter().find(is_on_it)?.title;
    (title != StringId::default()).then_some(title)
}

/// Returns the index of each queue's device, and the number of devices. Each process has its own devices.
pub(crate) fn devices_of_queues(trace: &Trace) -> (Vec<usize>, usize) {
    let mut numbers = FxHashMap::default();
    let of_queue = trace.queues.iter().map(|queue| {
        let process = trace.tracks.get(queue.track).map_or(NONE, |track| track.process);
        let next = numbers.len();
        *numbers.entry((process, queue.device_handle, queue.device)).or_insert(next)
    });
    let of_queue = of_queue.collect();
    (of_queue, numbers.len())
}
