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
    /// Address by which the runtime knows it, as `0x…`.
    pub address: String,
    /// Host memory that it was made over as `0x…`, empty if none.
    pub host_pointer: String,
    /// Element type in words if it is a plain one, else as `typeid` names it; empty if not known.
    pub element_type: String,
    /// Size of an element.
    pub element_size_bytes: u64,
    /// Elements along each dimension.
    pub range: Vec<u64>,
    /// When it was made.
    pub created_ns: u64,
    /// When it was destroyed, if it was.
    pub destroyed_ns: Option<u64>,
    /// Source code that made it.
    pub location: Option<LocationInfo>,
    /// More of what the runtime says (an image's format and sampler).
    pub args: Vec<(String, ArgValue)>,
    /// The memory that it had, in recorded order.
    pub memory: Vec<ObjectMemory>,
    /// Accessors that were made on it.
    pub accessors: u64,
}

/// Memory that an object had in a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMemory {
    /// Handle of the Unified Runtime, as `0x…`.
    pub handle: String,
    /// When the object got it.
    pub bound_ns: Option<u64>,
    /// When the object lost it, if it did.
    pub unbound_ns: Option<u64>,
    /// Size, where the allocation was recorded.
    pub size_bytes: Option<u64>,
    /// When it was allocated.
    pub allocated_ns: Option<u64>,
    /// When it was released, if it was.
    pub released_ns: Option<u64>,
}

/// An accessor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessorDetail {
    /// Number of the object that it accesses.
    pub object: u64,
    /// When it was made.
    pub at_ns: u64,
    /// Where it accesses from (`device`, `host_task`, …).
    pub target: String,
    /// Mode (`read`, `read_write`, …).
    pub mode: String,
    /// Address by which the runtime knows it, as `0x…`.
    pub address: String,
    /// Source code that made it.
    pub location: Option<LocationInfo>,
    /// More of what the runtime says.
    pub args: Vec<(String, ArgValue)>,
}
