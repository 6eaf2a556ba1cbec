//! Memory accesses of commands, as far as they are recorded.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{AllocationKind, NodeKind};

use super::run::{Command, Run};
use crate::id::some;
use crate::query::report::copies::{Live, arguments_of_kernel, number};
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::query) enum Memory {
    /// A USM allocation, by row.
    Allocation(u32),
    /// A buffer or image, by row.
    Object(u32),
    /// Memory of the host, by its first address: copied ranges that overlap are one.
    Host(u64),
}

/// Distinct memory that a command touches, sorted, each with true if the command may write to it. `None` if some
/// accesses are unknown.
pub(in crate::query) type Touched = Option<Vec<(Memory, bool)>>;

/// Memory accesses of commands, in order of submission.
pub(in crate::query) struct Touches {
    live: Live,
    /// Processes with USM: their kernels may touch memory without an accessor.
    has_usm: FxHashSet<u32>,
    /// Ranges of addresses that transfers of a process touch, sorted, without overlaps.
    ranges: FxHashMap<u32, Vec<(u64, u64)>>,
}

impl Touches {
    pub(in crate::query) fn new(run: &Run<'_>) -> Self {
        let is_usm =
            |kind| matches!(kind, AllocationKind::Device | AllocationKind::Host | AllocationKind::Shared);
        let usm = run.trace.allocations.iter().filter(|row| is_usm(row.kind));
        Self {
            live: Live::new(run.trace),
            has_usm: usm.map(|row| row.process).collect(),
            ranges: ranges(run),
        }
    }

    /// Returns the memory that a command touches. Callers pass commands in order of submission.
    pub(in crate::query) fn get(&mut self, run: &Run<'_>, command: &Command) -> Touched {
        self.live.go_to(run.trace, command.begun);
        let touched = match command.kind {
            NodeKind::Copy | NodeKind::Fill => self.of_transfer(run, command),
            NodeKind::Kernel => self.of_kernel(run, command),
            _ => None,
        };
        touched.map(in_order)
    }

    fn memory(&self, process: u32, pointer: u64) -> Memory {
        if let Some((_, row)) = self.live.at(process, pointer) {
            return Memory::Allocation(row);
        }
        let ranges = self.ranges.get(&process).map(Vec::as_slice).unwrap_or_default();
        let before = ranges.partition_point(|(from, _)| *from <= pointer).checked_sub(1);
        let range = before.map(|place| ranges[place]).filter(|(_, to)| pointer < *to);
        Memory::Host(range.map_or(pointer, |(from, _)| from))
    }

    fn of_transfer(&self, run: &Run<'_>, command: &Command) -> Touched {
        let objects = objects(run, command);
        if !objects.is_empty() {
            return Some(objects);
        }
        let call = run.call(command)?;
        let to = number(run.trace, call, "pDst").or_else(|| number(run.trace, call, "pMem"))?;
        let from = number(run.trace, call, "pSrc");
        if from.is_none() && command.kind == NodeKind::Copy {
            return None;
        }
        let read = from.map(|from| (self.memory(command.process, from), false));
        Some([(self.memory(command.process, to), true)].into_iter().chain(read).collect())
    }

    fn of_kernel(&self, run: &Run<'_>, command: &Command) -> Touched {
        let mut touched = objects(run, command);
        let call = run.call(command)?;
        let arguments = arguments_of_kernel(run.trace, call);
        if arguments.is_empty() {
            // The kernel's arguments were not recorded.
            let is_known = !touched.is_empty() && !self.has_usm.contains(&command.process);
            return is_known.then_some(touched);
        }
        for (kind, value) in arguments {
            if kind.contains("MEM_OBJ") && touched.is_empty() {
                return None;
            }
            if !kind.contains("POINTER") {
                continue;
            }
            match self.memory(command.process, value?) {
                // A pointer to unknown memory: the kernel may touch anything.
                Memory::Host(address) if address != 0 => return None,
                Memory::Host(_) => {}
                memory => touched.push((memory, true)),
            }
        }
        Some(touched)
    }
}

/// Returns the ranges of addresses that transfers touch, by process. Overlapping ranges are joined.
fn ranges(run: &Run<'_>) -> FxHashMap<u32, Vec<(u64, u64)>> {
    let mut ranges: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
    let transfers =
        run.whole().iter().filter(|command| matches!(command.kind, NodeKind::Copy | NodeKind::Fill));
    for command in transfers {
        let Some(call) = run.call(command) else { continue };
        let number = |key| number(run.trace, call, key);
        let rows = |pitch| Some(number(pitch).max(number("width"))?.saturating_mul(number("height")?));
        for (key, pitch) in [("pDst", "dstPitch"), ("pSrc", "srcPitch"), ("pMem", "pitch")] {
            if let (Some(from), Some(bytes)) = (number(key), number("size").or_else(|| rows(pitch))) {
                ranges.entry(command.process).or_default().push((from, from.saturating_add(bytes)));
            }
        }
    }
    for ranges in ranges.values_mut() {
        ranges.sort_unstable();
        // Ranges that only touch are different memory.
        ranges.dedup_by(|next, before| {
            let is_one = next.0 < before.1;
            if is_one {
                before.1 = before.1.max(next.1);
            }
            is_one
        });
    }
    ranges
}

fn objects(run: &Run<'_>, command: &Command) -> Vec<(Memory, bool)> {
    let accessors = run.trace.objects.accessors_of_node(command.node);
    let writes = |mode| run.trace.strings.get(mode) != "read";
    let mut touched: Vec<(Memory, bool)> =
        accessors.map(|row| (Memory::Object(row.object), writes(row.mode))).collect();
    let known: FxHashSet<Memory> = touched.iter().map(|(memory, _)| *memory).collect();
    for edge in run.trace.edges.incoming(command.node) {
        if let Some(object) = some(edge.object).map(Memory::Object)
            && !known.contains(&object)
        {
            touched.push((object, true));
        }
    }
    in_order(touched)
}

/// Returns the distinct memory, written if any access writes.
fn in_order(mut touched: Vec<(Memory, bool)>) -> Vec<(Memory, bool)> {
    touched.sort_unstable();
    touched.dedup_by(|next, before| {
        let is_one = next.0 == before.0;
        before.1 |= is_one && next.1;
        is_one
    });
    touched
}

/// True if two commands touch the same memory, and one of them may write there. A command that touches all memory may
/// be compared with thousands of others, so the cost is linear in the shorter list.
pub(in crate::query) fn share(one: &[(Memory, bool)], other: &[(Memory, bool)]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    few.iter().any(|(memory, writes)| {
        let same = many.binary_search_by_key(memory, |(memory, _)| *memory);
        same.is_ok_and(|same| *writes || many[same].1)
    })
}
