//! Native handles that are imported into SYCL or exported from it, and the release of imported ones.

use rustc_hash::FxHashMap;

/// Handles of imported native handles, with their reference counts.
#[derive(Default)]
pub(super) struct NativeHandles {
    pub(super) entered: FxHashMap<u64, Entered>,
}

pub(super) struct Entered {
    pub(super) object: String,
    pub(super) references: u32,
}
