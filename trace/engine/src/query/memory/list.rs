//! Allocations one by one, in pages.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{AllocationItem, AllocationList, Amount};
use syclscope_language::question::{AllocationOrder, AllocationsQuestion};

use super::selected::SelectedMemory;
use crate::id::{LocationId, StringId};
use crate::query::QueryError;
use crate::query::detail::location;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns a page of a list of allocations.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown process.
    pub fn allocations(&self, question: &AllocationsQuestion) -> Result<AllocationList, QueryError> {
        let selected = SelectedMemory::new(self, &question.of)?;
        let rows = &self.allocations;
        let end = question.to_ns.map_or(rows.len(), |to| rows.at.partition_point(|at| *at < to));
        let mut wanted = Texts::new(self, &question.text);
        let mut places: FxHashMap<LocationId, bool> = FxHashMap::default();
        let is_at = |place: LocationId| {
            let place = self.locations.place(place, &self.strings);
            let (path, line) = place.map_or(("", 0), |place| (place.file, place.line));
            question.path.as_ref().is_none_or(|wanted| wanted == path)
                && question.line.is_none_or(|wanted| wanted == line)
        };
        let has_place = question.path.is_some() || question.line.is_some();
        let mut total = Amount::default();
        let mut found: Vec<(u64, u32)> = Vec::new();
        for row in 0..end {
            let released = rows.released.at(row);
            let size = rows.size_bytes.at(row);
            let is_wanted = selected.has_row(self, row)
                && !(question.unreleased && released.is_some())
                && question.from_ns.is_none_or(|from| {
                    released.is_none_or(|released| released > from) || rows.at.at(row) >= from
                })
                && question.least_bytes.is_none_or(|least| size >= least)
                && question.most_bytes.is_none_or(|most| size <= most);
            if !is_wanted {
                continue;
            }
            if has_place || !wanted.is_everything() {
                let place = self.owners().location_of(self, row as u32);
                if has_place && !*places.entry(place).or_insert_with(|| is_at(place)) {
                    continue;
                }
                if !wanted.has(place, rows.title.at(row), &[rows.pointer.at(row)]) {
                    continue;
                }
            }
            total.add(size);
            found.push((self.key(question.sort, row), row as u32));
        }
        let offset = usize::try_from(question.offset).unwrap_or(usize::MAX).min(found.len());
        let part = offset..offset.saturating_add(question.limit as usize).min(found.len());
        let listed = in_order(&mut found, part);
        let allocations = listed.iter().map(|(_, row)| self.allocation_item(*row)).collect();
        Ok(AllocationList { total, offset: offset as u64, allocations })
    }

    fn key(&self, order: AllocationOrder, row: usize) -> u64 {
        let rows = &self.allocations;
        let lifetime = || {
            let end = rows.released.at(row).unwrap_or(self.duration_ns);
            end.saturating_sub(rows.at.at(row))
        };
        match order {
            AllocationOrder::At => rows.at.at(row),
            AllocationOrder::AtDown => !rows.at.at(row),
            AllocationOrder::Size => rows.size_bytes.at(row),
            AllocationOrder::SizeDown => !rows.size_bytes.at(row),
            AllocationOrder::Lifetime => lifetime(),
            AllocationOrder::LifetimeDown => !lifetime(),
            AllocationOrder::Pointer => rows.pointer.at(row),
            AllocationOrder::PointerDown => !rows.pointer.at(row),
        }
    }

    fn allocation_item(&self, row: u32) -> AllocationItem {
        let allocation = self.allocations.row(row as usize);
        AllocationItem {
            allocation: row,
            process: allocation.process,
            kind: allocation.kind,
            device: self.strings.get(allocation.title).to_owned(),
            pointer: allocation.pointer,
            size_bytes: allocation.size_bytes,
            guard_bytes: allocation.guard_bytes,
            tid: allocation.tid,
            at_ns: allocation.at,
            released_ns: allocation.released,
            location: location(self, self.owners().location_of(self, row)),
            object: self.owners().id_of(row),
        }
    }
}

/// Returns the rows at some positions of the sorted list; only those are sorted.
pub(in crate::query) fn in_order(rows: &mut [(u64, u32)], part: Range<usize>) -> &[(u64, u32)] {
    if part.is_empty() {
        return &[];
    }
    if part.end < rows.len() {
        rows.select_nth_unstable(part.end);
    }
    let before = &mut rows[..part.end];
    if part.start > 0 {
        before.select_nth_unstable(part.start);
    }
    let part = &mut before[part.start..];
    part.sort_unstable();
    part
}

/// Maximum number of returned positions of marked rows.
const MAX_MARKS: usize = 10_000;

/// Returns the positions of some rows in the whole order, ascending.
pub(super) fn positions(rows: &[(u64, u32)], mut marked: Vec<(u64, u32)>) -> Vec<u64> {
    marked.sort_unstable();
    marked.truncate(MAX_MARKS);
    // Number of rows by the number of marked ones up to them.
    let mut behind = vec![0_u64; marked.len() + 1];
    for row in rows {
        behind[marked.partition_point(|marked| marked <= row)] += 1;
    }
    let mut before = 0;
    let before = behind.iter().map(|count| {
        before += count;
        before
    });
    before.take(marked.len()).collect()
}

/// Search text for source locations, names and addresses. Each location and name is checked once.
pub(super) struct Texts<'t> {
    trace: &'t Trace,
    wanted: String,
    address: Option<u64>,
    places: FxHashMap<LocationId, bool>,
    names: FxHashMap<StringId, bool>,
}

impl<'t> Texts<'t> {
    pub(super) fn new(trace: &'t Trace, text: &str) -> Self {
        let address = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let (places, names) = Default::default();
        Self { trace, wanted: text.to_lowercase(), address, places, names }
    }

    pub(super) fn is_everything(&self) -> bool {
        self.wanted.is_empty()
    }

    /// True if the text is part of a source location or a name, or is an address.
    pub(super) fn has(&mut self, place: LocationId, name: StringId, addresses: &[u64]) -> bool {
        let Self { trace, wanted, address, places, names } = self;
        if wanted.is_empty() || address.is_some_and(|address| addresses.contains(&address)) {
            return true;
        }
        let contains = |text: &str| text.to_lowercase().contains(wanted.as_str());
        *places.entry(place).or_insert_with(|| {
            let place = trace.locations.place(place, &trace.strings);
            place.is_some_and(|place| contains(place.file) || contains(place.function))
        }) || *names.entry(name).or_insert_with(|| contains(trace.strings.get(name)))
    }
}
