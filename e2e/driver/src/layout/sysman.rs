//! Structures of sysman.

use std::ffi::c_void;

use super::DeviceProperties;
use crate::caller::Head;

/// `zes_structure_type_t` of [`SysmanPowerDomain`] in a chain of extensions.
pub(crate) const POWER_DOMAIN: u32 = 0x28;

#[repr(C)]
pub(crate) struct SysmanDevice {
    head: Head,
    pub(crate) core: DeviceProperties,
    pub(crate) subdevices: u32,
    pub(crate) texts: [[u8; 64]; 6],
}

#[repr(C)]
pub(crate) struct SysmanPci {
    head: Head,
    pub(crate) address: [u32; 4],
    pub(crate) generation: i32,
    pub(crate) width: i32,
    pub(crate) bandwidth: i64,
    pub(crate) has: [u8; 3],
}

#[repr(C)]
pub(crate) struct SysmanFrequency {
    head: Head,
    pub(crate) domain: u32,
    pub(crate) on_subdevice: u8,
    pub(crate) subdevice: u32,
    pub(crate) can: [u8; 2],
    pub(crate) range: [f64; 2],
}

#[repr(C)]
pub(crate) struct SysmanFrequencyState {
    head: Head,
    /// Voltage, request, limit, efficient clock.
    pub(crate) unknown: [f64; 4],
    pub(crate) actual: f64,
    pub(crate) throttle_reasons: u32,
}

#[repr(C)]
pub(crate) struct SysmanPower {
    head: Head,
    pub(crate) on_subdevice: u8,
    pub(crate) subdevice: u32,
    pub(crate) can: [u8; 2],
    pub(crate) limits: [i32; 3],
}

impl SysmanPower {
    pub(crate) fn next(&self) -> *const c_void {
        self.head.next()
    }
}

#[repr(C)]
pub(crate) struct SysmanPowerDomain {
    head: Head,
    pub(crate) domain: u32,
    limit: *mut c_void,
}

/// `zes_power_energy_counter_t` and `zes_engine_stats_t`
#[repr(C)]
pub(crate) struct SysmanCounter {
    pub(crate) value: u64,
    pub(crate) at_us: u64,
}

#[repr(C)]
pub(crate) struct SysmanTemperature {
    head: Head,
    pub(crate) sensor: u32,
    pub(crate) on_subdevice: u8,
    pub(crate) subdevice: u32,
    pub(crate) highest: f64,
    pub(crate) can: [u8; 3],
}

#[repr(C)]
pub(crate) struct SysmanEngine {
    head: Head,
    pub(crate) group: u32,
    pub(crate) on_subdevice: u8,
    pub(crate) subdevice: u32,
}

#[repr(C)]
pub(crate) struct SysmanMemory {
    head: Head,
    pub(crate) kind: u32,
    pub(crate) on_subdevice: u8,
    pub(crate) subdevice_id: u32,
    pub(crate) location: u32,
    pub(crate) size: u64,
    pub(crate) bus_bits: i32,
    pub(crate) channels: i32,
}

#[repr(C)]
pub(crate) struct SysmanMemoryState {
    head: Head,
    pub(crate) health: u32,
    pub(crate) free: u64,
    pub(crate) size: u64,
}

// Sizes as GCC gives them for the headers of version 1.17.
const _: () = assert!(size_of::<SysmanDevice>() == 776 && size_of::<SysmanPci>() == 56);
const _: () = assert!(size_of::<SysmanFrequency>() == 48 && size_of::<SysmanFrequencyState>() == 64);
const _: () = assert!(size_of::<SysmanPower>() == 40 && size_of::<SysmanPowerDomain>() == 32);
const _: () = assert!(size_of::<SysmanTemperature>() == 48 && size_of::<SysmanEngine>() == 32);
const _: () = assert!(size_of::<SysmanMemory>() == 48 && size_of::<SysmanMemoryState>() == 40);
const _: () = assert!(size_of::<SysmanCounter>() == 16);
