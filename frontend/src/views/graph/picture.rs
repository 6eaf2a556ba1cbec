//! A picture of the exact view, to be saved: with a title and a legend.

use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::{path_colour, reason_colour};
use crate::state::words;
use crate::views::graph::draw::{Frame, Scene};
use crate::views::timeline::picture::{Picture, legend_lines, shortened};

const TITLE_CSS_PX: f64 = 34.0;
const LEGEND_LINE_CSS_PX: f64 = 20.0;
const MARGIN_CSS_PX: f64 = 10.0;

/// The picture of a frame; `title` is what it is called.
pub fn picture(scene: &Scene<'_>, frame: &Frame, title: &str) -> Picture {
    let (width_css_px, height) = (scene.camera.width_css_px, scene.camera.height_css_px);
    let lines = legend_lines(&legend(scene), width_css_px - 2.0 * MARGIN_CSS_PX);
    let height_css_px = TITLE_CSS_PX + height + lines.len() as f64 * LEGEND_LINE_CSS_PX + MARGIN_CSS_PX;
    let theme = scene.theme;
    let mut list = DrawList::default();
    list.fill(theme.ground, Rect { x: 0.0, y: 0.0, w: width_css_px, h: height_css_px });
    list.text(MARGIN_CSS_PX, TITLE_CSS_PX / 2.0, title, theme.text, Align::Left);
    list.push(Op::Clip(Rect { x: 0.0, y: TITLE_CSS_PX, w: width_css_px, h: height }));
    list.ops.extend(frame.list.ops.iter().map(|op| op.moved(0.0, TITLE_CSS_PX)));
    list.push(Op::Unclip);
    for (number, line) in lines.iter().enumerate() {
        let middle = TITLE_CSS_PX + height + MARGIN_CSS_PX + LEGEND_LINE_CSS_PX * number as f64;
        for (x, (colour, text)) in line {
            if let Some(colour) = colour {
                list.fill(*colour, Rect { x: *x, y: middle - 5.0, w: 10.0, h: 10.0 });
            }
            list.text(x + 15.0, middle, text.as_str(), theme.text, Align::Left);
        }
    }
    Picture { list, title: title.to_owned(), width_css_px, height_css_px }
}

/// What colours of nodes and of lines mean.
fn legend(scene: &Scene<'_>) -> Vec<(Option<Colour>, String)> {
    let scheme = scene.theme.scheme;
    let mut legend: Vec<_> =
        scene.colours.legend.iter().map(|(colour, words)| (*colour, shortened(words, 40))).collect();
    let reasons = scene.model.reasons.iter().filter(|(reason, _)| !scene.choice.without.contains(reason));
    legend.extend(reasons.map(|(reason, _)| {
        (Some(reason_colour(scheme, *reason)), format!("edge: {}", words::edge_reason(*reason)))
    }));
    if scene.marks.has_critical {
        legend.push((Some(path_colour(scheme)), "critical path".to_owned()));
    }
    legend
}
