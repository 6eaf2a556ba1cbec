//! The whole run in one strip, with the brush that shows and moves the visible part.

use std::collections::HashSet;
use std::rc::Rc;

use syclscope_language::api::TimelineTile;
use syclscope_language::question::{TileKey, TileView};

use super::{Frame, OVERVIEW_CSS_PX, Scene};
use crate::canvas::draw_list::{DrawList, FillGroups, Op, Rect};
use crate::canvas::palette::{Theme, slice_colour};
use crate::canvas::scale::TimeScale;
use crate::data::plan;
use crate::data::tile::Tile;
use crate::state::viewport::Viewport;
use crate::views::timeline::layout::strip_in;

const MARGIN_CSS_PX: f64 = 6.0;

/// Returns the scale of the overview: the whole trace over the whole width.
pub(super) fn scale(scene: &Scene<'_>) -> TimeScale {
    let whole = Viewport::whole(scene.duration_ns);
    TimeScale::new(0.0, whole.span_ns(), 0.0, scene.width_css_px)
}

/// Strips of the overview. They are redrawn only when their content changes, and are the same list otherwise.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    list: Rc<DrawList>,
    shows: Shows,
    needed: Vec<TileKey>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Shows {
    tracks: Vec<u32>,
    tiles: Vec<u64>,
    width_css_px: f64,
    device_pixel_ratio: f64,
    theme: Option<Theme>,
}

impl Overview {
    /// Creates the overview of a scene, or reuses the previous frame's if possible.
    pub fn following(scene: &Scene<'_>, before: Self) -> Self {
        let scale = scale(scene);
        let level = scale.level(scene.device_pixel_ratio);
        let whole_ns = (0.0, scene.duration_ns as f64);
        let tracks = &scene.tree.overview;
        let (mut needed, mut pieces) = (Vec::new(), Vec::new());
        for (index, track) in tracks.iter().enumerate() {
            for key in plan::covering(TileView::Timeline, *track, level, whole_ns, scene.duration_ns) {
                if needed.last() != Some(&key) {
                    needed.push(key);
                }
                pieces.extend(scene.tiles.pieces(key).into_iter().map(|piece| (index, piece)));
            }
        }
        let shows = Shows {
            tracks: tracks.clone(),
            tiles: pieces.iter().map(|(_, piece)| piece.serial).collect(),
            width_css_px: scene.width_css_px,
            device_pixel_ratio: scene.device_pixel_ratio,
            theme: Some(*scene.theme),
        };
        if before.shows == shows {
            return Self { needed, ..before };
        }
        let mut fills = FillGroups::default();
        for (index, piece) in pieces {
            let (y, h) = strip_in(OVERVIEW_CSS_PX - 2.0 * MARGIN_CSS_PX, index, tracks.len());
            if let Tile::Timeline(tile) = piece.tile {
                draw_strip(scene, &scale, tile, (y + MARGIN_CSS_PX, h), &mut fills);
            }
        }
        let mut list = DrawList::default();
        fills.finish(&mut list);
        Self { list: Rc::new(list), shows, needed }
    }
}

pub(super) fn draw(scene: &Scene<'_>, frame: &mut Frame) {
    let keys: HashSet<TileKey> = frame.needed.iter().copied().collect();
    let room = Rect { x: 0.0, y: 0.0, w: scene.width_css_px, h: OVERVIEW_CSS_PX };
    frame.list.fill(scene.theme.ground, room);
    frame.list.push(Op::Picture(room, scene.overview.list.clone()));
    frame.needed.extend(scene.overview.needed.iter().filter(|key| !keys.contains(key)));
    draw_brush(scene, &scale(scene), &mut frame.list);
}

fn draw_strip(
    scene: &Scene<'_>,
    scale: &TimeScale,
    tile: &TimelineTile,
    (y, h): (f64, f64),
    fills: &mut FillGroups,
) {
    let Some(columns) = tile.lanes.first() else { return };
    let hair = scene.hair_css_px();
    for (index, start_ns) in columns.start_ns.iter().enumerate() {
        let (Some(duration_ns), Some(total_ns), Some(name), Some(category)) = (
            columns.duration_ns.get(index),
            columns.total_ns.get(index),
            columns.name.get(index),
            columns.category.get(index),
        ) else {
            return;
        };
        let name = tile.names.get(*name as usize).map_or("", String::as_str);
        let x = scene.snapped(scale.px_from_time(*start_ns as f64));
        let w = scene.snapped(scale.px_from_duration((*duration_ns).max(*total_ns) as f64)).max(hair);
        fills.fill(slice_colour(scene.theme.scheme, *category, name, scene.hues), Rect { x, y, w, h });
    }
}

fn draw_brush(scene: &Scene<'_>, scale: &TimeScale, list: &mut DrawList) {
    let theme = scene.theme;
    let hair = scene.hair_css_px();
    let left = scene.snapped(scale.px_from_time(scene.viewport.start_ns()));
    let right = scene.snapped(scale.px_from_time(scene.viewport.end_ns())).max(left + 2.0);
    let h = OVERVIEW_CSS_PX;
    if !scene.viewport.is_whole() {
        let veil = theme.ground.with_alpha(0.66);
        list.fill(veil, Rect { x: 0.0, y: 0.0, w: left, h });
        list.fill(veil, Rect { x: right, y: 0.0, w: scene.width_css_px - right, h });
        let edge = theme.quiet;
        list.fill(edge, Rect { x: left - hair, y: 0.0, w: hair, h });
        list.fill(edge, Rect { x: right, y: 0.0, w: hair, h });
        let grip = 14.0;
        for x in [left - 2.0, right - 1.0] {
            list.fill(theme.text, Rect { x, y: (h - grip) / 2.0, w: 3.0, h: grip });
        }
    }
    list.fill(theme.line, Rect { x: 0.0, y: h - hair, w: scene.width_css_px, h: hair });
}
