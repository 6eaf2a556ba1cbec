//! Memory layouts of XPTI's structures.
//!
//! The offsets were compared with the headers of 2026.2 and work on 2024.2, 2025.0 and 2025.2 as well; those of user
//! data are the same in the headers of 2025.0, 2025.2 and 2026.2. The simulated runtime of tests (`examples/`) has its
//! own copy, so that a test shows an error here.

use std::ffi::{c_char, c_void};

/// `xpti::trace_event_data_t`.
#[repr(C)]
pub(crate) struct TraceEventData {
    pub(super) unique_id: u64,
    pub(super) data_id: u64,
    pub(super) instance_id: u64,
    pub(super) event_type: u16,
    pub(super) activity_type: u16,
    pub(super) source_id: u64,
    pub(super) target_id: u64,
    pub(super) payload: *const PayloadData,
    metadata: [u64; 7],
    pub(super) global_user_data: *const c_void,
}

/// `xpti::payload_t`, its used part.
#[repr(C)]
pub(super) struct PayloadData {
    pub(super) name: *const c_char,
    pub(super) stack_trace: *const c_char,
    pub(super) source_file: *const c_char,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) code_pointer: *const c_void,
}

/// `xpti::function_with_args_t`.
#[repr(C)]
pub(super) struct FunctionWithArgs {
    pub(super) function_id: u32,
    pub(super) name: *const c_char,
    pub(super) args: *const *mut c_void,
    pub(super) result: *const i32,
    pub(super) user_data: *const c_void,
}

/// `xpti::object_data_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ObjectData {
    pub(super) size: usize,
    pub(super) data: *const c_char,
    pub(super) kind: u8,
}

/// The head of `xpti::metadata_t`, which is libstdc++'s `std::unordered_map<u32, i32>`.
#[repr(C)]
pub(super) struct MetadataMap {
    buckets: *const c_void,
    bucket_count: usize,
    pub(super) first: *const MetadataItem,
    pub(super) count: usize,
}

/// A node of the map's list.
#[repr(C)]
pub(super) struct MetadataItem {
    pub(super) next: *const MetadataItem,
    pub(super) key: u32,
    pub(super) value: i32,
}

/// `xpti::mem_alloc_data_t`, its used part.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryData {
    /// Handle of the owning memory object, 0 if there is none.
    pub(crate) object: u64,
    /// Address, 0 until it is known.
    pub(crate) pointer: u64,
    pub(crate) size_bytes: u64,
    pub(crate) guard_bytes: u64,
}

/// `xpti::offload_buffer_data_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct BufferData {
    pub(super) object: u64,
    pub(super) host: u64,
    pub(super) element_type: *const c_char,
    pub(super) element_size: u32,
    pub(super) dimensions: u32,
    pub(super) range: [u64; 3],
}

/// `std::optional<uint32_t>`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct OptionalNumber {
    pub(super) value: u32,
    /// Non-zero if there is a number; the next three bytes are undefined.
    pub(super) has_value: u8,
}

impl OptionalNumber {
    pub(super) fn get(self) -> Option<u32> {
        (self.has_value == 1).then_some(self.value)
    }
}

/// `xpti::offload_image_data_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ImageData {
    pub(super) object: u64,
    pub(super) host: u64,
    pub(super) dimensions: u32,
    pub(super) range: [u64; 3],
    pub(super) format: u32,
    pub(super) addressing: OptionalNumber,
    pub(super) coordinates: OptionalNumber,
    pub(super) filtering: OptionalNumber,
}

/// `xpti::offload_accessor_data_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct AccessorData {
    pub(super) object: u64,
    pub(super) accessor: u64,
    pub(super) target: u32,
    pub(super) mode: u32,
}

/// `xpti::offload_image_accessor_data_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ImageAccessorData {
    pub(super) object: u64,
    pub(super) accessor: u64,
    pub(super) target: OptionalNumber,
    pub(super) mode: OptionalNumber,
    pub(super) element_type: *const c_char,
    pub(super) element_size: u32,
}

const _: () = {
    assert!(std::mem::offset_of!(TraceEventData, source_id) == 32);
    assert!(std::mem::offset_of!(TraceEventData, payload) == 48);
    assert!(std::mem::offset_of!(TraceEventData, global_user_data) == 112);
    assert!(std::mem::offset_of!(PayloadData, line) == 24);
    assert!(std::mem::size_of::<FunctionWithArgs>() == 40);
    assert!(std::mem::size_of::<ObjectData>() == 24);
    assert!(std::mem::offset_of!(MetadataMap, first) == 16);
    assert!(std::mem::offset_of!(MetadataItem, key) == 8);
    assert!(size_of::<BufferData>() == 56);
    assert!(std::mem::offset_of!(ImageData, addressing) == 52);
    assert!(std::mem::offset_of!(ImageData, filtering) == 68);
    assert!(std::mem::offset_of!(ImageAccessorData, element_type) == 32);
};
