//! Native handles.

use serde::{Deserialize, Serialize};

use super::LocationInfo;
use crate::event::{HandleDirection, Ownership};

/// A native handle that was imported into SYCL or exported from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeHandleDetail {
    /// Kind of object: `queue`, `mem`, …
    pub object: String,
    /// Its handle in the Unified Runtime, as `0x…`.
    pub handle: String,
    /// The native handle, as `0x…`.
    pub native: String,
    /// Direction of the handle.
    pub direction: HandleDirection,
    /// Owner that must release it.
    pub ownership: Ownership,
    /// Time of the import or export.
    pub at_ns: u64,
    /// Time when SYCL released the last reference to its handle, if it did.
    pub released_ns: Option<u64>,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
}
