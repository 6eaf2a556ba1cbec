//! Tiles by brute force, from every slice's details and every sample.

use syclscope_engine::store::Trace;
use syclscope_language::api::{CounterTile, DensityTile, SliceDetail, TileLane, TimelineTile, TrackInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::question::{TILE_BUCKETS, TileKey};

pub(crate) fn details(trace: &Trace) -> Vec<SliceDetail> {
    let count = trace.info().counts.slices as u32;
    (0..count).map(|slice| trace.slice(slice).unwrap()).collect()
}

/// Returns a timeline tile by its definition, from a scan of every slice.
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

/// Returns a density tile by its definition, from a scan of every bucket and slice.
pub(crate) fn density_tile(details: &[SliceDetail], track: &TrackInfo, key: TileKey) -> DensityTile {
    let lanes = if track.kind == TrackKind::Queue { track.lanes } else { 1 };
    let mut slices: Vec<_> =
        details.iter().filter(|slice| slice.at.track == track.id && slice.at.lane < lanes).collect();
    slices.sort_by_key(|slice| (slice.at.lane, slice.at.start_ns, slice.at.slice));
    let (from, bucket_ns) = (key.span_ns().0, key.bucket_ns());
    // Busy time, number of slices that start, and the longest slice of each bucket.
    let mut buckets: Vec<(u64, u32, Option<&SliceDetail>)> = vec![(0, 0, None); TILE_BUCKETS as usize];
    for slice in slices {
        let (start, end) = (slice.at.start_ns, slice.at.start_ns + slice.at.duration_ns);
        let first = (start.max(from) - from) / bucket_ns;
        for (number, bucket) in buckets.iter_mut().enumerate().skip(first as usize) {
            let begin = from + number as u64 * bucket_ns;
            let starts_here = (begin..begin + bucket_ns).contains(&start);
            if end <= begin && !starts_here {
                break;
            }
            bucket.0 += end.min(begin + bucket_ns) - start.max(begin);
            bucket.1 += u32::from(starts_here);
            if bucket.2.is_none_or(|longest| slice.at.duration_ns > longest.at.duration_ns) {
                bucket.2 = Some(slice);
            }
        }
    }
    let mut tile = DensityTile::default();
    for (number, (busy_ns, count, longest)) in buckets.into_iter().enumerate() {
        if let Some(longest) = longest {
            tile.bucket.push(number as u16);
            tile.busy_ns.push(busy_ns);
            tile.count.push(count);
            tile.category.push(longest.category);
        }
    }
    tile
}

/// Returns a counter tile by its definition, from a scan of every sample; the samples are ordered by time.
pub(crate) fn counter_tile(samples: &[(u64, f64)], key: TileKey) -> CounterTile {
    let bucket = key.bucket_ns();
    let (from, to) = key.span_ns();
    let mut tile = CounterTile::default();
    let before = samples.iter().rfind(|(at, _)| *at < from);
    tile.before = before.map_or(0.0, |(_, value)| *value);
    let mut inside: Vec<_> = samples.iter().filter(|(at, _)| (from..to).contains(at)).copied().collect();
    while let Some((at, _)) = inside.first().copied() {
        let bucket_start = at / bucket * bucket;
        let rest = inside.split_off(inside.partition_point(|(at, _)| at / bucket == bucket_start / bucket));
        let values = || inside.iter().map(|(_, value)| *value);
        tile.at_ns.push(at);
        tile.min.push(values().reduce(f64::min).unwrap());
        tile.max.push(values().reduce(f64::max).unwrap());
        tile.last.push(values().next_back().unwrap());
        let before =
            samples.iter().rfind(|(at, _)| *at < bucket_start).map(|(_, value)| (bucket_start, *value));
        let holding: Vec<_> = before.into_iter().chain(inside).collect();
        let ends = holding.iter().skip(1).map(|(at, _)| *at).chain([bucket_start + bucket]);
        let area: f64 = holding.iter().zip(ends).map(|((at, value), end)| value * (end - at) as f64).sum();
        tile.mean.push(area / (bucket_start + bucket - holding[0].0) as f64);
        inside = rest;
    }
    tile
}
