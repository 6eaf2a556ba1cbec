//! Interpretation of wheel events, the same for all canvases.

use crate::stage::pointer::Modifiers;

const ZOOM_PER_CSS_PX: f64 = 0.0025;
/// Zoom per CSS pixel of a touchpad's pinch, which arrives as a wheel with small steps.
pub const PINCH_PER_CSS_PX: f64 = 0.010;
/// Maximum step of a pinch. Its steps have a few pixels; a notch of a wheel has about 100.
const MAX_PINCH_CSS_PX: f64 = 40.0;
/// Logarithm of the largest zoom of one event, because some wheels report very large steps.
const MAX_ZOOM: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// Move the content by this much, in CSS pixels to the right and down.
    Pan(f64, f64),
    /// Factor of the visible range.
    Zoom(f64),
}

/// Interprets a turn in CSS pixels. Ctrl zooms, as does a plain turn if `zooms` is set. Shift moves sideways.
pub fn turn(dx_css_px: f64, dy_css_px: f64, modifiers: Modifiers, zooms: bool) -> Option<Turn> {
    if modifiers.ctrl || (zooms && !modifiers.shift) {
        let is_pinch = dy_css_px.abs() < MAX_PINCH_CSS_PX;
        let per_css_px = if is_pinch { PINCH_PER_CSS_PX } else { ZOOM_PER_CSS_PX };
        let factor = (dy_css_px * per_css_px).clamp(-MAX_ZOOM, MAX_ZOOM).exp();
        return (dy_css_px != 0.0).then_some(Turn::Zoom(factor));
    }
    let is_sideways = modifiers.shift && dx_css_px == 0.0;
    let (dx, dy) = if is_sideways { (dy_css_px, 0.0) } else { (dx_css_px, dy_css_px) };
    (dx != 0.0 || dy != 0.0).then_some(Turn::Pan(-dx, -dy))
}

/// Restricts a movement to its main axis, because a swipe along one axis has some noise on the other.
pub fn along_one_axis(dx: f64, dy: f64) -> (f64, f64) {
    if dx.abs() > 2.0 * dy.abs() {
        (dx, 0.0)
    } else if dy.abs() > 2.0 * dx.abs() {
        (0.0, dy)
    } else {
        (dx, dy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Modifiers = Modifiers { shift: false, ctrl: false, alt: false };
    const CTRL: Modifiers = Modifiers { ctrl: true, ..PLAIN };
    const SHIFT: Modifiers = Modifiers { shift: true, ..PLAIN };

    fn zoom(dy: f64, modifiers: Modifiers, zooms: bool) -> f64 {
        match turn(0.0, dy, modifiers, zooms) {
            Some(Turn::Zoom(factor)) => factor,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ctrl_zooms_and_back_is_where_it_was() {
        assert!(zoom(-100.0, CTRL, false) < 1.0 && zoom(100.0, PLAIN, true) > 1.0);
        assert!((zoom(-100.0, CTRL, false) * zoom(100.0, CTRL, false) - 1.0).abs() < 1e-12);
        assert!(zoom(20.0, CTRL, false) > zoom(40.0, CTRL, false), "a pinch has small steps");
        assert_eq!(zoom(9_000.0, CTRL, false), MAX_ZOOM.exp());
        assert_eq!(turn(0.0, 0.0, CTRL, false), None);
    }

    #[test]
    fn shift_turns_sideways() {
        assert_eq!(turn(0.0, 100.0, PLAIN, false), Some(Turn::Pan(0.0, -100.0)));
        assert_eq!(turn(0.0, 100.0, SHIFT, true), Some(Turn::Pan(-100.0, 0.0)));
        assert_eq!(turn(0.0, 0.0, PLAIN, false), None);
    }

    #[test]
    fn a_swipe_keeps_to_its_axis() {
        assert_eq!(along_one_axis(50.0, 8.0), (50.0, 0.0));
        assert_eq!(along_one_axis(-8.0, 50.0), (0.0, 50.0));
        assert_eq!(along_one_axis(30.0, -20.0), (30.0, -20.0));
    }
}
