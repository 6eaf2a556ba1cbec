//! Live memory at a moment, and its changes until another.

mod blocks;
mod spaces;

use syclscope_language::api::{Amount, MemoryAt, MemoryChange, PlaceChange};
use syclscope_language::question::MemoryAtQuestion;

use self::blocks::{Locations, blocks};
use self::spaces::Spaces;
use super::places::{AllocationPlace, Places, by_bytes};
use super::selected::SelectedMemory;
use crate::query::QueryError;
use crate::query::detail::location;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Presence of a block at two moments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    First,
    Second,
    Both,
}

#[derive(Clone, Copy)]
struct Live {
    space: u32,
    pointer: u64,
    row: u32,
    there: There,
}

/// Amounts of a [`MemoryChange`].
#[derive(Clone, Copy, Default)]
struct Change {
    kept: Amount,
    allocated: Amount,
    released: Amount,
    passed: Amount,
}

impl Trace {
    /// Returns the memory live at a moment, and with a second moment the differences.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown process.
    pub fn memory_at(&self, question: &MemoryAtQuestion) -> Result<MemoryAt, QueryError> {
        let selected = SelectedMemory::new(self, &question.of)?;
        let mut spaces = Spaces::new(self);
        let mut live: Vec<Live> = Vec::new();
        let mut answer = MemoryAt { at_ns: question.at_ns, to_ns: question.to_ns, ..MemoryAt::default() };
        let mut places: Places<Amount> = Places::new();
        let rows = &self.allocations;
        let is_live = |row: usize, at: u64| {
            rows.at.at(row) <= at && rows.released.at(row).is_none_or(|released| released > at)
        };
        self.live_at(question.at_ns, |row| {
            if selected.has_row(self, row) {
                let bytes = rows.size_bytes.at(row);
                answer.live.add(bytes);
                places.at(AllocationPlace::new(self, row)).add(bytes);
                let stays = question.to_ns.is_some_and(|to| is_live(row, to));
                let there = if stays { There::Both } else { There::First };
                live.push(Live {
                    space: spaces.number(row),
                    pointer: rows.pointer.at(row),
                    row: row as u32,
                    there,
                });
            }
        });
        (answer.places, answer.more_places) = by_bytes(self, places, question.places);
        if let Some(to) = question.to_ns {
            self.live_at(to, |row| {
                if selected.has_row(self, row) && !is_live(row, question.at_ns) {
                    let (space, pointer) = (spaces.number(row), rows.pointer.at(row));
                    live.push(Live { space, pointer, row: row as u32, there: There::Second });
                }
            });
            answer.change = Some(self.change(&selected, &live, question.at_ns, to, question.places));
        }
        let order = spaces.order();
        live.iter_mut().for_each(|live| live.space = order[live.space as usize]);
        live.arrange_by_key(|live| (live.space, live.pointer, live.row));
        answer.spaces = spaces.finish(&live);
        let addresses = question.lowest.unwrap_or_default()..=question.highest.unwrap_or(u64::MAX);
        let blocks = blocks(self, &live, &addresses, question.merge_bytes);
        answer.total = blocks.len() as u64;
        answer.offset = question.offset.min(answer.total);
        let listed = blocks.into_iter().skip(answer.offset as usize).take(question.limit as usize);
        let mut locations = Locations::default();
        let differs = question.to_ns.is_some();
        answer.blocks = listed.map(|block| block.finish(self, &mut locations, differs)).collect();
        answer.locations = locations.list;
        Ok(answer)
    }

    fn change(&self, selected: &SelectedMemory, live: &[Live], at: u64, to: u64, limit: u32) -> MemoryChange {
        let rows = &self.allocations;
        let mut whole = Change::default();
        let mut places: Places<Change> = Places::new();
        for Live { row, there, .. } in live {
            let (bytes, place) =
                (rows.size_bytes.at(*row as usize), places.at(AllocationPlace::new(self, *row as usize)));
            for change in [&mut whole, place] {
                match there {
                    There::First => change.released.add(bytes),
                    There::Second => change.allocated.add(bytes),
                    There::Both => change.kept.add(bytes),
                }
            }
        }
        let (from, to) = (at.min(to), at.max(to));
        let made = rows.at.partition_point(|made| *made <= from)..rows.at.partition_point(|made| *made <= to);
        for row in made {
            if rows.released.at(row).is_some_and(|released| released <= to) && selected.has_row(self, row) {
                let bytes = rows.size_bytes.at(row);
                whole.passed.add(bytes);
                places.at(AllocationPlace::new(self, row)).passed.add(bytes);
            }
        }
        let key = |change: &Change| {
            let Change { kept, allocated, released, passed } = change;
            (allocated.bytes.saturating_add(released.bytes), kept.bytes.saturating_add(passed.bytes))
        };
        let (list, more_places) = places.first(self, limit, key);
        let place = |(place, change): (AllocationPlace, Change)| PlaceChange {
            process: place.process,
            kind: place.kind(),
            device: self.strings.get(place.device).to_owned(),
            location: location(self, place.location),
            kept: change.kept,
            allocated: change.allocated,
            released: change.released,
            passed: change.passed,
        };
        let Change { kept, allocated, released, passed } = whole;
        let places = list.into_iter().map(place).collect();
        MemoryChange { kept, allocated, released, passed, places, more_places }
    }
}
