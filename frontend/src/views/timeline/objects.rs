//! Tracks of memory objects: of which object they are, and what is known of it.

use syclscope_language::api::{ObjectHistory, ObjectItem};
use syclscope_language::event::AllocationKind;

use crate::state::objects::{kind_of, selections};
use crate::state::selection::Selection;

/// Lanes of any object: one for its memory, one for its uses.
const LEAST_LANES: u32 = 2;

/// An object that has a track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectLane {
    pub id: u32,
    /// What it is called.
    pub name: String,
    /// Lanes of its tiles: the first for its memory, the others for its uses.
    pub lanes: u32,
    /// Commands that use it.
    pub uses: u64,
    /// The kind of memory whose colour it has.
    pub kind: AllocationKind,
    /// From when to when it lived; to the trace's end if it was never gone.
    pub life_ns: (u64, Option<u64>),
    /// From when to when it had memory, as far as that is known.
    pub memory_ns: Vec<(Option<u64>, Option<u64>)>,
    /// What it is in the whole page.
    pub selection: Option<Selection>,
}

impl ObjectLane {
    /// What an answer tells.
    pub fn known(history: &ObjectHistory) -> Self {
        let item: &ObjectItem = &history.item;
        Self {
            id: item.id,
            name: item.title(),
            lanes: history.lanes.max(LEAST_LANES),
            uses: item.commands,
            kind: kind_of(item.what),
            life_ns: (item.made_ns, item.gone_ns),
            memory_ns: item.memory.iter().map(|memory| (memory.from_ns, memory.to_ns)).collect(),
            selection: selections(item).into_iter().next(),
        }
    }

    /// An object of which there is no answer, and why.
    pub fn failed(id: u32, message: &str) -> Self {
        Self { id, name: message.to_owned(), lanes: LEAST_LANES, life_ns: (0, Some(0)), ..Self::default() }
    }

    /// An object that is asked for. Its track is lower than it will be, so that what is known then shows.
    pub fn asked(id: u32) -> Self {
        Self { lanes: 1, ..Self::failed(id, "Loading object…") }
    }

    /// Whether it lives at a moment.
    pub fn lives_at(&self, at_ns: f64) -> bool {
        at_ns >= self.life_ns.0 as f64 && self.life_ns.1.is_none_or(|gone_ns| at_ns < gone_ns as f64)
    }
}
