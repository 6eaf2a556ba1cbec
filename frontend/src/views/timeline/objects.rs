//! Tracks of memory objects, with the objects' data.

use syclscope_language::api::{ObjectHistory, ObjectItem};
use syclscope_language::event::AllocationKind;

use crate::state::objects::{kind_of, selections};
use crate::state::selection::Selection;

/// Minimum number of lanes: one for memory, one for uses.
const MIN_LANES: u32 = 2;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectLane {
    pub id: u32,
    pub name: String,
    /// Lanes of its tiles: the first for its memory, the others for its uses.
    pub lanes: u32,
    pub uses: u64,
    /// Kind of memory that colours it.
    pub kind: AllocationKind,
    /// Lifetime; open if it lasts until the trace's end.
    pub life_ns: (u64, Option<u64>),
    /// Times with memory, as far as known.
    pub memory_ns: Vec<(Option<u64>, Option<u64>)>,
    pub selection: Option<Selection>,
}

impl ObjectLane {
    pub fn from_history(history: &ObjectHistory) -> Self {
        let item: &ObjectItem = &history.item;
        Self {
            id: item.id,
            name: item.title(),
            lanes: history.lanes.max(MIN_LANES),
            uses: item.commands,
            kind: kind_of(item.what),
            life_ns: (item.made_ns, item.gone_ns),
            memory_ns: item.memory.iter().map(|memory| (memory.from_ns, memory.to_ns)).collect(),
            selection: selections(item).into_iter().next(),
        }
    }

    pub fn failed(id: u32, message: &str) -> Self {
        Self { id, name: message.to_owned(), lanes: MIN_LANES, life_ns: (0, Some(0)), ..Self::default() }
    }

    /// Creates a placeholder for a pending query. It has fewer lanes than any answer, so that the answer changes the
    /// layout.
    pub fn pending(id: u32) -> Self {
        Self { lanes: 1, ..Self::failed(id, "Loading object…") }
    }

    pub fn lives_at(&self, at_ns: f64) -> bool {
        at_ns >= self.life_ns.0 as f64 && self.life_ns.1.is_none_or(|gone_ns| at_ns < gone_ns as f64)
    }
}
