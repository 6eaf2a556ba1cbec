//! Structures of the interface, as far as the driver uses them, with the specification's order and sizes of fields.

use std::ffi::{c_char, c_void};

use crate::caller::Head;
use crate::objects::Handle;

pub(crate) mod sysman;

/// `ze_structure_type_t` of extension structures.
pub(crate) mod kind {
    pub(crate) const DEVICE_MEMORY_EXT: u32 = 0x1000e;
    pub(crate) const DEVICE_IP_VERSION: u32 = 0x1000f;
    pub(crate) const MODULE_PROGRAM: u32 = 0x2_0002;
    pub(crate) const COUNTING_POOL: u32 = 0x2_0014;
    pub(crate) const MUTABLE_PROPERTIES: u32 = 0x2_0015;
    pub(crate) const MUTABLE_ARGUMENT: u32 = 0x2_0019;
    pub(crate) const MUTABLE_GROUP_COUNT: u32 = 0x2_001a;
    pub(crate) const MUTABLE_GROUP_SIZE: u32 = 0x2_001b;
    pub(crate) const MUTABLE_OFFSET: u32 = 0x2_001c;
}

#[repr(C)]
pub(crate) struct DriverProperties {
    head: Head,
    pub(crate) uuid: [u8; 16],
    pub(crate) version: u32,
}

#[repr(C)]
pub(crate) struct IpcProperties {
    head: Head,
    pub(crate) flags: u32,
}

#[derive(Clone)]
#[repr(C)]
pub(crate) struct ExtensionProperties {
    pub(crate) name: [u8; 256],
    pub(crate) version: u32,
}

#[repr(C)]
pub(crate) struct DeviceProperties {
    head: Head,
    pub(crate) kind: u32,
    pub(crate) vendor_id: u32,
    pub(crate) device_id: u32,
    pub(crate) flags: u32,
    pub(crate) subdevice_id: u32,
    pub(crate) core_clock_mhz: u32,
    pub(crate) largest_allocation: u64,
    pub(crate) contexts: u32,
    pub(crate) priorities: u32,
    pub(crate) threads_per_unit: u32,
    pub(crate) unit_width: u32,
    pub(crate) units_per_subslice: u32,
    pub(crate) subslices_per_slice: u32,
    pub(crate) slices: u32,
    /// Nanoseconds in the original structure, ticks a second in that of version 1.2.
    pub(crate) timer_resolution: u64,
    pub(crate) timestamp_bits: u32,
    pub(crate) kernel_timestamp_bits: u32,
    pub(crate) uuid: [u8; 16],
    pub(crate) name: [u8; 256],
}

impl DeviceProperties {
    /// `ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2`
    const COUNTS_TICKS: u32 = 0x2_0006;

    pub(crate) fn wants_hertz(&self) -> bool {
        self.head.kind() == Self::COUNTS_TICKS
    }

    pub(crate) fn next(&self) -> *const c_void {
        self.head.next()
    }
}

#[repr(C)]
pub(crate) struct IpVersion {
    head: Head,
    pub(crate) version: u32,
}

#[repr(C)]
pub(crate) struct MutableProperties {
    head: Head,
    pub(crate) list_flags: u32,
    pub(crate) command_flags: u32,
}

#[repr(C)]
pub(crate) struct GroupProperties {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) largest_pattern: usize,
    pub(crate) queues: u32,
}

#[repr(C)]
pub(crate) struct ComputeProperties {
    head: Head,
    pub(crate) group_size: u32,
    pub(crate) group_sizes: [u32; 3],
    pub(crate) group_counts: [u32; 3],
    pub(crate) local_memory: u32,
    pub(crate) subgroup_count: u32,
    pub(crate) subgroups: [u32; 8],
}

#[repr(C)]
pub(crate) struct ModuleProperties {
    head: Head,
    pub(crate) spirv: u32,
    pub(crate) flags: u32,
    pub(crate) half: u32,
    pub(crate) single: u32,
    pub(crate) double: u32,
    pub(crate) arguments: u32,
    pub(crate) printf: u32,
    pub(crate) native: [u8; 16],
}

#[repr(C)]
pub(crate) struct MemoryProperties {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) clock_mhz: u32,
    pub(crate) bus_bits: u32,
    pub(crate) size: u64,
    pub(crate) name: [u8; 256],
}

impl MemoryProperties {
    pub(crate) fn next(&self) -> *const c_void {
        self.head.next()
    }
}

#[repr(C)]
pub(crate) struct MemoryExtProperties {
    head: Head,
    pub(crate) kind: u32,
    pub(crate) size: u64,
    pub(crate) read: u32,
    pub(crate) write: u32,
    pub(crate) unit: u32,
}

#[repr(C)]
pub(crate) struct AccessProperties {
    head: Head,
    /// Accesses to memory of the host, of a device, shared with one device, shared with several, of the system.
    pub(crate) kinds: [u32; 5],
}

#[repr(C)]
pub(crate) struct CacheProperties {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) size: usize,
}

#[repr(C)]
pub(crate) struct ImageLimits {
    head: Head,
    pub(crate) sides: [u32; 3],
    pub(crate) buffer: u64,
    pub(crate) slices: u32,
    pub(crate) samplers: u32,
    pub(crate) read: u32,
    pub(crate) written: u32,
}

#[repr(C)]
pub(crate) struct ExternalMemory {
    head: Head,
    pub(crate) kinds: [u32; 4],
}

#[repr(C)]
pub(crate) struct PeerProperties {
    head: Head,
    pub(crate) flags: u32,
}

#[repr(C)]
pub(crate) struct PciProperties {
    head: Head,
    pub(crate) address: [u32; 4],
    pub(crate) generation: i32,
    pub(crate) width: i32,
    pub(crate) bandwidth: i64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct QueueDesc {
    head: Head,
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
    pub(crate) flags: u32,
    pub(crate) mode: u32,
    pub(crate) priority: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ListDesc {
    head: Head,
    pub(crate) ordinal: u32,
    pub(crate) flags: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PoolDesc {
    pub(crate) head: Head,
    pub(crate) flags: u32,
    pub(crate) count: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct EventDesc {
    head: Head,
    pub(crate) index: u32,
    pub(crate) signal: u32,
    pub(crate) wait: u32,
}

/// `zex_counter_based_event_desc_t` and `ze_event_counter_based_desc_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct CountingDesc {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) signal: u32,
    pub(crate) wait: u32,
}

/// Start and end by the device's clock, then by the context's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct KernelTimes {
    pub(crate) global: [u64; 2],
    pub(crate) context: [u64; 2],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FenceDesc {
    head: Head,
    pub(crate) flags: u32,
}

/// Begin and size of a part of memory or of an image.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Region {
    pub(crate) origin: [u32; 3],
    pub(crate) size: [u32; 3],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ImageDesc {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) kind: u32,
    pub(crate) layout: u32,
    pub(crate) channel: u32,
    pub(crate) swizzle: [u32; 4],
    pub(crate) width: u64,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) levels: u32,
    pub(crate) mip_levels: u32,
}

#[repr(C)]
pub(crate) struct ImageProperties {
    head: Head,
    pub(crate) filters: u32,
}

#[repr(C)]
pub(crate) struct AllocationProperties {
    head: Head,
    pub(crate) kind: u32,
    pub(crate) id: u64,
    pub(crate) page_bytes: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ModuleDesc {
    head: Head,
    pub(crate) format: u32,
    pub(crate) size: usize,
    pub(crate) input: *const u8,
    pub(crate) flags: *const c_char,
    pub(crate) constants: *const c_void,
}

impl ModuleDesc {
    pub(crate) fn next(&self) -> *const c_void {
        self.head.next()
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ModuleProgram {
    head: Head,
    pub(crate) count: u32,
    pub(crate) sizes: *const usize,
    pub(crate) inputs: *const *const u8,
}

#[repr(C)]
pub(crate) struct ModuleFlags {
    head: Head,
    pub(crate) flags: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelDesc {
    head: Head,
    pub(crate) flags: u32,
    pub(crate) name: *const c_char,
}

#[repr(C)]
pub(crate) struct KernelProperties {
    head: Head,
    pub(crate) arguments: u32,
    pub(crate) required: [u32; 3],
    pub(crate) required_subgroups: u32,
    pub(crate) required_subgroup: u32,
    pub(crate) largest_subgroup: u32,
    pub(crate) most_subgroups: u32,
    pub(crate) local_bytes: u32,
    pub(crate) private_bytes: u32,
    pub(crate) spilled_bytes: u32,
    pub(crate) uuids: [u8; 32],
}

/// `ze_mutable_kernel_argument_exp_desc_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MutableArgument {
    head: Head,
    pub(crate) command: u64,
    pub(crate) index: u32,
    pub(crate) size: usize,
    pub(crate) value: *const u8,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MutableGroupCount {
    head: Head,
    pub(crate) command: u64,
    pub(crate) count: *const [u32; 3],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MutableSizes {
    head: Head,
    pub(crate) command: u64,
    pub(crate) sizes: [u32; 3],
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MutableChanges {
    pub(crate) head: Head,
    flags: u32,
}

/// `ze_ipc_mem_handle_t`, which another process gets for memory.
pub(crate) type IpcHandle = [u8; 64];

/// Handles cross the interface as pointers.
const _: () = assert!(size_of::<Handle>() == size_of::<*const c_void>());
