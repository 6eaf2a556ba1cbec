//! Painting of the timeline: a pure function of tiles, viewport and theme.
//!
//! From the top: the overview of the whole run with the brush, the ruler, and the tracks. Every part lists its
//! tiles in the result of [`draw`], in order of priority.

mod additions;
mod arrows;
mod counter;
mod density;
mod marks;
mod objects;
mod overview;
mod path;
mod pauses;
mod phases;
mod ruler;
mod slices;

pub use counter::{CounterValue, counter_value};
pub use marks::Marks;
pub use overview::Overview;
pub use phases::DrawnPhase;

use std::collections::HashSet;

use syclscope_language::api::{ObjectEventKind, PauseInfo};
use syclscope_language::event::Category;
use syclscope_language::question::TileKey;

use crate::canvas::draw_list::{Colour, DrawList, FillGroups, Op, Rect};
use crate::canvas::palette::{Hues, Theme};
use crate::canvas::scale::TimeScale;
use crate::canvas::text::TextFit;
use crate::data::cache::{Piece, TileCache};
use crate::data::plan;
use crate::state::time::Area;
use crate::state::viewport::Viewport;
use crate::views::timeline::additions::Additions;
use crate::views::timeline::layout::{Layout, Row, RowKind, strip_css_px, strips};
use crate::views::timeline::model::{TrackTree, TreeTrack};
use crate::views::timeline::overlay_answers::OverlayAnswers;

pub const OVERVIEW_CSS_PX: f64 = 54.0;
/// Height of the ruler, which is below the overview.
pub const RULER_CSS_PX: f64 = 26.0;
pub const TRACKS_TOP_CSS_PX: f64 = OVERVIEW_CSS_PX + RULER_CSS_PX;

pub struct Scene<'a> {
    pub tree: &'a TrackTree,
    pub layout: &'a Layout,
    pub tiles: &'a TileCache,
    /// Tiles with the results of a search. Slices that it did not find fade.
    pub filtered: Option<&'a TileCache>,
    pub viewport: &'a Viewport,
    pub duration_ns: u64,
    /// Times without recording, by process.
    pub pauses: &'a [PauseInfo],
    pub scroll_css_px: f64,
    pub width_css_px: f64,
    pub height_css_px: f64,
    pub device_pixel_ratio: f64,
    pub theme: &'a Theme,
    pub hues: &'a Hues,
    pub selected: Option<u32>,
    /// Slices related to the selected one, once loaded.
    pub marks: Option<&'a Marks>,
    pub hovered: Option<u32>,
    /// Name whose slices are highlighted; the others fade.
    pub highlighted: Option<&'a str>,
    /// Horizontal ends of the box that a drag draws, in any order.
    pub band_css_px: Option<(f64, f64)>,
    pub additions: &'a Additions,
    pub area: Option<&'a Area>,
    pub overlays: &'a OverlayAnswers,
    pub overview: &'a Overview,
}

impl Scene<'_> {
    pub fn scale(&self) -> TimeScale {
        TimeScale::new(self.viewport.start_ns(), self.viewport.span_ns(), 0.0, self.width_css_px)
    }

    fn snapped(&self, css_px: f64) -> f64 {
        (css_px * self.device_pixel_ratio).round() / self.device_pixel_ratio
    }

    fn hair_css_px(&self) -> f64 {
        1.0 / self.device_pixel_ratio
    }

    fn on_canvas(&self, row: &Row) -> Row {
        let y_css_px = self.layout.on_screen_css_px(row.y_css_px, self.scroll_css_px) + TRACKS_TOP_CSS_PX;
        Row { y_css_px, ..row.clone() }
    }

    fn scrolled_rect(&self) -> Rect {
        let rect = self.tracks_rect();
        let pinned = self.layout.pinned_css_px.min(rect.h);
        Rect { y: rect.y + pinned, h: rect.h - pinned, ..rect }
    }

    fn tracks_rect(&self) -> Rect {
        let h = (self.height_css_px - TRACKS_TOP_CSS_PX).max(0.0);
        Rect { x: 0.0, y: TRACKS_TOP_CSS_PX, w: self.width_css_px, h }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnSlice {
    pub rect: Rect,
    pub slice: u32,
    pub track: u32,
    pub lane: u32,
    pub name: usize,
    pub category: Category,
    pub start_ns: u64,
    pub duration_ns: u64,
    /// Number of slices that it represents, including itself.
    pub count: u32,
    pub total_ns: u64,
    /// Share of the time on its pixels that the slices fill, from 0 to 1.
    pub filled: f64,
    /// Kind of access, on an object's track.
    pub touch: Option<ObjectEventKind>,
    /// True if it fades because the search did not find it.
    pub is_dimmed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnArrow {
    /// The slice that must finish.
    pub source: u32,
    /// The slice that must wait.
    pub target: u32,
    pub label: String,
    pub place: Option<Rect>,
}

#[derive(Debug, Default)]
pub struct Frame {
    pub list: DrawList,
    /// Painted rows, with their positions on the canvas; pinned ones come last.
    pub rows: Vec<Row>,
    /// Painted slices of the tracks, not of the overview.
    pub slices: Vec<DrawnSlice>,
    pub names: Vec<String>,
    pub pauses: Vec<Rect>,
    pub phases: Vec<DrawnPhase>,
    pub arrows: Vec<DrawnArrow>,
    /// Painted notes: index and position.
    pub notes: Vec<(usize, Rect)>,
    pub pins: Vec<Rect>,
    pub path_steps: usize,
    /// Tiles of this frame, loaded or not.
    pub needed: Vec<TileKey>,
    pub needed_filtered: Vec<TileKey>,
    /// Tiles next to the visible range, for the next movement.
    pub nearby: Vec<TileKey>,
}

pub fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>) -> Frame {
    let mut frame = Frame::default();
    let theme = scene.theme;
    let scale = scene.scale();
    let tracks_rect = scene.tracks_rect();
    let canvas = Rect { x: 0.0, y: 0.0, w: scene.width_css_px, h: scene.height_css_px };
    frame.list.fill(theme.ground, canvas);

    let ticks = ruler::ticks(scene, &scale);
    let (pinned, below) = scene.layout.in_sight(scene.scroll_css_px, tracks_rect.h);
    let scrolled_rect = scene.scrolled_rect();
    draw_rows(scene, &scale, (below, scrolled_rect), &ticks, &mut frame, fit);
    // The pinned tracks cover the slices, and parts of slices, scrolled behind them.
    frame.slices.retain_mut(|slice| {
        let covered = (scrolled_rect.y - slice.rect.y).max(0.0);
        slice.rect.y += covered;
        slice.rect.h -= covered;
        slice.rect.h > 0.0
    });
    let pinned_rect = Rect { h: scrolled_rect.y - tracks_rect.y, ..tracks_rect };
    draw_rows(scene, &scale, (pinned, pinned_rect), &ticks, &mut frame, fit);
    if pinned_rect.h > 0.0 {
        let y = scrolled_rect.y - 1.0;
        frame.list.fill(theme.quiet, Rect { y, h: 1.0, ..tracks_rect });
    }
    frame.list.push(Op::Clip(tracks_rect));
    phases::draw(scene, &scale, &mut frame, fit);
    pauses::draw(scene, &scale, &mut frame, fit);
    additions::draw_below(scene, &scale, &mut frame);
    path::draw(scene, &scale, &mut frame);
    marks::draw(scene, &scale, &mut frame);
    additions::draw(scene, &scale, &mut frame);
    frame.list.push(Op::Unclip);

    ruler::draw(scene, &scale, &ticks, &mut frame.list);
    marks::draw_on_ruler(scene, &scale, &mut frame.list);
    additions::draw_on_ruler(scene, &scale, &mut frame);
    overview::draw(scene, &mut frame);
    phases::draw_in_overview(scene, &mut frame, fit);
    marks::draw_band(scene, &scale, &mut frame.list);
    let mut keys = HashSet::new();
    frame.needed.retain(|key| keys.insert(*key));
    keys.clear();
    frame.needed_filtered.retain(|key| keys.insert(*key));
    list_nearby(scene, &scale, &mut frame);
    frame
}

struct Target<'a> {
    fills: &'a mut FillGroups,
    texts: &'a mut Vec<Op>,
    frame: &'a mut Frame,
}

impl Target<'_> {
    /// Adds a tile to the needed ones. [`draw`] removes the remaining duplicates.
    fn need(&mut self, key: TileKey) {
        // Lanes of a track need the same tiles in succession.
        let recent = self.frame.needed.len().saturating_sub(64);
        if !self.frame.needed[recent..].contains(&key) {
            self.frame.needed.push(key);
        }
    }
}

/// Adds a tile to the needed ones, and returns the best available tiles for its range. During a search, these are tiles
/// of its results, if loaded.
fn pieces<'a>(scene: &Scene<'a>, key: TileKey, target: &mut Target<'_>) -> Vec<Piece<'a>> {
    target.need(key);
    let all = scene.tiles.pieces(key);
    let Some(filtered) = scene.filtered else { return all };
    target.frame.needed_filtered.push(key);
    Some(filtered.pieces(key)).filter(|pieces| !pieces.is_empty()).unwrap_or(all)
}

fn draw_rows(
    scene: &Scene<'_>,
    scale: &TimeScale,
    (rows, rect): (&[Row], Rect),
    ticks: &ruler::Ticks,
    frame: &mut Frame,
    fit: &mut TextFit<'_>,
) {
    if rect.h <= 0.0 {
        return;
    }
    frame.list.push(Op::Clip(rect));
    let rows: Vec<Row> = rows.iter().map(|row| scene.on_canvas(row)).collect();
    draw_grounds(scene, &rows, rect, ticks, frame);
    let mut texts = Vec::new();
    for row in rows {
        let mut fills = FillGroups::default();
        let target = &mut Target { fills: &mut fills, texts: &mut texts, frame };
        draw_row(scene, scale, &row, target, fit);
        match row.kind {
            RowKind::Lanes | RowKind::Condensed => fills.finish_mosaic(&mut frame.list),
            // The order of the fills matters: lines cover their areas, and busy parts cover unknown ones.
            _ => fills.finish(&mut frame.list),
        }
        frame.rows.push(row);
    }
    frame.list.ops.append(&mut texts);
    frame.list.push(Op::Unclip);
}

fn draw_grounds(scene: &Scene<'_>, rows: &[Row], rect: Rect, ticks: &ruler::Ticks, frame: &mut Frame) {
    let hair = scene.hair_css_px();
    frame.list.fill(scene.theme.ground, rect);
    for row in rows.iter().filter(|row| is_heading(scene, row)) {
        let band = Rect { x: 0.0, y: row.y_css_px, w: rect.w, h: row.height_css_px };
        frame.list.fill(scene.theme.group, band);
    }
    for x in &ticks.lines_css_px {
        frame.list.fill(scene.theme.grid, Rect { x: *x, y: rect.y, w: hair, h: rect.h });
    }
    for row in rows {
        let y = scene.snapped(row.y_css_px + row.height_css_px) - hair;
        frame.list.fill(scene.theme.line, Rect { x: 0.0, y, w: rect.w, h: hair });
    }
}

fn is_heading(scene: &Scene<'_>, row: &Row) -> bool {
    row.kind == RowKind::Heading || scene.tree.tracks[row.place].is_group()
}

fn draw_row(scene: &Scene<'_>, scale: &TimeScale, row: &Row, target: &mut Target<'_>, fit: &mut TextFit<'_>) {
    let track = &scene.tree.tracks[row.place];
    match row.kind {
        RowKind::Heading => {}
        RowKind::Counter => counter::draw(scene, scale, row, target),
        RowKind::Density => density::draw_summary(scene, scale, row, target),
        RowKind::Lanes => {
            objects::draw_life(scene, scale, row, target);
            let Some(tiles) = track.tiles() else { return };
            for lane in 0..track.lanes {
                let (y, h) = row.lane_css_px(lane);
                let place = slices::Lane { tiles, track: row.track, lane, y, h, is_labelled: true };
                slices::draw(scene, scale, &place, target, fit);
            }
        }
        RowKind::Condensed => {
            let subtree = scene.tree.subtree(row.place);
            let strips = strips(subtree);
            for (index, (track, lane)) in strips.iter().copied().enumerate() {
                let (y, h) = strip_css_px(row, index, strips.len());
                let found = subtree.iter().find(|other| other.id == track);
                let Some(tiles) = found.and_then(TreeTrack::tiles) else { continue };
                let place = slices::Lane { tiles, track, lane, y, h, is_labelled: false };
                slices::draw(scene, scale, &place, target, fit);
            }
        }
    }
}

fn list_nearby(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let level = scale.level(scene.device_pixel_ratio);
    let needed: HashSet<TileKey> = frame.needed.iter().copied().collect();
    let margin_ns = scene.viewport.span_ns() / 2.0;
    let range_ns = (scene.viewport.start_ns() - margin_ns, scene.viewport.end_ns() + margin_ns);
    for row in &frame.rows {
        if matches!(row.kind, RowKind::Condensed | RowKind::Density) {
            continue;
        }
        if let Some((view, track)) = scene.tree.tracks[row.place].tiles() {
            let keys = plan::covering(view, track, level, range_ns, scene.duration_ns);
            frame.nearby.extend(keys.filter(|key| !needed.contains(key)));
        }
    }
}

/// Returns the result of painting `over` on `ground` with this opacity.
fn blended(over: Colour, ground: Colour, opacity: f64) -> Colour {
    let channel = |index: usize| {
        let (over, ground) = (f64::from(over.rgb[index]), f64::from(ground.rgb[index]));
        (over * opacity + ground * (1.0 - opacity)).round() as u8
    };
    Colour::rgb(channel(0), channel(1), channel(2))
}

#[cfg(test)]
pub(crate) mod tests;
