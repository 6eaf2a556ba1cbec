//! Tracepoints as libxptifw lays them out in memory.
//!
//! This repeats the layouts of the recorder's `src/xpti/layout.rs` independently, so that tests detect a mistake there.

use std::ffi::c_char;

pub(crate) enum Value<'a> {
    Text(&'a str),
    Unsigned(u64),
    Signed(i32),
    Bool(bool),
    Binary(&'a [u8]),
}

#[repr(C)]
pub(super) struct Payload {
    pub(super) name: *const c_char,
    pub(super) stack_trace: *const c_char,
    pub(super) source_file: *const c_char,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) rest: [u64; 6],
}

#[repr(C)]
pub(super) struct Item {
    pub(super) next: *const Item,
    pub(super) key: u32,
    pub(super) value: i32,
}

/// A tracepoint's event: `xpti::trace_event_data_t` with its payload.
#[repr(C)]
pub(crate) struct Event {
    pub(crate) universal_id: u64,
    pub(super) data_id: u64,
    pub(super) instance_id: u64,
    pub(super) kinds: [u16; 4],
    pub(crate) source: u64,
    pub(crate) target: u64,
    pub(super) payload: *const Payload,
    /// `std::unordered_map<u32, i32>`: buckets, their number, first item, count, and the state of hashing.
    pub(super) buckets: u64,
    pub(super) bucket_count: u64,
    pub(super) first: *const Item,
    pub(super) count: u64,
    pub(super) hashing: [u64; 3],
    pub(super) user_data: u64,
    pub(super) flags: u64,
}

// SAFETY: the pointees are leaked and not written again.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

const _: () = assert!(size_of::<Event>() == 128);
