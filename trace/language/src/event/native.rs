//! Interoperability: native handles that enter SYCL or leave it.

use super::{HandleDirection, Ownership, SourceLocation};
use crate::time::Timestamp;

/// A native handle entered SYCL or left it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NativeHandle<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// Kind of object: `platform`, `device`, `context`, `queue`, `event`, `kernel`, `program`, `mem`, `image`,
    /// `sampler`, …
    pub object: &'a str,
    /// Corresponding handle of the Unified Runtime.
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

/// The last reference to a handle of the Unified Runtime for a native one was released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeHandleRelease<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// Kind of object.
    pub object: &'a str,
    /// Handle of the Unified Runtime.
    pub handle: u64,
    /// Thread of the event.
    pub tid: u32,
}
