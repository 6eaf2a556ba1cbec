//! Properties of devices.

use std::sync::Arc;

use crate::call::calls;
use crate::caller::{chain, fill, fill_list};
use crate::device::{COMPUTE, Device};
use crate::layout::{
    AccessProperties, CacheProperties, ComputeProperties, DeviceProperties, ExternalMemory, GroupProperties,
    ImageLimits, IpVersion, MemoryExtProperties, MemoryProperties, ModuleProperties, MutableProperties,
    PciProperties, kind,
};
use crate::objects::{self, Handle};
use crate::settings::Settings;

/// `ZE_DEVICE_TYPE_GPU`
const GPU: u32 = 1;
const INTEL: u32 = 0x8086;
/// `ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE`
const IS_TILE: u32 = 2;
/// All bits of `ze_memory_access_cap_flags_t`.
const EVERY_ACCESS: u32 = 0xf;

fn name(device: &Device) -> [u8; 256] {
    let text = match device.tile {
        Some(tile) => format!("Test driver GPU {} tile {tile}", device.index),
        None => format!("Test driver GPU {}", device.index),
    };
    padded(&text)
}

/// Fills in the identity of a device.
pub(crate) fn identify(device: &Device, place: &mut DeviceProperties) {
    place.kind = GPU;
    place.vendor_id = INTEL;
    place.device_id = Settings::get().device_id;
    place.flags = if device.tile.is_some() { IS_TILE } else { 0 };
    place.subdevice_id = device.tile.unwrap_or_default();
    place.uuid = [0; 16];
    place.uuid[0] = device.index as u8 + 1;
    place.uuid[1] = device.tile.map_or(0, |tile| tile as u8 + 1);
    place.name = name(device);
}

/// Returns domain, bus, device and function.
pub(crate) fn pci_address(device: &Device) -> [u32; 4] {
    [0, 0x10 + device.index, 0, 0]
}

fn padded(text: &str) -> [u8; 256] {
    let mut place = [0; 256];
    place[..text.len()].copy_from_slice(text.as_bytes());
    place
}

calls! {
    fn device "zeDeviceGetProperties" (device: Handle, properties: *mut DeviceProperties) {
        let device = objects::get::<Device>(device)?;
        let settings = Settings::get();
        fill(properties, |place| {
            identify(&device, place);
            place.core_clock_mhz = 1600;
            place.largest_allocation = Device::memory_bytes();
            place.contexts = 65536;
            place.priorities = 0;
            place.threads_per_unit = 8;
            place.unit_width = 16;
            place.units_per_subslice = 8;
            place.subslices_per_slice = 8;
            place.slices = 1;
            let hertz = device.clock.hertz;
            place.timer_resolution = if place.wants_hertz() { hertz } else { 1_000_000_000 / hertz };
            place.timestamp_bits = device.clock.bits;
            place.kernel_timestamp_bits = device.clock.kernel_bits;
            for (what, more) in chain(place.next()) {
                // Unknown structures stay unchanged, as the interface requires.
                let _ = match what {
                    kind::DEVICE_IP_VERSION => {
                        fill(more.cast::<IpVersion>(), |place| place.version = settings.ip_version)
                    }
                    kind::MUTABLE_PROPERTIES => fill(more.cast::<MutableProperties>(), |place| {
                        place.list_flags = 0;
                        place.command_flags = 0x7f;
                    }),
                    _ => Ok(()),
                };
            }
        })?;
    }

    fn groups "zeDeviceGetCommandQueueGroupProperties"
        (device: Handle, count: *mut u32, properties: *mut GroupProperties) {
        let device = objects::get::<Device>(device)?;
        fill_list(count, properties, &device.groups, |place, group| {
            place.flags = group.flags;
            place.largest_pattern = if group.flags & COMPUTE != 0 { usize::MAX } else { 4 };
            place.queues = group.engines.len() as u32;
        })?;
    }

    fn compute "zeDeviceGetComputeProperties" (device: Handle, properties: *mut ComputeProperties) {
        objects::get::<Device>(device)?;
        fill(properties, |place| {
            place.group_size = 1024;
            place.group_sizes = [1024; 3];
            place.group_counts = [u32::MAX; 3];
            place.local_memory = 128 << 10;
            place.subgroup_count = 2;
            place.subgroups = [16, 32, 0, 0, 0, 0, 0, 0];
        })?;
    }

    fn module "zeDeviceGetModuleProperties" (device: Handle, properties: *mut ModuleProperties) {
        objects::get::<Device>(device)?;
        fill(properties, |place| {
            place.spirv = 1 << 16 | 4;
            place.flags = 7;
            (place.half, place.single, place.double) = (0x7f, 0xff, 0x7f);
            place.arguments = 2048;
            place.printf = 4 << 20;
            place.native = [7; 16];
        })?;
    }

    fn memory "zeDeviceGetMemoryProperties"
        (device: Handle, count: *mut u32, properties: *mut MemoryProperties) {
        let device = objects::get::<Device>(device)?;
        fill_list(count, properties, &[Arc::clone(&device)], |place, _| {
            place.flags = 0;
            (place.clock_mhz, place.bus_bits) = (3200, 1024);
            place.size = Device::memory_bytes();
            place.name = padded("memory of the test driver");
            for (what, more) in chain(place.next()) {
                if what == kind::DEVICE_MEMORY_EXT {
                    let _ = fill(more.cast::<MemoryExtProperties>(), |place| {
                        place.kind = 0;
                        place.size = Device::memory_bytes();
                        let rate = (Settings::get().copy_megabytes_per_second / 1000).max(1) as u32;
                        (place.read, place.write, place.unit) = (rate, rate, 1);
                    });
                }
            }
        })?;
    }

    fn access "zeDeviceGetMemoryAccessProperties" (device: Handle, properties: *mut AccessProperties) {
        objects::get::<Device>(device)?;
        // No access to the system's memory: the runtime must treat unknown pointers as the host's.
        fill(properties, |place| {
            place.kinds = [EVERY_ACCESS, EVERY_ACCESS, EVERY_ACCESS, EVERY_ACCESS, 0];
        })?;
    }

    fn cache "zeDeviceGetCacheProperties" (device: Handle, count: *mut u32, properties: *mut CacheProperties) {
        objects::get::<Device>(device)?;
        fill_list(count, properties, &[()], |place, ()| (place.flags, place.size) = (0, 16 << 20))?;
    }

    fn image "zeDeviceGetImageProperties" (device: Handle, properties: *mut ImageLimits) {
        objects::get::<Device>(device)?;
        fill(properties, |place| {
            place.sides = [16384, 16384, 2048];
            place.buffer = 1 << 30;
            place.slices = 2048;
            (place.samplers, place.read, place.written) = (16, 128, 128);
        })?;
    }

    fn external_memory "zeDeviceGetExternalMemoryProperties" (device: Handle, properties: *mut ExternalMemory) {
        objects::get::<Device>(device)?;
        fill(properties, |place| place.kinds = [0; 4])?;
    }

    fn pci "zeDevicePciGetPropertiesExt" (device: Handle, properties: *mut PciProperties) {
        let device = objects::get::<Device>(device)?;
        fill(properties, |place| {
            place.address = pci_address(&device);
            (place.generation, place.width, place.bandwidth) = (5, 16, 64_000_000_000);
        })?;
    }
}
