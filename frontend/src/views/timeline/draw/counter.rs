//! A counter as a stepped area, with the minimum and maximum sample where several share a pixel.

use syclscope_language::api::CounterTile;
use syclscope_language::question::TileView;

use super::{Scene, Target};
use crate::canvas::draw_list::Rect;
use crate::canvas::palette::counter_colours;
use crate::canvas::scale::TimeScale;
use crate::data::cache::TileCache;
use crate::data::plan;
use crate::data::tile::Tile;
use crate::state::viewport::Viewport;
use crate::views::timeline::layout::Row;

const MARGIN_CSS_PX: f64 = 6.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterValue {
    pub value: f64,
    /// Minimum and maximum sample, if several share the pixel.
    pub range: Option<(f64, f64)>,
}

struct Heights {
    bottom: f64,
    room: f64,
    lowest: f64,
    span: f64,
}

impl Heights {
    fn y(&self, value: f64) -> f64 {
        self.bottom - ((value - self.lowest) / self.span).clamp(0.0, 1.0) * self.room
    }
}

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, row: &Row, target: &mut Target<'_>) {
    let track = &scene.tree.tracks[row.place];
    let (Some((min, max, _)), Some((view, tiles))) = (&track.counter, track.tiles()) else { return };
    let lowest = min.min(0.0);
    let heights = Heights {
        bottom: row.y_css_px + row.height_css_px - MARGIN_CSS_PX / 2.0,
        room: row.height_css_px - MARGIN_CSS_PX * 1.5,
        lowest,
        span: (max - lowest).max(f64::MIN_POSITIVE),
    };
    let range_ns = (scene.viewport.start_ns(), scene.viewport.end_ns());
    let level = scale.level(scene.device_pixel_ratio);
    for key in plan::covering(view, tiles, level, range_ns, scene.duration_ns) {
        target.need(key);
        for piece in scene.tiles.pieces(key) {
            if let Tile::Counter(tile) = piece.tile {
                let end_ns = piece.span_ns.1.min(scene.duration_ns);
                draw_steps(scene, scale, &heights, tile, (piece.span_ns.0, end_ns), target);
            }
        }
    }
}

fn draw_steps(
    scene: &Scene<'_>,
    scale: &TimeScale,
    heights: &Heights,
    tile: &CounterTile,
    (start_ns, end_ns): (u64, u64),
    target: &mut Target<'_>,
) {
    let (line, area) = counter_colours(scene.theme.scheme);
    let thick = 1.0_f64.max(scene.hair_css_px());
    let count =
        [tile.at_ns.len(), tile.min.len(), tile.max.len(), tile.last.len()].into_iter().min().unwrap_or(0);
    let mut from_ns = start_ns;
    let mut value = tile.before;
    let mut step = |from_ns: u64, to_ns: u64, value: f64| {
        let left = scene.snapped(scale.px_from_time(from_ns as f64).max(-2.0));
        let right = scene.snapped(scale.px_from_time(to_ns as f64).min(scene.width_css_px + 2.0));
        if right <= left {
            return;
        }
        let y = scene.snapped(heights.y(value));
        let h = heights.bottom - y;
        if h > 0.0 {
            target.fills.fill(area, Rect { x: left, y, w: right - left, h });
        }
        target.fills.fill(line, Rect { x: left, y: y - thick / 2.0, w: right - left, h: thick });
    };
    let mut risers = Vec::new();
    for index in 0..count {
        let at_ns = tile.at_ns[index];
        if at_ns >= end_ns {
            break;
        }
        if at_ns >= start_ns {
            step(from_ns, at_ns, value);
            let low = tile.min[index].min(value);
            let high = tile.max[index].max(value);
            risers.push((at_ns, low, high));
            from_ns = at_ns;
        }
        value = tile.last[index];
    }
    step(from_ns, end_ns, value);
    for (at_ns, low, high) in risers {
        let x = scene.snapped(scale.px_from_time(at_ns as f64));
        if (-2.0..=scene.width_css_px + 2.0).contains(&x) && high > low {
            let (top, bottom) = (heights.y(high), heights.y(low));
            target.fills.fill(line, Rect { x: x - thick / 2.0, y: top, w: thick, h: bottom - top });
        }
    }
}

/// Returns the value of a counter at a time, if its tile is loaded.
pub fn counter_value(
    tiles: &TileCache,
    (view, track): (TileView, u32),
    viewport: &Viewport,
    width_css_px: f64,
    device_pixel_ratio: f64,
    at_ns: f64,
) -> Option<CounterValue> {
    let scale = TimeScale::new(viewport.start_ns(), viewport.span_ns(), 0.0, width_css_px);
    let at_ns = at_ns.max(0.0);
    let level = scale.level(device_pixel_ratio);
    let key = plan::covering(view, track, level, (at_ns, at_ns), u64::MAX).next()?;
    let at_ns = at_ns as u64;
    let pieces = tiles.pieces(key);
    let piece = pieces.iter().find(|piece| (piece.span_ns.0..piece.span_ns.1).contains(&at_ns))?;
    let Tile::Counter(tile) = piece.tile else { return None };
    let after = tile.at_ns.partition_point(|sample_ns| *sample_ns <= at_ns);
    let Some(index) = after.checked_sub(1) else {
        return Some(CounterValue { value: tile.before, range: None });
    };
    let (min, max, value) = (*tile.min.get(index)?, *tile.max.get(index)?, *tile.last.get(index)?);
    let is_shared = min < max && at_ns - tile.at_ns[index] < piece.bucket_ns;
    Some(CounterValue { value, range: is_shared.then_some((min, max)) })
}
