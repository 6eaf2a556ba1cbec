//! Where the user's hands are on a canvas, and when a press becomes a drag.

/// How far the pointer may move before a press becomes a drag.
const SLACK_CSS_PX: f64 = 4.0;

/// A point on a canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left, in CSS pixels.
    pub x: f64,
    /// From the top, in CSS pixels.
    pub y: f64,
}

impl Point {
    /// Whether the pointer has gone so far from here that a press is no click any more.
    pub fn is_left_for(self, at: Self) -> bool {
        (at.x - self.x).hypot(at.y - self.y) >= SLACK_CSS_PX
    }
}

/// Keys held during a pointer event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub shift: bool,
    /// Ctrl, or Command on a Mac.
    pub ctrl: bool,
    pub alt: bool,
}

/// What hands do on a canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hand {
    /// The main button goes down.
    Press,
    Move,
    /// The main button goes up.
    Release,
    /// The browser takes the pointer away.
    Cancel,
    /// The pointer leaves the canvas.
    #[default]
    Leave,
    DoubleClick,
    /// The wheel turns, in CSS pixels to the right and down.
    Wheel(f64, f64),
}

/// What hands do, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    pub hand: Hand,
    /// Where the pointer is.
    pub at: Point,
    /// Keys that are held.
    pub modifiers: Modifiers,
    /// Whether a button is held.
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
