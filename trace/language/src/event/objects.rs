//! Buffers, images and accessors: the streams `sycl.experimental.buffer` and `sycl.experimental.image`.

use super::{Args, ObjectKind, SourceLocation};
use crate::time::Timestamp;

/// A buffer or image was created.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryObject<'a> {
    /// Number of the object in this recording, counted from 1. (Addresses are reused.)
    pub object: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Kind of object.
    pub kind: ObjectKind,
    /// Its address in the runtime.
    pub address: u64,
    /// Host memory that it wraps, 0 if none.
    pub host_pointer: u64,
    /// Element type: the name from `typeid`; empty for an image.
    pub element_type: &'a str,
    /// Size of an element in bytes.
    pub element_size_bytes: u64,
    /// 1, 2 or 3.
    pub dimensions: u32,
    /// Elements along the first dimension.
    pub range_0: u64,
    /// Elements along the second dimension.
    pub range_1: u64,
    /// Elements along the third dimension.
    pub range_2: u64,
    /// Thread that created it.
    pub tid: u32,
    /// Source code that created it.
    pub location: SourceLocation<'a>,
    /// For images: `format`, `addressing`, `coordinates`, `filtering`.
    pub args: Args<'a>,
}

/// A memory object got its memory in a context (`associate`), or lost it (`release`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectBinding {
    /// Number of the object.
    pub object: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Handle of the memory in the Unified Runtime.
    pub handle: u64,
    /// True if the object has this memory from here on.
    pub is_bound: bool,
}

/// A memory object was destroyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectDestroy {
    /// Number of the object.
    pub object: u64,
    /// Time of the event.
    pub at: Timestamp,
}

/// An accessor was created.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accessor<'a> {
    /// Number of the object that it accesses.
    pub object: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Address of the accessor in the runtime.
    pub address: u64,
    /// Access target: `device`, `host_task`, `host_buffer`, `constant_buffer`, `local`, `image`, …
    pub target: &'a str,
    /// `read`, `write`, `read_write`, `discard_write`, `discard_read_write`, `atomic`.
    pub mode: &'a str,
    /// The command that uses it, if known.
    pub node: Option<u64>,
    /// Thread that created it.
    pub tid: u32,
    /// Source code that created it.
    pub location: SourceLocation<'a>,
    /// Further arguments: element type and size, for images.
    pub args: Args<'a>,
}
