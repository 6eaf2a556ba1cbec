//! Memory: how much is in use, what is live at a moment, the objects of a program, what moves, what leaks.
//!
//! What several answers need is put together once, when the first of them is asked for: memory in use after each change
//! ([`history`]), and which object each allocation belongs to ([`owners`]).

mod at;
mod chosen;
mod history;
mod list;
mod owners;
mod places;
pub(super) mod tile;
mod usage;

use std::sync::OnceLock;

use self::history::History;
use self::owners::Owners;
use crate::store::Trace;

/// What is put together once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caches {
    history: OnceLock<History>,
    owners: OnceLock<Owners>,
}

impl Trace {
    fn memory_history(&self) -> &History {
        self.memory.history.get_or_init(|| History::new(self))
    }

    fn owners(&self) -> &Owners {
        self.memory.owners.get_or_init(|| Owners::new(self))
    }

    /// The rows of the allocations that are live at a moment, in their order: made by then, and not yet released.
    fn live_at(&self, at: u64, found: impl FnMut(usize)) {
        let made = self.allocations.at.partition_point(|made| *made <= at);
        self.live.above(self.allocations.released.raw(), 0..made, at, found);
    }
}
