//! Memory of two traces, by kind and allocating source location.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{ComparedMemory, Presence};
use syclscope_language::event::AllocationKind;

use super::part::WHOLE;
use crate::id::LocationId;
use crate::privacy_scan::paths::base_name;
use crate::query::location;
use crate::store::Trace;
use crate::store::memory::AllocationRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Debug, Default)]
struct Sums {
    place: LocationId,
    count: u64,
    bytes: u64,
    peak_bytes: u64,
    unreleased_bytes: u64,
    /// Sizes in the order of allocation: ordinal and size decide which allocations of a location match.
    sizes: Vec<u64>,
}

/// Kind, file without folders, function, and the line, which an edit moves.
type Place = (AllocationKind, String, String, u32);

#[derive(Clone, Copy)]
pub(super) enum Allocations<'r> {
    /// Allocated in the range of its side.
    MadeIn([&'r Range<u64>; 2]),
    /// Live at the moment of its side.
    LiveAt([u64; 2]),
}

/// Returns the kinds and source locations of memory at which two traces differ, largest difference in bytes first.
/// `edited` has the files in which lines moved.
pub(super) fn changed(
    traces: [&Trace; 2],
    edited: &FxHashSet<String>,
    allocations: Allocations<'_>,
) -> Vec<ComparedMemory> {
    // Memory in use at the end of a part of a run may be released later. The difference then leaves out
    // unreleased memory.
    let goes_on = |trace: &Trace| (0..trace.processes.len() as u32).any(|process| trace.goes_on(process));
    let has_ends = !traces.into_iter().any(goes_on);
    let mut sums = [0, 1].map(|side: usize| {
        let counts = |row: &AllocationRow| match allocations {
            Allocations::MadeIn(ranges) => ranges[side].contains(&row.at),
            Allocations::LiveAt(moments) => is_live(row, moments[side]),
        };
        let range = match allocations {
            Allocations::MadeIn(ranges) => ranges[side],
            Allocations::LiveAt(_) => &WHOLE,
        };
        sums(traces[side], range, has_ends, counts)
    });
    let mut changed = Vec::new();
    // Equal locations first, then locations in one function with equal allocations, in the order of their lines. Where
    // lines moved, an equal line may be another statement.
    let is_same = |place: &Place| {
        let both = sums[0].get(place).zip(sums[1].get(place));
        both.is_some_and(|(a, b)| !edited.contains(&place.1) || a.sizes == b.sizes)
    };
    let same: Vec<Place> = sums[0].keys().filter(|place| is_same(place)).cloned().collect();
    let mut pairs: Vec<(Place, Place)> = same.into_iter().map(|place| (place.clone(), place)).collect();
    let mut left: [Vec<Place>; 2] =
        [0, 1].map(|side: usize| sums[side].keys().filter(|place| !is_same(place)).cloned().collect());
    left.iter_mut().for_each(|places| {
        places.arrange_by_key(|place| (place.0 as u8, place.1.clone(), place.2.clone(), place.3))
    });
    let [left_a, mut left_b] = left;
    let mut alone = Vec::new();
    for place in left_a {
        let near = |other: &Place| (other.0, &other.1, &other.2) == (place.0, &place.1, &place.2);
        match left_b.iter().position(|other| near(other) && sums[1][other].sizes == sums[0][&place].sizes) {
            Some(found) => pairs.push((place, left_b.remove(found))),
            None => alone.push(place),
        }
    }
    for place in alone {
        let near = |other: &Place| (other.0, &other.1, &other.2) == (place.0, &place.1, &place.2);
        match left_b.iter().position(near) {
            Some(found) => pairs.push((place, left_b.remove(found))),
            None => changed.push(row(traces, place.0, sums[0].remove(&place), None)),
        }
    }
    for place in left_b {
        changed.push(row(traces, place.0, None, sums[1].remove(&place)));
    }
    for (place, other) in pairs {
        changed.push(row(traces, place.0, sums[0].remove(&place), sums[1].remove(&other)));
    }
    changed.retain(|row| {
        (row.a_count, row.a_bytes, row.a_unreleased_bytes)
            != (row.b_count, row.b_bytes, row.b_unreleased_bytes)
    });
    let place = |row: &ComparedMemory| row.location.as_ref().map(|place| (place.file.clone(), place.line));
    changed.arrange_by_cached_key(|row| {
        (std::cmp::Reverse(row.a_bytes.abs_diff(row.b_bytes)), row.kind as u8, place(row))
    });
    changed
}

fn row(traces: [&Trace; 2], kind: AllocationKind, a: Option<Sums>, b: Option<Sums>) -> ComparedMemory {
    let presence = match (&a, &b) {
        (Some(_), Some(_)) => Presence::Both,
        (Some(_), None) => Presence::OnlyA,
        _ => Presence::OnlyB,
    };
    let place = match (&b, &a) {
        (Some(sums), _) => location(traces[1], sums.place),
        (None, Some(sums)) => location(traces[0], sums.place),
        _ => None,
    };
    let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
    ComparedMemory {
        presence,
        kind,
        location: place,
        a_count: a.count,
        b_count: b.count,
        a_bytes: a.bytes,
        b_bytes: b.bytes,
        a_peak_bytes: a.peak_bytes,
        b_peak_bytes: b.peak_bytes,
        a_unreleased_bytes: a.unreleased_bytes,
        b_unreleased_bytes: b.unreleased_bytes,
    }
}

fn is_live(row: &AllocationRow, moment: u64) -> bool {
    row.at <= moment && row.released.is_none_or(|released| released > moment)
}

/// Returns sums of allocations by source location, with the peak within a range. `has_ends` is true if live memory
/// at the end was never released.
fn sums(
    trace: &Trace,
    range: &Range<u64>,
    has_ends: bool,
    counts: impl Fn(&AllocationRow) -> bool,
) -> FxHashMap<Place, Sums> {
    let mut sums: Vec<Sums> = Vec::new();
    let mut by_place: FxHashMap<Place, usize> = FxHashMap::default();
    let mut known: FxHashMap<(u32, u8), usize> = FxHashMap::default();
    let peak_at = peak(trace, range);
    for allocation in trace.allocations.iter() {
        if !counts(&allocation) {
            continue;
        }
        let AllocationRow { released, size_bytes, location, kind, .. } = allocation;
        let number = *known.entry((location.0, kind as u8)).or_insert_with(|| {
            let place = trace.locations.place(location, &trace.strings).unwrap_or_default();
            let place = (kind, base_name(place.file).to_owned(), place.function.to_owned(), place.line);
            *by_place.entry(place).or_insert_with(|| {
                sums.push(Sums { place: location, ..Sums::default() });
                sums.len() - 1
            })
        });
        let own = &mut sums[number];
        own.count += 1;
        own.bytes = own.bytes.saturating_add(size_bytes);
        own.sizes.push(size_bytes);
        if is_live(&allocation, peak_at) {
            own.peak_bytes = own.peak_bytes.saturating_add(size_bytes);
        }
        if released.is_none() && has_ends {
            own.unreleased_bytes = own.unreleased_bytes.saturating_add(size_bytes);
        }
    }
    by_place.into_iter().map(|(place, number)| (place, std::mem::take(&mut sums[number]))).collect()
}

/// Returns the first moment of a range at which the live bytes of all kinds are largest.
pub(super) fn peak(trace: &Trace, range: &Range<u64>) -> u64 {
    let mut changes: Vec<(u64, bool, u64)> = Vec::new();
    for row in trace.allocations.iter() {
        changes.push((row.at.max(range.start), true, row.size_bytes));
        changes.extend(row.released.map(|at| (at.max(range.start), false, row.size_bytes)));
    }
    changes.retain(|(at, ..)| *at < range.end);
    changes.sort_unstable_by_key(|(at, is_made, _)| (*at, *is_made));
    let (mut live, mut most, mut peak_at) = (0_i128, 0_i128, 0);
    for (at, is_made, bytes) in changes {
        live += if is_made { i128::from(bytes) } else { -i128::from(bytes) };
        if live > most {
            (most, peak_at) = (live, at);
        }
    }
    peak_at
}
