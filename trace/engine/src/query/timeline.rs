//! Tiles of a track's slices. A lane costs a search and a lookup per non-empty bucket, whatever the number of slices.

pub(super) mod merged;

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{TileLane, TimelineTile};
use syclscope_language::question::{TILE_BUCKETS, TileKey};

use super::limits;
use crate::cancel;
use crate::id::StringId;
use crate::query::matcher::Matcher;
use crate::store::Trace;
use crate::store::column::Cell as _;
use crate::store::levels::{Group, Items, Levels};
use crate::store::slices::Class;
use crate::store::tracks::TrackRow;

pub(super) fn tile(trace: &Trace, track: &TrackRow, key: TileKey) -> TimelineTile {
    let mut names = Names::new(trace);
    let lanes = track.lane_range().take(limits::LANES as usize);
    let lanes = lanes.map(|lane| self::lane(trace, lane, key, &mut names)).collect();
    TimelineTile { names: names.names, lanes }
}

fn lane(trace: &Trace, lane: usize, key: TileKey, names: &mut Names<'_>) -> TileLane {
    cancel::spend(1);
    let mut shown = TileLane::default();
    let (items, are_groups) = Levels::items(&trace.slices, lane, key.level);
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let first = items.starting_at(from);
    let last = items.starting_at(to).max(first);
    // Slices of a lane don't overlap: only the previous one can reach into the range. A short one is merged with others
    // in the tile in which it starts.
    let reaching = first.checked_sub(1).filter(|before| {
        *before >= items.range().start && items.duration[*before] >= bucket && items.end(*before) > from
    });
    if are_groups && let Some(entries) = items.entries() {
        copy(&mut shown, &items, entries, reaching.unwrap_or(first)..last, names);
        return shown;
    }
    reserve(&mut shown, (last - first).min(TILE_BUCKETS as usize) + 1);
    if let Some(before) = reaching {
        let total = items.duration[before];
        show(&mut shown, &items, &Group { items: before..before + 1, longest: before, total }, names);
    }
    items.groups(first..last, bucket, |group| show(&mut shown, &items, &group, names));
    shown
}

fn reserve(lane: &mut TileLane, entries: usize) {
    let TileLane { start_ns, duration_ns, name, category, slice, count, total_ns, matching: _, touch: _ } =
        lane;
    start_ns.reserve(entries);
    duration_ns.reserve(entries);
    name.reserve(entries);
    category.reserve(entries);
    slice.reserve(entries);
    count.reserve(entries);
    total_ns.reserve(entries);
}

fn copy(
    lane: &mut TileLane,
    items: &Items<'_>,
    (longest, first, total): (&[u32], &[u32], &[u64]),
    range: Range<usize>,
    names: &mut Names<'_>,
) {
    let ends = first.get(range.start + 1..range.end.min(items.range().end - 1) + 1).unwrap_or_default();
    let ends = ends.iter().copied().chain([items.end_row()]);
    let first = first.get(range.clone()).unwrap_or_default().iter();
    lane.start_ns = items.start[range.clone()].to_vec();
    lane.duration_ns = items.duration[range.clone()].to_vec();
    lane.slice = longest.get(range.clone()).unwrap_or_default().to_vec();
    lane.total_ns = total.get(range.clone()).unwrap_or_default().to_vec();
    lane.count = first.zip(ends).map(|(first, end)| end.saturating_sub(*first)).collect();
    lane.name = items.name[range.clone()].iter().map(|name| names.number(*name)).collect();
    lane.category = items.class[range].iter().map(|class| Class::of_raw(*class).category).collect();
}

/// Appends the longest item of a group, which represents the group.
fn show(lane: &mut TileLane, items: &Items<'_>, group: &Group, names: &mut Names<'_>) {
    let longest = group.longest;
    lane.start_ns.push(items.start[longest]);
    lane.duration_ns.push(items.duration[longest]);
    lane.name.push(names.number(items.name.get(longest).copied().unwrap_or_default()));
    lane.category.push(Class::of_raw(items.class.get(longest).copied().unwrap_or_default()).category);
    lane.slice.push(items.slice(longest));
    lane.count.push(items.count(&group.items));
    lane.total_ns.push(group.total);
}

/// Size of the cache of recent names; a power of two.
const RECENT: usize = 64;

/// Names of a tile, with their numbers.
pub(super) struct Names<'a> {
    trace: &'a Trace,
    pub(super) names: Vec<String>,
    numbers: FxHashMap<u32, u32>,
    /// Names and their numbers, by the lowest bits of the name.
    recent: [(u32, u32); RECENT],
}

impl<'a> Names<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Self { trace, names: Vec::new(), numbers: FxHashMap::default(), recent: [(u32::MAX, 0); RECENT] }
    }

    pub(super) fn number(&mut self, name: u32) -> u32 {
        let recent = &mut self.recent[name as usize % RECENT];
        if recent.0 == name {
            return recent.1;
        }
        let number = *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(self.trace.strings.get(StringId(name)).to_owned());
            self.names.len() as u32 - 1
        });
        *recent = (name, number);
        number
    }
}

/// For each entry of a lane, counts the slices that match the filter. Visits each slice of the tile.
pub(in crate::query) fn mark(
    trace: &Trace,
    lane: usize,
    key: TileKey,
    tile_lane: &mut TileLane,
    matcher: &mut Matcher<'_>,
) {
    let rows = trace.slices.lane(lane);
    let starts = trace.slices.start.get(rows.clone()).unwrap_or_default();
    // Entries represent consecutive rows, starting with the first row in the tile's range. A single row that reaches
    // into the range may precede it.
    let mut first = rows.start + starts.partition_point(|start| *start < key.span_ns().0);
    if tile_lane.slice.first().is_some_and(|slice| (*slice as usize) < first) {
        first -= 1;
    }
    for count in &tile_lane.count {
        let of_entry = first..(first + *count as usize).min(rows.end);
        first = of_entry.end;
        tile_lane.matching.push(of_entry.filter(|row| matcher.is_match(*row, key.track)).count() as u32);
    }
}
