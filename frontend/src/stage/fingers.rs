//! Gestures with two fingers, which move the content of a canvas and zoom it.

use crate::stage::pointer::{Modifiers, Point};
use crate::stage::wheel::PINCH_PER_CSS_PX;

/// Fingers on the screen, by the browser's pointer ids.
#[derive(Debug, Default)]
pub struct Fingers {
    at: Vec<(i32, Point)>,
    is_pinching: bool,
}

/// A movement of two fingers, as equivalent turns of the wheel at the point between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinch {
    pub at: Point,
    /// Turn that pans.
    pub moves: (f64, f64),
    /// Turn with Ctrl, which zooms.
    pub zooms: f64,
}

impl Pinch {
    /// Returns the two turns with their keys. The first one has Shift, because a plain turn zooms in some places.
    pub fn turns(self) -> [((f64, f64), Modifiers); 2] {
        let (dx, dy) = self.moves;
        // With Shift, a turn without a horizontal part would move sideways.
        let dx = if dx == 0.0 && dy != 0.0 { f64::MIN_POSITIVE } else { dx };
        let pans = Modifiers { shift: true, ..Modifiers::default() };
        let zooms = Modifiers { ctrl: true, ..Modifiers::default() };
        [((dx, dy), pans), ((0.0, self.zooms), zooms)]
    }
}

impl Fingers {
    /// Adds a finger. True if it is the second one, which ends the drag of the first.
    pub fn down(&mut self, id: i32, at: Point) -> bool {
        self.at.retain(|(other, _)| *other != id);
        self.at.push((id, at));
        let begins = self.at.len() == 2;
        self.is_pinching |= begins;
        begins
    }

    /// True from the second finger until the last one is lifted. Single fingers have no effect in that time.
    pub fn is_pinching(&self) -> bool {
        self.is_pinching
    }

    pub fn move_to(&mut self, id: i32, at: Point) -> Option<Pinch> {
        let before = self.shape();
        self.at.iter_mut().filter(|(other, _)| *other == id).for_each(|(_, place)| *place = at);
        let ((from, was), (to, is)) = (before?, self.shape()?);
        let zooms = (was / is).ln() / PINCH_PER_CSS_PX;
        Some(Pinch { at: to, moves: (from.x - to.x, from.y - to.y), zooms })
    }

    pub fn up(&mut self, id: i32) {
        self.at.retain(|(other, _)| *other != id);
        self.is_pinching &= !self.at.is_empty();
    }

    fn shape(&self) -> Option<(Point, f64)> {
        let [(_, one), (_, other)] = self.at[..] else { return None };
        let middle = Point { x: (one.x + other.x) / 2.0, y: (one.y + other.y) / 2.0 };
        Some((middle, (other.x - one.x).hypot(other.y - one.y).max(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::wheel::{Turn, turn};

    const CTRL: Modifiers = Modifiers { ctrl: true, shift: false, alt: false };

    #[test]
    fn two_fingers_zoom_by_their_distance_and_move_with_their_middle() {
        let mut fingers = Fingers::default();
        assert!(!fingers.down(1, Point { x: 100.0, y: 50.0 }));
        assert_eq!(fingers.move_to(1, Point { x: 110.0, y: 50.0 }), None);
        assert!(fingers.down(2, Point { x: 210.0, y: 50.0 }) && fingers.is_pinching());
        let pinch = fingers.move_to(2, Point { x: 230.0, y: 50.0 }).unwrap();
        assert_eq!((pinch.at, pinch.moves), (Point { x: 170.0, y: 50.0 }, (-10.0, 0.0)));
        let Some(Turn::Zoom(factor)) = turn(0.0, pinch.zooms, CTRL, false) else { panic!("it zooms") };
        assert!((factor - 100.0 / 120.0).abs() < 1e-9, "{factor}");
    }

    #[test]
    fn two_fingers_move_what_a_plain_wheel_would_zoom() {
        let pinch = |moves| Pinch { at: Point::default(), moves, zooms: 0.0 };
        for zooms in [false, true] {
            let meant = |moves| pinch(moves).turns().map(|((dx, dy), keys)| turn(dx, dy, keys, zooms));
            assert_eq!(meant((-10.0, 4.0)), [Some(Turn::Pan(10.0, -4.0)), None]);
            assert_eq!(meant((-10.0, 0.0)), [Some(Turn::Pan(10.0, 0.0)), None]);
            assert_eq!(meant((0.0, 4.0)), [Some(Turn::Pan(-f64::MIN_POSITIVE, -4.0)), None]);
            assert_eq!(meant((0.0, 0.0)), [None, None]);
        }
    }

    #[test]
    fn the_finger_that_stays_does_not_drag() {
        let mut fingers = Fingers::default();
        fingers.down(1, Point::default());
        fingers.down(2, Point { x: 80.0, y: 0.0 });
        fingers.up(2);
        assert!(fingers.is_pinching());
        assert_eq!(fingers.move_to(1, Point { x: 9.0, y: 9.0 }), None);
        fingers.up(1);
        assert!(!fingers.is_pinching() && !fingers.down(3, Point::default()));
    }
}
