//! What the graph view paints: edges below nodes, nodes as detailed as their size on screen allows, and the overview.
//!
//! Whatever is outside of the window is not drawn at all. Where nodes are smaller than a few pixels they are merged by
//! cells of the screen, and of very many lines only some are drawn; the rest is counted.

mod cards;
mod cells;
mod edges;
mod frames;
mod overview;

use std::rc::Rc;

use syclscope_language::names::ShortNames;

use crate::canvas::draw_list::{Colour, DrawList, Rect};
use crate::canvas::palette::Theme;
use crate::canvas::text::TextFit;
use crate::views::graph::camera::Camera;
use crate::views::graph::colour::Colours;
use crate::views::graph::model::{EdgeChoice, Model, node_rect};

pub(crate) use edges::distance;
pub use overview::Overview;

/// How much a colour fades that is not looked for.
const FADED: f64 = 0.22;

/// Where nodes come from while they move to their places in a new drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shift {
    /// Place of each node's middle before.
    pub from: Vec<(f64, f64)>,
    /// How far they got, from 0 to 1.
    pub progress: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The node that keys start from.
    pub cursor: Option<u32>,
    /// Nodes that the page's selection means.
    pub selected: Vec<u32>,
    /// Nodes that something is said about.
    pub pinned: Vec<u32>,
    /// What the pointer is on.
    pub hovered: Option<u32>,
    /// The edge that the pointer is on.
    pub hovered_edge: Option<u32>,
    /// For each node whether it was looked for; empty where nothing is.
    pub found: Vec<bool>,
    /// The critical path stands out.
    pub has_critical: bool,
}

impl Marks {
    fn is_faded(&self, node: u32) -> bool {
        self.found.get(node as usize).is_some_and(|found| !found)
    }
}

/// Everything that a frame depends on.
pub struct Scene<'a> {
    pub model: &'a Model,
    /// What of it is on screen.
    pub camera: &'a Camera,
    /// Colours of the page.
    pub theme: &'a Theme,
    pub colours: &'a Colours,
    /// Short forms of the kernels' names.
    pub names: &'a ShortNames,
    /// Which edges are drawn.
    pub choice: &'a EdgeChoice,
    pub marks: &'a Marks,
    /// A movement under way.
    pub shift: Option<&'a Shift>,
    /// The overview in the corner, if there is room for one.
    pub overview: Option<&'a Rc<Overview>>,
}

impl Scene<'_> {
    /// Where a node is in the drawing now.
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
    /// Its number in the drawing.
    pub node: u32,
    pub rect: Rect,
    /// What is written on it.
    pub texts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub list: DrawList,
    /// Nodes that are painted one by one.
    pub nodes: Vec<DrawnNode>,
    /// Nodes on screen that are too small for that.
    pub small_nodes: usize,
    /// Edges that are painted.
    pub edges: usize,
    /// Edges on screen that are not, because there are too many.
    pub left_out_edges: usize,
    /// Words at edges.
    pub edge_labels: Vec<String>,
    /// Titles of command graphs.
    pub titles: Vec<String>,
}

pub fn draw(scene: &Scene<'_>, fit: &mut TextFit<'_>) -> Frame {
    let mut frame = Frame::default();
    let Camera { width_css_px: w, height_css_px: h, .. } = *scene.camera;
    frame.list.fill(scene.theme.ground, Rect { x: 0.0, y: 0.0, w, h });
    frames::draw(scene, fit, &mut frame);
    edges::draw(scene, &mut frame);
    cards::draw(scene, fit, &mut frame);
    edges::draw_labels(scene, fit, &mut frame);
    if let Some(overview) = scene.overview {
        overview.draw(scene, &mut frame.list);
    }
    frame
}

/// The nodes that are on screen.
fn nodes_in_sight(scene: &Scene<'_>) -> Vec<u32> {
    if scene.shift.is_none() {
        return scene.model.nodes_in(&scene.camera.visible());
    }
    // While they move they are not where the index has them.
    let sight = scene.camera.visible();
    let is_in = |number: &u32| {
        let rect = scene.rect(*number);
        let part = rect.intersection(&sight);
        part.w > 0.0 && part.h > 0.0
    };
    (0..scene.model.view.nodes.len() as u32).filter(is_in).collect()
}

#[cfg(test)]
pub(crate) mod tests;
