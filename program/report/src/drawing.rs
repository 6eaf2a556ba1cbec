//! Shapes of a picture, which is written as SVG or PNG. A picture has a ground of its own, since a reader's may be dark.

use crate::{png, svg};

/// Width of every picture.
pub(crate) const WIDTH: f64 = 860.0;
/// Margin on each side.
pub(crate) const MARGIN: f64 = 16.0;

pub(crate) const GROUND: &str = "#ffffff";
/// Colour of words.
pub(crate) const TEXT: &str = "#191d24";
/// Colour of words that say less.
pub(crate) const QUIET: &str = "#5a6473";

/// A picture of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(crate) title: String,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

/// A part of a picture. Later ones are on top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Words from a point on, or up to it.
    Text { at: (f64, f64), fill: &'static str, size: u32, ends_there: bool, text: String },
    /// A filled rectangle by corner and size.
    Rect { at: (f64, f64), size: (f64, f64), fill: &'static str },
    /// Bars of one colour by lower left corner, with width and height.
    Bars { fill: &'static str, bars: Vec<[f64; 4]> },
    /// A line through points.
    Line { points: Vec<(f64, f64)>, stroke: &'static str, width: f64 },
}

/// Writes words from a point on, in a colour and size.
pub(crate) fn text(shapes: &mut Vec<Shape>, at: (f64, f64), (fill, size): (&'static str, u32), said: &str) {
    shapes.push(Shape::Text { at, fill, size, ends_there: false, text: said.to_owned() });
}

/// Draws a filled rectangle.
pub(crate) fn rect(shapes: &mut Vec<Shape>, at: (f64, f64), size: (f64, f64), fill: &'static str) {
    shapes.push(Shape::Rect { at, size, fill });
}

impl Picture {
    /// Returns a sentence about the picture.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the picture as SVG without scripts and styles, which every wiki and every content security policy takes.
    pub fn svg(&self) -> String {
        svg::written(self)
    }

    pub fn png(&self) -> Vec<u8> {
        png::written(self)
    }
}
