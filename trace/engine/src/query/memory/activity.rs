//! Memory accesses of commands: for each object its accesses, every copy, and the commands with unknown accesses.

mod ends;
mod touches;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, HandleDirection, NodeKind};

use super::calls::{self, Call, Kind};
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::adjacency::Adjacency;
use crate::store::cache::cached;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;

pub(super) use self::ends::{End, Ends};
pub(super) use self::touches::{Touch, Touches};

#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    pub(super) touches: Touches,
    /// Copies by start.
    pub(super) copies: Vec<Copy>,
    pub(super) blind: Blind,
    /// Releases of addresses without live memory, and other calls with such addresses.
    pub(super) stray: Vec<Stray>,
    /// The call that released each USM allocation.
    pub(super) released_by: FxHashMap<u32, u32>,
    /// By process and handle of a part of a buffer: the creation time of the last part with the handle, and its offset.
    pub(super) parts: FxHashMap<(u32, u64), (u64, u64)>,
    /// True if no events were lost, so that unrecorded accesses did not happen.
    pub(super) is_whole: bool,
    /// True if no kernel was left out by its name.
    has_all_kernels: bool,
    /// For each process, true if it has recorded calls. The accesses of other processes are unknown.
    has_calls: Vec<bool>,
}

cached!(Activity { touches, copies, stray, released_by, parts, has_calls });

#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) process: u32,
    /// Slice of its call.
    pub(super) call: u32,
    /// Row of its command, or `NONE`.
    pub(super) node: u32,
    /// Slice of its execution, or `NONE`.
    pub(super) execution: u32,
    pub(super) start: u64,
    /// Its end; `u64::MAX` if unknown.
    pub(super) end: u64,
    pub(super) from: End,
    pub(super) to: End,
    pub(super) bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stray {
    pub(super) call: u32,
    pub(super) process: u32,
    pub(super) pointer: u64,
    pub(super) is_release: bool,
    /// The live allocation that contains the address after its start, or `NONE`.
    pub(super) inside: u32,
    /// The last released allocation that contained the address, or `NONE`.
    pub(super) before: u32,
}

/// An execution with its start and end.
#[derive(Clone, Copy, Debug)]
struct Ran {
    execution: u32,
    start: u64,
    end: u64,
}

/// Executions of commands, with the calls that submitted them.
struct Executions<'t> {
    trace: &'t Trace,
    of_node: Adjacency,
    /// Number of calls of each command, and of those visited so far.
    calls: FxHashMap<u32, (u32, u32)>,
}

impl<'t> Executions<'t> {
    fn new(trace: &'t Trace, calls: &[Call]) -> Self {
        let count = trace.executions.kind.len();
        let node = |row: usize| if trace.is_piece(row) { NONE } else { trace.slices.node.at(row) };
        let nodes = (0..count).map(node);
        let of_node = Adjacency::new(trace.nodes.len(), nodes);
        let mut of_calls: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
        for call in calls {
            if let Some(node) = some(trace.slices.node.at(call.slice as usize)) {
                of_calls.entry(node).or_default().0 += 1;
            }
        }
        Self { trace, of_node, calls: of_calls }
    }

    /// Returns the execution of a call's command; with several calls and executions of one command, they correspond in
    /// order.
    fn of_call(&mut self, call: u32) -> Ran {
        let slices = &self.trace.slices;
        let none = Ran { execution: NONE, start: slices.start.at(call as usize), end: u64::MAX };
        let Some(node) = some(slices.node.at(call as usize)) else { return none };
        let mut rows = self.of_node.get(node).to_vec();
        rows.sort_by_key(|row| (slices.start.at(*row as usize), *row));
        let calls = self.calls.entry(node).or_default();
        let position = calls.1 as usize;
        calls.1 += 1;
        let row = match rows.as_slice() {
            [only] => Some(*only),
            rows if rows.len() == calls.0 as usize => rows.get(position).copied(),
            _ => None,
        };
        row.map_or(none, |row| Ran {
            execution: row,
            start: slices.start.at(row as usize),
            end: slices.end(row as usize),
        })
    }

    fn has_call(&self, node: u32) -> bool {
        self.calls.contains_key(&node)
    }
}

impl Activity {
    /// Visits every memory call by time, and every accessor.
    pub(super) fn new(trace: &Trace) -> Self {
        let calls = calls::calls(trace);
        let is_whole = trace.calls > 0 && trace.dropped == 0 && trace.machine.pauses.len() == 0;
        let has_all_kernels = trace.kernels_left_out().next().is_none();
        let mut activity = Self { is_whole, has_all_kernels, has_calls: has_calls(trace), ..Self::default() };
        let mut executions = Executions::new(trace, &calls);
        let mut ends = Ends::new(trace);
        let mut touches: Vec<Touch> = Vec::new();
        for call in &calls {
            ends.go_to(trace.slices.start.at(call.slice as usize));
            if call.kind == Kind::Free {
                activity.free(call, &ends);
            }
            if call.failed {
                continue;
            }
            activity.call(trace, call, &mut executions, &mut ends, &mut touches);
        }
        // A host task accesses the host's memory, which may change at any time anyway; it reaches device memory through
        // native handles.
        let is_native = trace.handles.iter().any(|handle| {
            handle.direction == HandleDirection::Leaves && trace.strings.get(handle.object) != "mem"
        });
        for (row, node) in (0..).zip(trace.nodes.iter()) {
            let is_work = match node.kind {
                NodeKind::Kernel | NodeKind::Copy | NodeKind::Fill | NodeKind::CommandGraph => true,
                NodeKind::HostTask => is_native,
                _ => false,
            };
            if is_work && !executions.has_call(row) {
                let end = some(node.execution).map_or(u64::MAX, |slice| trace.slices.end(slice as usize));
                activity.blind.add(process_of(trace, &node), node.created, end);
            }
        }
        activity.parts = ends.origins;
        touches::add_accessors(trace, &mut touches);
        activity.touches = Touches::new(touches);
        activity.blind.finish();
        activity.copies.sort_by_key(|copy| (copy.start, copy.call));
        activity
    }

    /// True if no commands are missing, so that unrecorded accesses did not happen.
    pub(super) fn has_all_commands(&self) -> bool {
        self.is_whole && self.has_all_kernels
    }

    /// True if no events of a process are missing, so that its unrecorded accesses did not happen.
    pub(super) fn is_whole_of(&self, process: u32) -> bool {
        self.has_all_commands() && self.has_calls.get(process as usize).copied().unwrap_or_default()
    }

    fn free(&mut self, call: &Call, ends: &Ends<'_>) {
        let Some(spot) = call.to.filter(|spot| spot.pointer != 0) else { return };
        match ends.addresses.at(call.process, spot.pointer) {
            Some((row, 0)) if !call.failed => {
                self.released_by.insert(row, call.slice);
            }
            Some((_, 0)) => {}
            found => {
                let before =
                    ends.addresses.before(call.process, spot.pointer).filter(|(_, offset)| *offset == 0);
                self.stray.push(Stray {
                    call: call.slice,
                    process: call.process,
                    pointer: spot.pointer,
                    is_release: true,
                    inside: found.map_or(NONE, |found| found.0),
                    before: before.map_or(NONE, |before| before.0),
                });
            }
        }
    }

    fn call(
        &mut self,
        trace: &Trace,
        call: &Call,
        executions: &mut Executions<'_>,
        ends: &mut Ends<'_>,
        touches: &mut Vec<Touch>,
    ) {
        let node = trace.slices.node.at(call.slice as usize);
        if call.kind == Kind::SubBuffer {
            return ends.part(call);
        }
        if call.kind == Kind::Free {
            return;
        }
        let ran = executions.of_call(call.slice);
        let resolve = |location| ends.resolve(call.process, location);
        let (to, from) = (call.to.map(resolve), call.from.map(resolve));
        let new = |end: &End, kind| {
            Touch::of_call(trace, call, node, end, kind, ran.execution, (ran.start, ran.end))
        };
        for end in [&to, &from].into_iter().flatten() {
            self.use_after_release(trace, call, end, ends);
        }
        match call.kind {
            Kind::Copy | Kind::Read | Kind::Write => {
                let (Some(to), Some(from)) = (to, from) else {
                    return self.blind.add(call.process, ran.start, ran.end);
                };
                let Ran { execution, start, end } = ran;
                let (process, bytes) = (call.process, call.bytes);
                self.copies.push(Copy {
                    process,
                    call: call.slice,
                    node,
                    execution,
                    start,
                    end,
                    from,
                    to,
                    bytes,
                });
                touches::add_copy(trace, &to, &from, new, touches);
            }
            Kind::Fill => match to {
                Some(to) => touches.extend(new(&to, syclscope_language::api::ObjectEventKind::Fill)),
                None => self.blind.add(call.process, ran.start, ran.end),
            },
            Kind::Map | Kind::Unmap | Kind::Advice => {
                let kind = match call.kind {
                    Kind::Map => syclscope_language::api::ObjectEventKind::Map,
                    Kind::Unmap => syclscope_language::api::ObjectEventKind::Unmap,
                    _ => syclscope_language::api::ObjectEventKind::Advice,
                };
                touches.extend(to.and_then(|to| new(&to, kind)));
            }
            Kind::Launch => match &call.pointers {
                Some(pointers) => {
                    for pointer in pointers.iter().filter(|pointer| **pointer != 0) {
                        let location =
                            calls::MemoryLocation { pointer: *pointer, offset: None, is_handle: false };
                        let end = ends.resolve(call.process, location);
                        self.use_after_release(trace, call, &end, ends);
                        if end.allocation == NONE {
                            // A pointer to unknown memory: the kernel may access anything.
                            self.blind.add(call.process, ran.start, ran.end);
                        }
                        let whole = End { offset: None, ..end };
                        touches.extend(new(&whole, syclscope_language::api::ObjectEventKind::ReadWrite));
                    }
                }
                None => self.blind.add(call.process, ran.start, ran.end),
            },
            Kind::Graph => self.blind.add(call.process, ran.start, u64::MAX),
            Kind::Free | Kind::SubBuffer => {}
        }
    }

    /// Records a call with an address of released memory.
    fn use_after_release(&mut self, trace: &Trace, call: &Call, end: &End, ends: &Ends<'_>) {
        if end.allocation != NONE || end.is_handle || end.pointer == 0 {
            return;
        }
        if let Some((before, _)) = ends.addresses.before(call.process, end.pointer) {
            let is_usm = trace.allocations.kind.at(before as usize).is_usm();
            self.stray.extend(is_usm.then_some(Stray {
                call: call.slice,
                process: call.process,
                pointer: end.pointer,
                is_release: false,
                inside: NONE,
                before,
            }));
        }
    }
}

/// Commands with unknown memory accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blind {
    /// Start and end by process, by start. Once finished, each end is the latest one so far.
    spans: FxHashMap<u32, Vec<(u64, u64)>>,
}

impl Blind {
    fn add(&mut self, process: u32, start: u64, end: u64) {
        self.spans.entry(process).or_default().push((start, end));
    }

    fn finish(&mut self) {
        for spans in self.spans.values_mut() {
            spans.sort_unstable();
            let mut last = 0;
            for (_, end) in spans.iter_mut() {
                last = last.max(*end);
                *end = last;
            }
        }
    }

    /// True if a command with unknown accesses ran in a process between two moments.
    pub(in crate::query::memory) fn any_within(&self, process: u32, from: u64, to: u64) -> bool {
        let Some(spans) = self.spans.get(&process) else { return false };
        let begun = spans.partition_point(|(start, _)| *start < to);
        begun.checked_sub(1).is_some_and(|last| spans[last].1 > from)
    }
}

fn has_calls(trace: &Trace) -> Vec<bool> {
    let mut found = vec![false; trace.processes.len()];
    for track in trace.tracks.iter() {
        if let Some(found) = found.get_mut(track.process as usize).filter(|found| !**found) {
            let mut rows = track.lane_range().flat_map(|lane| trace.slices.lane(lane));
            *found = rows.any(|row| trace.slices.category(row) == Category::Call);
        }
    }
    found
}

/// Returns the process of a command's submission, queue or execution; the first process if there is none.
fn process_of(trace: &Trace, node: &NodeRow) -> u32 {
    let track_of = |slice: u32| trace.tracks.of_lane(trace.slices.lane_of(slice as usize));
    let queue =
        || some(node.queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.track as usize);
    let track =
        some(node.submission).map(track_of).or_else(queue).or_else(|| some(node.execution).map(track_of));
    track.map_or(0, |track| trace.tracks.process.at(track))
}
