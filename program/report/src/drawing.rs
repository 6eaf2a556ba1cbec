//! Shapes of a picture, which is written as SVG or PNG. A picture has its own background, since the reader's
//! may be dark.

use crate::{png, svg};

pub(crate) const WIDTH: f64 = 860.0;
pub(crate) const MARGIN: f64 = 16.0;

pub(crate) const GROUND: &str = "#ffffff";
pub(crate) const TEXT: &str = "#191d24";
/// Colour of secondary text.
pub(crate) const QUIET: &str = "#5a6473";

#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(crate) title: String,
    pub(crate) height: f64,
    /// Area of the activity over time: left, top, width and height. `#activity` after the picture's address shows it
    /// alone, stretched to the size of the image, so that a small image is readable.
    pub(crate) activity: Option<[f64; 4]>,
    pub(crate) shapes: Vec<Shape>,
}

/// A shape of a picture. Later shapes are drawn on top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Text that begins at a point, or ends there.
    Text {
        at: (f64, f64),
        fill: &'static str,
        size: u32,
        ends_there: bool,
        text: String,
    },
    /// A rectangle by corner and size.
    Rect {
        at: (f64, f64),
        size: (f64, f64),
        fill: &'static str,
    },
    /// Bars by lower left corner, width and height.
    Bars {
        fill: &'static str,
        bars: Vec<[f64; 4]>,
    },
    Line {
        points: Vec<(f64, f64)>,
        stroke: &'static str,
        width: f64,
    },
}

pub(crate) fn text(
    shapes: &mut Vec<Shape>,
    at: (f64, f64),
    (fill, size): (&'static str, u32),
    content: &str,
) {
    shapes.push(Shape::Text { at, fill, size, ends_there: false, text: content.to_owned() });
}

pub(crate) fn rect(shapes: &mut Vec<Shape>, at: (f64, f64), size: (f64, f64), fill: &'static str) {
    shapes.push(Shape::Rect { at, size, fill });
}

impl Picture {
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the picture as SVG without scripts and styles, which every wiki and content security policy
    /// accepts.
    pub fn svg(&self) -> String {
        svg::encode(self)
    }

    pub fn png(&self) -> Vec<u8> {
        png::encode(self)
    }
}
