//! Native handles and findings about them.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, Severity, SliceRef};
use crate::event::{HandleDirection, Ownership};

/// A native handle that entered SYCL or left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeHandleDetail {
    /// What it is: `queue`, `mem`, …
    pub object: String,
    /// Handle of the Unified Runtime that stands for it, as `0x…`.
    pub handle: String,
    /// The native handle, as `0x…`.
    pub native: String,
    /// Which way it went.
    pub direction: HandleDirection,
    /// Who must release it.
    pub ownership: Ownership,
    /// When it went.
    pub at_ns: u64,
    /// When SYCL gave back the last reference to what stands for it, if it did.
    pub released_ns: Option<u64>,
    /// Source code that caused it.
    pub location: Option<LocationInfo>,
}

/// Something that is probably wrong with the program itself, with what tells so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name (`kept_handle_never_released`, …).
    pub kind: String,
    /// How bad.
    pub severity: Severity,
    /// One sentence: what is wrong and the remedy.
    pub message: String,
    /// What the recording holds that tells so.
    pub evidence: Vec<String>,
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// When.
    pub at_ns: u64,
    /// Source code where it began.
    pub location: Option<LocationInfo>,
    /// The call, to jump to it.
    pub at: Option<SliceRef>,
}
