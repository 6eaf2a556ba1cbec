//! The visible part of a drawing, and its changes.

use crate::canvas::draw_list::Rect;
use crate::views::graph::state::CameraPlace;

/// Minimum and maximum pixels per unit.
const SCALES: (f64, f64) = (0.001, 4.0);
/// Maximum scale when fitting a drawing.
const MAX_FIT_SCALE: f64 = 1.15;
/// Minimum scale of a new drawing, relative to the usual text size: cards show times and devices.
const MIN_OPENING_SCALE: f64 = 0.8;
/// Minimum scale of a new drawing whose sides would be cut off at `MIN_OPENING_SCALE`: cards show names.
const MIN_NAMES_SCALE: f64 = 0.55;
const MARGIN_CSS_PX: f64 = 28.0;
/// Width of the column with legend and overview, which would otherwise cover nodes.
pub const COLUMN_CSS_PX: f64 = 214.0;
/// Minimum width of a canvas with the column.
const MIN_WIDTH_WITH_COLUMN_CSS_PX: f64 = 800.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Drawing coordinates of the viewport's centre, and the scale.
    pub place: CameraPlace,
    pub width_css_px: f64,
    pub height_css_px: f64,
    /// Width of the column to the right of the viewport.
    pub column_css_px: f64,
}

impl Camera {
    pub fn new(width_css_px: f64, height_css_px: f64) -> Self {
        let place = CameraPlace { x: 0.0, y: 0.0, scale: 1.0 };
        Self { place, width_css_px, height_css_px, column_css_px: 0.0 }
    }

    #[must_use]
    pub fn sized(self, width_css_px: f64, height_css_px: f64) -> Self {
        let column_css_px = if width_css_px < MIN_WIDTH_WITH_COLUMN_CSS_PX { 0.0 } else { COLUMN_CSS_PX };
        Self { width_css_px: width_css_px - column_css_px, height_css_px, column_css_px, ..self }
    }

    pub fn area(&self) -> Rect {
        Rect { x: 0.0, y: 0.0, w: self.width_css_px, h: self.height_css_px }
    }

    pub fn scale(&self) -> f64 {
        self.place.scale
    }

    pub fn to_screen(&self, x: f64, y: f64) -> (f64, f64) {
        let CameraPlace { x: middle_x, y: middle_y, scale } = self.place;
        ((x - middle_x) * scale + self.width_css_px / 2.0, (y - middle_y) * scale + self.height_css_px / 2.0)
    }

    pub fn rect_to_screen(&self, rect: &Rect) -> Rect {
        let (x, y) = self.to_screen(rect.x, rect.y);
        Rect { x, y, w: rect.w * self.scale(), h: rect.h * self.scale() }
    }

    pub fn to_drawing(&self, x_css_px: f64, y_css_px: f64) -> (f64, f64) {
        let CameraPlace { x, y, scale } = self.place;
        ((x_css_px - self.width_css_px / 2.0) / scale + x, (y_css_px - self.height_css_px / 2.0) / scale + y)
    }

    pub fn visible(&self) -> Rect {
        let (x, y) = self.to_drawing(0.0, 0.0);
        Rect { x, y, w: self.width_css_px / self.scale(), h: self.height_css_px / self.scale() }
    }

    #[must_use]
    pub fn panned(self, dx_css_px: f64, dy_css_px: f64) -> Self {
        let scale = self.scale();
        self.at(self.place.x - dx_css_px / scale, self.place.y - dy_css_px / scale)
    }

    #[must_use]
    pub fn at(self, x: f64, y: f64) -> Self {
        Self { place: CameraPlace { x, y, ..self.place }, ..self }
    }

    #[must_use]
    pub fn zoomed(self, factor: f64, x_css_px: f64, y_css_px: f64) -> Self {
        let (x, y) = self.to_drawing(x_css_px, y_css_px);
        let scale = (self.scale() * factor).clamp(SCALES.0, SCALES.1);
        let scaled = Self { place: CameraPlace { scale, ..self.place }, ..self };
        let (moved_x, moved_y) = scaled.to_drawing(x_css_px, y_css_px);
        scaled.at(self.place.x + x - moved_x, self.place.y + y - moved_y)
    }

    #[must_use]
    pub fn fitted(self, rect: &Rect) -> Self {
        let room = |css_px: f64| (css_px - 2.0 * MARGIN_CSS_PX).max(40.0);
        let scale = (room(self.width_css_px) / rect.w.max(1.0))
            .min(room(self.height_css_px) / rect.h.max(1.0))
            .min(MAX_FIT_SCALE)
            .clamp(SCALES.0, SCALES.1);
        let place = CameraPlace { x: rect.x + rect.w / 2.0, y: rect.y + rect.h / 2.0, scale };
        Self { place: place.rounded(), ..self }
    }

    /// Returns the initial camera of a drawing: the whole drawing if its text stays readable, else its top at a
    /// readable scale, with both sides if their names stay readable. The view starts at the left edge, or at the first
    /// node, whose left edge is at `first_x`, if that would be out of sight.
    #[must_use]
    pub fn opened(self, rect: &Rect, first_x: f64) -> Self {
        let fitted = self.fitted(rect);
        if fitted.scale() >= MIN_OPENING_SCALE {
            return fitted;
        }
        let wide = (self.width_css_px - 2.0 * MARGIN_CSS_PX) / rect.w;
        let scale = if wide < MIN_NAMES_SCALE { MIN_OPENING_SCALE } else { wide.min(MIN_OPENING_SCALE) };
        let half = (self.width_css_px / 2.0 - MARGIN_CSS_PX) / scale;
        let x = if rect.w <= 2.0 * half + 1.0 {
            fitted.place.x
        } else {
            let is_in_sight = first_x + half / 2.0 < rect.x + 2.0 * half;
            let left = if is_in_sight { rect.x } else { first_x };
            (left + half).min(rect.x + rect.w - half)
        };
        let room = (self.height_css_px / 2.0 - MARGIN_CSS_PX) / scale;
        // A drawing whose height fits stays centred.
        let y = if rect.h < 2.0 * room { fitted.place.y } else { rect.y + room };
        let place = CameraPlace { x, y, scale };
        Self { place: place.rounded(), ..self }
    }

    /// Returns the camera moved just far enough to show a rectangle, and zoomed in if the rectangle would be
    /// unreadable.
    #[must_use]
    pub fn revealing(self, rect: &Rect, min_scale: f64) -> Self {
        if self.scale() < min_scale {
            let scaled = Self { place: CameraPlace { scale: min_scale, ..self.place }, ..self };
            return scaled.at(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
        }
        let margin = MARGIN_CSS_PX * 1.5 / self.scale();
        let sight = self.visible();
        let shift = |from: f64, length: f64, low: f64, room: f64| {
            if length + 2.0 * margin >= room {
                from + length / 2.0 - low - room / 2.0
            } else if from - margin < low {
                from - margin - low
            } else if from + length + margin > low + room {
                from + length + margin - low - room
            } else {
                0.0
            }
        };
        let (dx, dy) = (shift(rect.x, rect.w, sight.x, sight.w), shift(rect.y, rect.h, sight.y, sight.h));
        self.at(self.place.x + dx, self.place.y + dy)
    }

    /// Interpolates to another camera of the same viewport; `progress` from 0 to 1.
    #[must_use]
    pub fn toward(&self, to: &Self, progress: f64) -> Self {
        let eased = 1.0 - (1.0 - progress).powi(3);
        let mix = |from: f64, to: f64| from + (to - from) * eased;
        let scale = self.scale() * (to.scale() / self.scale()).powf(eased);
        Self {
            place: CameraPlace { x: mix(self.place.x, to.place.x), y: mix(self.place.y, to.place.y), scale },
            ..*to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            place: CameraPlace { x: 100.0, y: 50.0, scale: 2.0 },
            width_css_px: 800.0,
            height_css_px: 600.0,
            column_css_px: 0.0,
        }
    }

    #[test]
    fn legend_and_overview_have_a_column_where_there_is_room() {
        let wide = camera().sized(1_000.0, 500.0);
        assert_eq!((wide.width_css_px, wide.column_css_px), (1_000.0 - COLUMN_CSS_PX, COLUMN_CSS_PX));
        let narrow = wide.sized(390.0, 500.0);
        assert_eq!((narrow.width_css_px, narrow.column_css_px), (390.0, 0.0));
        let whole = Rect { x: 0.0, y: 0.0, w: 3_000.0, h: 100.0 };
        let fitted = wide.fitted(&whole).rect_to_screen(&whole);
        assert!(fitted.x > 0.0 && fitted.x + fitted.w < wide.width_css_px, "{fitted:?}");
    }

    fn is_near(one: (f64, f64), other: (f64, f64)) -> bool {
        (one.0 - other.0).abs() < 1e-9 && (one.1 - other.1).abs() < 1e-9
    }

    #[test]
    fn places_go_to_the_screen_and_back() {
        let camera = camera();
        assert_eq!(camera.to_screen(100.0, 50.0), (400.0, 300.0));
        let (x, y) = camera.to_screen(13.0, -7.0);
        assert!(is_near(camera.to_drawing(x, y), (13.0, -7.0)));
        assert_eq!(camera.visible(), Rect { x: -100.0, y: -100.0, w: 400.0, h: 300.0 });
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let camera = camera();
        let before = camera.to_drawing(123.0, 456.0);
        assert!(is_near(camera.zoomed(1.7, 123.0, 456.0).to_drawing(123.0, 456.0), before));
        assert!(is_near(camera.zoomed(1e-9, 123.0, 456.0).to_drawing(123.0, 456.0), before));
        assert!(is_near(camera.panned(10.0, -20.0).to_drawing(133.0, 436.0), before));
    }

    #[test]
    fn all_of_a_drawing_fits() {
        let fitted = camera().fitted(&Rect { x: 0.0, y: 0.0, w: 10_000.0, h: 100.0 });
        let sight = fitted.visible();
        assert!(sight.x < 0.0 && sight.x + sight.w > 10_000.0);
        let small = camera().fitted(&Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 });
        assert_eq!(small.scale(), MAX_FIT_SCALE);
        assert_eq!(small.place, small.place.rounded());
    }

    #[test]
    fn a_drawing_opens_so_that_its_words_can_be_read() {
        let window = Camera { width_css_px: 800.0, height_css_px: 600.0, ..camera() };
        let whole = |w: f64, h: f64| Rect { x: 10.0, y: 20.0, w, h };
        for w in [900.0, 925.0] {
            assert_eq!(window.opened(&whole(w, 500.0), 400.0), window.fitted(&whole(w, 500.0)));
        }
        let huge = window.opened(&whole(9_000.0, 4_000.0), 3_000.0);
        assert_eq!(huge.scale(), MIN_OPENING_SCALE);
        assert!((huge.to_screen(3_000.0, 0.0).0 - MARGIN_CSS_PX).abs() < 2.0, "it opens at its first node");
        assert!((huge.to_screen(0.0, 20.0).1 - MARGIN_CSS_PX).abs() < 2.0);
        let at_the_edge = window.opened(&whole(9_000.0, 4_000.0), 12.0);
        assert!((at_the_edge.to_screen(10.0, 0.0).0 - MARGIN_CSS_PX).abs() < 2.0);
        let tall = window.opened(&whole(300.0, 1_200.0), 400.0);
        assert_eq!(tall.scale(), MIN_OPENING_SCALE);
        assert!((tall.to_screen(0.0, 20.0).1 - MARGIN_CSS_PX).abs() < 2.0, "it opens at its top");
        let wide = window.opened(&whole(1_500.0, 300.0), 400.0);
        assert_eq!(
            (wide.scale(), wide.place.y),
            (MIN_OPENING_SCALE, window.fitted(&whole(1_500.0, 300.0)).place.y)
        );
        assert!((wide.to_screen(10.0, 0.0).0 - MARGIN_CSS_PX).abs() < 2.0, "its first node is in sight");
        let both = window.opened(&whole(1_100.0, 4_000.0), 400.0);
        let (left, right) = (both.to_screen(10.0, 20.0), both.to_screen(1_110.0, 20.0));
        assert!(
            (left.0 - MARGIN_CSS_PX).abs() < 2.0 && (right.0 - 800.0 + MARGIN_CSS_PX).abs() < 2.0,
            "neither side is cut"
        );
        assert!(
            (left.1 - MARGIN_CSS_PX).abs() < 2.0 && both.scale() > MIN_NAMES_SCALE,
            "it opens at its top"
        );
    }

    #[test]
    fn a_node_is_brought_into_sight_and_no_further() {
        let camera = camera();
        let inside = Rect { x: 50.0, y: 40.0, w: 20.0, h: 10.0 };
        assert_eq!(camera.revealing(&inside, 0.5), camera);
        let right = Rect { x: 500.0, ..inside };
        let sight = camera.revealing(&right, 0.5).visible();
        assert_eq!(sight.y, camera.visible().y);
        assert!(sight.x + sight.w > 520.0 && sight.x < 500.0);
        assert_eq!(camera.revealing(&right, 3.0).place, CameraPlace { x: 510.0, y: 45.0, scale: 3.0 });
    }

    #[test]
    fn a_jump_begins_and_ends_where_it_should() {
        let to = camera().zoomed(3.0, 0.0, 0.0);
        assert_eq!(camera().toward(&to, 0.0).place, camera().place);
        let end = camera().toward(&to, 1.0).place;
        assert!(is_near((end.x, end.scale), (to.place.x, to.place.scale)));
    }
}
