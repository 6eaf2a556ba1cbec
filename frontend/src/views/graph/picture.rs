//! A picture of the current view, with a title and a legend.

use crate::canvas::palette::{path_colour, reason_colour};
use crate::stage::picture::{Entry, Picture, framed, shortened};
use crate::state::words;
use crate::views::graph::draw::{Frame, Scene};

pub fn picture(scene: &Scene<'_>, frame: &Frame, title: String) -> Picture {
    let place = (0.0, scene.camera.width_css_px, scene.camera.height_css_px);
    framed(&frame.list, place, scene.theme, title, &legend(scene))
}

fn legend(scene: &Scene<'_>) -> Vec<Entry> {
    let scheme = scene.theme.scheme;
    let mut legend: Vec<Entry> =
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
