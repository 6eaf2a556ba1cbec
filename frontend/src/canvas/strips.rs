//! Rows of pixels in place of narrow adjacent rectangles, to be stretched to their height. A browser paints a picture
//! far faster than thousands of rectangles.

use std::ops::Range;

use crate::canvas::draw_list::{Colour, Rect};

/// Maximum width of a narrow rectangle; wider ones are painted one by one.
const NARROW_DEVICE_PX: f64 = 16.0;
/// Number of narrow rectangles from which on a picture is faster.
const MIN_RECTS: usize = 24;
/// Maximum distance between a rectangle's edge and a device pixel's.
const TOLERANCE_DEVICE_PX: f64 = 0.01;
const MAX_STRIPS: usize = 2_000;

/// A row of pixels and its position in device pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    pub rows: Range<i32>,
    pub columns: Range<i32>,
}

#[derive(Debug, Default)]
pub struct Strips {
    width: i32,
    device_pixel_ratio: f64,
    pub strips: Vec<Strip>,
    pub pixels: Vec<u8>,
}

impl Strips {
    pub fn begin(&mut self, width_device_px: u32, device_pixel_ratio: f64) {
        (self.width, self.device_pixel_ratio) = (width_device_px.min(1 << 20) as i32, device_pixel_ratio);
        self.strips.clear();
        self.pixels.clear();
    }

    pub fn width_device_px(&self) -> u32 {
        self.width.unsigned_abs()
    }

    /// Returns the columns of device pixels that a narrow rectangle fills; `None` for any other.
    pub fn columns(&self, colour: Colour, rect: &Rect) -> Option<Range<i32>> {
        let ratio = self.device_pixel_ratio;
        let (left, right) = (rect.x * ratio, (rect.x + rect.w) * ratio);
        let (from, to) = (left.round(), right.round());
        let is_exact = (left - from).abs() < TOLERANCE_DEVICE_PX && (right - to).abs() < TOLERANCE_DEVICE_PX;
        let is_narrow = to > from && to - from <= NARROW_DEVICE_PX;
        (is_exact && is_narrow && colour.alpha == 255).then_some(from as i32..to as i32)
    }

    /// Adds the narrow rectangles of a mosaic and returns their strips; `None` if there are too few.
    pub fn take(&mut self, groups: &[(Colour, Vec<Rect>)]) -> Option<Range<usize>> {
        if groups.iter().map(|(_, rects)| rects.len()).sum::<usize>() < MIN_RECTS {
            return None;
        }
        let first = self.strips.len();
        let mut rows: Vec<(f64, f64)> = Vec::new();
        let mut last = 0;
        for (colour, rects) in groups {
            let [red, green, blue] = colour.rgb;
            for rect in rects {
                let Some(columns) = self.columns(*colour, rect) else { continue };
                if rows.get(last) != Some(&(rect.y, rect.h)) {
                    last = rows.iter().position(|place| *place == (rect.y, rect.h)).unwrap_or(rows.len());
                    if last == rows.len() {
                        if self.strips.len() >= MAX_STRIPS {
                            self.forget(first);
                            return None;
                        }
                        rows.push((rect.y, rect.h));
                        self.push(rect);
                    }
                }
                let (from, to) = (columns.start.clamp(0, self.width), columns.end.clamp(0, self.width));
                if from < to {
                    let at = (first + last) * self.width as usize;
                    let pixels = &mut self.pixels[(at + from as usize) * 4..(at + to as usize) * 4];
                    for pixel in pixels.chunks_exact_mut(4) {
                        pixel.copy_from_slice(&[red, green, blue, 255]);
                    }
                    let painted = &mut self.strips[first + last].columns;
                    *painted = painted.start.min(from)..painted.end.max(to);
                }
            }
        }
        Some(first..self.strips.len())
    }

    fn push(&mut self, rect: &Rect) {
        let row = |y: f64| (y * self.device_pixel_ratio).round() as i32;
        let (top, bottom) = (row(rect.y), row(rect.y + rect.h));
        self.strips.push(Strip { rows: top..bottom.max(top + 1), columns: self.width..0 });
        self.pixels.resize(self.strips.len() * self.width as usize * 4, 0);
    }

    fn forget(&mut self, first: usize) {
        self.strips.truncate(first);
        self.pixels.truncate(first * self.width as usize * 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Colour = Colour::rgb(255, 0, 0);
    const BLUE: Colour = Colour::rgb(0, 0, 255);

    fn rect(x: f64, y: f64, w: f64) -> Rect {
        Rect { x, y, w, h: 8.0 }
    }

    fn strips(ratio: f64) -> Strips {
        let mut strips = Strips::default();
        strips.begin(100, ratio);
        strips
    }

    fn pixel(strips: &Strips, strip: usize, column: usize) -> &[u8] {
        &strips.pixels[(strip * 100 + column) * 4..][..4]
    }

    #[test]
    fn narrow_rectangles_become_rows_of_pixels() {
        let reds = (0..30).map(|number| rect(f64::from(number) * 3.0, 10.0, 2.0)).collect();
        let blues = vec![rect(2.0, 10.0, 1.0), rect(-3.0, 20.0, 5.0), rect(40.0, 20.0, 50.0)];
        let groups = [(RED, reds), (BLUE, blues)];
        let mut strips = strips(1.0);
        assert_eq!(strips.take(&groups), Some(0..2));
        assert_eq!(strips.strips[0], Strip { rows: 10..18, columns: 0..89 });
        assert_eq!(strips.strips[1], Strip { rows: 20..28, columns: 0..2 });
        let colours: Vec<&[u8]> = (0..6).map(|column| pixel(&strips, 0, column)).collect();
        let (red, blue, none) = (&[255, 0, 0, 255][..], &[0, 0, 255, 255][..], &[0; 4][..]);
        assert_eq!(colours, [red, red, blue, red, red, none]);
        assert_eq!((pixel(&strips, 1, 1), pixel(&strips, 1, 2), pixel(&strips, 1, 60)), (blue, none, none));
        // The other mosaic's strips are below.
        assert_eq!(strips.take(&groups), Some(2..4));
        strips.begin(100, 1.0);
        assert!(strips.strips.is_empty() && strips.pixels.is_empty());
    }

    #[test]
    fn what_is_wide_or_no_pixel_or_not_opaque_is_no_part_of_a_strip() {
        let strips = strips(2.0);
        assert_eq!(strips.columns(RED, &rect(1.5, 0.0, 1.0)), Some(3..5));
        for (colour, rect) in [
            (RED, rect(0.0, 0.0, 20.0)),
            (RED, rect(0.3, 0.0, 1.0)),
            (RED, rect(0.0, 0.0, 1.2)),
            (RED.with_alpha(0.5), rect(0.0, 0.0, 1.0)),
        ] {
            assert_eq!(strips.columns(colour, &rect), None, "{rect:?}");
        }
    }

    #[test]
    fn few_rectangles_are_left_alone_and_there_is_an_end_to_strips() {
        let few = [(RED, vec![rect(0.0, 0.0, 1.0); MIN_RECTS - 1])];
        assert_eq!(strips(1.0).take(&few), None);
        let many = (0..MAX_STRIPS + 1).map(|number| rect(0.0, number as f64, 1.0)).collect();
        let mut strips = strips(1.0);
        assert_eq!(strips.take(&[(RED, many)]), None);
        assert!(strips.strips.is_empty() && strips.pixels.is_empty());
    }
}
