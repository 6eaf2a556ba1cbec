//! Lifetimes of allocations, and memory in use over time.

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::event::{Allocation, AllocationKind, Release};
use crate::hash::FastMap;
use crate::store::memory::AllocationRow;

/// Allocations and releases in the order of the file.
#[derive(Debug, Default)]
pub(super) struct MemoryBuilder {
    allocations: Vec<AllocationRow>,
    /// Moment, and either the row of an allocation or a released address.
    changes: Vec<(u64, Change)>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Allocated(u32),
    Released(u64),
}

/// Samples of memory in use, for each kind that was allocated.
pub(super) type MemorySamples = Vec<(AllocationKind, Vec<(u64, f64)>)>;

impl MemoryBuilder {
    pub(super) fn shift(&mut self, origin: u64) {
        for allocation in &mut self.allocations {
            allocation.at = allocation.at.saturating_sub(origin);
        }
        for (at, _) in &mut self.changes {
            *at = at.saturating_sub(origin);
        }
    }

    /// Pairs allocations with releases in the order of time, and sums up what was in use.
    pub(super) fn finish(self, diagnostics: &mut Diagnostics) -> (Vec<AllocationRow>, MemorySamples) {
        let Self { mut allocations, mut changes } = self;
        changes.sort_by_key(|(at, _)| *at);
        let mut live: FastMap<u64, u32> = FastMap::default();
        let mut in_use = [0_u64; AllocationKind::ALL.len()];
        let mut samples: [Vec<(u64, f64)>; AllocationKind::ALL.len()] = Default::default();
        let mut sample = |at: u64, kind: AllocationKind, change: i128| {
            let sum = &mut in_use[kind as usize];
            let new = i128::from(*sum).saturating_add(change).clamp(0, i128::from(u64::MAX));
            *sum = new as u64;
            samples[kind as usize].push((at, *sum as f64));
        };
        for (at, change) in changes {
            match change {
                Change::Allocated(row) => {
                    let allocation = allocations[row as usize];
                    if let Some(old) = live.insert(allocation.pointer, row) {
                        diagnostics.count(DiagnosticKind::AllocatedTwice);
                        let old = &mut allocations[old as usize];
                        old.released = Some(at);
                        sample(at, old.kind, -i128::from(old.size_bytes));
                    }
                    sample(at, allocation.kind, i128::from(allocation.size_bytes));
                }
                Change::Released(pointer) => match live.remove(&pointer) {
                    Some(row) => {
                        let allocation = &mut allocations[row as usize];
                        allocation.released = Some(at);
                        sample(at, allocation.kind, -i128::from(allocation.size_bytes));
                    }
                    None => diagnostics.count(DiagnosticKind::ReleasedUnknown),
                },
            }
        }
        allocations.sort_by_key(|allocation| allocation.at);
        let samples = AllocationKind::ALL.iter().copied().zip(samples);
        (allocations, samples.filter(|(_, samples)| !samples.is_empty()).collect())
    }
}

impl TraceBuilder {
    pub(super) fn allocation(&mut self, allocation: &Allocation<'_>) {
        let at = self.time(allocation.at);
        let row = AllocationRow {
            at,
            released: None,
            pointer: allocation.pointer,
            size_bytes: allocation.size_bytes,
            kind: allocation.kind,
            device: self.strings.intern(allocation.device),
            tid: allocation.tid,
            location: self.location(&allocation.location),
        };
        let memory = &mut self.memory;
        memory.changes.push((at, Change::Allocated(memory.allocations.len() as u32)));
        memory.allocations.push(row);
    }

    pub(super) fn release(&mut self, release: &Release) {
        let at = self.time(release.at);
        self.memory.changes.push((at, Change::Released(release.pointer)));
    }
}
