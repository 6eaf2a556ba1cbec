//! Memory by process, kind, device and source location.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::api::{Amount, MemoryPlace};
use syclscope_language::event::AllocationKind;

use crate::id::{LocationId, StringId};
use crate::query::detail::location;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AllocationPlace {
    pub(super) process: u32,
    kind: u8,
    pub(super) device: StringId,
    pub(super) location: LocationId,
}

impl AllocationPlace {
    pub(super) fn new(trace: &Trace, row: usize) -> Self {
        let rows = &trace.allocations;
        Self {
            process: rows.process.at(row),
            kind: rows.kind.at(row) as u8,
            device: rows.title.at(row),
            location: trace.owners().location_of(trace, row as u32),
        }
    }

    pub(super) fn kind(&self) -> AllocationKind {
        AllocationKind::ALL.get(usize::from(self.kind)).copied().unwrap_or_default()
    }
}

/// A value for each source location, in order of first appearance.
pub(super) struct Places<T> {
    numbers: FxHashMap<AllocationPlace, u32>,
    pub(super) list: Vec<(AllocationPlace, T)>,
}

impl<T: Default> Places<T> {
    pub(super) fn new() -> Self {
        Self { numbers: FxHashMap::default(), list: Vec::new() }
    }

    pub(super) fn at(&mut self, place: AllocationPlace) -> &mut T {
        let list = &mut self.list;
        let number = *self.numbers.entry(place).or_insert_with(|| {
            list.push((place, T::default()));
            list.len() as u32 - 1
        });
        &mut list[number as usize].1
    }

    /// Returns the locations with the largest keys, and the number of others. Equal keys are ordered by process, kind
    /// and line.
    pub(super) fn first(
        self,
        trace: &Trace,
        limit: u32,
        key: impl Fn(&T) -> (u64, u64),
    ) -> (Vec<(AllocationPlace, T)>, u64) {
        let mut list = self.list;
        let line = |place: &AllocationPlace| {
            let place = trace.locations.place(place.location, &trace.strings);
            place.map(|place| (place.file, place.line, place.column))
        };
        list.arrange_by(|(a, of_a), (b, of_b)| {
            let by_number =
                (Reverse(key(of_a)), a.process, a.kind).cmp(&(Reverse(key(of_b)), b.process, b.kind));
            by_number.then_with(|| line(a).cmp(&line(b))).then_with(|| a.device.cmp(&b.device))
        });
        let more = list.len().saturating_sub(limit as usize) as u64;
        list.truncate(limit as usize);
        (list, more)
    }
}

/// Returns the locations with most bytes for an answer, and the number of others.
pub(super) fn by_bytes(trace: &Trace, places: Places<Amount>, limit: u32) -> (Vec<MemoryPlace>, u64) {
    let (list, more) = places.first(trace, limit, |amount| (amount.bytes, amount.count));
    let place = |(place, amount): (AllocationPlace, Amount)| MemoryPlace {
        process: place.process,
        kind: place.kind(),
        device: trace.strings.get(place.device).to_owned(),
        location: location(trace, place.location),
        amount,
    };
    (list.into_iter().map(place).collect(), more)
}
