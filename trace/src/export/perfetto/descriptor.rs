//! Announces tracks and devices.

use super::Writer;
use crate::convention::track_description;
use crate::event::TrackKind;
use crate::proto::encode::{message, text, uint};
use crate::proto::fields::{counter, gpu_info, packet, process, thread, track};

impl Writer {
    pub(super) fn track_descriptor(
        &mut self,
        uuid: u64,
        parent: Option<u64>,
        kind: TrackKind,
        name: &str,
        tid: u32,
    ) {
        let pid = u64::from(self.pid);
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

    /// A counter; with a category `derived` it holds bytes and is left out on import.
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
                uint(out, counter::UNIT, counter::SIZE_BYTES);
            }
        });
        self.packet(None, packet::TRACK_DESCRIPTOR);
    }

    /// Tells of every device known so far; a device's number is its position.
    pub(super) fn gpu_info(&mut self, device_type: &str) {
        let Self { body, devices, .. } = self;
        let last = devices.len().saturating_sub(1);
        for (position, (_, name)) in devices.iter().enumerate() {
            message(body, gpu_info::GPUS, |out| {
                text(out, gpu_info::NAME, name);
                if position == last {
                    message(out, gpu_info::EXTRA_INFO, |out| {
                        text(out, gpu_info::EXTRA_KEY, "device_type");
                        text(out, gpu_info::EXTRA_VALUE, device_type);
                    });
                }
            });
        }
        self.packet(None, packet::GPU_INFO);
    }
}
