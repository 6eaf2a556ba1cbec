//! Names of buffers, images and USM, common to all views.

use syclscope_language::api::{ObjectEventKind, ObjectItem, ObjectWhat};
use syclscope_language::event::AllocationKind;

use crate::state::selection::Selection;

/// Returns the kind of memory that gives an object its colour.
pub fn kind_of(what: ObjectWhat) -> AllocationKind {
    match what {
        ObjectWhat::Buffer | ObjectWhat::SubBuffer => AllocationKind::Buffer,
        ObjectWhat::Image => AllocationKind::Image,
        ObjectWhat::Device => AllocationKind::Device,
        ObjectWhat::Shared => AllocationKind::Shared,
        ObjectWhat::Host => AllocationKind::Host,
        ObjectWhat::Other => AllocationKind::Other,
    }
}

pub fn event(kind: ObjectEventKind) -> &'static str {
    match kind {
        ObjectEventKind::Made => "created",
        ObjectEventKind::Allocated => "allocated",
        ObjectEventKind::CopyIn => "copied in",
        ObjectEventKind::CopyOut => "copied out",
        ObjectEventKind::CopyWithin => "copied on devices",
        ObjectEventKind::Fill => "filled",
        ObjectEventKind::Read => "read",
        ObjectEventKind::Write => "written",
        ObjectEventKind::ReadWrite => "read and written",
        ObjectEventKind::Map => "mapped",
        ObjectEventKind::Unmap => "unmapped",
        ObjectEventKind::HostAccess => "host accessor",
        ObjectEventKind::Advice => "advice or prefetch",
        ObjectEventKind::Released => "released",
        ObjectEventKind::Gone => "destroyed",
        ObjectEventKind::Other => "other",
    }
}

pub fn selections(item: &ObjectItem) -> Vec<Selection> {
    let object = item.object.map(Selection::Object);
    let memory = item.memory.iter().filter_map(|memory| memory.allocation.map(Selection::Allocation));
    object.into_iter().chain(memory).collect()
}
