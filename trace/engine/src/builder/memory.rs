//! Lifetimes of allocations, and memory in use over time.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Allocation, AllocationKind, Release};

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::id::{NONE, StringId};
use crate::store::memory::{AllocationRow, StrayRow, Strays};
use crate::store::table::Table as _;

/// Allocations and releases in the order of the file.
#[derive(Debug, Default)]
pub(super) struct MemoryBuilder {
    allocations: Vec<AllocationRow>,
    /// Time, process, and either the row of an allocation or a released address.
    changes: Vec<(u64, u32, Change)>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Allocated(u32),
    /// Address and thread.
    Released(u64, u32),
}

/// Maximum number of stored releases of unknown addresses; further ones are only counted.
const MAX_STRAYS: usize = 1 << 16;

/// Samples of memory in use, for each process and kind of allocation.
pub(super) type MemorySamples = Vec<(u32, AllocationKind, Vec<(u64, f64)>)>;

#[derive(Debug, Default)]
struct InUse {
    bytes: u64,
    samples: Vec<(u64, f64)>,
}

impl InUse {
    fn change(&mut self, at: u64, change: i128) {
        let new = i128::from(self.bytes).saturating_add(change).clamp(0, i128::from(u64::MAX));
        self.bytes = new as u64;
        self.samples.push((at, self.bytes as f64));
    }
}

impl MemoryBuilder {
    pub(super) fn shift(&mut self, origin: u64) {
        for allocation in &mut self.allocations {
            allocation.at = allocation.at.saturating_sub(origin);
        }
        for (at, ..) in &mut self.changes {
            *at = at.saturating_sub(origin);
        }
    }

    /// Pairs allocations with releases by time, and sums up the memory in use.
    pub(super) fn finish(self, diagnostics: &mut Diagnostics) -> (Vec<AllocationRow>, Strays, MemorySamples) {
        let Self { mut allocations, mut changes } = self;
        changes.sort_by_key(|(at, ..)| *at);
        let mut strays = Strays::default();
        let mut live: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let mut in_use: BTreeMap<(u32, AllocationKind), InUse> = BTreeMap::new();
        let mut sample = |at: u64, process: u32, kind: AllocationKind, change: i128| {
            in_use.entry((process, kind)).or_default().change(at, change);
        };
        for (at, process, change) in changes {
            match change {
                Change::Allocated(row) => {
                    let allocation = allocations[row as usize];
                    if let Some(old) = live.insert((process, allocation.pointer), row) {
                        diagnostics.count(DiagnosticKind::AllocatedTwice);
                        let old = &mut allocations[old as usize];
                        old.released = Some(at);
                        sample(at, process, old.kind, -i128::from(old.size_bytes));
                    }
                    sample(at, process, allocation.kind, i128::from(allocation.size_bytes));
                }
                Change::Released(pointer, tid) => match live.remove(&(process, pointer)) {
                    Some(row) => {
                        let allocation = &mut allocations[row as usize];
                        allocation.released = Some(at);
                        sample(at, process, allocation.kind, -i128::from(allocation.size_bytes));
                    }
                    None => {
                        diagnostics.count(DiagnosticKind::ReleasedUnknown);
                        if strays.len() < MAX_STRAYS {
                            strays.push(&StrayRow { process, at, pointer, tid });
                        }
                    }
                },
            }
        }
        allocations.sort_by_key(|allocation| allocation.at);
        let samples = in_use.into_iter().map(|((process, kind), in_use)| (process, kind, in_use.samples));
        (allocations, strays, samples.collect())
    }
}

impl TraceBuilder {
    pub(super) fn allocation(&mut self, allocation: &Allocation<'_>) {
        let at = self.time(allocation.at);
        let row = AllocationRow {
            process: self.processes.number(),
            at,
            released: None,
            pointer: allocation.pointer,
            size_bytes: allocation.size_bytes,
            guard_bytes: allocation.guard_bytes,
            kind: allocation.kind,
            device: self.strings.intern(allocation.device),
            title: StringId::default(),
            tid: allocation.tid,
            location: self.location(&allocation.location),
        };
        let memory = &mut self.memory;
        // Each allocation has up to three samples, whose number has 32 bits too.
        if memory.allocations.len() >= (NONE / 4) as usize {
            return self.diagnostics.count(DiagnosticKind::TooManyRows);
        }
        memory.changes.push((
            at,
            self.processes.number(),
            Change::Allocated(memory.allocations.len() as u32),
        ));
        memory.allocations.push(row);
    }

    pub(super) fn release(&mut self, release: &Release) {
        let at = self.time(release.at);
        self.memory.changes.push((
            at,
            self.processes.number(),
            Change::Released(release.pointer, release.tid),
        ));
    }
}
