//! The critical path over the tracks: a bar below each of its steps, paler if the step has no slice, and a line from
//! step to step.

use super::marks::rect_of;
use super::{Frame, Scene};
use crate::canvas::draw_list::{Op, Rect};
use crate::canvas::palette::path_colour;
use crate::canvas::scale::TimeScale;

const BAR_CSS_PX: f64 = 4.0;

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let Some(path) = &scene.overlays.path else { return };
    let colour = path_colour(scene.theme.scheme);
    let steps = path.between(scene.viewport.start_ns(), scene.viewport.end_ns());
    let mut line: Vec<(f64, f64)> = Vec::new();
    let (mut bars, mut pale): (Vec<Rect>, Vec<Rect>) = Default::default();
    for step in &steps {
        let Some(rect) = rect_of(scene, scale, &step.at, frame) else { continue };
        let bars = if step.is_slice { &mut bars } else { &mut pale };
        let y = rect.y + rect.h - BAR_CSS_PX / 2.0;
        // A step on the same pixels as the one before adds no corner to the line.
        let is_near =
            line.last().is_some_and(|(x, before)| (rect.x + rect.w - x).abs() < 1.0 && *before == y);
        if !is_near {
            line.extend([(rect.x, y), (rect.x + rect.w, y)]);
        }
        match bars.last_mut() {
            Some(bar) if bar.y == y - BAR_CSS_PX / 2.0 && rect.x <= bar.x + bar.w + 0.5 => {
                bar.w = bar.w.max(rect.x + rect.w - bar.x);
            }
            _ => bars.push(Rect { x: rect.x, y: y - BAR_CSS_PX / 2.0, w: rect.w, h: BAR_CSS_PX }),
        }
    }
    if !line.is_empty() {
        frame.list.push(Op::Line(colour.with_alpha(0.7), 1.0, line));
        frame.path_steps = steps.len();
        for (alpha, bars) in [(0.45, pale), (1.0, bars)] {
            if !bars.is_empty() {
                frame.list.push(Op::Fill(colour.with_alpha(alpha), bars));
            }
        }
    }
}
