//! The whole drawing in the column next to it, with a frame around the visible part.

use super::Scene;
use super::cards::mixed;
use super::cells::Cells;
use crate::canvas::draw_list::{Colour, DrawList, FillGroups, Op, Rect};
use crate::views::graph::camera::Camera;
use crate::views::graph::colour::Colours;
use crate::views::graph::model::{Model, node_rect};

const WIDTH_CSS_PX: f64 = 190.0;
const HEIGHT_CSS_PX: f64 = 150.0;
/// Minimum size of nodes, and size of the cells that merge them.
const CELL_CSS_PX: f64 = 2.0;
const MARGIN_CSS_PX: f64 = 6.0;
const PADDING_CSS_PX: f64 = 6.0;
/// Minimum height of a canvas with an overview.
const MIN_HEIGHT_CSS_PX: f64 = 320.0;
pub const ROOM_CSS_PX: f64 = HEIGHT_CSS_PX + 2.0 * (PADDING_CSS_PX + MARGIN_CSS_PX);

/// The overview of a drawing, built once for each drawing and its colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    scale: f64,
    width_css_px: f64,
    height_css_px: f64,
    cells: Vec<(Colour, Vec<Rect>)>,
}

impl Overview {
    pub fn new(model: &Model, colours: &Colours) -> Self {
        let whole = model.whole();
        let scale = (WIDTH_CSS_PX / whole.w.max(1.0)).min(HEIGHT_CSS_PX / whole.h.max(1.0));
        let mut cells = Cells::new(CELL_CSS_PX, WIDTH_CSS_PX, HEIGHT_CSS_PX);
        let mut groups = FillGroups::default();
        for (node, colour) in model.view.nodes.iter().zip(&colours.nodes) {
            let rect = node_rect(node);
            let (x, y) = (rect.x * scale, rect.y * scale);
            if cells.take(x, y).is_some() {
                let (w, h) =
                    ((rect.w * scale).max(CELL_CSS_PX - 0.5), (rect.h * scale).max(CELL_CSS_PX - 0.5));
                groups.fill(*colour, Rect { x, y, w, h });
            }
        }
        let mut list = DrawList::default();
        groups.finish(&mut list);
        let cells = list.ops.into_iter().filter_map(|op| match op {
            Op::Fill(colour, rects) => Some((colour, rects)),
            _ => None,
        });
        Self { scale, width_css_px: whole.w * scale, height_css_px: whole.h * scale, cells: cells.collect() }
    }

    /// Returns the position on the canvas; `None` if there is no space, or the whole drawing is visible.
    pub fn place(&self, camera: &Camera, whole: &Rect) -> Option<Rect> {
        let has_room = camera.column_css_px > 0.0 && camera.height_css_px >= MIN_HEIGHT_CSS_PX;
        let sight = camera.visible();
        let seen = whole.intersection(&sight);
        let is_all = seen.w >= whole.w && seen.h >= whole.h;
        (has_room && !is_all).then(|| {
            let (w, h) =
                (self.width_css_px + 2.0 * PADDING_CSS_PX, self.height_css_px + 2.0 * PADDING_CSS_PX);
            Rect { x: camera.width_css_px + MARGIN_CSS_PX, y: camera.height_css_px - h - MARGIN_CSS_PX, w, h }
        })
    }

    /// Converts a point in the overview at `place` to drawing coordinates.
    pub fn to_drawing(&self, place: &Rect, x_css_px: f64, y_css_px: f64) -> (f64, f64) {
        let to =
            |at: f64, from: f64, length: f64| (at - from - PADDING_CSS_PX).clamp(0.0, length) / self.scale;
        (to(x_css_px, place.x, self.width_css_px), to(y_css_px, place.y, self.height_css_px))
    }

    pub(super) fn draw(&self, scene: &Scene<'_>, list: &mut DrawList) {
        let Some(place) = self.place(scene.camera, &scene.model.whole()) else { return };
        let theme = scene.theme;
        list.fill(mixed(theme.ground, theme.group, 0.7), place);
        list.push(Op::Outline(theme.line, 1.0, place));
        let (dx, dy) = (place.x + PADDING_CSS_PX, place.y + PADDING_CSS_PX);
        for (colour, rects) in &self.cells {
            let moved = rects.iter().map(|rect| Rect { x: rect.x + dx, y: rect.y + dy, ..*rect });
            list.push(Op::Fill(*colour, moved.collect()));
        }
        let sight = scene.camera.visible();
        let brush = Rect {
            x: sight.x * self.scale + dx,
            y: sight.y * self.scale + dy,
            w: sight.w * self.scale,
            h: sight.h * self.scale,
        };
        let brush = brush.intersection(&place);
        list.fill(theme.accent.with_alpha(0.08), brush);
        list.push(Op::Outline(
            theme.accent.with_alpha(0.8),
            1.0,
            Rect { w: brush.w.max(3.0), h: brush.h.max(3.0), ..brush },
        ));
    }
}
