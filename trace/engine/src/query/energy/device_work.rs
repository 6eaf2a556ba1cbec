//! Devices and the commands that ran on them.

use std::collections::BTreeMap;

use syclscope_language::event::TrackKind;

use super::Meter;
use crate::cancel;
use crate::graph::device_track;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) struct DeviceWork<'t> {
    trace: &'t Trace,
    devices: BTreeMap<u32, Device>,
}

#[derive(Default)]
struct Device {
    is_processor: bool,
    rows: Vec<u32>,
}

impl<'t> DeviceWork<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let mut devices: BTreeMap<u32, Device> = BTreeMap::new();
        for queue in trace.queues.iter() {
            let device = devices.entry(device_track(trace, queue.track)).or_default();
            let device_type = trace.strings.get(queue.device_type);
            device.is_processor |= device_type.to_ascii_uppercase().contains("CPU");
        }
        for row in trace.device_work() {
            cancel::row(row);
            let track = trace.tracks.of_lane(trace.slices.lane_of(row)) as u32;
            devices.entry(device_track(trace, track)).or_default().rows.push(row as u32);
        }
        Self { trace, devices }
    }

    pub(super) fn tracks(&self) -> impl Iterator<Item = u32> + '_ {
        self.devices.keys().copied()
    }

    pub(super) fn rows(&self, device: u32) -> impl Iterator<Item = usize> + '_ {
        self.devices.get(&device).into_iter().flat_map(|device| device.rows.iter().map(|row| *row as usize))
    }

    /// Returns the devices of a process that a counter measures. With several identical GPUs, the counter's name has a
    /// number. The devices' names have none, so that the measured device is unknown.
    pub(super) fn devices(&self, meter: Meter<'_>, process: u32) -> Vec<u32> {
        let is_it = |track: u32, device: &Device| {
            let row = self.trace.tracks.get(track).filter(|row| row.process == process);
            row.is_some_and(|row| match meter {
                Meter::Gpu(name) => {
                    row.kind == TrackKind::Device
                        && !device.is_processor
                        && self.trace.strings.get(row.name) == name
                }
                Meter::Processor => device.is_processor,
            })
        };
        let devices = self.devices.iter().filter(|(track, device)| is_it(**track, device));
        devices.map(|(track, _)| *track).collect()
    }

    /// Returns the distinct names of devices, separated by commas.
    pub(super) fn names(&self, devices: &[u32]) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for device in devices {
            let name = self.trace.track_name(*device as usize);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| names.join(", "))
    }
}
