//! Memory accesses of commands, as far as they are recorded.

use rustc_hash::FxHashSet;
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
    /// Memory of the host, by address.
    Host(u64),
}

/// Distinct memory that a command touches, sorted, and true if it may write there. `None` if not all accesses are
/// known.
pub(in crate::query) type Touched = Option<Vec<(Memory, bool)>>;

/// Finds the accesses of commands, in order of submission.
pub(in crate::query) struct Touches {
    live: Live,
    /// Processes with USM: their kernels may touch memory without an accessor.
    has_usm: FxHashSet<u32>,
}

impl Touches {
    pub(in crate::query) fn new(run: &Run<'_>) -> Self {
        let is_usm =
            |kind| matches!(kind, AllocationKind::Device | AllocationKind::Host | AllocationKind::Shared);
        let usm = run.trace.allocations.iter().filter(|row| is_usm(row.kind));
        Self { live: Live::new(run.trace), has_usm: usm.map(|row| row.process).collect() }
    }

    /// Returns the memory that a command touches. Call it in order of submission.
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
        self.live.at(process, pointer).map_or(Memory::Host(pointer), |(_, row)| Memory::Allocation(row))
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
            // Its arguments were not recorded.
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
                // Not a pointer to known memory: it may point anywhere.
                Memory::Host(address) if address != 0 => return None,
                Memory::Host(_) => {}
                memory => touched.push((memory, true)),
            }
        }
        Some(touched)
    }
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

/// Distinct memory; written if any access writes.
fn in_order(mut touched: Vec<(Memory, bool)>) -> Vec<(Memory, bool)> {
    touched.sort_unstable();
    touched.dedup_by(|next, before| {
        let is_one = next.0 == before.0;
        before.1 |= is_one && next.1;
        is_one
    });
    touched
}

/// True if two commands touch the same memory. A command that touches all memory may be compared with thousands of
/// others, so the cost is linear in the other command's accesses.
pub(in crate::query) fn share(one: &[(Memory, bool)], other: &[(Memory, bool)]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    few.iter().any(|(memory, writes)| {
        let same = many.binary_search_by_key(memory, |(memory, _)| *memory);
        same.is_ok_and(|same| *writes || many[same].1)
    })
}
