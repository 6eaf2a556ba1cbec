//! Native handles.

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use crate::event::{HandleDirection, Ownership};

/// A native handle that entered SYCL or left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeHandleDetail {
    /// Kind of object: `queue`, `mem`, …
    pub object: String,
    /// Handle of the Unified Runtime that stands for it, as `0x…`.
    pub handle: String,
    /// The native handle, as `0x…`.
    pub native: String,
    /// Direction of the handle.
    pub direction: HandleDirection,
    /// Owner that must release it.
    pub ownership: Ownership,
    /// When it went.
    pub at_ns: u64,
    /// When SYCL gave back the last reference to what stands for it, if it did.
    pub released_ns: Option<u64>,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
}
