//! A picture of the current view, with a title, the names of the tracks, the time axis and a legend.

use std::collections::{HashMap, HashSet};

use syclscope_language::event::Category;

use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::{slice_colour, touch_colour};
use crate::format;
use crate::stage::picture::{
    Entry, LETTER_CSS_PX, MARGIN_CSS_PX, Picture, TITLE_CSS_PX, framed, shortened, span_title,
};
use crate::state::objects::event;
use crate::views::timeline::draw::{Frame, Scene, TRACKS_TOP_CSS_PX};
use syclscope_language::sorting::Sorting as _;

const NAMES_CSS_PX: f64 = 230.0;
/// Maximum number of names in the legend; the number of the rest is shown.
const MAX_NAMES: usize = 14;

pub fn picture(scene: &Scene<'_>, frame: &Frame, name: &str) -> Picture {
    let title = span_title(name, &format::duration(scene.viewport.span_ns()), scene.viewport);
    let place = (NAMES_CSS_PX, scene.width_css_px, scene.height_css_px);
    let mut picture = framed(&frame.list, place, scene.theme, title, &legend(scene, frame));
    draw_names(scene, frame, &mut picture.list);
    let edge = Rect { x: NAMES_CSS_PX - 1.0, y: TITLE_CSS_PX, w: 1.0, h: scene.height_css_px };
    picture.list.fill(scene.theme.line, edge);
    picture
}

fn draw_names(scene: &Scene<'_>, frame: &Frame, list: &mut DrawList) {
    let names = |top: f64| Rect {
        x: 0.0,
        y: TITLE_CSS_PX + TRACKS_TOP_CSS_PX + top,
        w: NAMES_CSS_PX - 1.0,
        h: (scene.height_css_px - TRACKS_TOP_CSS_PX - top).max(0.0),
    };
    let pinned_css_px = scene.layout.pinned_css_px;
    for is_pinned in [false, true] {
        list.push(Op::Clip(names(if is_pinned { 0.0 } else { pinned_css_px })));
        let rows = frame.rows.iter().filter(|row| (row.place < scene.tree.pinned) == is_pinned);
        for row in rows {
            let track = &scene.tree.tracks[row.place];
            let y = TITLE_CSS_PX + row.y_css_px;
            let ground = if track.is_group() { scene.theme.group } else { scene.theme.ground };
            let band = Rect { x: 0.0, y, w: NAMES_CSS_PX, h: row.height_css_px };
            list.fill(ground, band);
            list.fill(scene.theme.line, Rect { y: y + row.height_css_px - 1.0, h: 1.0, ..band });
            let x = MARGIN_CSS_PX + 12.0 * track.depth.min(6) as f64;
            let max = ((NAMES_CSS_PX - x - 4.0) / LETTER_CSS_PX) as usize;
            let middle = y + row.height_css_px.min(28.0) / 2.0;
            list.text(x, middle, shortened(&track.name, max), scene.theme.text, Align::Left);
        }
        list.push(Op::Unclip);
    }
}

/// Returns the legend: kernels by name and other slices by category, most visible time first.
fn legend(scene: &Scene<'_>, frame: &Frame) -> Vec<Entry> {
    let mut totals: HashMap<(Colour, &str), f64> = HashMap::new();
    for slice in &frame.slices {
        let name = frame.names.get(slice.name).map_or("", String::as_str);
        let words = match slice.touch {
            Some(touch) => event(touch),
            None if slice.category == Category::Kernel => name,
            None => slice.category.as_str(),
        };
        let colour = match slice.touch {
            Some(touch) => touch_colour(scene.theme.scheme, touch),
            None => slice_colour(scene.theme.scheme, slice.category, name, scene.hues),
        };
        *totals.entry((colour, words)).or_default() += slice.total_ns as f64;
    }
    let mut entries: Vec<_> = totals.into_iter().collect();
    entries.arrange_by(|((_, one), a), ((_, other), b)| b.total_cmp(a).then_with(|| one.cmp(other)));
    // Shades of one category count as one colour: that with the most time.
    let mut named = HashSet::new();
    entries.retain(|((_, words), _)| named.insert(*words));
    let more = entries.len().saturating_sub(MAX_NAMES);
    let first = entries.into_iter().take(MAX_NAMES);
    let mut legend: Vec<Entry> =
        first.map(|((colour, words), _)| (Some(colour), scene.hues.names.fit(words, 40))).collect();
    if more > 0 {
        legend.push((None, format!("and {more} more")));
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::svg::svg;
    use crate::views::timeline::draw::tests::{info, stage};

    #[test]
    fn a_picture_has_title_names_axis_and_legend() {
        let mut stage = stage(&info());
        let frame = stage.draw();
        let picture = picture(&stage.scene(), &frame, "heat.pftrace");
        assert!(picture.title.starts_with("heat.pftrace · 1.01 ms from 0 to 1.010 ms"), "{}", picture.title);
        let text = svg(&picture.list, picture.width_css_px, picture.height_css_px, &picture.title);
        // Names of tracks, a tick of the axis, the name on a slice, and the legend's names.
        for expected in [">queue 1<", ">main<", ">200 µs<", ">matmul<", ">copy<", ">submission<"] {
            assert!(text.contains(expected), "{expected}");
        }
        assert_eq!(text.matches("<g ").count(), text.matches("</g>").count());
        assert_eq!((picture.width_css_px, picture.height_css_px), (1230.0, 564.0));
    }
}
