//! Regions of command graphs: a frame with a title around the commands of each partition. Partitions share nodes if
//! their commands are folded. Such partitions form one region.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use syclscope_language::api::ViewFrame;

use super::{Frame, Scene};
use crate::canvas::draw_list::{Align, Font, Op, Rect, Text};
use crate::canvas::palette::wheel_colour;
use crate::canvas::text::TextFit;
use crate::views::graph::labels;
use crate::views::graph::model::node_rect;

/// Margin of a region around its nodes, in units of the drawing; more above, for the title.
const AROUND: f64 = 9.0;
const ABOVE: f64 = 22.0;
/// Minimum scale for titles.
const TITLES_FROM: f64 = 0.4;
const TITLE_CSS_PX: f64 = 16.0;

pub(super) fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>, frame: &mut Frame) {
    let sight = scene.camera.visible();
    for (number, region) in regions(&scene.model.view.frames).into_iter().enumerate() {
        let Some(rect) = around(scene, region.iter().flat_map(|frame| &frame.nodes)) else { continue };
        if !rect.meets(&sight) {
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
        let [title, short] = match region[..] {
            [frame] => labels::region(frame),
            _ => labels::regions(&region),
        };
        let title = if fit.width_css_px(&title) <= room { title } else { short };
        if let Some(title) = fit.fit(&title, room) {
            let (x, y) = (rect.x + 6.0, rect.y + TITLE_CSS_PX / 2.0 + 1.0);
            frame.titles.push(title.clone());
            let text =
                Text { x, y, text: title, colour: scene.theme.text, font: Font::Small, align: Align::Left };
            frame.list.push(Op::Text(text));
        }
    }
}

/// Groups partitions by common nodes, in the order of each group's first partition.
fn regions(frames: &[ViewFrame]) -> Vec<Vec<&ViewFrame>> {
    let mut first_of: HashMap<u32, usize> = HashMap::new();
    let mut parent: Vec<usize> = (0..frames.len()).collect();
    let root = |parent: &[usize], mut number: usize| {
        while parent[number] != number {
            number = parent[number];
        }
        number
    };
    for (number, frame) in frames.iter().enumerate() {
        for node in &frame.nodes {
            match first_of.entry(*node) {
                Entry::Vacant(place) => {
                    place.insert(number);
                }
                Entry::Occupied(other) => {
                    let (one, other) = (root(&parent, number), root(&parent, *other.get()));
                    parent[one.max(other)] = one.min(other);
                }
            }
        }
    }
    let mut regions: Vec<Vec<&ViewFrame>> = vec![Vec::new(); frames.len()];
    for (number, frame) in frames.iter().enumerate() {
        regions[root(&parent, number)].push(frame);
    }
    regions.retain(|region| !region.is_empty());
    regions
}

/// Returns the bounds of some nodes with a margin; `None` without nodes.
fn around<'n>(scene: &Scene<'_>, nodes: impl Iterator<Item = &'n u32>) -> Option<Rect> {
    let mut rects = nodes.filter_map(|node| scene.model.node(*node)).map(node_rect);
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
