//! Touches of each object, by object and time.

use rustc_hash::FxHashMap;
use syclscope_language::api::ObjectEventKind;
use syclscope_language::event::NodeKind;

use super::super::calls::Call;
use super::End;
use crate::id::{LocationId, NONE, StringId, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::objects::AccessorRow;
use crate::store::table::Table as _;

/// An access of a command to an object.
#[derive(Clone, Copy, Debug)]
pub(in crate::query::memory) struct Touch {
    /// Id of the object.
    pub(in crate::query::memory) id: u32,
    pub(in crate::query::memory) kind: ObjectEventKind,
    pub(in crate::query::memory) start: u64,
    /// Its end; `u64::MAX` if unknown.
    pub(in crate::query::memory) end: u64,
    pub(in crate::query::memory) bytes: Option<u64>,
    pub(in crate::query::memory) offset: Option<u64>,
    /// Row of the command, or `NONE`.
    pub(in crate::query::memory) node: u32,
    /// Its execution, else its call or submission, or `NONE`.
    pub(in crate::query::memory) slice: u32,
    pub(in crate::query::memory) name: StringId,
    pub(in crate::query::memory) mode: StringId,
    /// The accessed handle, 0 for none.
    pub(in crate::query::memory) handle: u64,
    pub(in crate::query::memory) location: LocationId,
}

impl Touch {
    pub(super) fn of_call(
        trace: &Trace,
        call: &Call,
        node: u32,
        end: &End,
        kind: ObjectEventKind,
        execution: u32,
        (start, until): (u64, u64),
    ) -> Option<Self> {
        let id = some(end.id)?;
        let of_node = some(node).and_then(|node| trace.nodes.get(node));
        let place = of_node.map(|node| node.location).filter(|place| *place != LocationId(0));
        Some(Self {
            id,
            kind,
            start,
            end: until,
            bytes: call.bytes.filter(|_| kind != ObjectEventKind::ReadWrite),
            offset: end.offset,
            node,
            slice: some(execution).unwrap_or(call.slice),
            name: of_node.map_or(trace.slices.name.at(call.slice as usize), |node| node.name),
            mode: StringId::default(),
            handle: if end.is_handle { end.pointer } else { 0 },
            location: place.unwrap_or_else(|| trace.source_location(call.slice)),
        })
    }
}

pub(super) fn add_copy(
    trace: &Trace,
    to: &End,
    from: &End,
    new: impl Fn(&End, ObjectEventKind) -> Option<Touch>,
    touches: &mut Vec<Touch>,
) {
    let is_usm =
        |end: &End| some(end.allocation).is_some_and(|row| trace.allocations.kind.at(row as usize).is_usm());
    let is_within = to.is_handle && from.is_handle;
    let (into, out) = if to.id == from.id && to.id != NONE || (is_within && !is_usm(to) && !is_usm(from)) {
        (ObjectEventKind::CopyWithin, ObjectEventKind::CopyWithin)
    } else {
        (ObjectEventKind::CopyIn, ObjectEventKind::CopyOut)
    };
    touches.extend(new(to, into));
    touches.extend(new(from, out));
}

/// Adds the accesses of accessors. Known accesses of a copy or fill stay, and get the mode.
pub(super) fn add_accessors(trace: &Trace, touches: &mut Vec<Touch>) {
    let known = (0..).zip(touches.iter()).filter(|(_, touch)| touch.node != NONE);
    let of_calls: FxHashMap<(u32, u32), usize> =
        known.map(|(at, touch)| ((touch.node, touch.id), at)).collect();
    for row in trace.objects.accessors.iter() {
        let known = some(row.node).and_then(|node| of_calls.get(&(node, row.object)));
        match known.and_then(|at| touches.get_mut(*at)) {
            Some(touch) => touch.mode = row.mode,
            None => touches.push(of_accessor(trace, &row)),
        }
    }
}

fn of_accessor(trace: &Trace, row: &AccessorRow) -> Touch {
    let target = trace.strings.get(row.target);
    let node = some(row.node).and_then(|node| trace.nodes.get(node));
    let is_host = target.starts_with("host_buffer") || target == "host_image";
    let is_host = is_host || node.is_some_and(|node| node.kind == NodeKind::HostAccessor);
    let kind = match trace.strings.get(row.mode) {
        _ if is_host => ObjectEventKind::HostAccess,
        "read" => ObjectEventKind::Read,
        "write" | "discard_write" => ObjectEventKind::Write,
        _ => ObjectEventKind::ReadWrite,
    };
    let execution = node.and_then(|node| some(node.execution)).filter(|_| !is_host);
    let (start, end) = match execution {
        Some(slice) => trace.slices.interval(slice as usize),
        // A host accessor is a moment; a command without device times has an unknown end.
        None => (row.at, if is_host { row.at } else { u64::MAX }),
    };
    Touch {
        id: row.object,
        kind,
        start,
        end,
        bytes: None,
        offset: None,
        node: row.node,
        slice: execution.or(node.and_then(|node| some(node.submission))).unwrap_or(NONE),
        name: node.map_or_else(StringId::default, |node| node.name),
        mode: row.mode,
        handle: 0,
        location: row.location,
    }
}

/// Touches by object and begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    list: Vec<Touch>,
    /// Objects with accesses, with the index of the first of each.
    firsts: Vec<(u32, u32)>,
}

cached!(Touches { list, firsts });

impl Touches {
    pub(super) fn new(mut list: Vec<Touch>) -> Self {
        list.sort_by_key(|touch| (touch.id, touch.start, touch.slice));
        let mut firsts: Vec<(u32, u32)> = Vec::new();
        for (at, touch) in (0..).zip(&list) {
            if firsts.last().is_none_or(|(id, _)| *id != touch.id) {
                firsts.push((touch.id, at));
            }
        }
        Self { list, firsts }
    }

    /// Returns all touches, by object and start.
    pub(in crate::query::memory) fn all(&self) -> &[Touch] {
        &self.list
    }

    /// Returns the touches of an object, by begin.
    pub(in crate::query::memory) fn get(&self, id: u32) -> &[Touch] {
        let Ok(at) = self.firsts.binary_search_by_key(&id, |(id, _)| *id) else { return &[] };
        let end = self.firsts.get(at + 1).map_or(self.list.len(), |(_, next)| *next as usize);
        self.list.get(self.firsts[at].1 as usize..end).unwrap_or_default()
    }
}
