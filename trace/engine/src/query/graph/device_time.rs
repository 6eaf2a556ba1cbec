//! Busy time of a queue's device, for all its queues.

use std::ops::Range;

use crate::graph::{devices_of_queues, queues_of_tracks};
use crate::store::Trace;
use crate::stretches::Stretches;

/// When devices ran something, by queue.
pub(super) struct DeviceTime {
    of_queue: Vec<usize>,
    /// Stretches of each device by begin, with the time in those before.
    devices: Vec<Vec<(u64, u64, u64)>>,
}

impl DeviceTime {
    pub(super) fn new(trace: &Trace) -> Self {
        let (of_queue, count) = devices_of_queues(trace);
        let mut spans: Vec<Vec<(u64, u64)>> = vec![Vec::new(); count];
        let queues = queues_of_tracks(trace);
        for row in trace.device_work() {
            let queue = queues[trace.tracks.of_lane(trace.slices.lane_of(row))];
            if let Some(device) = of_queue.get(queue as usize) {
                spans[*device].push((trace.slices.start.at(row), trace.slices.end(row)));
            }
        }
        let summed = |spans| {
            let mut sum = 0;
            let stretches = Stretches::new(spans);
            let with_sum = stretches.iter().map(|(begin, end)| {
                let before = sum;
                sum += end - begin;
                (begin, end, before)
            });
            with_sum.collect()
        };
        Self { of_queue, devices: spans.into_iter().map(summed).collect() }
    }

    /// Busy time of the device of a queue, by row, in a range, in nanoseconds.
    pub(super) fn within(&self, queue: usize, range: Range<u64>) -> u64 {
        self.until(queue, range.end).saturating_sub(self.until(queue, range.start))
    }

    fn until(&self, queue: usize, at: u64) -> u64 {
        let stretches = self.of_queue.get(queue).map_or(&[][..], |device| &self.devices[*device]);
        let after = stretches.partition_point(|(begin, ..)| *begin < at);
        let last = after.checked_sub(1).map(|last| stretches[last]);
        last.map_or(0, |(begin, end, before)| before + end.min(at) - begin)
    }
}
