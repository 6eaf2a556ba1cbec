//! Which buffer or image each allocation belongs to, and the ids of objects.
//!
//! Ids: buffers and images have those of their rows; memory follows, each allocation with its row. The memory of a buffer
//! goes by the buffer's id.

use crate::event::AllocationKind;
use crate::hash::FastMap;
use crate::id::{LocationId, NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;

/// Whose memory allocations are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// Row of the object of each allocation that has one.
    objects: FastMap<u32, u32>,
    /// How many objects there are.
    count: u32,
}

impl Owners {
    pub(super) fn new(trace: &Trace) -> Self {
        let bindings = trace.objects.bindings.iter();
        let bound = bindings.filter(|binding| binding.allocation != NONE);
        Self {
            objects: bound.map(|binding| (binding.allocation, binding.object)).collect(),
            count: trace.objects.rows.len() as u32,
        }
    }

    /// The row of the object whose memory an allocation is.
    pub(super) fn object_of(&self, allocation: u32) -> Option<u32> {
        if self.objects.is_empty() { None } else { self.objects.get(&allocation).copied() }
    }

    /// The id of an allocation, or of the object whose memory it is.
    pub(super) fn id_of(&self, allocation: u32) -> u32 {
        self.object_of(allocation).unwrap_or_else(|| self.count.saturating_add(allocation))
    }

    /// The place of an allocation; where it has none, that of the object whose memory it is.
    pub(super) fn location_of(&self, trace: &Trace, allocation: u32) -> LocationId {
        let own = trace.allocations.location.at(allocation as usize);
        let is_owned = matches!(
            trace.allocations.kind.at(allocation as usize),
            AllocationKind::Buffer | AllocationKind::Image
        );
        if own != LocationId(0) || !is_owned {
            return own;
        }
        let object = self.object_of(allocation).and_then(some);
        object.map_or(own, |object| trace.objects.rows.location.at(object as usize))
    }
}
