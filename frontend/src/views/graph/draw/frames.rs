//! Command graphs: a region around the commands of each partition, with a title.

use super::{Frame, Scene, TextFit};
use crate::canvas::draw_list::{Align, Font, Op, Rect, Text};
use crate::canvas::palette::wheel_colour;
use crate::views::graph::labels;
use crate::views::graph::model::node_rect;

/// How far a region reaches beyond its nodes, in units of the drawing; more above, for the title.
const AROUND: f64 = 9.0;
const ABOVE: f64 = 22.0;
/// Scale from which regions have titles.
const TITLES_FROM: f64 = 0.4;
const TITLE_CSS_PX: f64 = 16.0;

pub(super) fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>, frame: &mut Frame) {
    let sight = scene.camera.visible();
    for (number, region) in scene.model.view.frames.iter().enumerate() {
        let Some(rect) = around(scene, &region.nodes) else { continue };
        let part = rect.intersection(&sight);
        if part.w <= 0.0 || part.h <= 0.0 {
            continue;
        }
        let rect = scene.camera.rect_to_screen(&rect);
        let colour = wheel_colour(scene.theme.scheme, number as u64);
        frame.list.fill(colour.with_alpha(0.07), rect);
        frame.list.push(Op::Outline(colour.with_alpha(0.7), 1.0, rect));
        if scene.camera.scale() < TITLES_FROM {
            continue;
        }
        let room = rect.w - 10.0;
        let title = labels::region(region);
        let title = if fit.width(&title) <= room { title } else { labels::short_region(region) };
        if let Some(title) = fit.fit(&title, room) {
            let (x, y) = (rect.x + 6.0, rect.y + TITLE_CSS_PX / 2.0 + 1.0);
            frame.titles.push(title.clone());
            let text =
                Text { x, y, text: title, colour: scene.theme.text, font: Font::Small, align: Align::Left };
            frame.list.push(Op::Text(text));
        }
    }
}

/// The room of some nodes and a little more; `None` where there are none.
fn around(scene: &Scene<'_>, nodes: &[u32]) -> Option<Rect> {
    let mut rects = nodes.iter().filter_map(|node| scene.model.node(*node)).map(node_rect);
    let first = rects.next()?;
    let (mut low, mut high) = ((first.x, first.y), (first.x + first.w, first.y + first.h));
    for rect in rects {
        low = (low.0.min(rect.x), low.1.min(rect.y));
        high = (high.0.max(rect.x + rect.w), high.1.max(rect.y + rect.h));
    }
    Some(Rect {
        x: low.0 - AROUND,
        y: low.1 - ABOVE,
        w: high.0 - low.0 + 2.0 * AROUND,
        h: high.1 - low.1 + AROUND + ABOVE,
    })
}
