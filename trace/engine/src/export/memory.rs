//! Memory in use by kind, for counters in other viewers. Our own importer derives these counters itself.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Allocation, AllocationKind, Event, Release};
use syclscope_language::time::Timestamp;

#[derive(Debug, Default)]
pub(super) struct MemoryInUse {
    live: FxHashMap<u64, (AllocationKind, u64)>,
    in_use: [u64; AllocationKind::ALL.len()],
}

impl MemoryInUse {
    /// Processes an event; returns its time, the kind whose sum changed, and the sum in bytes.
    pub(super) fn take(&mut self, event: &Event<'_>) -> Option<(Timestamp, AllocationKind, u64)> {
        let (at, (kind, in_use)) = match event {
            // Addresses are specific to a process.
            Event::Process(_) => {
                *self = Self::default();
                return None;
            }
            Event::Allocation(allocation) => (allocation.at, self.allocate(allocation)),
            Event::Release(release) => (release.at, self.release(release)?),
            _ => return None,
        };
        Some((at, kind, in_use))
    }

    fn allocate(&mut self, allocation: &Allocation<'_>) -> (AllocationKind, u64) {
        let old = self.live.insert(allocation.pointer, (allocation.kind, allocation.size_bytes));
        if let Some((kind, size)) = old {
            self.add(kind, size, u64::saturating_sub);
        }
        (allocation.kind, self.add(allocation.kind, allocation.size_bytes, u64::saturating_add))
    }

    /// Removes an allocation; returns `None` for memory that was not live.
    fn release(&mut self, release: &Release) -> Option<(AllocationKind, u64)> {
        let (kind, size) = self.live.remove(&release.pointer)?;
        Some((kind, self.add(kind, size, u64::saturating_sub)))
    }

    fn add(&mut self, kind: AllocationKind, size: u64, change: fn(u64, u64) -> u64) -> u64 {
        let sum = &mut self.in_use[kind as usize];
        *sum = change(*sum, size);
        *sum
    }
}
