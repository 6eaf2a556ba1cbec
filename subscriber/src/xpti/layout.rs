//! XPTI's structures as they lie in memory.
//!
//! The offsets were compared with the headers of 2026.2 and read correctly on 2024.2, 2025.0 and 2025.2 as well.

use std::ffi::{c_char, c_void};

/// `xpti::trace_event_data_t`.
#[repr(C)]
pub(super) struct TraceEventData {
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

/// `xpti::payload_t`, as far as it is used.
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

const _: () = {
    assert!(std::mem::offset_of!(TraceEventData, source_id) == 32);
    assert!(std::mem::offset_of!(TraceEventData, payload) == 48);
    assert!(std::mem::offset_of!(TraceEventData, global_user_data) == 112);
    assert!(std::mem::offset_of!(PayloadData, line) == 24);
    assert!(std::mem::size_of::<FunctionWithArgs>() == 40);
    assert!(std::mem::size_of::<ObjectData>() == 24);
    assert!(std::mem::offset_of!(MetadataMap, first) == 16);
    assert!(std::mem::offset_of!(MetadataItem, key) == 8);
};
