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
    /// Address of the object in the runtime.
    pub address: u64,
    /// Host memory that it uses, 0 if none.
    pub host_pointer: u64,
    /// Element type as named by `typeid`; empty for an image.
    pub element_type: &'a str,
    /// Size of one element in bytes.
    pub element_size_bytes: u64,
    /// Number of dimensions: 1, 2 or 3.
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

/// A memory object was given memory in a context (`associate`), or that memory was released (`release`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectBinding {
    /// Number of the object.
    pub object: u64,
    /// Time of the event.
    pub at: Timestamp,
    /// Unified Runtime handle of the memory.
    pub handle: u64,
    /// True if the object uses this memory from now on.
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
    /// Further arguments: element type and size of images.
    pub args: Args<'a>,
}
