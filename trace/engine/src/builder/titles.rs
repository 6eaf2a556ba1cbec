//! Displayed names of devices: devices of a process with one name get numbers.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{TrackKind, Value};

use super::TraceBuilder;
use crate::id::StringId;
use crate::store::args::ArgTable;
use crate::store::memory::AllocationRow;
use crate::store::slices::Slices;
use crate::store::table::Table as _;
use crate::store::tracks::{QueueRow, Tracks};
use crate::strings::StringTable;

/// Argument of allocating calls that has the device's handle.
const DEVICE: &str = "hDevice";
/// Lanes of a thread that are searched for the allocating call.
const MAX_LANES: usize = 64;

/// Devices that share their name.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// Numbered names by process, handle and name.
    of_device: FxHashMap<(u32, u64, StringId), StringId>,
    /// Names that devices of a process share.
    shared: FxHashSet<(u32, StringId)>,
}

impl TraceBuilder {
    /// Gives devices and queues their titles: the name, with a number if devices of the process share it. Numbers
    /// follow the devices' own order.
    pub(super) fn entitle_devices(&mut self, queues: &mut [QueueRow], tracks: &Tracks) -> Titles {
        let process = |queue: &QueueRow| tracks.process.at(queue.track as usize);
        let devices = self.machine.devices().iter().map(|row| (row.process, row.handle, row.name));
        let of_queues = queues.iter().map(|queue| (process(queue), queue.device_handle, queue.device));
        let is_known =
            |(_, handle, name): &(u32, u64, StringId)| *handle != 0 && *name != StringId::default();
        let mut seen = FxHashSet::default();
        let devices: Vec<_> =
            devices.chain(of_queues).filter(is_known).filter(|device| seen.insert(*device)).collect();
        let mut counts: FxHashMap<(u32, StringId), u32> = FxHashMap::default();
        for (process, _, name) in &devices {
            *counts.entry((*process, *name)).or_default() += 1;
        }
        let mut titles = Titles::default();
        titles.shared.extend(counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name));
        let mut numbers: FxHashMap<(u32, StringId), u32> = FxHashMap::default();
        for (process, handle, name) in devices {
            if titles.shared.contains(&(process, name)) {
                let number = numbers.entry((process, name)).or_default();
                *number += 1;
                let title = format!("{} #{number}", self.strings.text(name));
                titles.of_device.insert((process, handle, name), self.strings.intern(&title));
            }
        }
        for queue in queues {
            queue.title = titles.title(process(queue), queue.device_handle, queue.device);
        }
        for device in self.machine.devices_mut() {
            device.title = titles.title(device.process, device.handle, device.name);
        }
        titles
    }
}

impl Titles {
    fn title(&self, process: u32, handle: u64, name: StringId) -> StringId {
        self.of_device.get(&(process, handle, name)).copied().unwrap_or(name)
    }

    /// Gives allocations their titles. An allocation has the name of its device. If several devices share the name, the
    /// enclosing call identifies the device; without a recorded call, the plain name remains.
    pub(super) fn entitle_allocations(
        &self,
        allocations: &mut [AllocationRow],
        (tracks, slices): (&Tracks, &Slices),
        (args, strings): (&ArgTable, &StringTable),
    ) {
        allocations.iter_mut().for_each(|row| row.title = row.device);
        if self.shared.is_empty() {
            return;
        }
        let mut threads: FxHashMap<(u32, u32), Vec<Range<usize>>> = FxHashMap::default();
        for track in tracks.iter().filter(|track| track.kind == TrackKind::Thread) {
            threads.entry((track.process, track.tid)).or_default().push(track.lane_range());
        }
        let is_shared = |row: &&mut AllocationRow| self.shared.contains(&(row.process, row.device));
        for row in allocations.iter_mut().filter(is_shared) {
            let lanes = threads.get(&(row.process, row.tid)).into_iter().flatten().cloned().flatten();
            let around = lanes.take(MAX_LANES).filter_map(|lane| {
                let rows = slices.lane(lane);
                let before = slices.start.get(rows.clone())?.partition_point(|start| *start < row.at);
                let slice = rows.start + before.checked_sub(1)?;
                (slices.end(slice) >= row.at).then_some(slice)
            });
            let mut titles = around.filter_map(|slice| {
                let mut found = args.get(slices.args.at(slice), strings);
                let handle = found.find_map(|(key, value)| match value {
                    Value::Pointer(handle) | Value::Uint(handle) if key == DEVICE => Some(handle),
                    _ => None,
                })?;
                self.of_device.get(&(row.process, handle, row.device)).copied()
            });
            if let Some(title) = titles.next() {
                row.title = title;
            }
        }
    }
}
