//! What the pointer does to the graph.

use std::rc::Rc;

use super::controller::Controller;
use super::signals::{Hover, Hovered};
use crate::views::graph::hit::{self, Hit};

/// How far the pointer may move before a press becomes a drag.
const SLACK_CSS_PX: f64 = 4.0;
/// How much one pixel of the wheel zooms; a pinch on a touchpad comes with small steps and needs more.
const ZOOM_PER_CSS_PX: f64 = 0.0025;
const PINCH_PER_CSS_PX: f64 = 0.010;

/// What a press may become, or has become.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Drag {
    #[default]
    None,
    Pressed((f64, f64)),
    Pan((f64, f64)),
    Overview,
}

/// Where the pointer is, and what it is at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pointer {
    pub(super) at: Option<(f64, f64)>,
    pub(super) drag: Drag,
}

impl Controller {
    /// The main button goes down.
    pub(crate) fn press(&self, at: (f64, f64)) {
        let is_overview = self.hit(at) == Hit::Overview;
        self.inner.borrow_mut().pointer.drag = if is_overview { Drag::Overview } else { Drag::Pressed(at) };
        if is_overview {
            self.centre_by_overview(at);
        }
        self.request_frame();
    }

    /// The pointer moves.
    pub(crate) fn moved(&self, at: (f64, f64)) {
        let mut inner = self.inner.borrow_mut();
        inner.pointer.at = Some(at);
        let drag = inner.pointer.drag;
        match drag {
            Drag::Pressed(from) if (at.0 - from.0).hypot(at.1 - from.1) > SLACK_CSS_PX => {
                inner.pointer.drag = Drag::Pan(at);
                let camera = inner.camera.panned(at.0 - from.0, at.1 - from.1);
                inner.set_camera(camera);
            }
            Drag::Pan(last) => {
                inner.pointer.drag = Drag::Pan(at);
                let camera = inner.camera.panned(at.0 - last.0, at.1 - last.1);
                inner.set_camera(camera);
            }
            _ => {}
        }
        drop(inner);
        if drag == Drag::Overview {
            self.centre_by_overview(at);
        }
        self.request_frame();
    }

    /// The button goes up.
    pub(crate) fn released(self: &Rc<Self>, at: (f64, f64)) {
        let drag = std::mem::take(&mut self.inner.borrow_mut().pointer.drag);
        if let Drag::Pressed(_) = drag {
            match self.hit(at) {
                Hit::Node(number) => self.choose(number),
                Hit::Edge(number) => self.choose_edge(number),
                Hit::Ground => self.unselect(),
                Hit::Overview => {}
            }
        }
        self.request_frame();
    }

    /// The pointer leaves the canvas, or a drag is broken off.
    pub(crate) fn left(&self) {
        let mut inner = self.inner.borrow_mut();
        if inner.pointer.drag == Drag::None {
            inner.pointer = Pointer::default();
        }
        drop(inner);
        self.request_frame();
    }

    /// A double click: unfolds, shows a single command in the timeline, or folds.
    pub(crate) fn double_click(self: &Rc<Self>, at: (f64, f64), folds: bool) {
        if let Hit::Node(number) = self.hit(at) {
            if folds { self.fold(number) } else { self.open(number) }
        }
    }

    /// The wheel turns.
    pub(crate) fn wheel(&self, at: (f64, f64), dx: f64, dy: f64, zooms: bool, turns: bool) {
        let mut inner = self.inner.borrow_mut();
        let camera = if zooms {
            // The small steps of a pinch have decimals.
            let per_css_px = if dy.abs() < 40.0 { PINCH_PER_CSS_PX } else { ZOOM_PER_CSS_PX };
            inner.camera.zoomed((-dy * per_css_px).exp(), at.0, at.1)
        } else if turns && dx == 0.0 {
            inner.camera.panned(-dy, 0.0)
        } else {
            inner.camera.panned(-dx, -dy)
        };
        inner.set_camera(camera);
        drop(inner);
        self.request_frame();
    }

    /// What is at a point.
    pub(super) fn hit(&self, at: (f64, f64)) -> Hit {
        hit::at(&self.inner.borrow().scene(), at.0, at.1)
    }

    fn centre_by_overview(&self, at: (f64, f64)) {
        let mut inner = self.inner.borrow_mut();
        let place = inner.overview.as_ref().and_then(|overview| {
            let place = overview.place(&inner.camera, &inner.model.whole())?;
            Some(overview.to_drawing(&place, at.0, at.1))
        });
        if let Some((x, y)) = place {
            let camera = inner.camera.at(x, y);
            inner.set_camera(camera);
        }
    }

    /// Lets what is under the pointer stand out, and tells it.
    pub(super) fn point_at(&self) {
        let Some(pointer) = self.inner.try_borrow().ok().map(|inner| inner.pointer) else { return };
        let hit = match (pointer.at, pointer.drag) {
            (Some(at), Drag::None | Drag::Pressed(_)) => self.hit(at),
            _ => Hit::Ground,
        };
        let (node, edge) = match hit {
            Hit::Node(number) => (Some(number), None),
            Hit::Edge(number) => (None, Some(number)),
            _ => (None, None),
        };
        let mut inner = self.inner.borrow_mut();
        if (inner.marks.hovered, inner.marks.hovered_edge) != (node, edge) {
            (inner.marks.hovered, inner.marks.hovered_edge) = (node, edge);
            inner.is_dirty = true;
        }
        drop(inner);
        let what = node.map(Hovered::Node).or(edge.map(Hovered::Edge));
        let hover =
            pointer.at.zip(what).map(|((x_css_px, y_css_px), what)| Hover { x_css_px, y_css_px, what });
        let cursor = match (pointer.drag, hit) {
            (Drag::Pan(_) | Drag::Overview, _) => "grabbing",
            (_, Hit::Node(_) | Hit::Edge(_)) => "pointer",
            (_, Hit::Overview) => "grab",
            _ => "default",
        };
        self.signals.hover.set_if_changed(hover);
        self.signals.cursor.set_if_changed(cursor);
    }
}
