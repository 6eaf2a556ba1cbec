//! One lane of slices.
//!
//! Slices too short for the screen are merged in buckets of one or two pixels. They are drawn as a pale band with a
//! bar, whose height is the share of the time that they fill.

use syclscope_language::api::{NO_SLICE, ObjectEventKind, TileLane};
use syclscope_language::event::Category;
use syclscope_language::question::TileView;

use super::{DrawnSlice, Scene, Target, blended, pieces};
use crate::canvas::draw_list::{Align, Colour, Font, Op, Rect, Text};
use crate::canvas::palette::{slice_colour, touch_colour};
use crate::canvas::scale::TimeScale;
use crate::canvas::text::TextFit;
use crate::data::cache::Piece;
use crate::data::plan;
use crate::data::tile::Tile;

/// Minimum width of a slice with a name.
const MIN_NAME_WIDTH_CSS_PX: f64 = 30.0;
const NAME_MARGIN_CSS_PX: f64 = 5.0;
/// Opacity of the pale part above a bar, for merged slices and for one that is narrower than a pixel.
const PALE: [f64; 2] = [0.35, 0.65];
/// Number of heights of bars, so that neighbours often have the same one.
const BAR_STEPS: f64 = 12.0;
/// Opacity of slices while another name is highlighted.
pub(super) const FADED: f64 = 0.22;

pub(super) struct Lane {
    /// Kind and track of its tiles.
    pub(super) tiles: (TileView, u32),
    pub(super) track: u32,
    pub(super) lane: u32,
    pub(super) y: f64,
    pub(super) h: f64,
    pub(super) is_labelled: bool,
}

/// The last drawn slice of a lane. Neighbours are joined with it, and the same slice in the next tile is skipped.
#[derive(Default)]
struct Last {
    slice: Option<u32>,
    end_ns: u64,
    /// Slices and bars. `pale` has the parts above bars.
    solid: Run,
    pale: Run,
}

/// Neighbours that become one rectangle.
type Run = Option<(Colour, Rect)>;

pub(super) fn draw(
    scene: &Scene<'_>,
    scale: &TimeScale,
    lane: &Lane,
    target: &mut Target<'_>,
    fit: &mut TextFit<'_>,
) {
    let range_ns = (scene.viewport.start_ns(), scene.viewport.end_ns());
    let level = scale.level(scene.device_pixel_ratio);
    let mut last = Last::default();
    let (view, tiles) = lane.tiles;
    for key in plan::covering(view, tiles, level, range_ns, scene.duration_ns) {
        let mut known_until_ns = key.span_ns().0;
        for piece in pieces(scene, key, target) {
            mark_unknown(scene, scale, lane, (known_until_ns, piece.span_ns.0), target);
            known_until_ns = piece.span_ns.1;
            draw_piece(scene, scale, lane, &piece, &mut last, target, fit);
        }
        mark_unknown(scene, scale, lane, (known_until_ns, key.span_ns().1.min(scene.duration_ns)), target);
    }
    for (colour, rect) in [last.solid, last.pale].into_iter().flatten() {
        target.fills.fill(colour, rect);
    }
}

/// Shades a range that is still loading, to distinguish it from an empty one.
fn mark_unknown(
    scene: &Scene<'_>,
    scale: &TimeScale,
    lane: &Lane,
    span_ns: (u64, u64),
    target: &mut Target<'_>,
) {
    if span_ns.0 >= span_ns.1 {
        return;
    }
    let left = scale.px_from_time(span_ns.0 as f64).max(0.0);
    let right = scale.px_from_time(span_ns.1 as f64).min(scene.width_css_px);
    let rect = Rect { x: left, y: lane.y, w: right - left, h: lane.h };
    if rect.w > 0.0 {
        target.fills.fill(scene.theme.group, rect);
    }
}

fn draw_piece(
    scene: &Scene<'_>,
    scale: &TimeScale,
    lane: &Lane,
    piece: &Piece<'_>,
    last: &mut Last,
    target: &mut Target<'_>,
    fit: &mut TextFit<'_>,
) {
    let Tile::Timeline(tile) = piece.tile else { return };
    let Some(columns) = tile.lanes.get(lane.lane as usize) else { return };
    let mut names = Names { scene, tile_names: &tile.names, names: vec![None; tile.names.len()] };
    for index in 0..columns.start_ns.len() {
        let Some(slice) = TileSlice::read(columns, index) else { return };
        let next_ns = columns.start_ns.get(index + 1).copied();
        let (start_ns, end_ns) = slice.drawn_range_ns(piece.bucket_ns, last.end_ns, next_ns);
        let is_outside = end_ns.max(start_ns + 1) <= piece.span_ns.0 || start_ns >= piece.span_ns.1;
        if is_outside || (last.slice == Some(slice.id) && slice.id != NO_SLICE) {
            continue;
        }
        let left = scale.px_from_time(start_ns as f64);
        let right = scale.px_from_time(end_ns as f64);
        if right < 0.0 || left > scene.width_css_px {
            continue;
        }
        last.slice = Some(slice.id);
        last.end_ns = end_ns;
        let rect = shape(scene, lane, left, right, slice.count);
        let (name, colour) = names.get(&slice, target);
        let filled = match slice.count {
            1 => ((right - left) / scene.hair_css_px()).min(1.0),
            _ => (slice.total_ns as f64 / piece.bucket_ns as f64).min(1.0),
        };
        // A filtered tile has the number of matching slices.
        let is_dimmed = slice.matching == Some(0);
        let colour = if is_dimmed { blended(colour, scene.theme.ground, FADED) } else { colour };
        target.frame.slices.push(DrawnSlice {
            rect,
            slice: slice.id,
            track: lane.track,
            lane: lane.lane,
            name,
            category: slice.category,
            start_ns: slice.start_ns,
            duration_ns: slice.duration_ns,
            count: slice.count,
            total_ns: slice.total_ns,
            filled,
            touch: slice.touch,
            is_dimmed,
        });
        let bar = bar(scene, rect, filled);
        fill(scene, colour, bar, &mut last.solid, target);
        if bar.h < rect.h {
            let above = Rect { h: rect.h - bar.h, ..rect };
            let pale = blended(colour, scene.theme.ground, PALE[usize::from(slice.count == 1)]);
            fill(scene, pale, above, &mut last.pale, target);
        }
        if lane.is_labelled && slice.count == 1 {
            label(scene, rect, (name, is_dimmed), target, fit);
        }
    }
}

/// Returns the rectangle of a slice: whole device pixels, at least one, with a gap to the next if there is space.
fn shape(scene: &Scene<'_>, lane: &Lane, left: f64, right: f64, count: u32) -> Rect {
    let hair = scene.hair_css_px();
    // Clamped, so that no coordinate exceeds a canvas's exact range.
    let left = scene.snapped(left.max(-8.0));
    let mut w = (scene.snapped(right.min(scene.width_css_px + 8.0)) - left).max(hair);
    if count == 1 && w >= 4.0 * hair {
        w -= hair;
    }
    Rect { x: left, y: lane.y, w, h: lane.h }
}

/// Returns the part of a rectangle that is filled, from below: at least two pixels, so that it is visible.
fn bar(scene: &Scene<'_>, rect: Rect, filled: f64) -> Rect {
    let min = 2.0 * scene.hair_css_px();
    let h = scene.snapped((filled * BAR_STEPS).round() / BAR_STEPS * rect.h).max(min).min(rect.h);
    Rect { y: rect.y + rect.h - h, h, ..rect }
}

/// Fills a rectangle; narrow neighbours of the same colour and height become one.
fn fill(scene: &Scene<'_>, colour: Colour, rect: Rect, run: &mut Run, target: &mut Target<'_>) {
    let narrow_css_px = 3.0 * scene.hair_css_px();
    match run {
        Some((run_colour, run))
            if *run_colour == colour
                && (run.y, run.h) == (rect.y, rect.h)
                && rect.w <= narrow_css_px
                && rect.x <= run.x + run.w + 1e-6 =>
        {
            run.w = run.w.max(rect.x + rect.w - run.x);
        }
        run => {
            if let Some((run_colour, run)) = run.replace((colour, rect)) {
                target.fills.fill(run_colour, run);
            }
        }
    }
}

fn label(
    scene: &Scene<'_>,
    rect: Rect,
    (name, is_dimmed): (usize, bool),
    target: &mut Target<'_>,
    fit: &mut TextFit<'_>,
) {
    // The name stays visible if the slice starts left of the screen.
    let left = rect.x.max(0.0) + NAME_MARGIN_CSS_PX;
    let room = (rect.x + rect.w).min(scene.width_css_px) - left - NAME_MARGIN_CSS_PX / 2.0;
    if room < MIN_NAME_WIDTH_CSS_PX - NAME_MARGIN_CSS_PX {
        return;
    }
    let Some(text) = fit.fit_name(&scene.hues.names, &target.frame.names[name], room) else { return };
    target.texts.push(Op::Text(Text {
        x: left,
        y: rect.y + rect.h / 2.0,
        text,
        colour: if is_dimmed || is_faded(scene, &target.frame.names[name]) {
            scene.theme.quiet
        } else {
            scene.theme.slice_text
        },
        font: Font::Slice,
        align: Align::Left,
    }));
}

fn is_faded(scene: &Scene<'_>, name: &str) -> bool {
    scene.highlighted.is_some_and(|highlighted| highlighted != name)
}

/// A row of a lane's columns.
struct TileSlice {
    id: u32,
    start_ns: u64,
    duration_ns: u64,
    name: u32,
    category: Category,
    count: u32,
    total_ns: u64,
    matching: Option<u32>,
    touch: Option<ObjectEventKind>,
}

impl TileSlice {
    /// Reads a slice at an index; `None` if a column is too short.
    fn read(columns: &TileLane, index: usize) -> Option<Self> {
        Some(Self {
            id: *columns.slice.get(index)?,
            start_ns: *columns.start_ns.get(index)?,
            duration_ns: *columns.duration_ns.get(index)?,
            name: *columns.name.get(index)?,
            category: *columns.category.get(index)?,
            count: *columns.count.get(index)?,
            total_ns: *columns.total_ns.get(index)?,
            matching: columns.matching.get(index).copied(),
            touch: columns.touch.get(index).copied(),
        })
    }

    /// Returns the displayed range. A single slice has its exact range. Merged ones have the bucket in which they
    /// start, limited by their neighbours.
    fn drawn_range_ns(&self, bucket_ns: u64, before_ns: u64, next_ns: Option<u64>) -> (u64, u64) {
        let end_ns = self.start_ns.saturating_add(self.duration_ns);
        if self.count == 1 {
            return (self.start_ns, end_ns);
        }
        let bucket_start_ns = self.start_ns / bucket_ns * bucket_ns;
        let bucket_end_ns = bucket_start_ns.saturating_add(bucket_ns);
        let start_ns = bucket_start_ns.max(before_ns.min(self.start_ns));
        (start_ns, bucket_end_ns.min(next_ns.unwrap_or(u64::MAX)).max(end_ns))
    }
}

/// Names and colours of one tile, each computed once.
struct Names<'a> {
    scene: &'a Scene<'a>,
    tile_names: &'a [String],
    names: Vec<Option<(usize, Category, Colour)>>,
}

impl Names<'_> {
    fn get(&mut self, slice: &TileSlice, target: &mut Target<'_>) -> (usize, Colour) {
        let cached = self.names.get(slice.name as usize).copied().flatten();
        if let Some((name, category, colour)) = cached
            && category == slice.category
            && slice.touch.is_none()
        {
            return (name, colour);
        }
        let text = self.tile_names.get(slice.name as usize).map_or("", String::as_str);
        let name = cached.map_or_else(
            || {
                target.frame.names.push(text.to_owned());
                target.frame.names.len() - 1
            },
            |(name, ..)| name,
        );
        let theme = self.scene.theme;
        let colour = match slice.touch {
            Some(touch) => touch_colour(theme.scheme, touch),
            None => slice_colour(theme.scheme, slice.category, text, self.scene.hues),
        };
        let colour = if is_faded(self.scene, text) { blended(colour, theme.ground, FADED) } else { colour };
        if let Some(names) = self.names.get_mut(slice.name as usize) {
            *names = Some((name, slice.category, colour));
        }
        (name, colour)
    }
}
