//! A picture of chart or map, to be saved: with a title and a legend.

use super::LETTER_CSS_PX;
use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::Theme;
use crate::format;
use crate::state::viewport::Viewport;

/// Room for the title.
const TITLE_CSS_PX: f64 = 34.0;
/// Height of a line of the legend.
const LINE_CSS_PX: f64 = 20.0;
const MARGIN_CSS_PX: f64 = 10.0;

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub list: DrawList,
    /// What it is called.
    pub title: String,
    /// Width.
    pub width_css_px: f64,
    /// Height.
    pub height_css_px: f64,
}

/// Puts a title above what is on screen, and a legend below.
pub fn picture(
    list: &DrawList,
    (width_css_px, content_css_px): (f64, f64),
    theme: &Theme,
    title: String,
    legend: &[(Colour, String)],
) -> Picture {
    let places = places(legend, width_css_px);
    let lines = places.last().map_or(0.0, |(_, line)| line + 1.0);
    let height_css_px = TITLE_CSS_PX + content_css_px + lines * LINE_CSS_PX + MARGIN_CSS_PX;
    let mut picture = DrawList::default();
    picture.fill(theme.ground, Rect { x: 0.0, y: 0.0, w: width_css_px, h: height_css_px });
    picture.text(MARGIN_CSS_PX, TITLE_CSS_PX / 2.0, title.as_str(), theme.text, Align::Left);
    picture.push(Op::Clip(Rect { x: 0.0, y: TITLE_CSS_PX, w: width_css_px, h: content_css_px }));
    picture.ops.extend(list.ops.iter().map(|op| op.moved(0.0, TITLE_CSS_PX)));
    picture.push(Op::Unclip);
    for ((x, line), (colour, text)) in places.into_iter().zip(legend) {
        let middle = TITLE_CSS_PX + content_css_px + (line + 0.5) * LINE_CSS_PX + MARGIN_CSS_PX / 2.0;
        picture.fill(*colour, Rect { x, y: middle - 5.0, w: 10.0, h: 10.0 });
        picture.text(x + 15.0, middle, text.as_str(), theme.text, Align::Left);
    }
    Picture { list: picture, title, width_css_px, height_css_px }
}

/// What the shown time is called in a title.
pub fn span_title(name: &str, what: &str, viewport: &Viewport) -> String {
    let step_ns = viewport.span_ns() / 1_000.0;
    let [from, to] =
        [viewport.start_ns(), viewport.end_ns()].map(|at_ns| format::time_on_grid(at_ns, step_ns));
    format!("{name} · {what} from {from} to {to}")
}

/// Left edge and line of each entry of the legend.
fn places(legend: &[(Colour, String)], width_css_px: f64) -> Vec<(f64, f64)> {
    let (mut x, mut line) = (MARGIN_CSS_PX, 0.0);
    let place = |(_, text): &(Colour, String)| {
        let w = 33.0 + text.chars().count() as f64 * LETTER_CSS_PX;
        if x > MARGIN_CSS_PX && x + w > width_css_px {
            (x, line) = (MARGIN_CSS_PX, line + 1.0);
        }
        let at = (x, line);
        x += w;
        at
    };
    legend.iter().map(place).collect()
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
        let legend = [(red, "USM device".to_owned()), (red, "x".repeat(20)), (red, "Buffers".to_owned())];
        let made = picture(&list, (250.0, 100.0), &Theme::default(), title, &legend);
        assert_eq!((made.width_css_px, made.height_css_px), (250.0, 34.0 + 100.0 + 40.0 + 10.0));
        let text = svg(&made.list, made.width_css_px, made.height_css_px, &made.title);
        for expected in ["M5 40h7v8h-7z", ">USM device<", ">Buffers<", ">heat · memory from 0 to 1.010 ms<"]
        {
            assert!(text.contains(expected), "{expected}");
        }
    }
}
