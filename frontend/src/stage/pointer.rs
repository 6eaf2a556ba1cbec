//! Pointer positions on a canvas, and the threshold between click and drag.

/// Movement beyond which a press becomes a drag.
const SLACK_CSS_PX: f64 = 4.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    /// True if the pointer has moved so far that a press is a drag.
    pub fn is_left_for(self, at: Self) -> bool {
        (at.x - self.x).hypot(at.y - self.y) >= SLACK_CSS_PX
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub shift: bool,
    /// Ctrl, or Command on a Mac.
    pub ctrl: bool,
    pub alt: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hand {
    Press,
    Move,
    Release,
    Cancel,
    #[default]
    Leave,
    DoubleClick,
    /// A turn of the wheel, in CSS pixels to the right and down.
    Wheel(f64, f64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    pub hand: Hand,
    pub at: Point,
    pub modifiers: Modifiers,
    pub is_pressed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_trembles_does_not_drag() {
        let from = Point { x: 100.0, y: 200.0 };
        assert!(!from.is_left_for(Point { x: 102.0, y: 203.0 }));
        assert!(from.is_left_for(Point { x: 103.0, y: 203.0 }));
    }
}
