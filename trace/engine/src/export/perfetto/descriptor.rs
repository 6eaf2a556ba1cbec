//! Descriptors of tracks and devices.

use syclscope_language::event::{self, Queue, TrackKind, Value};

use super::Writer;
use crate::convention::{BYTES, counter_unit, stage_text, track_description};
use crate::proto::encode::{bytes, message, text, uint};
use crate::proto::fields::{counter, gpu_info, packet, process, thread, track};

/// Up to this number of devices, all are listed again whenever one is added.
const MAX_LISTED_DEVICES: usize = 64;

impl Writer {
    pub(super) fn track_descriptor(&mut self, described: &event::Track<'_>) {
        let event::Track { track: uuid, parent, kind, name, tid } = *described;
        let pid = u64::from(self.processes.of_track(described));
        let out = &mut self.body;
        uint(out, track::UUID, uuid);
        if let Some(parent) = parent {
            uint(out, track::PARENT_UUID, parent);
        }
        match kind {
            TrackKind::Process => message(out, track::PROCESS, |out| {
                uint(out, process::PID, pid);
                text(out, process::PROCESS_NAME, name);
            }),
            TrackKind::Thread => message(out, track::THREAD, |out| {
                uint(out, thread::PID, pid);
                uint(out, thread::TID, tid.into());
                text(out, thread::THREAD_NAME, name);
            }),
            _ => {
                text(out, track::NAME, name);
                if kind != TrackKind::Other {
                    text(out, track::DESCRIPTION, &track_description(kind));
                }
            }
        }
        self.packet(None, packet::TRACK_DESCRIPTOR);
    }

    /// Writes the descriptor of a counter; one of a category `derived` is left out on import.
    pub(super) fn counter_descriptor(
        &mut self,
        uuid: u64,
        parent: Option<u64>,
        name: &str,
        derived: Option<&str>,
    ) {
        let out = &mut self.body;
        uint(out, track::UUID, uuid);
        if let Some(parent) = parent {
            uint(out, track::PARENT_UUID, parent);
        }
        text(out, track::NAME, name);
        message(out, track::COUNTER, |out| {
            if let Some(derived) = derived {
                text(out, counter::CATEGORIES, derived);
            }
            match counter_unit(name) {
                BYTES => uint(out, counter::UNIT, counter::SIZE_BYTES),
                "" => {}
                unit => text(out, counter::UNIT_NAME, unit),
            }
        });
        self.packet(None, packet::TRACK_DESCRIPTOR);
    }

    pub(super) fn announce_device(&mut self, device: &event::Device<'_>) {
        let event::Device { handle, name, device_type, platform, driver, args, .. } = *device;
        let mut described = Vec::new();
        text(&mut described, gpu_info::NAME, name);
        for (field, key) in [(gpu_info::VENDOR, "vendor"), (gpu_info::ARCHITECTURE, "architecture")] {
            if let Some((_, Value::Str(known))) = args.iter().find(|(name, _)| *name == key) {
                text(&mut described, field, known);
            }
        }
        for (key, value) in [("device_type", device_type), ("platform", platform), ("driver", driver)] {
            extra_info(&mut described, key, value);
        }
        for (key, value) in args {
            let mut written = String::new();
            stage_text(value, &mut written);
            extra_info(&mut described, key, &written);
        }
        match self.device_number(handle, name) {
            Some(number) => self.devices[number] = described,
            None => {
                self.add_device(handle, name, described);
            }
        }
        self.devices_announced();
    }

    /// Returns the number of a queue's device; one that was not announced gets its name and type from the queue.
    pub(super) fn device_of_queue(&mut self, queue: &Queue<'_>) -> usize {
        let (handle, name) = (queue.device_handle, queue.device);
        self.device_number(handle, name).unwrap_or_else(|| {
            let mut described = Vec::new();
            text(&mut described, gpu_info::NAME, name);
            extra_info(&mut described, "device_type", queue.device_type);
            let number = self.add_device(handle, name, described);
            self.devices_announced();
            number
        })
    }

    fn device_number(&self, handle: u64, name: &str) -> Option<usize> {
        self.numbers_of_devices.get(&(self.processes.index(), handle, name.to_owned())).copied()
    }

    fn add_device(&mut self, handle: u64, name: &str, described: Vec<u8>) -> usize {
        let number = self.devices.len();
        self.numbers_of_devices.insert((self.processes.index(), handle, name.to_owned()), number);
        self.devices.push(described);
        number
    }

    /// Writes the list of all devices if it is due: with many devices, only after as many announcements as there are
    /// devices.
    fn devices_announced(&mut self) {
        self.untold_devices += 1;
        if self.devices.len() <= MAX_LISTED_DEVICES || self.untold_devices >= self.devices.len() {
            self.gpu_info();
        }
    }

    /// Writes the list of all devices so far; a device's number is its position.
    pub(super) fn gpu_info(&mut self) {
        if std::mem::take(&mut self.untold_devices) == 0 {
            return;
        }
        let Self { body, devices, .. } = self;
        for described in devices {
            bytes(body, gpu_info::GPUS, described);
        }
        self.packet(None, packet::GPU_INFO);
    }
}

fn extra_info(out: &mut Vec<u8>, key: &str, value: &str) {
    message(out, gpu_info::EXTRA_INFO, |out| {
        text(out, gpu_info::EXTRA_KEY, key);
        text(out, gpu_info::EXTRA_VALUE, value);
    });
}
