//! Pictures as SVG.

use std::fmt::Write as _;

use syclscope_text::{escaped, printable};

use crate::drawing::{GROUND, Picture, Shape, WIDTH};

/// Maximum width of the title for screen readers.
const TITLE_COLUMNS: usize = 200;

pub(crate) fn encode(picture: &Picture) -> String {
    let mut body = String::new();
    for shape in &picture.shapes {
        add(&mut body, shape);
    }
    let height = picture.height;
    let view = picture.activity.map_or_else(String::new, |[x, y, width, height]| {
        format!("<view id=\"activity\" viewBox=\"{x} {y} {width} {height}\" preserveAspectRatio=\"none\"/>\n")
    });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, Roboto, DejaVu Sans, sans-serif\" role=\"img\">\n<title>{}</title>\n{view}\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"6\" fill=\"{GROUND}\"/>\n{body}</svg>\n",
        escaped(&printable(&picture.title, TITLE_COLUMNS))
    )
}

fn add(body: &mut String, shape: &Shape) {
    // Infallible: writes to a String don't fail.
    let _ = match shape {
        Shape::Text { at: (x, y), fill, size, ends_there, text } => {
            let anchor = if *ends_there { " text-anchor=\"end\"" } else { "" };
            let text = escaped(text);
            writeln!(
                body,
                r#"<text x="{x:.1}" y="{y:.1}" fill="{fill}" font-size="{size}"{anchor}>{text}</text>"#
            )
        }
        Shape::Rect { at: (x, y), size: (width, height), fill } => writeln!(
            body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        ),
        Shape::Bars { fill, bars } => {
            let bar = |[x, y, width, height]: &[f64; 4]| {
                format!("M{x:.1} {y:.1}v-{height:.1}h{width:.2}v{height:.1}z")
            };
            let path: String = bars.iter().map(bar).collect();
            writeln!(body, r#"<path fill="{fill}" d="{path}"/>"#)
        }
        Shape::Line { points, stroke, width } => match points.as_slice() {
            [(x1, y1), (x2, y2)] => writeln!(
                body,
                r#"<line x1="{x1:.1}" x2="{x2:.1}" y1="{y1:.1}" y2="{y2:.1}" stroke="{stroke}" stroke-width="{width}"/>"#
            ),
            points => {
                let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let points = points.join(" ");
                writeln!(
                    body,
                    r#"<polyline points="{points}" fill="none" stroke="{stroke}" stroke-width="{width}"/>"#
                )
            }
        },
    };
}
