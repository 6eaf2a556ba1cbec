//! Interoperability: native handles that enter SYCL or leave it.

use super::{HandleDirection, Ownership, SourceLocation};
use crate::time::Timestamp;

/// A native handle entered SYCL or left it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NativeHandle<'a> {
    /// When.
    pub at: Timestamp,
    /// What it is: `platform`, `device`, `context`, `queue`, `event`, `kernel`, `program`, `mem`, `image`, `sampler`, …
    pub object: &'a str,
    /// Handle of the Unified Runtime that stands for it.
    pub handle: u64,
    /// The native handle.
    pub native: u64,
    /// Which way it went.
    pub direction: HandleDirection,
    /// Who must release it.
    pub ownership: Ownership,
    /// Thread on which it happened.
    pub tid: u32,
    /// Source code that caused it.
    pub location: SourceLocation<'a>,
}

/// The last reference to a handle of the Unified Runtime that stands for a native one was given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeHandleRelease<'a> {
    /// When.
    pub at: Timestamp,
    /// What it was.
    pub object: &'a str,
    /// Handle of the Unified Runtime.
    pub handle: u64,
    /// Thread on which it happened.
    pub tid: u32,
}
