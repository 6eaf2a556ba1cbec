//! Arrows between slices: the dependences of the selected one, each labelled with its reason.

use std::collections::HashSet;

use syclscope_language::api::{Dependence, Dependences, SliceRef};

use super::marks::{outline, rect_of};
use super::{DrawnArrow, Frame, Scene};
use crate::canvas::draw_list::{Align, ArrowShape, Colour, Op, Rect};
use crate::canvas::scale::TimeScale;
use crate::state::words;

/// Labels on more arrows than this would cover the tracks.
const MOST_NAMED: usize = 16;
/// Minimum length of an arrow with a label.
const LEAST_NAME_CSS_PX: f64 = 40.0;
/// Distance of a label from its line.
const BESIDE_CSS_PX: f64 = 4.0;

/// Dependences of the selected slice, the nearest at full strength. `outlined` collects slices with an outline.
pub(super) fn draw_chain(
    scene: &Scene<'_>,
    scale: &TimeScale,
    (chain, outlined): (&Dependences, &mut Vec<u32>),
    frame: &mut Frame,
) {
    let theme = scene.theme;
    let mut seen: HashSet<u32> = outlined.iter().copied().collect();
    let is_named = chain.edges.len() <= MOST_NAMED;
    for edge in &chain.edges {
        let strength = match (edge.hop, edge.before) {
            (1, true) => 1.0,
            (1, false) => 0.75,
            _ => 0.5,
        };
        let name = reason(edge);
        let shown = if is_named { name.as_str() } else { "" };
        draw(scene, scale, (&edge.from, &edge.to), (theme.edge.with_alpha(strength), shown), frame);
        let (source, target) = (edge.from.slice, edge.to.slice);
        frame.arrows.push(DrawnArrow { source, target, label: name });
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

/// An arrow from the end of a slice to the start of another, with a label if it fits.
pub(super) fn draw(
    scene: &Scene<'_>,
    scale: &TimeScale,
    (source, target): (&SliceRef, &SliceRef),
    (colour, name): (Colour, &str),
    frame: &mut Frame,
) {
    let (Some(from), Some(to)) = (rect_of(scene, scale, source, frame), rect_of(scene, scale, target, frame))
    else {
        return;
    };
    // A pair that is entirely to one side of the screen has no visible part.
    let (start, end) = ((from.x + from.w, from.y + from.h / 2.0), (to.x, to.y + to.h / 2.0));
    let is_left = start.0 <= 0.0 && end.0 <= 0.0;
    let is_right = start.0 >= scene.width_css_px && end.0 >= scene.width_css_px;
    if is_left || is_right {
        return;
    }
    frame.list.push(Op::Arrow(colour, 1.5, start, end));
    let length = (end.0 - start.0).hypot(end.1 - start.1);
    if name.is_empty() || length < LEAST_NAME_CSS_PX {
        return;
    }
    let (x, y) = ArrowShape::new(start, end).middle();
    let w = name.chars().count() as f64 * 6.2 + 8.0;
    // Beside the line, so that both can be seen.
    let is_steep = (end.1 - start.1).abs() > (end.0 - start.0).abs();
    let (x, y) = if is_steep { (x + w / 2.0 + BESIDE_CSS_PX, y) } else { (x, y - 7.0 - BESIDE_CSS_PX) };
    // The label stays on screen if its arrow leaves it.
    let x = x.clamp(w / 2.0, (scene.width_css_px - w / 2.0).max(w / 2.0));
    frame.list.fill(scene.theme.ground.with_alpha(0.85), Rect { x: x - w / 2.0, y: y - 7.0, w, h: 14.0 });
    frame.list.text(x, y, name, colour.with_alpha(1.0), Align::Centre);
}
