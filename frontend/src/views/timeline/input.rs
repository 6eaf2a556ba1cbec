//! Pointer input: presses, moves and wheels become [`Action`]s.

use crate::stage::pointer::{Modifiers, Point};
use crate::stage::wheel::{Turn, along_one_axis, turn};
use crate::views::timeline::hit::{Brush, Region};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Pan {
        dx_css_px: f64,
        dy_css_px: f64,
    },
    /// Change the visible range by a factor and keep the time at a point in place.
    Zoom {
        factor: f64,
        at: Point,
    },
    /// Show the selection box; `None` removes it.
    Band(Option<(f64, f64)>),
    /// Zoom to the time between two horizontal positions.
    ZoomTo(f64, f64),
    Select(Point),
    /// Centre the brush at this position of the overview.
    CentreBrush(f64),
    MoveBrush(f64),
    BrushLeft(f64),
    BrushRight(f64),
    /// Show the time between two positions of the overview.
    BrushTo(f64, f64),
    Measure(Point, Point),
    Measured,
    Area(Point, Point),
    AreaDone,
    /// Measures from the selected slice to the slice at a point.
    MeasureTo(Point),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    #[default]
    Move,
    Measure,
    Area,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Drag {
    #[default]
    None,
    Pressed {
        from: Point,
        becomes: Becomes,
    },
    Pan {
        last: Point,
    },
    Band {
        from: Point,
    },
    BrushMove {
        last_x: f64,
    },
    BrushEdge(Brush),
    BrushNew {
        from_x: f64,
    },
    Measure {
        from: Point,
    },
    Area {
        from: Point,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Becomes {
    Pan,
    Band,
    BrushNew,
    Measure,
    Area,
    /// A drag selects an area, a click measures to a second slice.
    AreaOrSecond,
}

#[derive(Debug, Default)]
pub struct Pointer {
    drag: Drag,
    pub tool: Tool,
    /// True if a drag over the tracks selects an area, and a drag with Shift pans, as in Perfetto.
    pub selects: bool,
}

impl Pointer {
    pub fn is_dragging(&self) -> bool {
        !matches!(self.drag, Drag::None | Drag::Pressed { .. })
    }

    pub fn is_panning(&self) -> bool {
        matches!(self.drag, Drag::Pan { .. })
    }

    pub fn press(&mut self, at: Point, region: Region, brush: Brush, modifiers: Modifiers) {
        self.drag = match (region, brush) {
            (Region::Overview, Brush::Inside) => Drag::BrushMove { last_x: at.x },
            (Region::Overview, Brush::Outside) => Drag::Pressed { from: at, becomes: Becomes::BrushNew },
            (Region::Overview, edge) => Drag::BrushEdge(edge),
            (Region::Ruler, _) => Drag::Pressed { from: at, becomes: Becomes::Band },
            (Region::Tracks, _) => {
                let becomes = match self.tool {
                    _ if modifiers.ctrl => Becomes::AreaOrSecond,
                    _ if modifiers.shift && self.selects => Becomes::Pan,
                    _ if modifiers.shift => Becomes::Band,
                    Tool::Move if self.selects => Becomes::Area,
                    Tool::Move => Becomes::Pan,
                    Tool::Measure => Becomes::Measure,
                    Tool::Area => Becomes::Area,
                };
                Drag::Pressed { from: at, becomes }
            }
        };
    }

    pub fn move_to(&mut self, at: Point) -> Option<Action> {
        if let Drag::Pressed { from, becomes } = self.drag {
            if !from.is_left_for(at) {
                return None;
            }
            self.drag = match becomes {
                Becomes::Pan => Drag::Pan { last: from },
                Becomes::Band => Drag::Band { from },
                Becomes::BrushNew => Drag::BrushNew { from_x: from.x },
                Becomes::Measure => Drag::Measure { from },
                Becomes::Area | Becomes::AreaOrSecond => Drag::Area { from },
            };
        }
        match &mut self.drag {
            Drag::None | Drag::Pressed { .. } => None,
            Drag::Pan { last } => {
                let action = Action::Pan { dx_css_px: at.x - last.x, dy_css_px: at.y - last.y };
                *last = at;
                Some(action)
            }
            Drag::Band { from } => Some(Action::Band(Some((from.x, at.x)))),
            Drag::Measure { from } => Some(Action::Measure(*from, at)),
            Drag::Area { from } => Some(Action::Area(*from, at)),
            Drag::BrushMove { last_x } => {
                let action = Action::MoveBrush(at.x - *last_x);
                *last_x = at.x;
                Some(action)
            }
            Drag::BrushEdge(Brush::Left) => Some(Action::BrushLeft(at.x)),
            Drag::BrushEdge(_) => Some(Action::BrushRight(at.x)),
            Drag::BrushNew { from_x } => Some(Action::BrushTo(*from_x, at.x)),
        }
    }

    pub fn release(&mut self, at: Point) -> Vec<Action> {
        match std::mem::take(&mut self.drag) {
            Drag::Pressed { from, becomes: Becomes::BrushNew } => vec![Action::CentreBrush(from.x)],
            Drag::Pressed { from, becomes: Becomes::AreaOrSecond } => vec![Action::MeasureTo(from)],
            Drag::Pressed { from, .. } => vec![Action::Select(from)],
            Drag::Measure { .. } => vec![Action::Measured],
            Drag::Area { .. } => vec![Action::AreaDone],
            Drag::Band { from } => vec![Action::Band(None), Action::ZoomTo(from.x, at.x)],
            _ => Vec::new(),
        }
    }

    /// Cancels the drag (Escape, or the browser cancels the pointer).
    pub fn cancel(&mut self) -> Option<Action> {
        matches!(std::mem::take(&mut self.drag), Drag::Band { .. }).then_some(Action::Band(None))
    }
}

/// Handles the wheel: Ctrl zooms, Shift moves through time, a plain turn scrolls; a sideways turn always moves through
/// time.
pub fn wheel(
    at: Point,
    dx_css_px: f64,
    dy_css_px: f64,
    region: Region,
    modifiers: Modifiers,
) -> Option<Action> {
    // The overview does not scroll, so the wheel zooms directly.
    Some(match turn(dx_css_px, dy_css_px, modifiers, region == Region::Overview)? {
        Turn::Zoom(factor) => Action::Zoom { factor, at },
        Turn::Pan(dx, dy) => {
            let (dx_css_px, dy_css_px) = along_one_axis(dx, dy);
            Action::Pan { dx_css_px, dy_css_px }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Point = Point { x: 100.0, y: 200.0 };

    fn press(region: Region, brush: Brush, shift: bool) -> Pointer {
        let mut pointer = Pointer::default();
        pointer.press(HERE, region, brush, Modifiers { shift, ..Modifiers::default() });
        pointer
    }

    #[test]
    fn a_press_without_movement_is_a_click() {
        let mut pointer = press(Region::Tracks, Brush::Outside, false);
        assert_eq!(pointer.move_to(Point { x: 102.0, ..HERE }), None);
        assert!(!pointer.is_dragging());
        assert_eq!(pointer.release(HERE), [Action::Select(HERE)]);
        let mut overview = press(Region::Overview, Brush::Outside, false);
        assert_eq!(overview.release(HERE), [Action::CentreBrush(100.0)]);
    }

    #[test]
    fn a_drag_pans_without_losing_the_first_pixels() {
        let mut pointer = press(Region::Tracks, Brush::Outside, false);
        let action = pointer.move_to(Point { x: 110.0, y: 195.0 });
        assert_eq!(action, Some(Action::Pan { dx_css_px: 10.0, dy_css_px: -5.0 }));
        assert!(pointer.is_panning());
        assert_eq!(pointer.release(HERE), []);
        assert_eq!(pointer.move_to(Point { x: 300.0, ..HERE }), None);
    }

    #[test]
    fn shift_or_the_ruler_draw_a_box() {
        for (region, shift) in [(Region::Tracks, true), (Region::Ruler, false)] {
            let mut pointer = press(region, Brush::Outside, shift);
            let to = Point { x: 180.0, ..HERE };
            assert_eq!(pointer.move_to(to), Some(Action::Band(Some((100.0, 180.0)))));
            assert_eq!(pointer.release(to), [Action::Band(None), Action::ZoomTo(100.0, 180.0)]);
            let mut pointer = press(region, Brush::Outside, shift);
            pointer.move_to(to);
            assert_eq!(pointer.cancel(), Some(Action::Band(None)));
            assert_eq!(pointer.release(to), []);
        }
    }

    #[test]
    fn a_drag_selects_and_shift_moves_for_those_who_chose_so() {
        let to = Point { x: 180.0, ..HERE };
        for (shift, expected) in
            [(false, Action::Area(HERE, to)), (true, Action::Pan { dx_css_px: 80.0, dy_css_px: 0.0 })]
        {
            let mut pointer = Pointer { selects: true, ..Pointer::default() };
            pointer.press(HERE, Region::Tracks, Brush::Outside, Modifiers { shift, ..Modifiers::default() });
            assert_eq!(pointer.move_to(to), Some(expected));
        }
    }

    #[test]
    fn tools_measure_and_select_areas() {
        let to = Point { x: 180.0, y: 260.0 };
        for (tool, ctrl, live, done) in [
            (Tool::Measure, false, Action::Measure(HERE, to), Action::Measured),
            (Tool::Area, false, Action::Area(HERE, to), Action::AreaDone),
            (Tool::Move, true, Action::Area(HERE, to), Action::AreaDone),
        ] {
            let mut pointer = Pointer { tool, ..Pointer::default() };
            pointer.press(HERE, Region::Tracks, Brush::Outside, Modifiers { ctrl, ..Modifiers::default() });
            assert_eq!(pointer.move_to(to), Some(live));
            assert_eq!(pointer.release(to), [done]);
        }
        let mut pointer = Pointer::default();
        pointer.press(HERE, Region::Tracks, Brush::Outside, Modifiers { ctrl: true, ..Modifiers::default() });
        assert_eq!(pointer.release(HERE), [Action::MeasureTo(HERE)]);
        let mut pointer = Pointer { tool: Tool::Measure, ..Pointer::default() };
        pointer.press(HERE, Region::Tracks, Brush::Outside, Modifiers::default());
        assert_eq!(pointer.release(HERE), [Action::Select(HERE)], "a click selects with every tool");
    }

    #[test]
    fn the_brush_moves_and_its_edges_too() {
        let to = Point { x: 130.0, ..HERE };
        for (part, action) in [
            (Brush::Inside, Action::MoveBrush(30.0)),
            (Brush::Left, Action::BrushLeft(130.0)),
            (Brush::Right, Action::BrushRight(130.0)),
            (Brush::Outside, Action::BrushTo(100.0, 130.0)),
        ] {
            assert_eq!(press(Region::Overview, part, false).move_to(to), Some(action));
        }
    }

    #[test]
    fn the_wheel_zooms_scrolls_and_moves() {
        let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
        let zoom = wheel(HERE, 0.0, 100.0, Region::Tracks, ctrl);
        assert!(matches!(zoom, Some(Action::Zoom { factor, at }) if factor > 1.0 && at == HERE), "{zoom:?}");
        let plain = wheel(HERE, 0.0, 100.0, Region::Tracks, Modifiers::default());
        assert_eq!(plain, Some(Action::Pan { dx_css_px: 0.0, dy_css_px: -100.0 }));
        let swipe = wheel(HERE, 50.0, 8.0, Region::Tracks, Modifiers::default());
        assert_eq!(swipe, Some(Action::Pan { dx_css_px: -50.0, dy_css_px: 0.0 }));
        assert!(matches!(
            wheel(HERE, 0.0, 5.0, Region::Overview, Modifiers::default()),
            Some(Action::Zoom { .. })
        ));
    }
}
