//! The line of the program at which a thread was blocked.
//!
//! The runtime reports the line for waits for queues. For a wait for an event it reports the tracepoint of the command,
//! whose location is that of the submission. Recorders that look up the caller mark the wait (`caller`). Host accessors
//! get a location when they are constructed, which is after their wait. A buffer's destructor has none: the location of
//! its constructor is used instead.

use syclscope_language::event::{Category, Value};

use super::{Block, Blocking, Cause, is_accessor, thread_of};
use crate::id::{LocationId, some};
use crate::store::Trace;
use crate::store::table::Table as _;

/// Prefix of waits for a single event.
const FOR_EVENT: &str = "event";
/// Argument of a wait whose location is the caller's: the return address in the program, or `python`.
const CALLER: &str = "caller";
const PYTHON: &str = "python";
/// Argument of a command that moves a memory object: the object's address.
const MEMORY_OBJECT: &str = "memory_object";

/// Returns the host accessor that a slice waits for, or in whose construction it lies.
pub(super) fn host_accessor(trace: &Trace, slice: usize) -> Option<u32> {
    let own = some(trace.slices.node.at(slice));
    let node = own.or_else(|| {
        some(trace.slices.node.at(around(trace, thread_of(trace, slice), slice, Category::Submission)?))
    })?;
    Some(node).filter(|node| is_accessor(trace, *node))
}

/// Returns the program's line at which the thread of a block was blocked; `LocationId(0)` if its slices don't show it.
pub(super) fn find(trace: &Trace, block: &Block, slices: &[u32]) -> LocationId {
    if let Cause::HostAccessor(node) = block.cause {
        let made = trace.objects.accessors_of_node(node).map(|accessor| accessor.location);
        return made.into_iter().find(is_known).unwrap_or(trace.nodes.location.at(node as usize));
    }
    let own = slices.iter().map(|slice| own(trace, *slice as usize)).find(is_known);
    own.unwrap_or_else(|| calling(trace, block))
}

/// Returns a slice's own source location, if it has one.
pub(super) fn own(trace: &Trace, slice: usize) -> LocationId {
    let place = trace.slices.location.at(slice);
    let is_for_event = trace.slices.category(slice) == Category::Wait
        && trace.strings.get(trace.slices.name.at(slice)).starts_with(FOR_EVENT);
    let mut args = trace.args.get(trace.slices.args.at(slice), &trace.strings);
    if is_for_event
        && !args.any(|(key, value)| key == CALLER && matches!(value, Value::Pointer(_) | Value::Str(PYTHON)))
    {
        return LocationId(0);
    }
    place
}

/// Returns the source location of the program's call in which the thread was blocked, for example the submission of a
/// blocking copy.
fn calling(trace: &Trace, block: &Block) -> LocationId {
    let slice = block.slice as usize;
    let around =
        [Category::Submission, Category::Memory].map(|category| around(trace, block.track, slice, category));
    let own_thread = trace.tracks.get(block.track).map_or(0, |track| track.tid);
    for outer in around.into_iter().flatten() {
        // A submission by a thread of the runtime has the location of another thread's request.
        let made_by = some(trace.slices.node.at(outer)).map(|node| trace.nodes.tid.at(node as usize));
        if made_by.is_none_or(|tid| tid == 0 || tid == own_thread) {
            return trace.slices.location.at(outer);
        }
    }
    LocationId(0)
}

/// Returns the innermost slice of a category on a thread's track that encloses another slice of the same track, or a
/// native call.
fn around(trace: &Trace, track: u32, slice: usize, category: Category) -> Option<usize> {
    let slices = &trace.slices;
    let row = trace.tracks.get(track)?;
    let lanes = row.lane_range();
    let own = slices.lane_of(slice);
    let outer = if lanes.contains(&own) { lanes.start..own } else { lanes };
    slices.around(outer, slice).find(|around| slices.category(*around) == category)
}

/// Finds the blocks without a location that are the destructor of a buffer or image: the awaited commands used it, and
/// the thread submits nothing between the block and the destruction.
pub(super) fn find_destructors(trace: &Trace, blocking: &mut Blocking) {
    let destructions = Destructions::new(trace);
    if destructions.by_address.is_empty() {
        return;
    }
    // Submissions of each thread to a device, by process and thread.
    let mut begins: Vec<(u32, u64)> = Vec::new();
    for node in trace.nodes.iter().filter(|node| some(node.execution).is_some()) {
        if let Some(slice) = some(node.submission).map(|slice| slice as usize) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(slice)) as u32;
            begins.push((track, trace.slices.start.at(slice)));
        }
    }
    begins.sort_unstable();
    for number in 0..blocking.blocks.len() {
        let block = blocking.blocks[number];
        if block.cause != Cause::Call || block.is_of_runtime || is_known(&block.place) {
            continue;
        }
        let next = begins.partition_point(|begin| *begin < (block.track, block.end));
        let until =
            begins.get(next).filter(|(track, _)| *track == block.track).map_or(u64::MAX, |(_, at)| *at);
        if let Some(object) = destructions.first(trace, blocking, &block, until) {
            let place = trace.objects.rows.location.at(object as usize);
            let block = &mut blocking.blocks[number];
            (block.cause, block.place) = (Cause::Destructor(object), place);
        }
    }
}

struct Destructions {
    /// Process, address, time of destruction, and row. Addresses are reused.
    by_address: Vec<(u32, u64, u64, u32)>,
}

impl Destructions {
    fn new(trace: &Trace) -> Self {
        let rows = trace.objects.rows.iter().enumerate();
        let destructions = rows.filter_map(|(row, object)| {
            object.destroyed.map(|at| (object.process, object.address, at, row as u32))
        });
        let mut by_address: Vec<_> = destructions.collect();
        by_address.sort_unstable();
        Self { by_address }
    }

    /// Returns the object that was destroyed first after the block and no later than a moment, among those that the
    /// nodes of the block use or move.
    fn first(&self, trace: &Trace, blocking: &Blocking, block: &Block, until: u64) -> Option<u32> {
        let process = trace.tracks.process.at(block.track as usize);
        let ends = block.end..=until;
        let (rows, mut first) = (&trace.objects.rows, None::<(u64, u32)>);
        let mut consider = |at: u64, object: u32| {
            if ends.contains(&at) && rows.created.at(object as usize) <= block.begin {
                first = Some(first.map_or((at, object), |first| first.min((at, object))));
            }
        };
        for node in blocking.nodes_of(block) {
            for accessor in trace.objects.accessors_of_node(*node) {
                let row = accessor.object as usize;
                if let Some(at) = rows.destroyed.at(row).filter(|_| rows.process.at(row) == process) {
                    consider(at, accessor.object);
                }
            }
            for (key, value) in trace.args.get(trace.nodes.args.at(*node as usize), &trace.strings) {
                if let (MEMORY_OBJECT, Value::Pointer(address)) = (key, value) {
                    let begin = (process, address, block.end, 0);
                    let later = &self.by_address
                        [self.by_address.partition_point(|destruction| *destruction < begin)..];
                    later
                        .iter()
                        .take_while(|(of, there, at, _)| (*of, *there) == (process, address) && *at <= until)
                        .for_each(|(_, _, at, object)| consider(*at, *object));
                }
            }
        }
        first.map(|(_, object)| object)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a condition for find()")]
fn is_known(place: &LocationId) -> bool {
    *place != LocationId(0)
}
