//! Pointer input of the memory view's canvases: presses, moves and wheels become [`Gesture`]s.

use crate::canvas::draw_list::Rect;
use crate::stage::pointer::{Modifiers, Point};
use crate::stage::wheel::{Turn, along_one_axis, turn};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    Pan {
        dx_css_px: f64,
        dy_css_px: f64,
    },
    Zoom {
        time: f64,
        addresses: f64,
        at: Point,
    },
    /// Shows the selection box; `None` removes it.
    Band(Option<Rect>),
    ZoomTo(Rect),
    MoveLine {
        /// True for the line of the second moment.
        is_second: bool,
        x_css_px: f64,
    },
    Click(Point, Modifiers),
    Open(Point),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Drag {
    #[default]
    None,
    Pressed {
        from: Point,
        modifiers: Modifiers,
    },
    Pan {
        last: Point,
    },
    Band {
        from: Point,
    },
    Line {
        is_second: bool,
    },
}

#[derive(Debug, Default)]
pub struct Pointer {
    drag: Drag,
}

impl Pointer {
    /// Handles a press of the main button; `line` is the moment's line at that point.
    pub fn press(&mut self, from: Point, modifiers: Modifiers, line: Option<bool>) {
        self.drag = match line {
            Some(is_second) => Drag::Line { is_second },
            None => Drag::Pressed { from, modifiers },
        };
    }

    pub fn move_to(&mut self, at: Point) -> Option<Gesture> {
        if let Drag::Pressed { from, modifiers } = self.drag {
            if !from.is_left_for(at) {
                return None;
            }
            self.drag = if modifiers.shift { Drag::Band { from } } else { Drag::Pan { last: from } };
        }
        match &mut self.drag {
            Drag::None | Drag::Pressed { .. } => None,
            Drag::Pan { last } => {
                let pan = Gesture::Pan { dx_css_px: at.x - last.x, dy_css_px: at.y - last.y };
                *last = at;
                Some(pan)
            }
            Drag::Band { from } => Some(Gesture::Band(Some(between(*from, at)))),
            Drag::Line { is_second } => Some(Gesture::MoveLine { is_second: *is_second, x_css_px: at.x }),
        }
    }

    pub fn release(&mut self, at: Point) -> Option<Gesture> {
        match std::mem::take(&mut self.drag) {
            Drag::Pressed { from, modifiers } => Some(Gesture::Click(from, modifiers)),
            Drag::Band { from } => Some(Gesture::ZoomTo(between(from, at))),
            _ => None,
        }
    }

    /// Cancels the drag. True if there was one.
    pub fn cancel(&mut self) -> bool {
        std::mem::take(&mut self.drag) != Drag::None
    }

    pub fn is_dragging(&self) -> bool {
        !matches!(self.drag, Drag::None | Drag::Pressed { .. })
    }
}

fn between(one: Point, other: Point) -> Rect {
    let (x, y) = (one.x.min(other.x), one.y.min(other.y));
    Rect { x, y, w: (one.x - other.x).abs(), h: (one.y - other.y).abs() }
}

/// Returns the meaning of the wheel: as in the timeline; with Ctrl and Shift together it zooms addresses.
pub fn wheel(
    at: Point,
    dx_css_px: f64,
    dy_css_px: f64,
    modifiers: Modifiers,
    scrolls: bool,
) -> Option<Gesture> {
    // With Shift, browsers turn a plain wheel sideways.
    let dy_css_px = dy_css_px + if modifiers.ctrl { dx_css_px } else { 0.0 };
    Some(match turn(dx_css_px, dy_css_px, modifiers, !scrolls)? {
        Turn::Pan(dx, dy) => {
            let (dx_css_px, dy_css_px) = along_one_axis(dx, dy);
            Gesture::Pan { dx_css_px, dy_css_px }
        }
        Turn::Zoom(factor) if modifiers.ctrl && modifiers.shift && scrolls => {
            Gesture::Zoom { time: 1.0, addresses: factor, at }
        }
        Turn::Zoom(factor) => Gesture::Zoom { time: factor, addresses: 1.0, at },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Point = Point { x: 100.0, y: 200.0 };
    const THERE: Point = Point { x: 80.0, y: 260.0 };
    const SHIFT: Modifiers = Modifiers { shift: true, ctrl: false, alt: false };

    #[test]
    fn a_press_is_a_click_a_pan_or_a_box() {
        let mut pointer = Pointer::default();
        pointer.press(HERE, Modifiers::default(), None);
        assert_eq!(pointer.move_to(Point { x: 102.0, ..HERE }), None);
        assert_eq!(pointer.release(HERE), Some(Gesture::Click(HERE, Modifiers::default())));
        pointer.press(HERE, Modifiers::default(), None);
        assert_eq!(pointer.move_to(THERE), Some(Gesture::Pan { dx_css_px: -20.0, dy_css_px: 60.0 }));
        assert_eq!((pointer.is_dragging(), pointer.release(THERE)), (true, None));
        let dragged = Rect { x: 80.0, y: 200.0, w: 20.0, h: 60.0 };
        pointer.press(HERE, SHIFT, None);
        assert_eq!(pointer.move_to(THERE), Some(Gesture::Band(Some(dragged))));
        assert_eq!(pointer.release(THERE), Some(Gesture::ZoomTo(dragged)));
        pointer.press(HERE, SHIFT, None);
        assert!(pointer.cancel() && !pointer.cancel());
    }

    #[test]
    fn lines_are_moved() {
        let mut pointer = Pointer::default();
        pointer.press(HERE, Modifiers::default(), Some(true));
        assert_eq!(pointer.move_to(THERE), Some(Gesture::MoveLine { is_second: true, x_css_px: 80.0 }));
        assert_eq!(pointer.release(THERE), None);
    }

    #[test]
    fn the_wheel_zooms_either_axis_and_scrolls() {
        let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
        let both = Modifiers { shift: true, ..ctrl };
        let zoom = |modifiers, scrolls| match wheel(HERE, 0.0, -100.0, modifiers, scrolls) {
            Some(Gesture::Zoom { time, addresses, .. }) => (time < 1.0, addresses < 1.0),
            other => panic!("{other:?}"),
        };
        assert_eq!(zoom(ctrl, true), (true, false));
        assert_eq!(zoom(both, true), (false, true));
        assert_eq!(zoom(Modifiers::default(), false), (true, false), "a chart has nothing to scroll");
        let scrolled = wheel(HERE, 0.0, 50.0, Modifiers::default(), true);
        assert_eq!(scrolled, Some(Gesture::Pan { dx_css_px: 0.0, dy_css_px: -50.0 }));
    }
}
