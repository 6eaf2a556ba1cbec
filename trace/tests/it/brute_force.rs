//! Tiles computed the slow way, from every slice's details and every sample.

use syclscope_trace::api::{CounterTile, SliceDetail, TileLane, TimelineTile, TrackInfo};
use syclscope_trace::source::{TileKey, TraceSource as _};
use syclscope_trace::store::Trace;

/// The details of every slice of a trace.
pub(crate) fn details(trace: &Trace) -> Vec<SliceDetail> {
    let count = trace.info().counts.slices as u32;
    (0..count).map(|slice| trace.slice(slice).unwrap()).collect()
}

/// A timeline tile by its definition: look at every slice.
pub(crate) fn timeline_tile(details: &[SliceDetail], track: &TrackInfo, key: TileKey) -> TimelineTile {
    let mut tile = TimelineTile::default();
    for lane in 0..track.lanes {
        let mut slices: Vec<_> =
            details.iter().filter(|slice| slice.at.track == track.id && slice.at.lane == lane).collect();
        slices.sort_by_key(|slice| (slice.at.start_ns, slice.at.slice));
        tile.lanes.push(lane_of(&slices, key, &mut tile.names));
    }
    tile
}

fn lane_of(slices: &[&SliceDetail], key: TileKey, names: &mut Vec<String>) -> TileLane {
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let mut groups: Vec<(Option<u64>, Vec<&SliceDetail>)> = Vec::new();
    for slice in slices {
        let (start, duration) = (slice.at.start_ns, slice.at.duration_ns);
        if duration >= bucket {
            if start < to && start + duration > from {
                groups.push((None, vec![slice]));
            }
        } else if (from..to).contains(&start) {
            match groups.last_mut() {
                Some((Some(number), group)) if *number == start / bucket => group.push(slice),
                _ => groups.push((Some(start / bucket), vec![slice])),
            }
        }
    }
    let mut lane = TileLane::default();
    for (_, group) in groups {
        let longest = group.iter().rev().max_by_key(|slice| slice.at.duration_ns).unwrap();
        let name = names.iter().position(|name| *name == longest.name).unwrap_or_else(|| {
            names.push(longest.name.clone());
            names.len() - 1
        });
        lane.start_ns.push(longest.at.start_ns);
        lane.duration_ns.push(longest.at.duration_ns);
        lane.name.push(name as u32);
        lane.category.push(longest.category);
        lane.slice.push(longest.at.slice);
        lane.count.push(group.len() as u32);
        lane.total_ns.push(group.iter().map(|slice| slice.at.duration_ns).sum());
    }
    lane
}

/// A counter tile by its definition: look at every sample, which are given by time.
pub(crate) fn counter_tile(samples: &[(u64, f64)], key: TileKey) -> CounterTile {
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let mut tile = CounterTile::default();
    let mut last_bucket = None;
    for (at, value) in samples {
        if *at < from {
            tile.before = *value;
        } else if *at < to {
            if last_bucket.replace(at / bucket) != Some(at / bucket) {
                tile.at_ns.push(*at);
                tile.min.push(*value);
                tile.max.push(*value);
                tile.last.push(*value);
            }
            let row = tile.last.len() - 1;
            tile.min[row] = tile.min[row].min(*value);
            tile.max[row] = tile.max[row].max(*value);
            tile.last[row] = *value;
        }
    }
    tile
}
