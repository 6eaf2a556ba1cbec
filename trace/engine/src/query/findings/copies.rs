//! Copies of unchanged data back and forth.
//!
//! After a copy both sides have the same data. A copy between them is needless until one of them is written: the
//! device's side changes only by commands, and kernels count as if they wrote everywhere. The host's side may change in
//! any sufficiently long time.

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, NodeKind};

use super::needless_copies::Needless;
use super::run::{Command, Draft, Run};
use crate::id::{LocationId, some};
use crate::query::memory::HOST_BYTES_PER_NS;
use crate::query::report::copies::{Live, number};
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of remembered pairs. If there are more, all are discarded, and needless copies may be missed.
const MAX_TWINS: usize = 1_024;

/// Host and device memory with the same contents.
#[derive(Clone, Copy)]
struct Twins {
    bytes: u64,
    /// Row of the device's allocation.
    allocation: u32,
    /// End of the last copy between them.
    since: u64,
    /// True if the contents are the host's.
    is_sent: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Repeat {
    /// To the device, which has the data.
    ToDevice,
    /// To the host, which had sent the data.
    Back,
    /// To the host, which has got the data.
    Again,
}

struct Copy {
    host: u64,
    device: u64,
    bytes: u64,
    allocation: u32,
    to_host: bool,
}

/// USM copies between host and device of data that the target already has.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut needless: FxHashMap<(u32, LocationId, Repeat), Vec<(Command, u64)>> = FxHashMap::default();
    let mut twins: FxHashMap<(u32, u64, u64), Twins> = FxHashMap::default();
    // End of the last command that may write to device memory, by process.
    let mut writing_until: FxHashMap<u32, u64> = FxHashMap::default();
    // Writes by native code, and writes that were not recorded, are unknown.
    if run.trace.dropped > 0 || run.trace.machine.pauses.len() > 0 || run.trace.handles.len() > 0 {
        return Vec::new();
    }
    let (waits, mut copies) = (Waits::new(run), copies(run));
    for place in by_start(run) {
        let (command, copy) = (run.whole()[place as usize], copies.remove(&place));
        let process = command.process;
        let Some(execution) = command.execution else {
            // The command may run at any time until the host has waited for it.
            twins.retain(|(of, _, _), _| *of != process);
            let until = writing_until.entry(process).or_default();
            *until = (*until).max(waits.next(run, &command));
            continue;
        };
        let Some(copy) = copy else {
            twins.retain(|(of, _, _), _| *of != process);
            let until = writing_until.entry(process).or_default();
            *until = (*until).max(execution.end);
            continue;
        };
        let key = (process, copy.host, copy.device);
        let is_same = |twins: &Twins| twins.bytes == copy.bytes && twins.allocation == copy.allocation;
        let before = twins.get(&key).copied().filter(is_same);
        if let Some(before) = before {
            let host_ns = command.begun.saturating_sub(before.since);
            let is_same_still = copy.to_host || host_ns.saturating_mul(HOST_BYTES_PER_NS) < copy.bytes;
            if is_same_still && run.has(command.begun) {
                let repeat = match (copy.to_host, before.is_sent) {
                    (false, _) => Repeat::ToDevice,
                    (true, true) => Repeat::Back,
                    (true, false) => Repeat::Again,
                };
                let copies = needless.entry((process, command.location, repeat)).or_default();
                copies.push((command, copy.bytes));
            }
        }
        // Written memory no longer equals its other twins.
        let overlap = |a: u64, a_bytes: u64, b: u64, b_bytes: u64| {
            a < b.saturating_add(b_bytes) && b < a.saturating_add(a_bytes)
        };
        twins.retain(|(of, host, device), twins| {
            let (mine, theirs) = if copy.to_host { (copy.host, *host) } else { (copy.device, *device) };
            *of != process || !overlap(mine, copy.bytes, theirs, twins.bytes)
        });
        if writing_until.get(&process).is_none_or(|until| *until <= execution.start) {
            if twins.len() >= MAX_TWINS {
                twins.clear();
            }
            let Copy { bytes, allocation, to_host, .. } = copy;
            let is_sent = !to_host || before.is_some_and(|before| before.is_sent);
            twins.insert(key, Twins { bytes, allocation, since: execution.end, is_sent });
        }
    }
    needless
        .into_iter()
        .filter_map(|((process, location, repeat), copies)| {
            let (message, remedy) = match repeat {
                Repeat::Back => (
                    "back that the host had sent: the previous copy was between the same two addresses, and nothing wrote to the \
                     device memory since.",
                    "Keep the host's data, unless the program restores them on purpose.",
                ),
                Repeat::Again => (
                    "to the host again: the previous copy was between the same two addresses, and nothing wrote to the device \
                     memory since.",
                    "Keep the host's data, unless the program restores them on purpose.",
                ),
                Repeat::ToDevice => (
                    "that were already there: the previous copy was between the same two addresses, nothing wrote to the \
                     device memory since, and the host had no time to change its own.",
                    "Leave the data where they are.",
                ),
            };
            let needless = Needless {
                kind: "copy_unchanged",
                process,
                location,
                copies: &copies,
                message,
                remedy,
                assumption: "Kernels are assumed to write to all device memory.",
            };
            needless.finding(run)
        })
        .collect()
}

pub(super) struct Waits {
    /// By the row of a node: starts and ends of waits for it, by start.
    of_node: FxHashMap<u32, Vec<(u64, u64)>>,
    /// By process and number of a queue: starts and ends of waits for it.
    of_queue: FxHashMap<(u32, u64), Vec<(u64, u64)>>,
}

impl Waits {
    pub(super) fn new(run: &Run<'_>) -> Self {
        let (trace, blocking) = (run.trace, run.trace.blocking());
        let mut waits = Self { of_node: FxHashMap::default(), of_queue: FxHashMap::default() };
        for block in blocking.blocks() {
            let (process, time) = (trace.tracks.process.at(block.track as usize), (block.begin, block.end));
            for node in blocking.nodes_of(block) {
                waits.of_node.entry(*node).or_default().push(time);
            }
            for queue in blocking.queues_of(trace, block) {
                waits.of_queue.entry((process, queue)).or_default().push(time);
            }
        }
        let all = waits.of_node.values_mut().chain(waits.of_queue.values_mut());
        all.for_each(|times| times.sort_unstable());
        waits
    }

    /// Returns the end of the first wait for a command or its queue that started after its submission. A command
    /// without times may run until then; without such a wait, at any time.
    pub(super) fn next(&self, run: &Run<'_>, command: &Command) -> u64 {
        let queue = some(command.queue).and_then(|queue| run.trace.queues.get(queue));
        let of_queue = queue.and_then(|queue| self.of_queue.get(&(command.process, queue.number)));
        let waits = [self.of_node.get(&command.node), of_queue].into_iter().flatten();
        let end = |times: &Vec<(u64, u64)>| {
            let next = times.partition_point(|(begin, _)| *begin < command.submitted);
            times.get(next).map(|(_, end)| *end)
        };
        waits.filter_map(end).min().unwrap_or(u64::MAX)
    }
}

/// Returns the indices of commands that may use memory, by start. Commands without device times sort by their
/// submission.
pub(super) fn by_start(run: &Run<'_>) -> Vec<u32> {
    let uses_memory = |kind| {
        use NodeKind::{CommandGraph, Copy, Fill, HostTask, Kernel, Other};
        matches!(kind, Copy | Kernel | Fill | HostTask | CommandGraph | Other)
    };
    let places = (0..).zip(run.whole()).filter(|(_, command)| uses_memory(command.kind));
    let mut order: Vec<u32> = places.map(|(place, _)| place).collect();
    order.arrange_by_key(|place| {
        let command = &run.whole()[*place as usize];
        (command.execution.map_or(command.begun, |execution| execution.start), *place)
    });
    order
}

/// Returns the copies between the host and a device, by their index among all commands.
fn copies(run: &Run<'_>) -> FxHashMap<u32, Copy> {
    let mut live = Live::new(run.trace);
    let mut copies = FxHashMap::default();
    for (place, command) in (0..).zip(run.whole()) {
        live.go_to(run.trace, command.begun);
        if command.kind == NodeKind::Copy {
            copies.extend(copy(run, command, &live).map(|copy| (place, copy)));
        }
    }
    copies
}

fn copy(run: &Run<'_>, command: &Command, live: &Live) -> Option<Copy> {
    let call = run.call(command)?;
    let number = |key| number(run.trace, call, key);
    let (to, from, bytes) = (number("pDst")?, number("pSrc")?, number("size")?);
    let on_device =
        |pointer| live.at(command.process, pointer).filter(|(kind, _)| *kind == AllocationKind::Device);
    let is_host =
        |pointer| live.at(command.process, pointer).is_none_or(|(kind, _)| kind == AllocationKind::Host);
    if let Some((_, allocation)) = on_device(to).filter(|_| is_host(from)) {
        return Some(Copy { host: from, device: to, bytes, allocation, to_host: false });
    }
    let (_, allocation) = on_device(from).filter(|_| is_host(to))?;
    Some(Copy { host: to, device: from, bytes, allocation, to_host: true })
}
