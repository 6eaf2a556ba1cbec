//! Busy time of a queue's device, for all its queues.

use std::ops::Range;

use crate::graph::{devices_of_queues, queues_of_tracks};
use crate::store::Trace;
use crate::stretches::Stretches;

/// Busy intervals of devices, by queue.
pub(super) struct DeviceTime {
    of_queue: Vec<usize>,
    /// By device.
    devices: Vec<Stretches>,
}

impl DeviceTime {
    pub(super) fn new(trace: &Trace) -> Self {
        let (of_queue, count) = devices_of_queues(trace);
        let mut spans: Vec<Vec<(u64, u64)>> = vec![Vec::new(); count];
        let queues = queues_of_tracks(trace);
        for row in trace.device_work() {
            let queue = queues[trace.tracks.of_lane(trace.slices.lane_of(row))];
            if let Some(device) = of_queue.get(queue as usize) {
                spans[*device].push(trace.slices.interval(row));
            }
        }
        Self { of_queue, devices: spans.into_iter().map(Stretches::new).collect() }
    }

    /// Returns the busy time (ns) of the device of a queue, given by row, in a range.
    pub(super) fn within(&self, queue: usize, range: Range<u64>) -> u64 {
        let device = self.of_queue.get(queue).map(|device| &self.devices[*device]);
        device.map_or(0, |busy| busy.ns_within(range.start, range.end))
    }
}
