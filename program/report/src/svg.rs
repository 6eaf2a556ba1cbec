//! Pictures for wikis: plain SVG without scripts and styles, which every wiki and every content security policy takes. A picture has
//! a ground of its own: who shows it may be dark.

use std::fmt::Write as _;

use syclscope_text::{escaped, printable};

/// Width of every picture.
pub(crate) const WIDTH: f64 = 860.0;
/// Around everything.
pub(crate) const MARGIN: f64 = 16.0;

const GROUND: &str = "#ffffff";
/// Of words.
pub(crate) const TEXT: &str = "#191d24";
/// Of words that say less.
pub(crate) const QUIET: &str = "#5a6473";

/// Longest title that a screen reader reads.
const TITLE_COLUMNS: usize = 200;

/// Writes words from a point on, in a colour and size.
pub(crate) fn text(body: &mut String, (x, y): (f64, f64), (fill, size): (&str, u32), said: &str) {
    // Infallible, here and below: a String takes all.
    let _ = writeln!(
        body,
        r#"<text x="{x:.1}" y="{y:.1}" fill="{fill}" font-size="{size}">{}</text>"#,
        escaped(said)
    );
}

/// Draws a filled rectangle.
pub(crate) fn rect(body: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
    let _ = writeln!(
        body,
        r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
    );
}

/// The whole picture, `height` high.
pub(crate) fn framed(title: &str, body: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, Roboto, DejaVu Sans, sans-serif\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" rx=\"6\" fill=\"{GROUND}\"/>\n{body}</svg>\n",
        escaped(&printable(title, TITLE_COLUMNS))
    )
}
