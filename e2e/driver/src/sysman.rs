//! Sysman's values of devices: clocks, power, temperature, engines, memory.

mod script;

use std::sync::{Arc, Mutex, PoisonError};

use crate::call::calls;
use crate::caller::{chain, fill, give_list, write};
use crate::clock;
use crate::device::Device;
use crate::layout::sysman::{
    POWER_DOMAIN, SysmanCounter, SysmanDevice, SysmanEngine, SysmanFrequency, SysmanFrequencyState,
    SysmanMemory, SysmanMemoryState, SysmanPci, SysmanPower, SysmanPowerDomain, SysmanTemperature,
};
use crate::log::Line;
use crate::objects::{self, Handle};
use crate::properties;

/// A readable component of a device.
struct Part {
    device: Arc<Device>,
    kind: Kind,
    /// Its tile; `None` on a device without tiles, and for a component of the whole.
    tile: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Clock,
    /// Clock of the local memory, which a recorder must not confuse with the cores' clock.
    MemoryClock,
    Power,
    Temperature,
    MemoryTemperature,
    Engine,
    CopyEngine,
    Memory,
}

/// Returns the handle of a part of a device, which stays the same.
fn part(device: &Arc<Device>, kind: Kind, tile: Option<u32>) -> Handle {
    type Key = (Handle, Kind, Option<u32>);
    static PARTS: Mutex<Vec<(Key, Handle)>> = Mutex::new(Vec::new());
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (device.handle(), kind, tile);
    if let Some((_, known)) = parts.iter().find(|(part, _)| *part == key) {
        return *known;
    }
    let handle = objects::give(Arc::new(Part { device: Arc::clone(device), kind, tile }));
    parts.push((key, handle));
    handle
}

/// Returns a component for each tile, or one for a device without tiles.
fn on_tiles(device: &Arc<Device>, kind: Kind) -> Vec<Handle> {
    match device.tiles.len() as u32 {
        0 => vec![part(device, kind, None)],
        tiles => (0..tiles).map(|tile| part(device, kind, Some(tile))).collect(),
    }
}

impl Part {
    /// Returns a number that makes this component's values differ from those of others.
    fn seed(&self) -> u64 {
        u64::from(self.device.index) * 8 + self.tile.map_or(0, |tile| u64::from(tile) + 1)
    }

    /// Returns `onSubdevice` and the tile's index.
    fn place(&self) -> (u8, u32) {
        let tile = self.tile.or(self.device.tile);
        (u8::from(tile.is_some()), tile.unwrap_or_default())
    }

    /// Logs the returned values.
    fn answered(&self, values: &[(&str, u64)]) {
        let kind = format!("{:?}", self.kind);
        let mut line = Line::new("reading")
            .text("kind", &kind)
            .number("device", self.device.index.into())
            .number("process", std::process::id().into())
            .number("at", clock::host_ns());
        if let Some(tile) = self.tile {
            line = line.number("tile", tile.into());
        }
        values.iter().fold(line, |line, (name, value)| line.number(name, *value)).end();
    }
}

calls! {
    fn device_properties "zesDeviceGetProperties" (device: Handle, properties: *mut SysmanDevice) {
        let device = objects::get::<Device>(device)?;
        fill(properties, |place| {
            properties::identify(&device, &mut place.core);
            place.subdevices = device.tiles.len() as u32;
            place.texts = [[0; 64]; 6];
        })?;
    }

    fn pci_properties "zesDevicePciGetProperties" (device: Handle, properties: *mut SysmanPci) {
        let device = objects::get::<Device>(device)?;
        fill(properties, |place| {
            place.address = properties::pci_address(&device);
            (place.generation, place.width, place.bandwidth) = (5, 16, 64_000_000_000);
            place.has = [0; 3];
        })?;
    }

    fn frequency_domains "zesDeviceEnumFrequencyDomains" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        let mut domains = vec![part(&device, Kind::MemoryClock, None)];
        domains.extend(on_tiles(&device, Kind::Clock));
        give_list(count, places, &domains)?;
    }

    fn frequency_properties "zesFrequencyGetProperties" (part: Handle, properties: *mut SysmanFrequency) {
        let part = objects::get::<Part>(part)?;
        fill(properties, |place| {
            place.domain = u32::from(part.kind == Kind::MemoryClock);
            (place.on_subdevice, place.subdevice) = part.place();
            place.can = [0; 2];
            place.range = [300.0, 2000.0];
        })?;
    }

    fn frequency_state "zesFrequencyGetState" (part: Handle, state: *mut SysmanFrequencyState) {
        let part = objects::get::<Part>(part)?;
        let mhz = script::mhz(clock::host_ns(), part.seed());
        fill(state, |place| {
            place.unknown = [-1.0; 4];
            place.actual = mhz as f64;
            place.throttle_reasons = 0;
        })?;
        part.answered(&[("mhz", mhz)]);
    }

    fn power_domains "zesDeviceEnumPowerDomains" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        let mut domains = if device.tiles.is_empty() { Vec::new() } else { on_tiles(&device, Kind::Power) };
        domains.push(part(&device, Kind::Power, None));
        give_list(count, places, &domains)?;
    }

    fn power_properties "zesPowerGetProperties" (part: Handle, properties: *mut SysmanPower) {
        let part = objects::get::<Part>(part)?;
        fill(properties, |place| {
            (place.on_subdevice, place.subdevice) = part.place();
            place.can = [0; 2];
            place.limits = [-1; 3];
            for (what, more) in chain(place.next()) {
                if what == POWER_DOMAIN {
                    // The card, or a tile's package.
                    let domain = if part.tile.is_none() { 1 } else { 2 };
                    let _ = fill(more.cast::<SysmanPowerDomain>(), |place| place.domain = domain);
                }
            }
        })?;
    }

    fn energy "zesPowerGetEnergyCounter" (part: Handle, counter: *mut SysmanCounter) {
        let part = objects::get::<Part>(part)?;
        let at_us = clock::host_ns() / 1000;
        let value = script::microjoules(at_us, part.seed());
        write(counter, SysmanCounter { value, at_us })?;
        part.answered(&[("value", value), ("at_us", at_us)]);
    }

    fn temperature_sensors "zesDeviceEnumTemperatureSensors" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        let mut sensors = vec![part(&device, Kind::MemoryTemperature, None)];
        sensors.extend(on_tiles(&device, Kind::Temperature));
        give_list(count, places, &sensors)?;
    }

    fn temperature_properties "zesTemperatureGetProperties" (part: Handle, properties: *mut SysmanTemperature) {
        let part = objects::get::<Part>(part)?;
        fill(properties, |place| {
            place.sensor = if part.kind == Kind::MemoryTemperature { 2 } else { 1 };
            (place.on_subdevice, place.subdevice) = part.place();
            place.highest = 110.0;
            place.can = [0; 3];
        })?;
    }

    fn temperature "zesTemperatureGetState" (part: Handle, celsius: *mut f64) {
        let part = objects::get::<Part>(part)?;
        let value = script::celsius(clock::host_ns(), part.seed());
        write(celsius, value as f64)?;
        part.answered(&[("celsius", value)]);
    }

    fn engine_groups "zesDeviceEnumEngineGroups" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        let mut groups = on_tiles(&device, Kind::CopyEngine);
        groups.extend(on_tiles(&device, Kind::Engine));
        give_list(count, places, &groups)?;
    }

    fn engine_properties "zesEngineGetProperties" (part: Handle, properties: *mut SysmanEngine) {
        let part = objects::get::<Part>(part)?;
        fill(properties, |place| {
            // All copy engines, or all engines.
            place.group = if part.kind == Kind::CopyEngine { 3 } else { 0 };
            (place.on_subdevice, place.subdevice) = part.place();
        })?;
    }

    fn activity "zesEngineGetActivity" (part: Handle, counter: *mut SysmanCounter) {
        let part = objects::get::<Part>(part)?;
        let at_us = clock::host_ns() / 1000;
        let value = script::active_us(at_us, part.seed());
        write(counter, SysmanCounter { value, at_us })?;
        part.answered(&[("value", value), ("at_us", at_us)]);
    }

    fn memory_modules "zesDeviceEnumMemoryModules" (device: Handle, count: *mut u32, places: *mut Handle) {
        let device = objects::get::<Device>(device)?;
        give_list(count, places, &[part(&device, Kind::Memory, None)])?;
    }

    fn memory_properties "zesMemoryGetProperties" (memory: Handle, properties: *mut SysmanMemory) {
        let memory = objects::get::<Part>(memory)?;
        fill(properties, |place| {
            place.kind = 0;
            (place.on_subdevice, place.subdevice_id) = memory.place();
            place.location = 1;
            place.size = Device::memory_bytes();
            (place.bus_bits, place.channels) = (1024, 8);
        })?;
    }

    fn memory_state "zesMemoryGetState" (memory: Handle, state: *mut SysmanMemoryState) {
        let memory = objects::get::<Part>(memory)?;
        let others = script::others_bytes(clock::host_ns(), memory.seed());
        let (free, size) = (memory.device.free_bytes().saturating_sub(others), Device::memory_bytes());
        fill(state, |place| {
            place.health = 1;
            (place.free, place.size) = (free, size);
        })?;
        memory.answered(&[("free", free), ("size", size)]);
    }
}
