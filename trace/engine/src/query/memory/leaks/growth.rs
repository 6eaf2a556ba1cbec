//! Source locations whose live memory grows from iteration to iteration.
//!
//! A thread's allocations, by location, are a sequence whose repeats are loops ([`Repeats`]). A location grows if in
//! each iteration less is released than it allocates, while the program submits commands: tables that a program fills
//! before its work starts don't count.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use syclscope_language::api::{Amount, Growth};

use super::super::places::{AllocationPlace, Places};
use crate::graph::Repeats;
use crate::query::detail::location;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Fewer iterations may be chance.
const MIN_ITERATIONS: usize = 4;
/// Minimum number of iterations if the memory was released: the temporaries of one expression live together, too.
const MIN_RELEASED_ITERATIONS: usize = 16;
/// Maximum number of allocations of one thread in which loops are searched; beyond it, each allocation of a location is
/// an iteration.
const MAX_FOLDED: usize = 100_000;
/// Maximum number of iterations whose ends are returned.
const MAX_LISTED_ENDS: usize = 64;

/// Starts of a location's iterations, and the location of the loop's first allocation, if it is a loop.
struct Rounds {
    begins: Vec<u64>,
    first: Option<AllocationPlace>,
}

/// Returns the growing locations, most bytes per iteration first.
pub(super) fn growth(trace: &Trace, process: Option<u32>) -> Vec<Growth> {
    let rows = &trace.allocations;
    let mut places: Places<Vec<u32>> = Places::new();
    for row in (0..rows.len()).filter(|row| process.is_none_or(|process| process == rows.process.at(*row))) {
        places.at(AllocationPlace::new(trace, row)).push(row as u32);
    }
    // Most locations have little live memory at their last allocation.
    places
        .list
        .retain(|(_, rows)| rows.len() >= MIN_ITERATIONS && live_at_last(trace, rows) >= MIN_ITERATIONS);
    if places.list.is_empty() {
        return Vec::new();
    }
    let mut loops = Loops::default();
    let created = Created::new(trace);
    let of_place =
        |(place, rows): &(AllocationPlace, Vec<u32>)| of_place(trace, place, rows, &mut loops, &created);
    let mut found: Vec<Growth> = places.list.iter().filter_map(of_place).collect();
    found.arrange_by(|a, b| {
        b.bytes_per_round.total_cmp(&a.bytes_per_round).then_with(|| a.at_ns.cmp(&b.at_ns))
    });
    found
}

/// Returns the number of a location's allocations that are live at the last one.
fn live_at_last(trace: &Trace, rows: &[u32]) -> usize {
    let last = rows.last().map_or(0, |row| trace.allocations.at.at(*row as usize));
    let is_live = |row: &&u32| trace.allocations.released.at(**row as usize).is_none_or(|at| at > last);
    rows.iter().filter(is_live).count()
}

fn of_place(
    trace: &Trace,
    place: &AllocationPlace,
    rows: &[u32],
    loops: &mut Loops,
    created: &Created,
) -> Option<Growth> {
    let Rounds { mut begins, first } = loops.rounds(trace, place, rows);
    // Of the memory from before a part of a run, only live blocks are known, and would seem to grow.
    begins.retain(|begin| trace.has_since(place.process, *begin));
    let last = rows.last().map(|row| trace.allocations.at.at(*row as usize))?;
    // An iteration ends where the next one starts; the last one with the location's last allocation.
    let mut ends: Vec<u64> = begins.iter().skip(1).map(|begin| begin.saturating_sub(1)).collect();
    ends.push(last.max(begins.last().copied()?));
    if ends.len() < MIN_ITERATIONS || created.count(place.process, begins[0], last) + 1 < ends.len() {
        return None;
    }
    let is_left = |row: &&u32| trace.allocations.released.at(**row as usize).is_none();
    let is_released = rows.iter().filter(is_left).count() < MIN_ITERATIONS;
    if is_released && ends.len() < MIN_RELEASED_ITERATIONS {
        return None;
    }
    let live = live_after(trace, rows, &ends);
    let (start, middle, end) = (live[0], live[live.len() / 2], live[live.len() - 1]);
    let is_rising = live[live.len() / 2..].is_sorted_by(|a, b| a.count <= b.count);
    if !is_rising || end.count <= middle.count || middle.count <= start.count {
        return None;
    }
    let rounds = (live.len() - 1) as f64;
    // The step is chosen so that the last iteration is included.
    let step = live.len().div_ceil(MAX_LISTED_ENDS);
    let told = |position: &usize| (live.len() - 1 - position).is_multiple_of(step);
    let told: Vec<usize> = (0..live.len()).filter(told).collect();
    Some(Growth {
        process: place.process,
        kind: place.kind(),
        device: trace.strings.get(place.device).to_owned(),
        location: location(trace, place.location),
        rounds: live.len() as u64,
        is_loop: first.is_some(),
        loop_location: first.and_then(|first| location(trace, first.location)),
        bytes_per_round: (end.bytes as f64 - start.bytes as f64) / rounds,
        count_per_round: (end.count as f64 - start.count as f64) / rounds,
        at_ns: told.iter().map(|position| ends[*position]).collect(),
        live: told.iter().map(|position| live[*position]).collect(),
    })
}

/// Times at which each process created commands, ascending.
struct Created(FxHashMap<u32, Vec<u64>>);

impl Created {
    fn new(trace: &Trace) -> Self {
        let mut times: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for node in trace.nodes.iter() {
            times.entry(trace.process_of_node(&node)).or_default().push(node.created);
        }
        times.values_mut().for_each(|times| times.sort_unstable());
        Self(times)
    }

    /// Returns the number of commands that a process created between two moments.
    fn count(&self, process: u32, from: u64, to: u64) -> usize {
        let times = self.0.get(&process).map_or(&[][..], Vec::as_slice);
        let before = times.partition_point(|at| *at < from);
        times.partition_point(|at| *at <= to).saturating_sub(before)
    }
}

fn live_after(trace: &Trace, rows: &[u32], ends: &[u64]) -> Vec<Amount> {
    let allocations = &trace.allocations;
    let mut released: Vec<(u64, u64)> = rows
        .iter()
        .filter_map(|row| {
            let row = *row as usize;
            Some((allocations.released.at(row)?, allocations.size_bytes.at(row)))
        })
        .collect();
    released.arrange_by_key(|release| Reverse(release.0));
    let mut made = rows.iter().map(|row| *row as usize).peekable();
    let mut live = Amount::default();
    let after = |end: &u64| {
        while let Some(row) = made.next_if(|row| allocations.at.at(*row) <= *end) {
            live.add(allocations.size_bytes.at(row));
        }
        while released.last().is_some_and(|release| release.0 <= *end) {
            live.remove(released.pop().map_or(0, |release| release.1));
        }
        live
    };
    ends.iter().map(after).collect()
}

/// Loops of each thread, computed on demand.
#[derive(Default)]
struct Loops {
    threads: FxHashMap<(u32, u32), Option<Thread>>,
}

struct Thread {
    rows: Vec<u32>,
    repeats: Repeats,
}

impl Loops {
    fn rounds(&mut self, trace: &Trace, place: &AllocationPlace, rows: &[u32]) -> Rounds {
        let at = |row: &u32| trace.allocations.at.at(*row as usize);
        let each = || Rounds { begins: rows.iter().map(at).collect(), first: None };
        let Some(first) = rows.first() else { return each() };
        let tid = trace.allocations.tid.at(*first as usize);
        let thread = self
            .threads
            .entry((place.process, tid))
            .or_insert_with(|| Thread::new(trace, place.process, tid));
        let Some(Thread { rows: all, repeats }) = thread else { return each() };
        // The loop of the second allocation contains most of the location's allocations: the first one may precede the
        // loop.
        let second = rows.get(1).unwrap_or(first);
        let Ok(position) = all.binary_search(second) else { return each() };
        let slot_of = |position: usize| repeats.slots.get(position).map(|slot| *slot as usize);
        // The outermost loop around an allocation, and the one directly within it.
        let loops_of = |position: usize| {
            let mut outer = slot_of(position).and_then(|slot| *repeats.loops_of_slots.get(slot)?);
            let mut inner = None;
            while let Some(parent) = outer.and_then(|number| repeats.loops.get(number as usize)?.parent) {
                (outer, inner) = (Some(parent), outer);
            }
            (outer, inner)
        };
        let (Some(own), _) = loops_of(position) else { return each() };
        crate::cancel::spend(all.len());
        let in_loop: Vec<usize> =
            (0..all.len()).filter(|position| loops_of(*position).0 == Some(own)).collect();
        let Some(first_slot) = in_loop.first().and_then(|position| slot_of(*position)) else { return each() };
        // If an iteration begins with an inner loop, that loop repeats the first allocation. Only its first iteration
        // starts one of the outer loop.
        let is_start = |place: &usize| {
            let inner = loops_of(in_loop[*place]).1;
            let is_again = inner.is_some() && *place > 0 && loops_of(in_loop[*place - 1]).1 == inner;
            slot_of(in_loop[*place]) == Some(first_slot) && !is_again
        };
        let starts = (0..in_loop.len()).filter(is_start);
        let begins: Vec<u64> = starts.map(|place| at(&all[in_loop[place]])).collect();
        if begins.len() < MIN_ITERATIONS {
            return each();
        }
        let first = in_loop.first().map(|position| AllocationPlace::new(trace, all[*position] as usize));
        Rounds { begins, first }
    }
}

impl Thread {
    fn new(trace: &Trace, process: u32, tid: u32) -> Option<Self> {
        let allocations = &trace.allocations;
        let is_own = |row: &u32| {
            allocations.tid.at(*row as usize) == tid && allocations.process.at(*row as usize) == process
        };
        let rows: Vec<u32> = (0..allocations.len() as u32).filter(is_own).collect();
        if rows.len() > MAX_FOLDED {
            return None;
        }
        let mut numbers: FxHashMap<AllocationPlace, u32> = FxHashMap::default();
        let symbol = |row: &u32| {
            let next = numbers.len() as u32;
            *numbers.entry(AllocationPlace::new(trace, *row as usize)).or_insert(next)
        };
        let sequence: Vec<u32> = rows.iter().map(symbol).collect();
        Some(Self { rows, repeats: Repeats::new(&sequence) })
    }
}
