//! Interoperability: native handles that are imported into SYCL or exported from it.

use super::{HandleDirection, Ownership, SourceLocation};
use crate::time::Timestamp;

/// A native handle was imported into SYCL or exported from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NativeHandle<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// Type of the object: `platform`, `device`, `context`, `queue`, `event`, `kernel`, `program`, `mem`, `image`,
    /// `sampler`, …
    pub object: &'a str,
    /// Corresponding Unified Runtime handle.
    pub handle: u64,
    /// The native handle.
    pub native: u64,
    /// Direction.
    pub direction: HandleDirection,
    /// Owner.
    pub ownership: Ownership,
    /// Thread of the event.
    pub tid: u32,
    /// Source code that caused it.
    pub location: SourceLocation<'a>,
}

/// The last reference to a Unified Runtime handle with a native handle was released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeHandleRelease<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// Type of the object.
    pub object: &'a str,
    /// The Unified Runtime handle.
    pub handle: u64,
    /// Thread of the event.
    pub tid: u32,
}
