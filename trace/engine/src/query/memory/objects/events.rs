//! Events of an object in order.

use syclscope_language::api::{ObjectEvent, ObjectEventKind, ObjectHistory, SliceRef};
use syclscope_language::event::Category;
use syclscope_language::question::ObjectQuestion;

use super::OwnedBy;
use super::item::item;
use super::lanes;
use crate::id::{LocationId, some};
use crate::query::detail::{args, location, slice_ref};
use crate::query::memory::activity::Touch;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Returns an existing object, and a page of its events.
pub(super) fn history(trace: &Trace, id: u32, known: OwnedBy, question: &ObjectQuestion) -> ObjectHistory {
    let mut events = match known {
        OwnedBy::Object(row) => of_object(trace, row),
        OwnedBy::Allocation(row) => of_memory(trace, row, true),
    };
    // The touches are sorted by start: only the other events must be merged in.
    events.extend(trace.memory_activity().touches.get(id).iter().map(Moment::Touch));
    events.arrange_by_key(|event| (event.start(), event.rank()));
    let total = events.len() as u64;
    let offset = question.offset.min(total);
    let part = events.iter().skip(offset as usize).take(question.limit as usize);
    let events = part.map(|event| event.finish(trace)).collect();
    let (args, parts) = match known {
        OwnedBy::Object(row) => {
            (args(trace, trace.objects.rows.args.at(row as usize)), trace.owners().parts_of(row))
        }
        OwnedBy::Allocation(_) => Default::default(),
    };
    let lanes = lanes::count(trace, id);
    ObjectHistory { item: item(trace, id), args, parts, lanes, events, offset, total }
}

/// Returns the calls that gave an object memory or released it, with their kind.
pub(super) fn calls(trace: &Trace, known: OwnedBy) -> Vec<(ObjectEventKind, u32)> {
    let events = match known {
        OwnedBy::Object(row) => of_object(trace, row),
        OwnedBy::Allocation(row) => of_memory(trace, row, true),
    };
    let called = events.iter().filter_map(|event| match event {
        Moment::Own { kind, slice, .. } => Some((*kind, (*slice)?)),
        Moment::Touch(_) => None,
    });
    called.collect()
}

enum Moment<'t> {
    Touch(&'t Touch),
    Own { kind: ObjectEventKind, at: u64, bytes: Option<u64>, slice: Option<u32>, location: LocationId },
}

impl Moment<'_> {
    fn start(&self) -> u64 {
        match self {
            Self::Touch(touch) => touch.start,
            Self::Own { at, .. } => *at,
        }
    }

    /// Returns the order among simultaneous events.
    fn rank(&self) -> u32 {
        match self {
            Self::Own { kind: ObjectEventKind::Made, .. } => 0,
            Self::Own { kind: ObjectEventKind::Allocated, .. } => 1,
            Self::Touch(_) => 2,
            Self::Own { kind: ObjectEventKind::Released, .. } => 3,
            Self::Own { .. } => 4,
        }
    }

    fn finish(&self, trace: &Trace) -> ObjectEvent {
        match self {
            Self::Own { kind, at, bytes, slice, location: place } => ObjectEvent {
                kind: *kind,
                start_ns: *at,
                end_ns: *at,
                name: slice
                    .map_or("", |slice| trace.strings.get(trace.slices.name.at(slice as usize)))
                    .to_owned(),
                bytes: *bytes,
                at: slice.map(|slice| slice_ref(trace, slice)),
                location: location(trace, *place),
                ..ObjectEvent::default()
            },
            Self::Touch(touch) => ObjectEvent {
                kind: touch.kind,
                start_ns: touch.start,
                end_ns: if touch.end == u64::MAX { touch.start } else { touch.end.max(touch.start) },
                name: trace.strings.get(touch.name).to_owned(),
                mode: trace.strings.get(touch.mode).to_owned(),
                bytes: touch.bytes,
                offset_bytes: touch.offset,
                node: some(touch.node).and_then(|node| trace.nodes.get(node)).map(|node| node.number),
                at: some(touch.slice).map(|slice| slice_ref(trace, slice)) as Option<SliceRef>,
                location: location(trace, touch.location),
            },
        }
    }
}

fn of_object(trace: &Trace, row: u32) -> Vec<Moment<'_>> {
    let object = trace.objects.rows.row(row as usize);
    let own = |kind, at| Moment::Own { kind, at, bytes: None, slice: None, location: object.location };
    let mut events = vec![own(ObjectEventKind::Made, object.created)];
    for binding in trace.objects.bindings_of(row) {
        match some(binding.allocation) {
            Some(allocation) => events.extend(of_memory(trace, allocation, false)),
            None => {
                events.extend(binding.bound.map(|at| own(ObjectEventKind::Allocated, at)));
                events.extend(binding.unbound.map(|at| own(ObjectEventKind::Released, at)));
            }
        }
    }
    events.extend(object.destroyed.map(|at| own(ObjectEventKind::Gone, at)));
    events
}

fn of_memory(trace: &Trace, row: u32, is_made: bool) -> Vec<Moment<'_>> {
    let allocation = trace.allocations.row(row as usize);
    let slice = trace.slice_of_thread(allocation.process, allocation.tid, allocation.at, Category::Memory);
    let slice = slice
        .or_else(|| trace.slice_of_thread(allocation.process, allocation.tid, allocation.at, Category::Call));
    let bytes = Some(allocation.size_bytes);
    let place = trace.owners().location_of(trace, row);
    let kind = if is_made { ObjectEventKind::Made } else { ObjectEventKind::Allocated };
    let mut events = vec![Moment::Own { kind, at: allocation.at, bytes, slice, location: place }];
    if let Some(at) = allocation.released {
        let slice = trace.memory_activity().released_by.get(&row).copied();
        let location = slice.map(|slice| trace.source_location(slice)).unwrap_or_default();
        events.push(Moment::Own { kind: ObjectEventKind::Released, at, bytes, slice, location });
    }
    events
}
