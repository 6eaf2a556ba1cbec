use std::rc::Rc;

use super::controller::Controller;
use super::inner::Inner;
use super::signals::{Hover, Hovered};
use crate::stage::pointer::{Hand, Point, Touch};
use crate::stage::wheel::{Turn, turn};
use crate::views::graph::hit::{self, Hit};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Drag {
    #[default]
    None,
    Pressed(Point),
    Pan(Point),
    Overview,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pointer {
    pub(super) at: Option<Point>,
    pub(super) drag: Drag,
    is_at_overview: bool,
}

impl Controller {
    pub(super) fn handle_touch(self: &Rc<Self>, touch: &Touch) {
        let at = touch.at;
        match touch.hand {
            Hand::Press => self.inner.borrow_mut().press(at),
            Hand::Move => self.inner.borrow_mut().move_to(at),
            Hand::Release => self.released(at),
            Hand::Leave => self.inner.borrow_mut().left(),
            Hand::Cancel => self.inner.borrow_mut().pointer = Pointer::default(),
            Hand::DoubleClick => {
                if let Hit::Node(number) = self.hit(at) {
                    if touch.modifiers.alt { self.fold(number) } else { self.open(number) }
                }
            }
            Hand::Wheel(dx, dy) => {
                let turn = turn(dx, dy, touch.modifiers, false);
                self.inner.borrow_mut().wheel(at, turn);
            }
        }
    }

    fn released(self: &Rc<Self>, at: Point) {
        let drag = std::mem::take(&mut self.inner.borrow_mut().pointer.drag);
        if let Drag::Pressed(_) = drag {
            match self.hit(at) {
                Hit::Node(number) => self.select_node(number),
                Hit::Edge(number) => self.select_edge(number),
                Hit::Ground => self.unselect(),
                Hit::Overview => {}
            }
        }
    }

    fn hit(&self, at: Point) -> Hit {
        self.inner.borrow().hit(at)
    }
}

impl Inner {
    fn press(&mut self, at: Point) {
        let is_overview = self.hit(at) == Hit::Overview;
        self.pointer.drag = if is_overview { Drag::Overview } else { Drag::Pressed(at) };
        if is_overview {
            self.centre_by_overview(at);
        }
    }

    fn move_to(&mut self, at: Point) {
        self.pointer.at = Some(at);
        match self.pointer.drag {
            Drag::Pressed(from) if !from.is_left_for(at) => {}
            Drag::Pressed(last) | Drag::Pan(last) => {
                self.pointer.drag = Drag::Pan(at);
                let camera = self.camera.panned(at.x - last.x, at.y - last.y);
                self.set_camera(camera);
            }
            Drag::Overview => self.centre_by_overview(at),
            Drag::None => {}
        }
    }

    /// Handles the pointer's exit from the canvas; a drag continues outside.
    fn left(&mut self) {
        if self.pointer.drag == Drag::None {
            self.pointer = Pointer::default();
        }
    }

    fn wheel(&mut self, at: Point, turn: Option<Turn>) {
        let camera = match turn {
            Some(Turn::Zoom(factor)) => self.camera.zoomed(1.0 / factor, at.x, at.y),
            Some(Turn::Pan(dx, dy)) => self.camera.panned(dx, dy),
            None => return,
        };
        self.set_camera(camera);
    }

    fn hit(&self, at: Point) -> Hit {
        hit::at(&self.scene(), at.x, at.y)
    }

    fn centre_by_overview(&mut self, at: Point) {
        let place = self.overview.as_ref().and_then(|overview| {
            let place = overview.place(&self.camera, &self.model.whole())?;
            Some(overview.to_drawing(&place, at.x, at.y))
        });
        if let Some((x, y)) = place {
            let camera = self.camera.at(x, y);
            self.set_camera(camera);
        }
    }

    pub(super) fn point_at(&mut self) {
        let hit = match (self.pointer.at, self.pointer.drag) {
            (Some(at), Drag::None | Drag::Pressed(_)) => self.hit(at),
            _ => Hit::Ground,
        };
        let (node, edge) = match hit {
            Hit::Node(number) => (Some(number), None),
            Hit::Edge(number) => (None, Some(number)),
            _ => (None, None),
        };
        if (self.marks.hovered, self.marks.hovered_edge) != (node, edge) {
            (self.marks.hovered, self.marks.hovered_edge) = (node, edge);
            self.is_dirty = true;
        }
        self.pointer.is_at_overview = hit == Hit::Overview;
    }

    pub(super) fn hover(&self) -> Option<Hover> {
        let node = self.marks.hovered.map(Hovered::Node);
        let what = node.or(self.marks.hovered_edge.map(Hovered::Edge))?;
        Some(Hover { at: self.pointer.at?, what })
    }

    pub(super) fn cursor(&self) -> &'static str {
        match self.pointer.drag {
            Drag::Pan(_) | Drag::Overview => "grabbing",
            _ if self.marks.hovered.is_some() || self.marks.hovered_edge.is_some() => "pointer",
            _ if self.pointer.is_at_overview => "grab",
            _ => "default",
        }
    }
}
