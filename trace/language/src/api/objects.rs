//! Buffers, images and accessors.

use serde::{Deserialize, Serialize};

use super::{ArgValue, LocationInfo};
use crate::event::ObjectKind;

/// A buffer or image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectDetail {
    /// Number in the recording.
    pub object: u64,
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Address by which the runtime identifies it, as `0x…`.
    pub address: String,
    /// Host memory that it was created over as `0x…`, empty if none.
    pub host_pointer: String,
    /// Readable element type if it is a plain one, else as named by `typeid`; empty if unknown.
    pub element_type: String,
    /// Size of an element.
    pub element_size_bytes: u64,
    /// Number of elements along each dimension.
    pub range: Vec<u64>,
    /// Time of its creation.
    pub created_ns: u64,
    /// Time of its destruction, if it was destroyed.
    pub destroyed_ns: Option<u64>,
    /// Source location that created it.
    pub location: Option<LocationInfo>,
    /// Other arguments from the runtime (an image's format and sampler).
    pub args: Vec<(String, ArgValue)>,
    /// Its memory, in recorded order.
    pub memory: Vec<ObjectMemory>,
    /// Number of its accessors.
    pub accessors: u64,
}

/// Memory of an object in a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMemory {
    /// Handle of the Unified Runtime, as `0x…`.
    pub handle: String,
    /// Time when the object got it.
    pub bound_ns: Option<u64>,
    /// Time when the object lost it, if it did.
    pub unbound_ns: Option<u64>,
    /// Size, if the allocation was recorded.
    pub size_bytes: Option<u64>,
    /// Time of the allocation.
    pub allocated_ns: Option<u64>,
    /// Time of the release, if it was released.
    pub released_ns: Option<u64>,
}

/// An accessor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessorDetail {
    /// Number of the object that it accesses.
    pub object: u64,
    /// Time of its creation.
    pub at_ns: u64,
    /// Its target (`device`, `host_task`, …).
    pub target: String,
    /// Mode (`read`, `read_write`, …).
    pub mode: String,
    /// Address by which the runtime identifies it, as `0x…`.
    pub address: String,
    /// Source location that created it.
    pub location: Option<LocationInfo>,
    /// Other arguments from the runtime.
    pub args: Vec<(String, ArgValue)>,
}
