//! A picture of a stage to be saved, with a title above and a legend below.

use syclscope_language::api::TraceInfo;

use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::Theme;
use crate::format;
use crate::state::viewport::Viewport;

pub const TITLE_CSS_PX: f64 = 34.0;
const LEGEND_LINE_CSS_PX: f64 = 20.0;
pub const MARGIN_CSS_PX: f64 = 10.0;
pub const LETTER_CSS_PX: f64 = 6.4;
/// Space in the legend for a colour before the text, and after the text.
const BEFORE_CSS_PX: f64 = 15.0;
const AFTER_CSS_PX: f64 = 18.0;

#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub list: DrawList,
    pub title: String,
    pub width_css_px: f64,
    pub height_css_px: f64,
}

/// Legend entry: an optional colour, and a text.
pub type Entry = (Option<Colour>, String);

/// Adds a title above a stage, and a legend below. The stage's size, in CSS pixels, includes the picture's margin to
/// the left.
pub fn framed(
    content: &DrawList,
    (left, width, height): (f64, f64, f64),
    theme: &Theme,
    title: String,
    legend: &[Entry],
) -> Picture {
    let width_css_px = left + width;
    let lines = legend_lines(legend, width_css_px - MARGIN_CSS_PX);
    let height_css_px = TITLE_CSS_PX + height + lines.len() as f64 * LEGEND_LINE_CSS_PX + MARGIN_CSS_PX;
    let mut list = DrawList::default();
    list.fill(theme.ground, Rect { x: 0.0, y: 0.0, w: width_css_px, h: height_css_px });
    list.text(MARGIN_CSS_PX, TITLE_CSS_PX / 2.0, title.as_str(), theme.text, Align::Left);
    list.push(Op::Clip(Rect { x: left, y: TITLE_CSS_PX, w: width, h: height }));
    list.ops.extend(content.ops.iter().map(|op| op.translated(left, TITLE_CSS_PX)));
    list.push(Op::Unclip);
    for (number, line) in lines.iter().enumerate() {
        let middle = TITLE_CSS_PX + height + MARGIN_CSS_PX + LEGEND_LINE_CSS_PX * number as f64;
        for (x, (colour, words)) in line {
            if let Some(colour) = colour {
                list.fill(*colour, Rect { x: *x, y: middle - 5.0, w: 10.0, h: 10.0 });
            }
            list.text(x + BEFORE_CSS_PX, middle, words.as_str(), theme.text, Align::Left);
        }
    }
    Picture { list, title, width_css_px, height_css_px }
}

/// Arranges entries in lines that end before this position, each with its left edge.
fn legend_lines(legend: &[Entry], end_css_px: f64) -> Vec<Vec<(f64, &Entry)>> {
    let mut lines: Vec<Vec<(f64, &Entry)>> = Vec::new();
    let mut x = f64::INFINITY;
    for entry in legend {
        let w = BEFORE_CSS_PX + entry.1.chars().count() as f64 * LETTER_CSS_PX + AFTER_CSS_PX;
        if x + w > end_css_px {
            lines.push(Vec::new());
            x = MARGIN_CSS_PX;
        }
        if let Some(line) = lines.last_mut() {
            line.push((x, entry));
        }
        x += w;
    }
    lines
}

pub fn span_title(name: &str, what: &str, viewport: &Viewport) -> String {
    let step_ns = viewport.span_ns() / 1_000.0;
    let [from, to] =
        [viewport.start_ns(), viewport.end_ns()].map(|at_ns| format::time_on_grid(at_ns, step_ns));
    format!("{name} · {what} from {from} to {to}")
}

pub fn trace_name(info: &TraceInfo) -> &str {
    if info.program.is_empty() { "trace" } else { &info.program }
}

pub fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some(_) => {
            let start: String = text.chars().take(max.saturating_sub(1)).collect();
            start.trim_end().to_owned() + "…"
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::svg::svg;

    #[test]
    fn a_picture_has_a_title_the_content_and_a_legend() {
        let red = Colour::rgb(255, 0, 0);
        let mut list = DrawList::default();
        list.fill(red, Rect { x: 5.0, y: 6.0, w: 7.0, h: 8.0 });
        let title = span_title("heat", "memory", &Viewport::whole(1_000_000));
        assert_eq!(title, "heat · memory from 0 to 1.010 ms");
        let legend =
            [(Some(red), "USM device".to_owned()), (Some(red), "x".repeat(20)), (None, "Buffers".to_owned())];
        let made = framed(&list, (100.0, 160.0, 100.0), &Theme::default(), title, &legend);
        assert_eq!((made.width_css_px, made.height_css_px), (260.0, 34.0 + 100.0 + 40.0 + 10.0));
        let text = svg(&made.list, made.width_css_px, made.height_css_px, &made.title);
        for expected in ["M105 40h7v8h-7z", ">USM device<", ">Buffers<", ">heat · memory from 0 to 1.010 ms<"]
        {
            assert!(text.contains(expected), "{expected}");
        }
    }

    #[test]
    fn a_long_legend_goes_on_below() {
        let entry = |length: usize| (None, "x".repeat(length));
        let legend = [entry(40), entry(40), entry(2)];
        let lines = legend_lines(&legend, 400.0);
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
        assert!(legend_lines(&[], 400.0).is_empty());
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
