//! Copies by direction.
//!
//! The submitting call determines the direction: by name for a buffer's end, by the allocations of its pointers for all
//! others. Memory outside of the trace's allocations is the host's.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CopyDirection, CopyReport};
use syclscope_language::event::{AllocationKind, NodeKind, Value};

use crate::graph::submitting_calls;
use crate::id::{StringId, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::within;
use syclscope_language::sorting::Sorting as _;

/// Source and target side of a copy; empty if unknown.
pub(crate) type Direction = (&'static str, &'static str);

/// Returns the copies among some slices by direction, most device time first.
pub(crate) fn by_direction(
    trace: &Trace,
    rows: impl Iterator<Item = usize>,
    range: &Range<u64>,
) -> Vec<CopyReport> {
    let mut groups: FxHashMap<Direction, (CopyReport, u64, u64)> = FxHashMap::default();
    for (row, (from, to)) in directed(trace, rows) {
        let (report, timed_bytes, timed_ns) = groups.entry((from, to)).or_insert_with(|| {
            let (from, to) = (from.to_owned(), to.to_owned());
            (CopyReport { from, to, count: 0, bytes: 0, total_ns: 0, bytes_per_ns: 0.0 }, 0, 0)
        });
        let duration = trace.slices.duration.at(row);
        report.count += 1;
        let in_range = within(range, trace.slices.start.at(row), trace.slices.end(row));
        report.total_ns = report.total_ns.saturating_add(in_range);
        if let Some(bytes) = copied_bytes(trace, row) {
            report.bytes = report.bytes.saturating_add(bytes);
            if is_timed(trace, row) {
                *timed_bytes = timed_bytes.saturating_add(bytes);
                *timed_ns = timed_ns.saturating_add(duration);
            }
        }
    }
    let with_rate = |(report, timed_bytes, timed_ns): (CopyReport, u64, u64)| CopyReport {
        bytes_per_ns: if timed_ns == 0 { 0.0 } else { timed_bytes as f64 / timed_ns as f64 },
        ..report
    };
    let mut reports: Vec<CopyReport> = groups.into_values().map(with_rate).collect();
    reports.arrange_by(|a, b| {
        let most_first = b.total_ns.cmp(&a.total_ns);
        most_first.then_with(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
    });
    reports
}

/// Returns the copies among some slices, each with its direction.
pub(in crate::query) fn directed(
    trace: &Trace,
    rows: impl Iterator<Item = usize>,
) -> impl Iterator<Item = (usize, Direction)> {
    let kinds = &trace.executions.kind;
    let copies = rows.filter(|row| *row < kinds.len() && kinds.at(*row) == NodeKind::Copy);
    let copies = copies.map(|row| (trace.slices.node.at(row), row as u32, row));
    each_way(trace, copies).map(|(row, way)| (row, (way.from, way.to)))
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    from: &'static str,
    to: &'static str,
    /// True if the copy is between the memories of two devices.
    is_across: bool,
}

impl Way {
    pub(crate) fn direction(self) -> CopyDirection {
        if self.is_across { CopyDirection::BetweenDevices } else { CopyDirection::new(self.from, self.to) }
    }
}

/// Returns the directions of copies, in the order of the submitting calls. Each copy is given by its node and its
/// execution, either of which may be `NONE`, and by a number that is returned with it. Walks over all calls.
pub(crate) fn each_way(
    trace: &Trace,
    copies: impl Iterator<Item = (u32, u32, usize)>,
) -> impl Iterator<Item = (usize, Way)> {
    let calls = submitting_calls(trace);
    let call = |node: u32| some(*calls.get(some(node)? as usize)?).map(|call| call as usize);
    let mut copies: Vec<(Option<usize>, u32, usize)> =
        copies.map(|(node, execution, number)| (call(node), execution, number)).collect();
    copies.sort_by_key(|(call, ..)| call.map_or(0, |call| trace.slices.start.at(call)));
    let mut live = Live::new(trace);
    copies.into_iter().map(move |(call, execution, number)| {
        let way = match (call, some(execution)) {
            (Some(call), None) => way(trace, call, &mut live),
            // The call belongs to the whole command.
            (Some(call), Some(row)) if !trace.is_piece(row as usize) => way(trace, call, &mut live),
            (_, Some(row)) => way_by_arguments(trace, row as usize),
            (None, None) => Way::default(),
        };
        (number, way)
    })
}

/// Returns the direction of a copy by its own arguments, as in another tool's file or in a stream.
fn way_by_arguments(trace: &Trace, row: usize) -> Way {
    let mut way = Way::default();
    let side =
        |text: &str| ["host", "device", "shared"].into_iter().find(|side| *side == text).unwrap_or_default();
    for (name, value) in trace.args.get(trace.slices.args.at(row), &trace.strings) {
        let Value::Str(text) = value else { continue };
        match (name, text.split_once(" → ")) {
            ("from", _) => way.from = side(text),
            ("to", _) => way.to = side(text),
            ("direction", Some((from, to))) => (way.from, way.to) = (side(from), side(to)),
            _ => {}
        }
    }
    way
}

/// True if all of a copy's time is known.
fn is_timed(trace: &Trace, row: usize) -> bool {
    trace.args.get(trace.slices.args.at(row), &trace.strings).all(|(name, _)| name != "device_time")
}

pub(in crate::query) fn copied_bytes(trace: &Trace, row: usize) -> Option<u64> {
    number(trace, row, "bytes").or_else(|| bytes_of_call(trace, row))
}

/// Returns the bytes of the call that submitted a command of another tool's file. For AMD's devices, PyTorch records
/// the size of a copy only there, as text.
fn bytes_of_call(trace: &Trace, row: usize) -> Option<u64> {
    let node = some(trace.slices.node.at(row)).filter(|_| trace.producer().is_some())?;
    let call = some(trace.nodes.submission.at(node as usize))? as usize;
    let mut args = trace.args.get(trace.slices.args.at(call), &trace.strings);
    match args.find(|(name, _)| *name == "size")?.1 {
        Value::Uint(bytes) => Some(bytes),
        Value::Str(bytes) => bytes.parse().ok(),
        _ => None,
    }
}

fn way(trace: &Trace, call: usize, live: &mut Live) -> Way {
    let name = trace.strings.get(trace.slices.name.at(call));
    live.go_to(trace, trace.slices.start.at(call));
    let process = trace.process_of_slice(call);
    let ends = ["pSrc", "pDst"].map(|key| number(trace, call, key));
    if name.contains("USMMemcpy") {
        let [from, to] = ends.map(|pointer| pointer.map_or("", |pointer| live.side(process, pointer)));
        let devices = ends.map(|pointer| live.device(trace, process, pointer?));
        let is_across =
            (from, to) == ("device", "device") && matches!(devices, [Some(one), Some(other)] if one != other);
        return Way { from, to, is_across };
    }
    // A buffer's contents may go to USM of a device, and come from there.
    let [source, target] = ends.map(|pointer| pointer.map_or("host", |pointer| live.side(process, pointer)));
    let (from, to) = match name {
        name if name.contains("Read") => ("device", target),
        name if name.contains("Write") => (source, "device"),
        name if name.contains("MemBufferCopy") || name.contains("MemImageCopy") => ("device", "device"),
        _ => ("", ""),
    };
    Way { from, to, is_across: false }
}

/// Returns a number or an address among a slice's arguments.
pub(in crate::query) fn number(trace: &Trace, slice: usize, key: &str) -> Option<u64> {
    let args = trace.slices.args.at(slice);
    match trace.args.get(args, &trace.strings).find(|(name, _)| *name == key)?.1 {
        Value::Uint(number) | Value::Pointer(number) => Some(number),
        _ => None,
    }
}

/// Returns the arguments of a kernel in the call that submits it: the type of each, and its value if that is a number.
pub(in crate::query) fn arguments_of_kernel(trace: &Trace, call: usize) -> Vec<(&str, Option<u64>)> {
    let (mut types, mut values) = (Vec::new(), FxHashMap::default());
    for (key, value) in trace.args.get(trace.slices.args.at(call), &trace.strings) {
        if !key.starts_with("pArgs[") {
            continue;
        }
        match (key.strip_suffix(".type"), key.strip_suffix(".value"), value) {
            (Some(argument), _, Value::Str(text)) => types.push((argument, text)),
            (_, Some(argument), Value::Uint(number) | Value::Pointer(number)) => {
                values.entry(argument).or_insert(number);
            }
            _ => {}
        }
    }
    types.into_iter().map(|(argument, text)| (text, values.get(argument).copied())).collect()
}

/// The allocations live at a moment, which only moves forward.
pub(in crate::query) struct Live {
    /// Time, true for an allocation, and the allocation's row; releases before allocations of the same moment.
    changes: std::iter::Peekable<std::vec::IntoIter<(u64, bool, u32)>>,
    /// End, kind and row by process and address.
    ranges: BTreeMap<(u32, u64), (u64, AllocationKind, u32)>,
}

impl Live {
    pub(in crate::query) fn new(trace: &Trace) -> Self {
        // The address of a buffer's or image's memory is a handle, which has no range.
        let is_handle = |kind| matches!(kind, AllocationKind::Buffer | AllocationKind::Image);
        let rows = trace.allocations.iter().enumerate();
        let rows = rows.filter(|(_, allocation)| !is_handle(allocation.kind));
        let mut changes: Vec<_> = rows
            .flat_map(|(row, allocation)| {
                let row = row as u32;
                [Some((allocation.at, true, row)), allocation.released.map(|at| (at, false, row))]
            })
            .flatten()
            .collect();
        changes.sort_unstable();
        Self { changes: changes.into_iter().peekable(), ranges: BTreeMap::new() }
    }

    pub(in crate::query) fn go_to(&mut self, trace: &Trace, at: u64) {
        while let Some((_, is_made, row)) = self.changes.next_if(|change| change.0 <= at) {
            let Some(allocation) = trace.allocations.get(row) else { continue };
            let key = (allocation.process, allocation.pointer);
            if is_made {
                let end = allocation.pointer.saturating_add(allocation.size_bytes);
                // Releases precede allocations of the same moment: an allocation that is released at once would stay.
                if allocation.released != Some(allocation.at) {
                    self.ranges.insert(key, (end, allocation.kind, row));
                }
            } else if self.ranges.get(&key).is_some_and(|known| known.2 == row) {
                self.ranges.remove(&key);
            }
        }
    }

    fn side(&self, process: u32, pointer: u64) -> &'static str {
        match self.at(process, pointer).map(|(kind, _)| kind) {
            Some(AllocationKind::Shared) => "shared",
            None | Some(AllocationKind::Host) => "host",
            Some(_) => "device",
        }
    }

    /// Returns the name of the device that owns the memory of a pointer, if known.
    fn device(&self, trace: &Trace, process: u32, pointer: u64) -> Option<StringId> {
        let (_, row) = self.at(process, pointer)?;
        let device = trace.allocations.get(row)?.title;
        (!trace.strings.get(device).is_empty()).then_some(device)
    }

    pub(in crate::query) fn at(&self, process: u32, pointer: u64) -> Option<(AllocationKind, u32)> {
        let ((owner, _), (end, kind, row)) = self.ranges.range(..=(process, pointer)).next_back()?;
        (*owner == process && pointer < *end).then_some((*kind, *row))
    }
}
