//! Copies to a device that no command reads: the bytes are overwritten first, or the memory is released.
//!
//! Commands that may read count as if they read all memory of their process: kernels, host tasks, command graphs, and
//! all commands with unknown accesses.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, NodeKind};

use super::copies::{Waits, by_start};
use super::needless_copies::Needless;
use super::run::{Command, Draft, Run};
use crate::id::LocationId;
use crate::query::report::copies::{Live, number};
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of remembered copies of a process. If there are more, all are discarded, and unread copies may be
/// missed.
const MAX_UNREAD: usize = 256;

struct Transfer {
    /// Row of the written device allocation, and the written addresses; `None` for other memory.
    to: Option<(u32, Range<u64>)>,
    /// Read addresses; empty for a fill.
    from: Range<u64>,
}

/// A copy that nothing has read so far.
struct Unread {
    command: Command,
    allocation: u32,
    bytes: Range<u64>,
    end: u64,
}

#[derive(Default)]
struct State {
    unread: Vec<Unread>,
    /// Time until which a command runs that may read.
    reading_until: u64,
}

/// The unread copies of each process and source location, with their bytes.
#[derive(Default)]
struct Found(FxHashMap<(u32, LocationId), Vec<(Command, u64)>>);

impl Found {
    fn add(&mut self, run: &Run<'_>, unread: Unread) {
        let Unread { command, bytes, .. } = unread;
        if run.has(command.begun) {
            let copies = self.0.entry((command.process, command.location)).or_default();
            copies.push((command, bytes.end - bytes.start));
        }
    }
}

impl Unread {
    /// Returns the time of the release of the memory, if the release followed the copy.
    fn released_at(&self, run: &Run<'_>) -> Option<u64> {
        let released = run.trace.allocations.released.at(self.allocation as usize);
        released.filter(|released| self.end <= *released)
    }
}

impl State {
    /// Updates the state by a command of the process; `reads_until` is the end of its reads if its accesses are
    /// unknown.
    fn step(
        &mut self,
        run: &Run<'_>,
        command: Command,
        transfer: Option<Transfer>,
        reads_until: impl FnOnce() -> u64,
        found: &mut Found,
    ) {
        let begin = command.execution.map_or(command.begun, |execution| execution.start);
        // Copies to memory that was released before this command started were never read.
        let is_released =
            |unread: &mut Unread| unread.released_at(run).is_some_and(|released| released <= begin);
        self.unread.extract_if(.., is_released).for_each(|unread| found.add(run, unread));
        let (Some(execution), Some(transfer)) = (command.execution, transfer) else {
            self.unread.clear();
            self.reading_until = self.reading_until.max(reads_until());
            return;
        };
        let overlaps = |one: &Range<u64>, other: &Range<u64>| one.start < other.end && other.start < one.end;
        self.unread.retain(|unread| !overlaps(&unread.bytes, &transfer.from));
        let Some((allocation, bytes)) = transfer.to else { return };
        let is_replaced = |unread: &mut Unread| {
            bytes.start <= unread.bytes.start
                && unread.bytes.end <= bytes.end
                && unread.end <= execution.start
        };
        self.unread.extract_if(.., is_replaced).for_each(|unread| found.add(run, unread));
        // The rest of a partly overwritten copy may be read.
        self.unread.retain(|unread| !overlaps(&unread.bytes, &bytes));
        if command.kind == NodeKind::Copy && self.reading_until <= execution.start {
            if self.unread.len() >= MAX_UNREAD {
                self.unread.clear();
            }
            self.unread.push(Unread { command, allocation, bytes, end: execution.end });
        }
    }
}

/// Returns a finding for USM copies to a device whose bytes no command reads.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    // Reads by native code, and reads that were not recorded, are unknown.
    if run.trace.dropped > 0 || run.trace.machine.pauses.len() > 0 || run.trace.handles.len() > 0 {
        return Vec::new();
    }
    let mut found = Found::default();
    let mut states: FxHashMap<u32, State> = FxHashMap::default();
    let (waits, mut transfers) = (Waits::new(run), transfers(run));
    for place in by_start(run) {
        let command = run.whole()[place as usize];
        let transfer = transfers.remove(&place);
        let reads_until =
            || command.execution.map_or_else(|| waits.next(run, &command), |execution| execution.end);
        states.entry(command.process).or_default().step(run, command, transfer, reads_until, &mut found);
    }
    for unread in states.into_values().flat_map(|state| state.unread) {
        if unread.released_at(run).is_some() {
            found.add(run, unread);
        }
    }
    found
        .0
        .into_iter()
        .filter_map(|((process, location), mut copies)| {
            copies.arrange_by_key(|(copy, _)| (copy.begun, copy.node));
            let needless = Needless {
                kind: "copy_never_read",
                process,
                location,
                copies: &copies,
                message: "to a device that nothing read: other bytes took their place first, or the memory was released.",
                remedy: "Leave these copies out, or copy only the last of them.",
                assumption: "Kernels are assumed to read all memory.",
            };
            needless.finding(run)
        })
        .collect()
}

/// Returns the memory that copies and fills of USM read and write, by their index among all commands.
fn transfers(run: &Run<'_>) -> FxHashMap<u32, Transfer> {
    let mut live = Live::new(run.trace);
    let mut transfers = FxHashMap::default();
    for (place, command) in (0..).zip(run.whole()) {
        live.go_to(run.trace, command.begun);
        if matches!(command.kind, NodeKind::Copy | NodeKind::Fill) {
            transfers.extend(transfer(run, command, &live).map(|transfer| (place, transfer)));
        }
    }
    transfers
}

fn transfer(run: &Run<'_>, command: &Command, live: &Live) -> Option<Transfer> {
    let call = run.call(command)?;
    let number = |key| number(run.trace, call, key);
    let (to, bytes) = (number("pDst").or_else(|| number("pMem"))?, number("size")?);
    let from = match command.kind {
        NodeKind::Copy => number("pSrc")?,
        _ => 0,
    };
    let written = live.at(command.process, to).filter(|(kind, _)| *kind == AllocationKind::Device);
    let read_bytes = if command.kind == NodeKind::Copy { bytes } else { 0 };
    Some(Transfer {
        to: written.map(|(_, allocation)| (allocation, to..to.saturating_add(bytes))),
        from: from..from.saturating_add(read_bytes),
    })
}
