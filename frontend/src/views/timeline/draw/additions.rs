//! The user's area, measures and notes, and the ruler's zero.

use super::marks::{is_in_sight, rect_of};
use super::{Frame, OVERVIEW_CSS_PX, RULER_CSS_PX, Scene, TRACKS_TOP_CSS_PX};
use crate::canvas::draw_list::{Align, Op, Rect};
use crate::canvas::palette::{Scheme, note_colour};
use crate::canvas::scale::TimeScale;
use crate::format;
use crate::stage::picture::shortened;
use crate::state::time::Area;
use crate::views::timeline::additions::{Measure, MeasureKind, NoteAt};

/// Tolerance outside of the screen, in CSS pixels.
const BESIDE_CSS_PX: f64 = 4.0;
/// Maximum length of a note's label, in letters.
const MAX_LETTERS: usize = 41;

/// Draws the area, which is behind marks and arrows.
pub(super) fn draw_below(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let Some(area) = scene.area else { return };
    let (left, right) = ends(scene, scale, area.from_ns, area.to_ns);
    if right <= left {
        return;
    }
    let theme = scene.theme;
    for rect in rows_of(scene, area, frame) {
        let rect = Rect { x: left, w: right - left, ..rect };
        // On white, a veil of the same strength would hide the slices in the area.
        let veil = if theme.scheme == Scheme::Dark { 0.13 } else { 0.06 };
        frame.list.fill(theme.accent.with_alpha(veil), rect);
        frame.list.push(Op::Outline(theme.accent.with_alpha(0.7), 1.0, rect));
    }
}

/// Returns the bands of rows that an area covers, joined if they touch.
fn rows_of(scene: &Scene<'_>, area: &Area, frame: &Frame) -> Vec<Rect> {
    let tracks = scene.tracks_rect();
    if area.tracks.is_empty() {
        return vec![tracks];
    }
    let is_covered = |place: usize| {
        let mut place = Some(place);
        while let Some(track) = place.and_then(|place| scene.tree.tracks.get(place)) {
            if area.tracks.contains(&track.id) {
                return true;
            }
            place = track.parent;
        }
        false
    };
    let mut bands: Vec<Rect> = Vec::new();
    for row in frame.rows.iter().filter(|row| is_covered(row.place)) {
        let (y, h) = (row.y_css_px, row.height_css_px);
        match bands.last_mut() {
            Some(band) if (band.y + band.h - y).abs() < 0.5 => band.h += h,
            _ => bands.push(Rect { x: 0.0, y, w: tracks.w, h }),
        }
    }
    bands.into_iter().map(|band| band.intersection(&tracks)).filter(|band| band.h > 0.0).collect()
}

/// Draws the layer above the tracks: the ruler's zero, the measure, notes, and marks of comments.
pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    draw_zero(scene, scale, frame);
    if let Some(measure) = &scene.additions.measure {
        draw_measure(scene, scale, measure, frame);
    }
    draw_notes(scene, scale, frame);
    draw_pins(scene, scale, frame);
}

/// Draws the marks of comments: a bar over a part of time, a corner at a slice.
fn draw_pins(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let (colour, tracks) = (note_colour(scene.theme.scheme), scene.tracks_rect());
    for (from_ns, to_ns) in &scene.overlays.pins.ranges {
        let (left, right) = ends(scene, scale, *from_ns, *to_ns);
        if right > 0.0 && left < scene.width_css_px {
            let rect = Rect { x: left, y: tracks.y, w: (right - left).max(2.0), h: 4.0 };
            frame.list.fill(colour, rect);
            frame.pins.push(rect);
        }
    }
    for (_, at) in &scene.overlays.pins.slices {
        let Some(rect) = rect_of(scene, scale, at, frame).filter(|rect| is_in_sight(scene, at, rect)) else {
            continue;
        };
        let (x, y) = (rect.x.max(0.0), rect.y);
        frame.list.push(Op::Outline(colour, 1.0, rect));
        frame.list.push(Op::Polygon(colour, vec![(x, y), (x + 8.0, y), (x, y + 8.0)]));
        frame.pins.push(rect);
    }
}

/// Draws on the ruler: a flag at its zero, and a bar over the range of the measure.
pub(super) fn draw_on_ruler(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let bottom = OVERVIEW_CSS_PX + RULER_CSS_PX;
    let colour = note_colour(scene.theme.scheme);
    if let Some(x) = scene.additions.zero_ns.and_then(|zero_ns| on_screen(scene, scale, zero_ns)) {
        let points = vec![(x - 4.0, bottom - 9.0), (x + 4.0, bottom - 9.0), (x, bottom - 1.0)];
        frame.list.push(Op::Polygon(scene.theme.accent, points));
    }
    if let Some(measure) = &scene.additions.measure {
        let (left, right) = ends(scene, scale, measure.from_ns, measure.to_ns);
        if right > left {
            frame.list.fill(colour, Rect { x: left, y: bottom - 3.0, w: right - left, h: 3.0 });
        }
    }
}

fn draw_zero(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    if let Some(x) = scene.additions.zero_ns.and_then(|zero_ns| on_screen(scene, scale, zero_ns)) {
        let rect = Rect { x, w: scene.hair_css_px(), ..scene.tracks_rect() };
        frame.list.fill(scene.theme.accent.with_alpha(0.6), rect);
    }
}

fn draw_measure(scene: &Scene<'_>, scale: &TimeScale, measure: &Measure, frame: &mut Frame) {
    let (left, right) = ends(scene, scale, measure.from_ns, measure.to_ns);
    if right < 0.0 || left > scene.width_css_px || right < left {
        return;
    }
    let colour = note_colour(scene.theme.scheme);
    let tracks = scene.tracks_rect();
    frame.list.fill(colour.with_alpha(0.08), Rect { x: left, w: right - left, ..tracks });
    for at_ns in [measure.from_ns, measure.to_ns] {
        if let Some(x) = on_screen(scene, scale, at_ns) {
            frame.list.fill(colour, Rect { x, w: scene.hair_css_px(), ..tracks });
        }
    }
    let what = match measure.kind {
        MeasureKind::Ruler => "",
        MeasureKind::Gap => "gap ",
        MeasureKind::Overlap => "overlap ",
    };
    let text = format!("{what}{}", format::duration(measure.length_ns() as f64));
    let w = text.chars().count() as f64 * 6.5 + 14.0;
    let y = TRACKS_TOP_CSS_PX + 16.0;
    let middle = (left.max(0.0) + right.min(scene.width_css_px)) / 2.0;
    let middle = middle.clamp(w / 2.0, (scene.width_css_px - w / 2.0).max(w / 2.0));
    frame.list.push(Op::Line(colour, 1.0, vec![(left, y), (right, y)]));
    frame.list.fill(scene.theme.group, Rect { x: middle - w / 2.0, y: y - 10.0, w, h: 20.0 });
    frame.list.push(Op::Outline(colour, 1.0, Rect { x: middle - w / 2.0, y: y - 10.0, w, h: 20.0 }));
    frame.list.text(middle, y, text, scene.theme.text, Align::Centre);
}

fn draw_notes(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let colour = note_colour(scene.theme.scheme);
    let tracks = scene.tracks_rect();
    for (index, note) in scene.additions.notes.iter().enumerate() {
        let Some(x) = on_screen(scene, scale, note.at.at_ns()) else { continue };
        let y = match &note.at {
            NoteAt::Time(_) => {
                frame.list.fill(colour.with_alpha(0.7), Rect { x, w: scene.hair_css_px(), ..tracks });
                // Notes of neighbouring moments must not cover each other.
                tracks.y + tracks.h - 22.0 - 20.0 * (index % 4) as f64
            }
            NoteAt::Slice(at) => match rect_of(scene, scale, at, frame) {
                Some(rect) => {
                    frame.list.push(Op::Outline(colour, 1.5, rect));
                    (rect.y - 19.0).max(tracks.y)
                }
                None => continue,
            },
        };
        let text = if note.text.is_empty() { "note".to_owned() } else { shortened(&note.text, MAX_LETTERS) };
        let w = text.chars().count() as f64 * 6.5 + 14.0;
        let x = x.min(scene.width_css_px - w).max(0.0);
        let rect = Rect { x, y, w, h: 18.0 };
        frame.list.fill(colour, rect);
        frame.list.text(x + 7.0, y + 9.0, text, scene.theme.slice_text, Align::Left);
        frame.notes.push((index, rect));
    }
}

fn on_screen(scene: &Scene<'_>, scale: &TimeScale, at_ns: u64) -> Option<f64> {
    let x = scene.snapped(scale.px_from_time(at_ns as f64));
    (-BESIDE_CSS_PX..=scene.width_css_px + BESIDE_CSS_PX).contains(&x).then_some(x)
}

/// Returns both ends of a range, clamped slightly outside of the screen.
fn ends(scene: &Scene<'_>, scale: &TimeScale, from_ns: u64, to_ns: u64) -> (f64, f64) {
    let x = |at_ns: u64| scene.snapped(scale.px_from_time(at_ns as f64));
    let far = scene.width_css_px + BESIDE_CSS_PX;
    (x(from_ns).clamp(-BESIDE_CSS_PX, far), x(to_ns).clamp(-BESIDE_CSS_PX, far))
}
