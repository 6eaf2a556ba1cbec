//! Tiles of a track's slices. A lane's cost is a search and a look-up a bucket that holds something, whatever the
//! number of slices.

use crate::api::{TileLane, TimelineTile};
use crate::hash::FastMap;
use crate::id::StringId;
use crate::source::TileKey;
use crate::store::Trace;
use crate::store::column::Cell as _;
use crate::store::levels::{Items, Levels};
use crate::store::slices::Class;
use crate::store::tracks::TrackRow;

/// The slices of a track in the tile's span.
pub(super) fn tile(trace: &Trace, track: &TrackRow, key: TileKey) -> TimelineTile {
    let mut tile = TimelineTile::default();
    let mut names = Names { trace, numbers: FastMap::default(), recent: [(u32::MAX, 0); RECENT] };
    for lane in track.first_lane..track.first_lane.saturating_add(track.lanes) {
        tile.lanes
            .push(self::lane(trace, lane as usize, key, &mut |name| names.number(name, &mut tile.names)));
    }
    tile
}

fn lane(trace: &Trace, lane: usize, key: TileKey, number: &mut dyn FnMut(u32) -> u32) -> TileLane {
    let mut shown = TileLane::default();
    let (items, are_groups) = Levels::items(&trace.slices, lane, key.level);
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let first = items.starting_at(from);
    let last = items.starting_at(to);
    // Slices of a lane don't overlap: only the one before can reach into the span. A short one is merged with others
    // in the tile that it starts in.
    let reaching = first.checked_sub(1).filter(|before| {
        *before >= items.range().start && items.duration[*before] >= bucket && items.end(*before) > from
    });
    if are_groups {
        let shown_items = reaching.unwrap_or(first)..last;
        reserve(&mut shown, shown_items.len());
        for item in shown_items {
            show(&mut shown, &items, item, &(item..item + 1), number);
        }
        return shown;
    }
    reserve(&mut shown, last.saturating_sub(first).min(crate::source::TILE_BUCKETS as usize) + 1);
    if let Some(before) = reaching {
        show(&mut shown, &items, before, &(before..before + 1), number);
    }
    items.groups(first..last, bucket, |group| show(&mut shown, &items, group.longest, &group.items, number));
    shown
}

fn reserve(lane: &mut TileLane, entries: usize) {
    let TileLane { start_ns, duration_ns, name, category, slice, count, total_ns } = lane;
    start_ns.reserve(entries);
    duration_ns.reserve(entries);
    name.reserve(entries);
    category.reserve(entries);
    slice.reserve(entries);
    count.reserve(entries);
    total_ns.reserve(entries);
}

/// Appends the longest of some items, which stands for all of them.
fn show(
    lane: &mut TileLane,
    items: &Items<'_>,
    longest: usize,
    all: &std::ops::Range<usize>,
    number: &mut dyn FnMut(u32) -> u32,
) {
    lane.start_ns.push(items.start[longest]);
    lane.duration_ns.push(items.duration[longest]);
    lane.name.push(number(items.name.get(longest).copied().unwrap_or_default()));
    lane.category.push(Class::of_raw(items.class.get(longest).copied().unwrap_or_default()).category);
    lane.slice.push(items.slice(longest));
    lane.count.push(items.count(all));
    lane.total_ns.push(items.total(all.clone()));
}

/// Names looked up last; a power of two.
const RECENT: usize = 64;

/// Numbers the names of a tile.
struct Names<'a> {
    trace: &'a Trace,
    numbers: FastMap<u32, u32>,
    /// Names and their numbers, by the lowest bits of the name.
    recent: [(u32, u32); RECENT],
}

impl Names<'_> {
    fn number(&mut self, name: u32, names: &mut Vec<String>) -> u32 {
        let recent = &mut self.recent[name as usize % RECENT];
        if recent.0 == name {
            return recent.1;
        }
        let number = *self.numbers.entry(name).or_insert_with(|| {
            names.push(self.trace.strings.get(StringId(name)).to_owned());
            names.len() as u32 - 1
        });
        *recent = (name, number);
        number
    }
}
