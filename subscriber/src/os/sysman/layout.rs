//! Structures of `zes_api.h` and `ze_api.h` (version 1.17 of the specification), with the fields that are read. Names
//! of unused fields start with an underscore.

use std::ffi::c_void;

#[derive(Debug)]
#[repr(C)]
pub(super) struct Head {
    pub(super) number: u32,
    pub(super) next: *mut c_void,
}

/// A structure that starts with a [`Head`], and contains numbers and pointers only.
pub(super) trait Structure {
    /// `zes_structure_type_t`
    const NUMBER: u32;

    fn head(&mut self) -> &mut Head;
}

/// Returns the structure as a caller must pass it.
pub(super) fn empty<T: Structure>() -> T {
    // SAFETY: zeros are valid numbers and null pointers.
    let mut place: T = unsafe { std::mem::zeroed() };
    *place.head() = Head { number: T::NUMBER, next: std::ptr::null_mut() };
    place
}

macro_rules! structures {
    ($($(#[$note:meta])* $name:ident = $number:literal { $($field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$note])*
            #[repr(C)]
            pub(super) struct $name {
                pub(super) head: Head,
                $(pub(super) $field: $kind,)*
            }

            impl Structure for $name {
                const NUMBER: u32 = $number;

                fn head(&mut self) -> &mut Head {
                    &mut self.head
                }
            }
        )*
    };
}

structures! {
    /// `ze_device_properties_t`
    CoreProperties = 0x3 {
        device_type: u32,
        _vendor_and_device: [u32; 2],
        _flags: u32,
        _subdevice: u32,
        _core_clock: u32,
        _largest_allocation: u64,
        _limits: [u32; 7],
        _timer_resolution: u64,
        _timestamp_bits: [u32; 2],
        _id: [u8; 16],
        name: [u8; 256],
    }
    /// `zes_device_properties_t`
    DeviceProperties = 0x1 {
        core: CoreProperties,
        subdevices: u32,
        _texts: [[u8; 64]; 6],
    }
    /// `zes_pci_properties_t`
    PciProperties = 0x2 {
        address: [u32; 4],
        _generation_and_width: [i32; 2],
        _bandwidth: i64,
        _has: [u8; 3],
    }
    /// `zes_freq_properties_t`
    FrequencyProperties = 0x9 {
        domain: u32,
        _on_subdevice: u8,
        _subdevice: u32,
        _can: [u8; 2],
        _range: [f64; 2],
    }
    /// `zes_freq_state_t`
    FrequencyState = 0x1b {
        _voltage: f64,
        _request: f64,
        _thermal_limit: f64,
        _efficient: f64,
        actual: f64,
        _throttle_reasons: u32,
    }
    /// `zes_power_properties_t`
    PowerProperties = 0xd {
        on_subdevice: u8,
        _subdevice: u32,
        _can: [u8; 2],
        _limits: [i32; 3],
    }
    /// `zes_power_ext_properties_t`, of version 1.4 and later
    PowerDomain = 0x28 {
        domain: u32,
        _default_limit: *mut c_void,
    }
    /// `zes_temp_properties_t`
    TemperatureProperties = 0x14 {
        sensor: u32,
        _on_subdevice: u8,
        _subdevice: u32,
        _highest: f64,
        _can: [u8; 3],
    }
    /// `zes_engine_properties_t`
    EngineProperties = 0x5 {
        group: u32,
        _on_subdevice: u8,
        _subdevice: u32,
    }
    /// `zes_mem_properties_t`
    MemoryProperties = 0xb {
        _kind: u32,
        _on_subdevice: u8,
        _subdevice: u32,
        location: u32,
        _physical_bytes: u64,
        _bus_bits: i32,
        _channels: i32,
    }
    /// `zes_mem_state_t`
    MemoryState = 0x1e {
        _health: u32,
        free: u64,
        size: u64,
    }
}

/// `zes_power_energy_counter_t` (microjoules) and `zes_engine_stats_t` (time of work), which have the same layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Counter {
    pub(crate) value: u64,
    /// Microseconds on a clock of the counter's own.
    pub(crate) at: u64,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    macro_rules! laid_out {
        ($($name:ident $size:literal { $($field:ident: $offset:literal,)* })*) => {
            $(
                assert_eq!(size_of::<$name>(), $size, stringify!($name));
                $(assert_eq!(offset_of!($name, $field), $offset, "{}.{}", stringify!($name), stringify!($field));)*
            )*
        };
    }

    /// Sizes and offsets given by GCC for the specification's headers on x86-64.
    #[test]
    fn structures_are_laid_out_as_in_the_headers() {
        laid_out! {
            CoreProperties 368 {
                device_type: 16, _vendor_and_device: 20, _flags: 28, _subdevice: 32, _core_clock: 36,
                _largest_allocation: 40, _limits: 48, _timer_resolution: 80, _timestamp_bits: 88, _id: 96, name: 112,
            }
            DeviceProperties 776 { core: 16, subdevices: 384, _texts: 388, }
            PciProperties 56 { address: 16, _generation_and_width: 32, _bandwidth: 40, _has: 48, }
            FrequencyProperties 48 { domain: 16, _on_subdevice: 20, _subdevice: 24, _can: 28, _range: 32, }
            FrequencyState 64 { _voltage: 16, actual: 48, _throttle_reasons: 56, }
            PowerProperties 40 { on_subdevice: 16, _subdevice: 20, _can: 24, _limits: 28, }
            PowerDomain 32 { domain: 16, _default_limit: 24, }
            TemperatureProperties 48 { sensor: 16, _on_subdevice: 20, _subdevice: 24, _highest: 32, _can: 40, }
            EngineProperties 32 { group: 16, _on_subdevice: 20, _subdevice: 24, }
            MemoryProperties 48 {
                _kind: 16, _on_subdevice: 20, _subdevice: 24, location: 28, _physical_bytes: 32, _bus_bits: 40,
                _channels: 44,
            }
            MemoryState 40 { _health: 16, free: 24, size: 32, }
            Counter 16 { value: 0, at: 8, }
        }
    }

    #[test]
    fn a_structure_that_is_handed_over_has_its_number_and_no_next() {
        let state = empty::<MemoryState>();
        assert_eq!((state.head.number, state.head.next.is_null(), state.free), (0x1e, true, 0));
    }
}
