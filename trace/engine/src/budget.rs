//! Limits of an import: memory, and decompressed bytes.
//!
//! A file's size does not bound its cost: a megabyte of gzip can become gigabytes of slices. An import therefore checks
//! its use while it runs, and stops before the machine runs out of memory. The embedder of the engine counts the
//! memory: the program in its allocator, the page's worker by the size of its memory.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Meter of the memory in use by this thread, or by this WebAssembly module, in bytes. The embedder of the engine
/// provides it.
pub type Meter = fn() -> u64;

/// Size above which a packet or event counts as large.
const LARGE_BYTES: u64 = 1 << 20;
/// Bytes of memory that each byte of a large packet or event may take while it is read.
const READ_BYTES_PER_BYTE: u64 = 16;

/// Texts up to this length are copied without a look at the budget.
const FREE_BYTES: usize = 4 << 10;
/// Bytes of memory for each byte of a copied text, which grows by doubling and is interned.
const COPY_BYTES_PER_BYTE: u64 = 4;

/// Limits of an import. Clones share one budget.
#[derive(Clone)]
pub struct Budget {
    memory_bytes: u64,
    unpacked_bytes: u64,
    meter: Meter,
    /// The meter's reading when the budget was created.
    before: u64,
    is_spent: Arc<AtomicBool>,
}

impl Budget {
    /// Returns a budget without limits.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, || 0)
    }

    /// Returns a budget of `memory_bytes` beyond the present reading of `meter`. Call it on the thread that imports.
    pub fn new(memory_bytes: u64, meter: Meter) -> Self {
        Self { memory_bytes, unpacked_bytes: u64::MAX, meter, before: meter(), is_spent: Arc::default() }
    }

    /// Also limits the decompressed bytes.
    #[must_use]
    pub fn unpacking_up_to(self, unpacked_bytes: u64) -> Self {
        Self { unpacked_bytes, ..self }
    }

    /// Returns the memory limit in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    pub(crate) fn left_bytes(&self) -> u64 {
        if self.is_spent.load(Ordering::Relaxed) {
            return 0;
        }
        self.memory_bytes.saturating_sub((self.meter)().saturating_sub(self.before))
    }

    /// True if there is memory for `more` bytes; once false, it stays false.
    pub(crate) fn has_room(&self, more: u64) -> bool {
        let has_room = self.left_bytes() > more;
        if !has_room {
            self.spend_all();
        }
        has_room
    }

    /// True if there is memory for a copy of texts, else the import ends after this chunk of the file. A short event
    /// may name a long text many times.
    pub(crate) fn has_room_for_copy(&self, bytes: usize) -> bool {
        bytes <= FREE_BYTES || self.has_room(bytes as u64 * COPY_BYTES_PER_BYTE)
    }

    /// Refuses all further memory, after a part of the file was left out for lack of it.
    pub(crate) fn spend_all(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    /// Fails if there is no memory for `more` bytes.
    pub(crate) fn require(&self, more: u64) -> Result<(), Spent> {
        if self.has_room(more) { Ok(()) } else { Err(Spent { allowed_bytes: self.memory_bytes }) }
    }

    /// Fails if there is no memory to read a packet or event of `length` bytes.
    pub(crate) fn require_for_piece(&self, length: usize) -> Result<(), Spent> {
        let length = length as u64;
        self.require(if length > LARGE_BYTES { length.saturating_mul(READ_BYTES_PER_BYTE) } else { 0 })
    }

    /// Returns the limit of decompressed bytes.
    pub(crate) fn unpacked_bytes(&self) -> u64 {
        self.unpacked_bytes
    }
}

/// Error: the memory of the budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it needs more memory than the limit of {}", in_words(self.allowed_bytes))]
pub struct Spent {
    /// The limit, in bytes.
    pub allowed_bytes: u64,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("memory_bytes", &self.memory_bytes).finish_non_exhaustive()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

pub(crate) fn in_words(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    let fits = |unit: &usize| bytes >= 10 << (10 * (unit + 1));
    match (0..UNITS.len()).rev().find(fits) {
        Some(unit) => format!("{} {}", bytes >> (10 * (unit + 1)), UNITS[unit]),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static TAKEN: Cell<u64> = const { Cell::new(0) };
    }

    #[test]
    fn what_was_there_before_does_not_count_and_what_is_spent_stays_spent() {
        TAKEN.set(1000);
        let budget = Budget::new(100, || TAKEN.get());
        TAKEN.set(1099);
        assert!(budget.has_room(0) && budget.left_bytes() == 1);
        let clone = budget.clone();
        assert_eq!(clone.require(1), Err(Spent { allowed_bytes: 100 }));
        TAKEN.set(0);
        assert!(!budget.has_room(0), "a part of the file was left out by then");
    }

    #[test]
    fn a_large_piece_wants_more_room_than_it_has_bytes() {
        TAKEN.set(0);
        let budget = Budget::new(64 << 20, || TAKEN.get());
        assert!(budget.require_for_piece(1 << 20).is_ok() && budget.require_for_piece(3 << 20).is_ok());
        assert!(budget.require_for_piece(4 << 20).is_err());
    }

    #[test]
    fn without_limits_there_is_always_room() {
        let budget = Budget::unlimited();
        assert!(budget.require(u64::MAX - 1).is_ok());
    }

    #[test]
    fn limits_are_told_in_units_that_people_read() {
        let told = [0, 10 << 10, 512 << 20, (10 << 30) - 1, 96 << 30].map(in_words);
        assert_eq!(told, ["0 bytes", "10 KiB", "512 MiB", "10239 MiB", "96 GiB"]);
    }
}
