//! A row of the object list: the object, its native memory, its use.

use rustc_hash::FxHashMap;
use syclscope_language::api::{AccessorCount, NativeMemory, ObjectEventKind, ObjectItem};

use super::figures::Figures;
use super::placement::placement;
use super::{OwnedBy, Row};
use crate::id::{StringId, some};
use crate::query::detail::location;
use crate::query::element_type;
use crate::store::Trace;
use crate::store::objects::ObjectRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Returns the number of elements along each dimension.
pub(super) fn range(object: &ObjectRow) -> Vec<u64> {
    let dimensions = (object.dimensions as usize).min(3);
    [object.range_0, object.range_1, object.range_2][..dimensions].to_vec()
}

/// Returns the row of an object that exists.
pub(super) fn item(trace: &Trace, id: u32) -> ObjectItem {
    let owners = trace.owners();
    let owner = owners.owner(id);
    let row = Row::new(trace, owner);
    let figures = Figures::new(trace, id, &row);
    let item = ObjectItem {
        id,
        what: row.what,
        process: row.process,
        pointer: row.pointer,
        host_pointer: row.host_pointer,
        size_bytes: row.size_bytes,
        made_ns: row.made,
        gone_ns: row.released,
        location: location(trace, row.location),
        commands: figures.commands(),
        copied_in: figures.copies(ObjectEventKind::CopyIn),
        copied_out: figures.copies(ObjectEventKind::CopyOut),
        first_use_ns: figures.first_use(),
        last_use_ns: figures.last_use(),
        uses_known: figures.uses_known,
        unused: figures.unused(),
        untouched_bytes: figures.untouched(),
        idle_at_end_ns: figures.idle(),
        problems: figures.problems(),
        placement: placement(trace, &row, figures.touches),
        ..ObjectItem::default()
    };
    match owner {
        OwnedBy::Object(object) => of_object(trace, object, &row, item),
        OwnedBy::Allocation(allocation) => {
            let memory = NativeMemory {
                allocation: Some(allocation),
                handle: if trace.allocations.kind.at(allocation as usize).is_usm() { 0 } else { row.pointer },
                native: row.pointer,
                size_bytes: Some(row.size_bytes),
                from_ns: Some(row.made),
                to_ns: row.released,
            };
            ObjectItem { device: trace.strings.get(row.name).to_owned(), memory: vec![memory], ..item }
        }
    }
}

fn of_object(trace: &Trace, number: u32, row: &Row, item: ObjectItem) -> ObjectItem {
    let owners = trace.owners();
    let object = trace.objects.rows.row(number as usize);
    let memory = trace.objects.bindings_of(number).map(|binding| {
        let allocation = some(binding.allocation).and_then(|row| trace.allocations.get(row));
        let at = allocation.map(|allocation| allocation.at).or(binding.bound);
        NativeMemory {
            allocation: some(binding.allocation),
            handle: binding.handle,
            native: owners.native_of(object.process, binding.handle, at.unwrap_or_default()),
            size_bytes: allocation.map(|allocation| allocation.size_bytes),
            from_ns: binding.bound,
            to_ns: binding.unbound,
        }
    });
    let mut counts: FxHashMap<(StringId, StringId), u64> = FxHashMap::default();
    for accessor in trace.objects.accessors_of(number) {
        *counts.entry((accessor.target, accessor.mode)).or_default() += 1;
    }
    let count = |((target, mode), count)| AccessorCount {
        target: trace.strings.get(target).to_owned(),
        mode: trace.strings.get(mode).to_owned(),
        count,
    };
    let mut accessors: Vec<AccessorCount> = counts.into_iter().map(count).collect();
    accessors.arrange_by(|a, b| (b.count, &a.target, &a.mode).cmp(&(a.count, &b.target, &b.mode)));
    let over = (row.host_pointer != 0).then(|| usm_at(trace, row)).flatten();
    ObjectItem {
        object: Some(object.number),
        over,
        part_of: owners.whole_of(number),
        element_type: element_type::readable(trace.strings.get(object.element_type)),
        element_size_bytes: object.element_size_bytes,
        range: range(&object),
        memory: memory.collect(),
        accessors,
        ..item
    }
}

/// Returns the USM allocation that contained an object's host memory when the object was created.
fn usm_at(trace: &Trace, row: &Row) -> Option<u32> {
    let rows = &trace.allocations;
    let pointer = row.host_pointer;
    let mut found = None;
    let mut consider = |candidate: u32| {
        let at = candidate as usize;
        let is_live =
            rows.at.at(at) <= row.made && rows.released.at(at).is_none_or(|released| released > row.made);
        if is_live && rows.process.at(at) == row.process && rows.kind.at(at).is_usm() {
            found = Some(trace.owners().id_of(candidate));
        }
    };
    trace.by_address.over(pointer, &mut consider);
    trace.by_address.within(&(pointer..pointer.saturating_add(1))).iter().copied().for_each(consider);
    found
}
