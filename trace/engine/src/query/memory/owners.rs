//! Owners of allocations (a buffer or image), and ids of objects.
//!
//! Ids: buffers and images use their rows; allocations follow, in the order of their rows. The memory of a buffer has
//! the buffer's id.

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, Category, Value};

use crate::id::{LocationId, NONE, some};
use crate::query::report::copies::number;
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// Native memory by process and handle: start and end of the call that created it, and its address.
type Natives = FxHashMap<(u32, u64), Vec<(u64, u64, u64)>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// Row of the object of each allocation that has one.
    objects: FxHashMap<u32, u32>,
    count: u32,
    /// The whole buffer of each sub-buffer.
    wholes: FxHashMap<u32, u32>,
    /// Native memory of handles, by process and handle: times of creation, and address.
    natives: Natives,
}

cached!(Owners { objects, wholes, natives });

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnedBy {
    /// A buffer or image, by row.
    Object(u32),
    /// Memory, by row of the allocation.
    Allocation(u32),
}

impl Owners {
    pub(super) fn new(trace: &Trace) -> Self {
        let bindings = trace.objects.bindings.iter();
        let bound = bindings.filter(|binding| binding.allocation != NONE);
        Self {
            objects: bound.map(|binding| (binding.allocation, binding.object)).collect(),
            count: trace.objects.rows.len() as u32,
            wholes: wholes(trace),
            natives: natives(trace),
        }
    }

    /// Returns the number of buffers and images; larger ids belong to allocations.
    pub(super) fn objects(&self) -> u32 {
        self.count
    }

    pub(super) fn whole_of(&self, object: u32) -> Option<u32> {
        self.wholes.get(&object).copied()
    }

    pub(super) fn parts_of(&self, object: u32) -> Vec<u32> {
        let mut parts: Vec<u32> =
            self.wholes.iter().filter(|(_, whole)| **whole == object).map(|(part, _)| *part).collect();
        parts.sort_unstable();
        parts
    }

    /// Returns the native memory of a handle at a moment, 0 if unknown.
    pub(super) fn native_of(&self, process: u32, handle: u64, at: u64) -> u64 {
        let made = self.natives.get(&(process, handle)).map(Vec::as_slice).unwrap_or_default();
        made.iter().find(|(from, to, _)| *from <= at && at <= *to).map_or(0, |made| made.2)
    }

    /// Returns the row of the object that an allocation belongs to.
    pub(super) fn object_of(&self, allocation: u32) -> Option<u32> {
        if self.objects.is_empty() { None } else { self.objects.get(&allocation).copied() }
    }

    /// Returns the id of an allocation, or of the object that it belongs to.
    pub(super) fn id_of(&self, allocation: u32) -> u32 {
        self.object_of(allocation).unwrap_or_else(|| self.count.saturating_add(allocation))
    }

    /// Returns the subject of an id; the allocation may not exist.
    pub(super) fn owner(&self, id: u32) -> OwnedBy {
        match id.checked_sub(self.count) {
            None => OwnedBy::Object(id),
            Some(allocation) => match self.object_of(allocation) {
                Some(object) => OwnedBy::Object(object),
                None => OwnedBy::Allocation(allocation),
            },
        }
    }

    /// Returns the source location of an allocation, or else of its object.
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

fn wholes(trace: &Trace) -> FxHashMap<u32, u32> {
    let objects = &trace.objects.rows;
    let numbers: FxHashMap<u64, u32> = objects.number.iter().zip(0..).collect();
    let whole_of = |(row, args)| {
        let mut args = trace.args.get(args, &trace.strings);
        let number = args.find_map(|(key, value)| match value {
            Value::Uint(number) if key == "sub_buffer_of" => Some(number),
            _ => None,
        })?;
        Some((row, *numbers.get(&number)?))
    };
    (0..).zip(objects.args.iter()).filter_map(whole_of).collect()
}

/// Finds the memory of buffers and images from the slices.
fn natives(trace: &Trace) -> Natives {
    let mut natives = Natives::default();
    if trace.objects.bindings.len() == 0 {
        return natives;
    }
    for (track, slice) in trace.slices_of_category(Category::Memory) {
        let (handle, native) = (number(trace, slice, "memory_object"), number(trace, slice, "memory_ptr"));
        if let (Some(handle), Some(native)) = (handle, native) {
            let (start, end) = trace.slices.interval(slice);
            natives.entry((track.process, handle)).or_default().push((start, end, native));
        }
    }
    natives
}
