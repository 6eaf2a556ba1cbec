//! Painting of the graph view: edges below nodes, nodes as detailed as their size on screen allows, and the overview.
//!
//! Nothing outside of the viewport is drawn. Nodes smaller than a few pixels are merged in cells of the screen. If
//! there are very many lines, only some are drawn, and the others are counted.

mod cards;
mod cells;
mod edges;
mod frames;
mod overview;

use std::rc::Rc;

use syclscope_language::names::ShortNames;

use crate::canvas::draw_list::{Colour, DrawList, Op, Rect};
use crate::canvas::palette::Theme;
use crate::canvas::text::TextFit;
use crate::views::graph::camera::Camera;
use crate::views::graph::colour::Colours;
use crate::views::graph::model::{EdgeChoice, Model, node_rect};

pub(crate) use edges::distance;
pub use overview::{Overview, ROOM_CSS_PX as OVERVIEW_ROOM_CSS_PX};

/// Opacity of nodes that the search did not find.
const FADED: f64 = 0.22;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shift {
    pub from: Vec<(f64, f64)>,
    pub progress: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Start of keyboard navigation.
    pub cursor: Option<u32>,
    pub selected: Vec<u32>,
    /// Nodes with comments.
    pub pinned: Vec<u32>,
    pub hovered: Option<u32>,
    pub hovered_edge: Option<u32>,
    /// Search result by node; empty without a search.
    pub matches: Vec<bool>,
    pub has_critical: bool,
}

impl Marks {
    fn is_faded(&self, node: u32) -> bool {
        self.matches.get(node as usize).is_some_and(|is_match| !is_match)
    }
}

pub struct Scene<'a> {
    pub model: &'a Model,
    pub camera: &'a Camera,
    pub theme: &'a Theme,
    pub colours: &'a Colours,
    pub names: &'a ShortNames,
    pub choice: &'a EdgeChoice,
    pub marks: &'a Marks,
    pub shift: Option<&'a Shift>,
    pub overview: Option<&'a Rc<Overview>>,
}

impl Scene<'_> {
    fn rect(&self, number: u32) -> Rect {
        let Some(node) = self.model.node(number) else { return Rect::default() };
        let rect = node_rect(node);
        let Some((shift, (x, y))) =
            self.shift.and_then(|shift| Some((shift, *shift.from.get(number as usize)?)))
        else {
            return rect;
        };
        let left = (1.0 - shift.progress).powi(3);
        let (dx, dy) = (x - rect.x - rect.w / 2.0, y - rect.y - rect.h / 2.0);
        Rect { x: rect.x + dx * left, y: rect.y + dy * left, ..rect }
    }

    fn colour(&self, number: u32) -> Colour {
        let colour = self.colours.nodes.get(number as usize).copied();
        colour.unwrap_or(self.theme.quiet)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    pub node: u32,
    pub rect: Rect,
    pub texts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub list: DrawList,
    pub nodes: Vec<DrawnNode>,
    /// Visible nodes that are too small to be painted one by one.
    pub small_nodes: usize,
    pub edges: usize,
    /// Number of visible edges that are omitted because there are too many.
    pub left_out_edges: usize,
    pub edge_labels: Vec<String>,
    pub titles: Vec<String>,
}

pub fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>) -> Frame {
    let mut frame = Frame::default();
    let (area, column) = (scene.camera.area(), scene.camera.column_css_px);
    frame.list.fill(scene.theme.ground, area);
    if column > 0.0 {
        frame.list.push(Op::Clip(area));
    }
    frames::draw(scene, fit, &mut frame);
    edges::draw(scene, &mut frame);
    cards::draw(scene, fit, &mut frame);
    edges::draw_labels(scene, fit, &mut frame);
    if column > 0.0 {
        frame.list.push(Op::Unclip);
        frame.list.fill(scene.theme.group, Rect { x: area.w, w: column, ..area });
        frame.list.fill(scene.theme.line, Rect { x: area.w, w: 1.0, ..area });
    }
    if let Some(overview) = scene.overview {
        overview.draw(scene, &mut frame.list);
    }
    frame
}

fn nodes_in_sight(scene: &Scene<'_>) -> Vec<u32> {
    if scene.shift.is_none() {
        return scene.model.nodes_in(&scene.camera.visible());
    }
    // During the animation, positions differ from the index.
    let sight = scene.camera.visible();
    let is_in = |number: &u32| scene.rect(*number).meets(&sight);
    (0..scene.model.view.nodes.len() as u32).filter(is_in).collect()
}

#[cfg(test)]
pub(crate) mod tests;
