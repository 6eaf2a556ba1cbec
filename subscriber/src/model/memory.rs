//! Memory: USM allocations and the memory of buffers.
//!
//! The same allocation is reported twice, by the SYCL interface (with the source location) and by the Unified Runtime
//! (with its kind). The inner call creates the event, with data from the outer one. Without an inner call the outer one
//! creates it.
//!
//! Memory is free some time before the call that releases it returns: another thread may get the same address in
//! between. So a release claims the memory at the address when it starts, and ends only that memory.

use rustc_hash::FxHashMap;
use syclscope_language::event::AllocationKind;

#[derive(Default)]
pub(super) struct Memory {
    /// Memory objects and USM, by handle or pointer.
    live: FxHashMap<u64, Live>,
    count: u64,
}

struct Live {
    number: u64,
    references: u32,
    /// The thread that is releasing it.
    releasing: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The start of the release was not seen: it releases the memory at the address when it ends.
    Unknown,
    /// No known memory.
    Nothing,
    /// The memory at a pointer, if it still has that number.
    Memory { pointer: u64, number: u64 },
}

impl Memory {
    /// Adds memory at an address. Returns the thread of a running release there: it has freed the earlier memory,
    /// although its call has not returned.
    pub(super) fn add(&mut self, pointer: u64) -> Option<u32> {
        self.count += 1;
        let live = Live { number: self.count, references: 1, releasing: None };
        self.live.insert(pointer, live)?.releasing
    }

    /// True if memory at an address is live, and not being released.
    pub(super) fn is_live(&self, pointer: u64) -> bool {
        self.live.get(&pointer).is_some_and(|memory| memory.releasing.is_none())
    }

    pub(super) fn retained(&mut self, pointer: u64) {
        if let Some(memory) = self.live.get_mut(&pointer) {
            memory.references += 1;
        }
    }

    pub(super) fn claim(&mut self, thread: u32, pointer: u64) -> Claim {
        let Some(memory) = self.live.get_mut(&pointer) else { return Claim::Nothing };
        memory.releasing = Some(thread);
        Claim::Memory { pointer, number: memory.number }
    }

    pub(super) fn not_released(&mut self, claim: Claim) {
        if let Claim::Memory { pointer, number } = claim
            && let Some(memory) = self.live.get_mut(&pointer)
            && memory.number == number
        {
            memory.releasing = None;
        }
    }

    /// Drops a reference on a release; true if it was the last.
    pub(super) fn released(&mut self, pointer: u64, claim: Claim) -> bool {
        let Some(memory) = self.live.get_mut(&pointer) else { return false };
        if claim != Claim::Unknown && claim != (Claim::Memory { pointer, number: memory.number }) {
            return false;
        }
        memory.references -= 1;
        memory.releasing = None;
        let is_last = memory.references == 0;
        if is_last {
            self.live.remove(&pointer);
        }
        is_last
    }
}

pub(super) struct Allocated {
    pub(super) kind: AllocationKind,
    pub(super) pointer: u64,
    pub(super) size_bytes: u64,
    pub(super) device: u64,
}
