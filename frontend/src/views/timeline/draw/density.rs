//! Activity of several tracks as a graph in one row, for a collapsed group.

use syclscope_language::api::DensityTile;
use syclscope_language::event::Category;
use syclscope_language::question::TileView;

use super::slices::FADED;
use super::{Scene, Target, blended, pieces};
use crate::canvas::draw_list::Rect;
use crate::canvas::palette::slice_colour;
use crate::canvas::scale::TimeScale;
use crate::data::plan;
use crate::data::tile::Tile;
use crate::views::timeline::layout::{Row, strips};
use crate::views::timeline::model::Source;

const MARGIN_CSS_PX: f64 = 4.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Column {
    /// Mean number of busy lanes.
    busy: f64,
    /// Category with the largest share.
    category: Category,
    strongest: f64,
    /// Number of tracks without data.
    unknown: u32,
    /// True if a loaded search result covers this time.
    is_searched: bool,
    has_match: bool,
}

/// Draws a collapsed group as a graph. The height is the share of busy lanes, the colour their main category.
pub(super) fn draw_summary(scene: &Scene<'_>, scale: &TimeScale, row: &Row, target: &mut Target<'_>) {
    let subtree = scene.tree.subtree(row.place);
    let recorded = subtree
        .iter()
        .filter(|track| track.source == Source::Recorded && track.lanes > 0 && track.slices > 0);
    let mut tracks: Vec<u32> = recorded.map(|track| track.id).collect();
    // A kernel's executions are on the queues, which the overview shows.
    if subtree.iter().any(|track| matches!(track.source, Source::Kernel(_))) {
        tracks.extend(&scene.tree.overview);
    }
    let lanes = strips(subtree).len().max(1) as f64;
    let columns = columns(scene, scale, &tracks, target);
    draw(scene, row, &columns, lanes, target);
}

/// Draws columns as tall as their share of `max`; equal neighbours become one rectangle.
fn draw(scene: &Scene<'_>, row: &Row, columns: &[Column], max: f64, target: &mut Target<'_>) {
    let hair = scene.hair_css_px();
    let room = row.height_css_px - 2.0 * MARGIN_CSS_PX;
    let bottom = row.y_css_px + row.height_css_px - MARGIN_CSS_PX;
    // Non-zero activity is at least a pixel tall.
    let height = |column: &Column| match column.busy {
        busy if busy <= 0.0 => 0.0,
        busy => scene.snapped((busy / max).min(1.0) * room).max(hair),
    };
    let is_faded = |column: &Column| column.is_searched && !column.has_match;
    let look = |column: &Column| (height(column), column.category, column.unknown > 0, is_faded(column));
    let mut first = 0;
    while first < columns.len() {
        let column = &columns[first];
        let same = columns[first..].iter().take_while(|next| look(next) == look(column)).count();
        let (x, w) = (first as f64 * hair, same as f64 * hair);
        if column.unknown > 0 {
            target.fills.fill(scene.theme.group, Rect { x, y: bottom - room, w, h: room });
        }
        let h = height(column);
        if h > 0.0 {
            let colour = slice_colour(scene.theme.scheme, column.category, "", scene.hues);
            let ground = scene.theme.ground;
            let colour = if is_faded(column) { blended(colour, ground, FADED) } else { colour };
            target.fills.fill(colour, Rect { x, y: bottom - h, w, h });
        }
        first += same;
    }
}

/// Returns a column for each device pixel of the width.
fn columns(scene: &Scene<'_>, scale: &TimeScale, tracks: &[u32], target: &mut Target<'_>) -> Vec<Column> {
    let ratio = scene.device_pixel_ratio;
    let count = (scene.width_css_px * ratio).ceil().max(0.0) as usize;
    let mut columns = vec![Column::default(); count];
    let range_ns = (scene.viewport.start_ns(), scene.viewport.end_ns());
    let level = scale.level(ratio);
    let column_ns = scale.ns_per_css_px / ratio;
    let place = |at_ns: u64| {
        let x = scale.px_from_time(at_ns as f64) * ratio;
        x.round().clamp(0.0, count as f64) as usize
    };
    for track in tracks {
        for key in plan::covering(TileView::Density, *track, level, range_ns, scene.duration_ns) {
            let (start_ns, end_ns) = key.span_ns();
            let end_ns = end_ns.min(scene.duration_ns);
            let mut known_until_ns = start_ns;
            for piece in pieces(scene, key, target) {
                let Tile::Density(tile) = piece.tile else { continue };
                for column in &mut columns[place(known_until_ns)..place(piece.span_ns.0.max(known_until_ns))]
                {
                    column.unknown += 1;
                }
                known_until_ns = piece.span_ns.1;
                let grid = Grid { tile_ns: piece.tile_ns, bucket_ns: piece.bucket_ns, column_ns };
                add(tile, &grid, piece.span_ns, &place, &mut columns);
            }
            for column in &mut columns[place(known_until_ns.min(end_ns))..place(end_ns)] {
                column.unknown += 1;
            }
        }
    }
    columns
}

struct Grid {
    tile_ns: u64,
    bucket_ns: u64,
    column_ns: f64,
}

fn add(
    tile: &DensityTile,
    grid: &Grid,
    span_ns: (u64, u64),
    place: &impl Fn(u64) -> usize,
    columns: &mut [Column],
) {
    // Buckets narrower than a column share it.
    let share = (grid.bucket_ns as f64 / grid.column_ns).min(1.0);
    for (number, ((bucket, busy_ns), category)) in
        tile.bucket.iter().zip(&tile.busy_ns).zip(&tile.category).enumerate()
    {
        let matching = tile.matching.get(number);
        let start_ns = grid.tile_ns.saturating_add(u64::from(*bucket) * grid.bucket_ns);
        let (from, to) = (start_ns.max(span_ns.0), start_ns.saturating_add(grid.bucket_ns).min(span_ns.1));
        if from >= to {
            continue;
        }
        let busy = *busy_ns as f64 / grid.bucket_ns as f64 * share;
        let left = place(from);
        let right = if share < 1.0 { left + 1 } else { place(to) }.min(columns.len());
        for column in &mut columns[left.min(right)..right] {
            column.busy += busy;
            column.is_searched |= matching.is_some();
            column.has_match |= matching.is_some_and(|matching| *matching > 0);
            if busy > column.strongest {
                (column.strongest, column.category) = (busy, *category);
            }
        }
    }
}
