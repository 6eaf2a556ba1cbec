//! Painting of the memory view: pure functions of answers, viewport and theme. Chart and map have the same frame: names
//! to the left, the time ruler on top, and lines at the inspected moments.

mod addresses;
pub mod blocks;
pub mod chart;
pub mod lane;
pub mod map;

use crate::canvas::draw_list::{Align, DrawList, Op, Rect};
use crate::canvas::palette::Theme;
use crate::canvas::scale::{Size, TimeScale, grid_step_ns};
use crate::format;
use crate::stage::picture::shortened;
use crate::state::viewport::Viewport;
use crate::views::memory::state::Moments;

/// Width of the addresses and names at the left.
pub const GUTTER_CSS_PX: f64 = 118.0;
/// Width of the gutter of a narrow canvas, which has space for the last digits of addresses only.
pub const NARROW_GUTTER_CSS_PX: f64 = 84.0;
/// Width of the chart's values.
pub const VALUES_CSS_PX: f64 = 66.0;
/// Canvases below this width are narrow.
const NARROW_CSS_PX: f64 = 600.0;
pub const RULER_CSS_PX: f64 = 24.0;
/// Approximate width of a letter.
pub const LETTER_CSS_PX: f64 = 6.4;
/// Minimum distance of labels on the ruler.
const MIN_STEP_CSS_PX: f64 = 110.0;
const MIN_NARROW_STEP_CSS_PX: f64 = 70.0;
/// Maximum distance from a line to grab it.
const REACH_CSS_PX: f64 = 5.0;

#[derive(Clone, Copy)]
pub struct Room<'a> {
    pub gutter_css_px: f64,
    pub width_css_px: f64,
    pub height_css_px: f64,
    pub device_pixel_ratio: f64,
    pub theme: &'a Theme,
    pub viewport: &'a Viewport,
    pub duration_ns: u64,
}

impl<'a> Room<'a> {
    pub fn new(size: &Size, theme: &'a Theme, viewport: &'a Viewport, duration_ns: u64) -> Self {
        let is_narrow = size.width_css_px < NARROW_CSS_PX;
        Self {
            gutter_css_px: if is_narrow { NARROW_GUTTER_CSS_PX } else { GUTTER_CSS_PX },
            width_css_px: size.width_css_px,
            height_css_px: size.height_css_px,
            device_pixel_ratio: size.device_pixel_ratio.max(0.1),
            theme,
            viewport,
            duration_ns,
        }
    }

    /// Returns the area of the content, right of the gutter and below the ruler.
    pub fn plot(&self) -> Rect {
        Rect {
            x: self.gutter_css_px,
            y: RULER_CSS_PX,
            w: (self.width_css_px - self.gutter_css_px).max(1.0),
            h: (self.height_css_px - RULER_CSS_PX).max(1.0),
        }
    }

    pub fn scale(&self) -> TimeScale {
        let plot = self.plot();
        TimeScale::new(self.viewport.start_ns(), self.viewport.span_ns(), plot.x, plot.w)
    }

    fn canvas(&self) -> Rect {
        Rect { x: 0.0, y: 0.0, w: self.width_css_px, h: self.height_css_px }
    }

    fn hair_css_px(&self) -> f64 {
        1.0 / self.device_pixel_ratio
    }

    fn snapped(&self, css_px: f64) -> f64 {
        (css_px * self.device_pixel_ratio).round() / self.device_pixel_ratio
    }
}

fn draw_ground(room: &Room<'_>, list: &mut DrawList) {
    let plot = room.plot();
    list.fill(room.theme.ground, room.canvas());
    for (x, _) in ticks(room) {
        list.fill(room.theme.grid, Rect { x, w: room.hair_css_px(), ..plot });
    }
}

fn draw_ruler(room: &Room<'_>, list: &mut DrawList) {
    let (theme, hair) = (room.theme, room.hair_css_px());
    list.fill(theme.group, Rect { h: RULER_CSS_PX, ..room.canvas() });
    let (middle, mut left) = (RULER_CSS_PX / 2.0 - 1.0, room.gutter_css_px);
    for (x, text) in ticks(room) {
        list.fill(theme.quiet, Rect { x, y: RULER_CSS_PX - 7.0, w: hair, h: 7.0 });
        let wide = text.chars().count() as f64 * LETTER_CSS_PX + 4.0;
        // The last label may have space only before its line.
        if x + wide <= room.width_css_px {
            list.text(x + 4.0, middle, text, theme.quiet, Align::Left);
            left = x + wide + 8.0;
        } else if x - wide >= left {
            list.text(x - 4.0, middle, text, theme.quiet, Align::Right);
        }
    }
    list.fill(theme.line, Rect { y: RULER_CSS_PX - hair, h: hair, ..room.canvas() });
    let end = room.scale().px_from_time(room.duration_ns as f64);
    let plot = room.plot();
    if end < plot.x + plot.w {
        list.fill(theme.quiet.with_alpha(0.6), Rect { x: room.snapped(end), w: hair, ..plot });
    }
    list.fill(theme.line, Rect { x: room.gutter_css_px - hair, y: 0.0, w: hair, h: room.height_css_px });
}

fn ticks(room: &Room<'_>) -> Vec<(f64, String)> {
    let (scale, plot) = (room.scale(), room.plot());
    let step_css_px = (plot.w / 4.0).clamp(MIN_NARROW_STEP_CSS_PX, MIN_STEP_CSS_PX);
    let step_ns = grid_step_ns(scale.ns_per_css_px * step_css_px);
    let first = (room.viewport.start_ns() / step_ns).ceil() as i64;
    let last = (room.viewport.end_ns() / step_ns).floor() as i64;
    let tick = |index: i64| {
        let at_ns = index as f64 * step_ns;
        let x = room.snapped(scale.px_from_time(at_ns));
        (x < plot.x + plot.w).then(|| (x, format::time_on_grid(at_ns, step_ns)))
    };
    (first..=last).filter_map(tick).collect()
}

fn draw_moments(room: &Room<'_>, moments: Option<Moments>, list: &mut DrawList) {
    let Some(Moments { at_ns, to_ns }) = moments else { return };
    let (plot, scale) = (room.plot(), room.scale());
    let step_ns = room.viewport.span_ns() / 1_000.0;
    for (at_ns, colour) in [(Some(at_ns), room.theme.accent), (to_ns, room.theme.edge)] {
        let Some(at_ns) = at_ns else { continue };
        let x = room.snapped(scale.px_from_time(at_ns as f64));
        if x < plot.x - 1.0 || x > plot.x + plot.w {
            continue;
        }
        list.fill(colour, Rect { x: x - 0.75, w: 1.5, ..plot });
        let text = format::time_on_grid(at_ns as f64, step_ns);
        let w = text.chars().count() as f64 * LETTER_CSS_PX + 10.0;
        let left = (x - w / 2.0).clamp(plot.x, (plot.x + plot.w - w).max(plot.x));
        list.fill(colour, Rect { x: left, y: 3.0, w, h: RULER_CSS_PX - 6.0 });
        list.text(left + w / 2.0, RULER_CSS_PX / 2.0, text, room.theme.ground, Align::Centre);
    }
}

fn draw_band(room: &Room<'_>, band: Option<Rect>, list: &mut DrawList) {
    if let Some(band) = band {
        let band = band.intersection(&room.plot());
        list.fill(room.theme.accent.with_alpha(0.12), band);
        list.push(Op::Outline(room.theme.accent.with_alpha(0.7), 1.0, band));
    }
}

/// Returns the moment whose line is at a position: false for the first, true for the second.
pub fn moment_at(room: &Room<'_>, moments: Option<Moments>, x_css_px: f64) -> Option<bool> {
    let Moments { at_ns, to_ns } = moments?;
    let is_near = |at_ns: u64| (room.scale().px_from_time(at_ns as f64) - x_css_px).abs() <= REACH_CSS_PX;
    if to_ns.is_some_and(is_near) {
        return Some(true);
    }
    is_near(at_ns).then_some(false)
}

/// Returns the part of a text that fits, if long enough to be useful.
pub fn fitting(text: &str, room_css_px: f64) -> Option<String> {
    let letters = (room_css_px / LETTER_CSS_PX).max(0.0) as usize;
    (letters >= 4 || text.chars().count() <= letters).then(|| shortened(text, letters))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::canvas::draw_list::Text;

    pub(crate) fn room<'a>(viewport: &'a Viewport, theme: &'a Theme) -> Room<'a> {
        Room {
            gutter_css_px: GUTTER_CSS_PX,
            width_css_px: GUTTER_CSS_PX + 1_000.0,
            height_css_px: RULER_CSS_PX + 400.0,
            device_pixel_ratio: 1.0,
            theme,
            viewport,
            duration_ns: 1_000_000,
        }
    }

    #[test]
    fn every_line_of_a_narrow_ruler_has_its_time() {
        let theme = Theme::default();
        let viewport = Viewport::whole(1_000_000).with_range(252_329.0, 306_000.0);
        for width_css_px in [390.0, 430.0, 600.0] {
            let room = Room { width_css_px, ..room(&viewport, &theme) };
            let mut list = DrawList::default();
            draw_ruler(&room, &mut list);
            let labels = texts(&list).len();
            assert!(labels >= 2 && labels == ticks(&room).len(), "{width_css_px}: {:?}", texts(&list));
        }
    }

    pub(crate) fn texts(list: &DrawList) -> Vec<&str> {
        let texts = list.ops.iter().filter_map(|op| match op {
            Op::Text(Text { text, .. }) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn the_ruler_and_the_moments_tell_the_time() {
        let (viewport, theme) = (Viewport::whole(1_000_000), Theme::default());
        let room = room(&viewport, &theme);
        let mut list = DrawList::default();
        draw_ruler(&room, &mut list);
        assert_eq!(texts(&list), ["0", "200 µs", "400 µs", "600 µs", "800 µs", "1.0 ms"]);
        let moments = Some(Moments { at_ns: 505_000, to_ns: Some(202_000) });
        let mut list = DrawList::default();
        draw_moments(&room, moments, &mut list);
        assert_eq!(texts(&list), ["505 µs", "202 µs"]);
        assert_eq!(moment_at(&room, moments, GUTTER_CSS_PX + 500.0), Some(false));
        assert_eq!(moment_at(&room, moments, GUTTER_CSS_PX + 203.0), Some(true));
        assert_eq!(moment_at(&room, moments, GUTTER_CSS_PX + 300.0), None);
    }

    #[test]
    fn texts_are_cut_or_left_out() {
        assert_eq!(fitting("4 MiB", 40.0).as_deref(), Some("4 MiB"));
        assert_eq!(fitting("heat.cpp:120", 40.0).as_deref(), Some("heat.…"));
        assert_eq!(fitting("heat.cpp:120", 20.0), None);
    }
}
