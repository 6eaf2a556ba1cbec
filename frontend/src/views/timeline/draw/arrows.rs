//! Arrows between slices: the dependences of the selected one, each labelled with its reason.

use std::collections::HashSet;

use syclscope_language::api::{Dependence, Dependences, SliceRef};

use super::marks::{outline, rect_of};
use super::{DrawnArrow, Frame, Scene};
use crate::canvas::draw_list::{Align, ArrowShape, Colour, Op, Rect};
use crate::canvas::scale::TimeScale;
use crate::state::words;

/// Maximum number of labels; more would cover the tracks.
const MAX_LABELS: usize = 16;
/// Minimum length of an arrow with a label.
const MIN_LABEL_CSS_PX: f64 = 40.0;
/// Distances of a label from its line, the best first.
const BESIDE_CSS_PX: [f64; 3] = [4.0, 22.0, 40.0];
/// Steps along a line in search of a place for its label.
const STEPS: i32 = 32;
/// Maximum number of slices for that search.
const MAX_SLICES: usize = 4_000;

/// Draws the dependences of the selected slice, the nearest at full strength. `outlined` collects slices with an
/// outline.
pub(super) fn draw_chain(
    scene: &Scene<'_>,
    scale: &TimeScale,
    (chain, outlined): (&Dependences, &mut Vec<u32>),
    frame: &mut Frame,
) {
    let theme = scene.theme;
    let mut seen: HashSet<u32> = outlined.iter().copied().collect();
    let is_named = chain.edges.len() <= MAX_LABELS;
    for edge in &chain.edges {
        let strength = match (edge.hop, edge.before) {
            (1, true) => 1.0,
            (1, false) => 0.75,
            _ => 0.5,
        };
        let name = reason(edge);
        let label = if is_named { name.as_str() } else { "" };
        let look = (theme.edge.with_alpha(strength), label);
        let place = draw(scene, scale, (&edge.from, &edge.to), look, frame);
        let (source, target) = (edge.from.slice, edge.to.slice);
        frame.arrows.push(DrawnArrow { source, target, label: name, place });
        for end in [&edge.from, &edge.to] {
            if seen.insert(end.slice) {
                outline(scene, scale, end, (theme.edge.with_alpha(strength), 1.0), frame);
            }
        }
    }
    outlined.extend(seen);
}

fn reason(edge: &Dependence) -> String {
    let reason = words::edge_reason(edge.reason);
    match edge.access_mode.as_str() {
        "" => reason.to_owned(),
        mode => format!("{reason}, {}", mode.replace('_', " ")),
    }
}

/// Draws an arrow from the end of a slice to the start of another, with a label if it fits. Returns the label's area.
pub(super) fn draw(
    scene: &Scene<'_>,
    scale: &TimeScale,
    (source, target): (&SliceRef, &SliceRef),
    (colour, name): (Colour, &str),
    frame: &mut Frame,
) -> Option<Rect> {
    let (from, to) = (rect_of(scene, scale, source, frame)?, rect_of(scene, scale, target, frame)?);
    // A pair that is entirely to one side of the screen has no visible part.
    let (start, end) = ((from.x + from.w, from.y + from.h / 2.0), (to.x, to.y + to.h / 2.0));
    let is_left = start.0 <= 0.0 && end.0 <= 0.0;
    let is_right = start.0 >= scene.width_css_px && end.0 >= scene.width_css_px;
    if is_left || is_right {
        return None;
    }
    frame.list.push(Op::Arrow(colour, 1.5, start, end));
    let length = (end.0 - start.0).hypot(end.1 - start.1);
    if name.is_empty() || length < MIN_LABEL_CSS_PX {
        return None;
    }
    let w = name.chars().count() as f64 * 6.2 + 8.0;
    let place = label_place(scene, &ArrowShape::new(start, end), w, frame);
    frame.list.fill(scene.theme.ground.with_alpha(0.85), place);
    frame.list.text(place.x + w / 2.0, place.y + 7.0, name, colour.with_alpha(1.0), Align::Centre);
    Some(place)
}

/// Returns the area of a label: next to its line, not over other labels, and if possible not over slices. The label
/// stays on screen if its arrow leaves the screen.
fn label_place(scene: &Scene<'_>, shape: &ArrowShape, w: f64, frame: &Frame) -> Rect {
    let [start, .., end] = shape.curve;
    let is_steep = (end.1 - start.1).abs() > (end.0 - start.0).abs();
    let line: Vec<(f64, f64)> =
        (0..=STEPS).map(|step| shape.at(f64::from(step) / f64::from(STEPS))).collect();
    let room = scene.tracks_rect();
    let mut visible: Vec<(f64, f64)> = line.iter().copied().filter(|(x, y)| room.contains(*x, *y)).collect();
    // From the middle of the visible part to its ends.
    let ends = visible.split_off(visible.len() / 2);
    let mut points = Vec::new();
    for point in ends {
        points.push(point);
        points.extend(visible.pop());
    }
    let left = (scene.width_css_px - w).max(0.0);
    let around = |beside: f64| {
        let (aside, above) = (w / 2.0 + beside, 7.0 + beside);
        let mut sides = [(0.0, -above), (0.0, above), (aside, 0.0), (-aside, 0.0)];
        if is_steep {
            sides.rotate_left(2);
        }
        let places = |(x, y): &(f64, f64)| {
            let (x, y) = (*x, *y);
            sides.map(|(dx, dy)| Rect { x: (x + dx - w / 2.0).clamp(0.0, left), y: y + dy - 7.0, w, h: 14.0 })
        };
        points.iter().flat_map(places).collect::<Vec<_>>()
    };
    let is_beside = |place: &Rect| {
        let mut labels = frame.arrows.iter().filter_map(|arrow| arrow.place.as_ref());
        let is_inside = place.y >= room.y && place.y + place.h <= room.y + room.h;
        is_inside
            && !labels.any(|label| label.meets(place))
            && !line.iter().any(|(x, y)| place.contains(*x, *y))
    };
    let beside: Vec<Rect> = BESIDE_CSS_PX.into_iter().flat_map(around).filter(is_beside).collect();
    let is_free = |place: &&Rect| !frame.slices.iter().any(|slice| slice.rect.meets(place));
    let is_searched = frame.slices.len() <= MAX_SLICES;
    let free = is_searched.then(|| beside.iter().find(is_free)).flatten();
    let (x, y) = shape.at(0.5);
    free.or(beside.first()).copied().unwrap_or(Rect { x: x - w / 2.0, y: y - 18.0, w, h: 14.0 })
}
