//! Streams of a device, from a vendor's records. Their slices are the real executions on the device. Most slices belong
//! to one command each, which already has its execution. Pieces of other commands (command graphs, native commands)
//! become executions in addition to that of the whole. Slices without a command are work that the program submitted to
//! the driver itself: they become executions of a separate queue, without commands.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind, TrackKind};

use super::TraceBuilder;
use super::foreign_queues::kind_of;
use super::queues::PendingExecution;
use crate::convention::device_of_stream;
use crate::id::some;
use crate::store::slices::SliceRow;
use crate::store::tracks::QueueRow;

/// By node: queue and position of an execution that may also exist in pieces.
type Wholes = FxHashMap<u32, (usize, usize)>;

impl TraceBuilder {
    /// Creates executions for the work of streams that has none yet.
    pub(super) fn adopt_streams(&mut self) {
        let is_stream = |row: &usize| {
            let track = &self.tracks[*row];
            track.kind == TrackKind::Other && device_of_stream(self.strings.text(track.name)).is_some()
        };
        let streams: Vec<usize> = (0..self.tracks.len()).filter(is_stream).collect();
        if streams.is_empty() {
            return;
        }
        let mut wholes = Wholes::default();
        for (queue, entry) in self.queues.entries.iter().enumerate() {
            for (place, (slice, execution)) in entry.slices.iter().zip(entry.executions.iter()).enumerate() {
                if matches!(execution.kind, NodeKind::CommandGraph | NodeKind::Other) {
                    wholes.entry(slice.node).or_insert((queue, place));
                }
            }
        }
        for row in streams {
            let slices = std::mem::take(&mut self.tracks[row].slices);
            let mut native = Vec::new();
            for slice in slices.iter().filter(|slice| is_work(slice)) {
                if some(slice.node).is_none() {
                    native.push(*slice);
                } else if slice.category != Category::Command
                    && let Some((queue, place)) = wholes.get(&slice.node)
                {
                    self.queues.entries[*queue].executions[*place].in_pieces = true;
                    self.work_on(*queue, *slice);
                }
            }
            self.tracks[row].slices = slices;
            if !native.is_empty() {
                self.native_work(row, native);
            }
        }
    }

    /// Puts work without a command on a queue for its stream.
    fn native_work(&mut self, stream: usize, slices: Vec<SliceRow>) {
        let track = &self.tracks[stream];
        let (name, process) = (self.strings.text(track.name), track.process);
        let (Some(device), Some((name, _))) = (device_of_stream(name), name.split_once(" · ")) else {
            return;
        };
        let (device, name) = (device.to_owned(), format!("{name} · native"));
        let device = self.strings.intern(&device);
        let like =
            self.queues.entries.iter().find(|entry| (entry.process, entry.row.device) == (process, device));
        let like = like.map(|entry| entry.row);
        let queue = self.queues.free_number();
        let queue = self.queues.row(queue, process);
        self.queues.announce(queue);
        let entry = &mut self.queues.entries[queue as usize];
        entry.name = self.strings.intern(&name);
        let like = like.unwrap_or(entry.row);
        entry.row = QueueRow {
            device,
            device_type: like.device_type,
            device_handle: like.device_handle,
            created: slices.iter().map(|slice| slice.start).min().unwrap_or_default(),
            ..entry.row
        };
        for slice in slices {
            self.work_on(queue as usize, slice);
        }
    }

    fn work_on(&mut self, queue: usize, slice: SliceRow) {
        if self.count_slice() {
            let entry = &mut self.queues.entries[queue];
            entry.slices.push(slice);
            let kind = match slice.category {
                Category::Command => NodeKind::CommandGraph,
                category => kind_of(category),
            };
            entry.executions.push(PendingExecution::new(kind));
        }
    }
}

/// True if a stream's slice is work of the device. A slice of category `Command` is a whole command graph.
fn is_work(slice: &SliceRow) -> bool {
    slice.category == Category::Command || kind_of(slice.category) != NodeKind::Other
}
