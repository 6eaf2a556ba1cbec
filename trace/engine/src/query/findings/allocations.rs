//! Memory that is allocated and released repeatedly.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, Category};

use super::remedies;
use super::run::{Draft, Run};
use super::touched;
use super::words::{size, time};
use crate::id::LocationId;
use crate::store::memory::AllocationRow;
use crate::store::table::Table as _;

/// Fewer are not a loop.
const MIN_ALLOCATIONS: usize = 32;
/// A page of a GPU: smaller allocations take a page, too.
const PAGE_BYTES: u64 = 64 * 1024;
/// Minimum ratio of all allocations to the simultaneously live ones: repeated allocations follow one another.
const LIVE_PART: usize = 4;

/// Short-lived USM allocations of at most a page each, at one source location.
pub(super) fn small(run: &Run<'_>) -> Vec<Draft> {
    findings(run, "small_allocations", |bytes| bytes <= PAGE_BYTES)
}

/// Short-lived USM allocations of more than a page.
pub(super) fn large(run: &Run<'_>) -> Vec<Draft> {
    findings(run, "repeated_allocations", |bytes| bytes > PAGE_BYTES)
}

fn findings(run: &Run<'_>, rule: &'static str, has_size: fn(u64) -> bool) -> Vec<Draft> {
    let is_usm =
        |kind| matches!(kind, AllocationKind::Device | AllocationKind::Host | AllocationKind::Shared);
    let mut places: BTreeMap<(u32, LocationId, AllocationKind), Vec<AllocationRow>> = BTreeMap::new();
    for row in run.trace.allocations.iter() {
        if is_usm(row.kind) && has_size(row.size_bytes) {
            places.entry((row.process, row.location, row.kind)).or_default().push(row);
        }
    }
    places.retain(|_, rows| rows.len() >= MIN_ALLOCATIONS);
    let loops = places.into_iter().filter_map(|(place, mut rows)| {
        // Memory that stays, or is older than this part of the run, is live, too.
        let most_live = most_live(&rows);
        rows.retain(|row| row.released.is_some() && run.has(row.at));
        let is_loop = rows.len() >= MIN_ALLOCATIONS && most_live * LIVE_PART <= rows.len();
        is_loop.then_some((place, rows, most_live))
    });
    let loops: Vec<_> = loops.collect();
    if loops.is_empty() {
        return Vec::new();
    }
    let calls = Calls::new(run);
    let found = loops.into_iter().filter_map(|((process, location, kind), rows, most_live)| {
        let allocating: Vec<u32> =
            rows.iter().filter_map(|row| calls.at(process, Some(row.tid), row.at)).collect();
        // The thread of a release is unknown, and most often the allocating one.
        let of_release = |row: &AllocationRow| {
            let at = row.released.filter(|at| run.has(*at))?;
            calls.at(process, Some(row.tid), at).or_else(|| calls.at(process, None, at))
        };
        let releasing: Vec<u32> = rows.iter().filter_map(of_release).collect();
        let duration = |slice: u32| run.trace.slices.duration.at(slice as usize);
        let made_ns: u64 = allocating.iter().map(|slice| duration(*slice)).sum();
        let released_ns: u64 = releasing.iter().map(|slice| duration(*slice)).sum();
        let span = |slice: &u32| run.trace.slices.interval(*slice as usize);
        let spans = allocating.iter().chain(&releasing).map(span).collect();
        let touches_ns = touched::in_host_time(run, process, spans);
        if !run.is_worth(touches_ns) {
            return None;
        }
        let change = run.without_calls(allocating.iter().chain(&releasing).copied());
        let bytes = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.size_bytes));
        let (count, kind) = (rows.len(), kind.as_str());
        let most = size(rows.iter().map(|row| row.size_bytes).max().unwrap_or_default().max(PAGE_BYTES));
        let mean = size(bytes / count as u64);
        let mean = if mean == most { String::new() } else { format!(" ({mean} on average)") };
        Some(Draft {
            kind: rule,
            message: format!(
                "{count} blocks of {kind} memory of at most {most}{mean} were allocated{} and released one \
                 after another, for which the host took {} in all.",
                run.at_place(location),
                time(made_ns + released_ns)
            ),
            remedy: remedies::of_allocations(run.trace, process, location).to_owned(),
            evidence: vec![
                format!("Allocating took {}, releasing {}.", time(made_ns), time(released_ns)),
                format!("Live at one time: at most {most_live}."),
            ],
            process,
            location,
            slices: allocating,
            nodes: Vec::new(),
            count: count as u64,
            touches_ns,
            change: Ok(change),
            bytes: 0,
            how: "At most: the run replayed without these calls.",
            filter: run.filter_at(location, "category:memory"),
        })
    });
    found.collect()
}

fn most_live(rows: &[AllocationRow]) -> usize {
    let mut changes: Vec<(u64, bool)> = Vec::with_capacity(rows.len() * 2);
    for row in rows {
        changes.push((row.at, true));
        changes.extend(row.released.map(|at| (at, false)));
    }
    changes.sort_unstable();
    let (mut live, mut most) = (0_usize, 0);
    for (_, begins) in changes {
        live = if begins { live + 1 } else { live.saturating_sub(1) };
        most = most.max(live);
    }
    most
}

/// Memory calls of each process, by lane.
struct Calls {
    of_process: FxHashMap<u32, Vec<Lane>>,
}

/// Calls of a thread that do not overlap.
struct Lane {
    number: usize,
    tid: u32,
    /// Start, end and slice, by start.
    calls: Vec<(u64, u64, u32)>,
}

impl Calls {
    fn new(run: &Run<'_>) -> Self {
        let (slices, tracks) = (&run.trace.slices, &run.trace.tracks);
        let mut of_process: FxHashMap<u32, Vec<Lane>> = FxHashMap::default();
        for row in (0..slices.len()).filter(|row| slices.category(*row) == Category::Memory) {
            let number = slices.lane_of(row);
            let track = tracks.of_lane(number);
            let lanes = of_process.entry(tracks.process.at(track)).or_default();
            // The slices of a lane are adjacent.
            if lanes.last().is_none_or(|lane| lane.number != number) {
                lanes.push(Lane { number, tid: tracks.tid.at(track), calls: Vec::new() });
            }
            if let Some(lane) = lanes.last_mut() {
                lane.calls.push((slices.start.at(row), slices.end(row), row as u32));
            }
        }
        Self { of_process }
    }

    /// Returns the innermost call of a thread at a moment; without a known thread, the call that ends first.
    fn at(&self, process: u32, tid: Option<u32>, at: u64) -> Option<u32> {
        let lanes = self.of_process.get(&process)?;
        let tid = tid.filter(|tid| lanes.iter().any(|lane| lane.tid == *tid));
        let own = lanes.iter().filter(|lane| tid.is_none_or(|tid| lane.tid == tid));
        own.filter_map(|lane| lane.at(at)).min().map(|(_, slice)| slice)
    }
}

impl Lane {
    /// Returns the end and the slice of the call at a moment.
    fn at(&self, at: u64) -> Option<(u64, u32)> {
        let before = self.calls.partition_point(|(begin, ..)| *begin <= at).checked_sub(1)?;
        let (_, end, slice) = self.calls[before];
        (end >= at).then_some((end, slice))
    }
}
