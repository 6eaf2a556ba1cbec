//! Native handles that enter SYCL or leave it, and when those that entered are released.

use rustc_hash::FxHashMap;

/// Handles that stand for native ones that entered, with the references to each.
#[derive(Default)]
pub(super) struct NativeHandles {
    pub(super) entered: FxHashMap<u64, Entered>,
}

pub(super) struct Entered {
    pub(super) object: String,
    pub(super) references: u32,
}
