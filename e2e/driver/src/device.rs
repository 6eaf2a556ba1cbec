//! A device: its engines, its clock, its memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{fill, give_list, write};
use crate::clock::{self, Clock};
use crate::engine::Engine;
use crate::fault;
use crate::layout::PeerProperties;
use crate::objects::{self, Handle};
use crate::settings::Settings;

/// A device or one of its tiles.
pub(crate) struct Device {
    pub(crate) index: u32,
    /// Index of a tile in its device; `None` for a whole device.
    pub(crate) tile: Option<u32>,
    pub(crate) tiles: Vec<Arc<Device>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) clock: Arc<Clock>,
    /// Allocated bytes.
    pub(crate) used: AtomicU64,
    handle: OnceLock<Handle>,
    parent: OnceLock<Handle>,
}

/// Engines of one kind.
pub(crate) struct Group {
    pub(crate) flags: u32,
    pub(crate) engines: Vec<Arc<Engine>>,
}

/// `ze_command_queue_group_property_flags_t`
pub(crate) const COMPUTE: u32 = 1;
const COPY: u32 = 2;
const COOPERATIVE: u32 = 4;

impl Device {
    /// Creates the device with this number, and its tiles.
    pub(crate) fn make(settings: &Settings, index: u32) -> Arc<Self> {
        let clock = Arc::new(Clock::begin(settings, index));
        let tile = |tile: u32| Self::part(settings, index, Some(tile), Vec::new(), &clock);
        let tiles: Vec<Arc<Self>> = (0..settings.tiles).map(tile).collect();
        let device = Self::part(settings, index, None, tiles, &clock);
        for tile in &device.tiles {
            let _ = tile.parent.set(device.handle());
        }
        device
    }

    fn part(
        settings: &Settings,
        index: u32,
        tile: Option<u32>,
        tiles: Vec<Arc<Self>>,
        clock: &Arc<Clock>,
    ) -> Arc<Self> {
        let group = |name: &'static str, ordinal: u32, flags: u32, count: u32| {
            let engine = |number| Engine::new(name, (index, tile), (ordinal, number), Arc::clone(clock));
            Group { flags, engines: (0..count).map(engine).collect() }
        };
        let mut groups = vec![group("compute", 0, COMPUTE | COPY | COOPERATIVE, settings.compute_engines)];
        for (name, count) in [("copy", settings.copy_engines), ("link copy", settings.link_engines)] {
            if count > 0 {
                groups.push(group(name, groups.len() as u32, COPY, count));
            }
        }
        Arc::new(Self {
            index,
            tile,
            tiles,
            groups,
            clock: Arc::clone(clock),
            used: AtomicU64::new(0),
            handle: OnceLock::new(),
            parent: OnceLock::new(),
        })
    }

    /// Returns the device's handle, which is valid until the process ends.
    pub(crate) fn handle(self: &Arc<Self>) -> Handle {
        *self.handle.get_or_init(|| objects::give(Arc::clone(self)))
    }

    /// Returns the engine for a queue.
    pub(crate) fn engine(&self, ordinal: u32, index: u32) -> Result<&Arc<Engine>, Code> {
        let group = self.groups.get(ordinal as usize).ok_or(Code::INVALID_ARGUMENT)?;
        group.engines.get(index as usize).ok_or(Code::INVALID_ARGUMENT)
    }

    pub(crate) fn memory_bytes() -> u64 {
        Settings::get().memory_mb << 20
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        Self::memory_bytes().saturating_sub(self.used.load(Ordering::Relaxed))
    }
}

calls! {
    fn tiles "zeDeviceGetSubDevices" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        let handles: Vec<Handle> = device.tiles.iter().map(|tile| tile.handle()).collect();
        give_list(count, places, &handles)?;
    }

    fn root "zeDeviceGetRootDevice" (device: Handle, root: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        write(root, device.parent.get().copied().unwrap_or_default())?;
    }

    fn peer_properties "zeDeviceGetP2PProperties"
        (device: Handle, peer: Handle, properties: *mut PeerProperties) {
        objects::all::<Device>(&[device, peer])?;
        fill(properties, |place| place.flags = u32::from(Settings::get().has_peer_access))?;
    }

    fn can_access "zeDeviceCanAccessPeer" (device: Handle, peer: Handle, can: *mut u8) {
        objects::all::<Device>(&[device, peer])?;
        write(can, u8::from(Settings::get().has_peer_access))?;
    }

    fn status "zeDeviceGetStatus" (device: Handle) {
        objects::get::<Device>(device)?;
        fault::device_is_there()?;
    }

    fn timestamps "zeDeviceGetGlobalTimestamps" (device: Handle, host: *mut u64, on_device: *mut u64) {
        let device = objects::get::<Device>(device)?;
        fault::device_is_there()?;
        let slow_us = Settings::get().slow_reading_us;
        let pause = || std::thread::sleep(std::time::Duration::from_micros(slow_us / 2));
        if slow_us > 0 {
            pause();
        }
        write(host, clock::raw_ns())?;
        write(on_device, device.clock.global(device.clock.ticks(clock::host_ns())))?;
        if slow_us > 0 {
            pause();
        }
    }

    fn synchronize "zeDeviceSynchronize" (device: Handle) {
        let device = objects::get::<Device>(device)?;
        let engines = || device.groups.iter().flat_map(|group| &group.engines);
        crate::progress::wait(u64::MAX, || fault::is_lost() || engines().all(|engine| engine.is_idle()));
        fault::device_is_there()?;
    }
}
