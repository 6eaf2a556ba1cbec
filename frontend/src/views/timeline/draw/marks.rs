//! Highlights: the selection with its partner and its dependences, the slice under the pointer, the selection box.

use syclscope_language::api::{NO_SLICE, SliceDetail, SliceRef};

use super::{DrawnSlice, Frame, OVERVIEW_CSS_PX, RULER_CSS_PX, Scene, TRACKS_TOP_CSS_PX, arrows};
use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::life_colours;
use crate::canvas::scale::TimeScale;
use crate::format;
use crate::views::timeline::additions::ArrowChoice;

#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    pub selected: SliceRef,
    /// Submission and execution of the same command, other than the slice itself.
    pub partners: Vec<SliceRef>,
    pub waits_for: Vec<SliceRef>,
    pub waited_by: Vec<SliceRef>,
    /// End point of the command's arrows: its execution if there is one, else the slice.
    pub anchor: SliceRef,
}

impl Marks {
    pub fn new(detail: &SliceDetail) -> Self {
        let node = detail.node.as_ref();
        let execution = node.and_then(|node| node.execution.as_ref()).map(|execution| execution.at);
        let submission = node.and_then(|node| node.submission);
        let refs =
            |edges: &[syclscope_language::api::EdgeDetail]| edges.iter().filter_map(|edge| edge.at).collect();
        Self {
            selected: detail.at,
            partners: [submission, execution]
                .into_iter()
                .flatten()
                .filter(|partner| partner.slice != detail.at.slice)
                .collect(),
            waits_for: node.map(|node| refs(&node.waits_for)).unwrap_or_default(),
            waited_by: node.map(|node| refs(&node.waited_by)).unwrap_or_default(),
            anchor: execution.unwrap_or(detail.at),
        }
    }
}

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let theme = scene.theme;
    if let Some(hovered) = scene.hovered.filter(|hovered| scene.selected != Some(*hovered)) {
        let rects = frame.slices.iter().filter(|slice| slice.slice == hovered).map(|slice| slice.rect);
        for rect in rects.collect::<Vec<_>>() {
            frame.list.push(Op::Outline(theme.accent.with_alpha(0.7), 1.0, rect));
        }
    }
    if let Some(gap) = &scene.overlays.gap {
        outline(scene, scale, gap, (theme.accent, 2.0), frame);
    }
    let Some(marks) = scene.marks else {
        // Details are still loading; the slice may already be visible.
        let selected = frame.slices.iter().filter(|slice| Some(slice.slice) == scene.selected);
        for rect in selected.map(|slice| slice.rect).collect::<Vec<_>>() {
            frame.list.push(Op::Outline(theme.accent, 2.0, rect));
        }
        return;
    };
    let mut outlined = vec![marks.selected.slice];
    let chain = scene.overlays.chain_of(marks.selected.slice);
    match chain {
        Some(chain) => arrows::draw_chain(scene, scale, (chain, &mut outlined), frame),
        None if scene.additions.arrows == ArrowChoice::default() => {
            for source in &marks.waits_for {
                arrows::draw(scene, scale, (source, &marks.anchor), (theme.edge, ""), frame);
                outline(scene, scale, source, (theme.edge, 1.0), frame);
            }
            for target in &marks.waited_by {
                let colour = theme.edge.with_alpha(0.75);
                arrows::draw(scene, scale, (&marks.anchor, target), (colour, ""), frame);
                outline(scene, scale, target, (theme.edge, 1.0), frame);
            }
        }
        None => {}
    }
    draw_life(scene, scale, marks, frame);
    outline(scene, scale, &marks.selected, (theme.accent, 2.0), frame);
    // The selected slice's accesses on the tracks of objects are highlighted, too.
    let is_touch = |slice: &&DrawnSlice| slice.slice == marks.selected.slice && slice.touch.is_some();
    for rect in frame.slices.iter().filter(is_touch).map(|slice| slice.rect).collect::<Vec<_>>() {
        frame.list.push(Op::Outline(theme.accent, 2.0, rect));
    }
}

/// Draws submission, execution and wait of the selected command in linked colours.
fn draw_life(scene: &Scene<'_>, scale: &TimeScale, marks: &Marks, frame: &mut Frame) {
    let [submission_colour, execution_colour, wait_colour] = life_colours(scene.theme.scheme);
    let is_execution = marks.anchor.slice == marks.selected.slice && !marks.partners.is_empty();
    let submission = marks.partners.iter().find(|partner| partner.slice != marks.anchor.slice);
    let submission = submission.or((!is_execution && !marks.partners.is_empty()).then_some(&marks.selected));
    let wait = scene.overlays.life_of(marks.selected.slice).and_then(|life| life.wait.as_ref());
    if let Some(submission) = submission {
        let colour = submission_colour.with_alpha(0.8);
        arrows::draw(scene, scale, (submission, &marks.anchor), (colour, ""), frame);
        outline(scene, scale, submission, (submission_colour, 1.5), frame);
    }
    if let Some(wait) = wait {
        // A wait ends after the execution, so the arrow points to its end.
        let ends = SliceRef { start_ns: wait.start_ns + wait.duration_ns, duration_ns: 0, ..*wait };
        arrows::draw(scene, scale, (&marks.anchor, &ends), (wait_colour.with_alpha(0.8), ""), frame);
        outline(scene, scale, wait, (wait_colour, 1.5), frame);
    }
    if submission.is_some() || wait.is_some() {
        outline(scene, scale, &marks.anchor, (execution_colour, 1.5), frame);
    }
}

pub(super) fn outline(
    scene: &Scene<'_>,
    scale: &TimeScale,
    at: &SliceRef,
    (colour, width): (Colour, f64),
    frame: &mut Frame,
) {
    if let Some(rect) = rect_of(scene, scale, at, frame).filter(|rect| is_in_sight(scene, at, rect)) {
        frame.list.push(Op::Outline(colour, width, rect));
    }
}

/// Draws the selected slice's range as a bar at the ruler's lower edge.
pub(super) fn draw_on_ruler(scene: &Scene<'_>, scale: &TimeScale, list: &mut DrawList) {
    let Some(marks) = scene.marks else { return };
    let left = scale.px_from_time(marks.selected.start_ns as f64).max(-2.0);
    let right = scale.px_from_time((marks.selected.start_ns + marks.selected.duration_ns) as f64);
    let right = right.min(scene.width_css_px + 2.0).max(left + 2.0);
    if right > 0.0 && left < scene.width_css_px {
        let y = OVERVIEW_CSS_PX + RULER_CSS_PX - 3.0;
        list.fill(scene.theme.accent, Rect { x: left, y, w: right - left, h: 3.0 });
    }
}

pub(super) fn draw_band(scene: &Scene<'_>, scale: &TimeScale, list: &mut DrawList) {
    let Some((one, other)) = scene.band_css_px else { return };
    let (left, right) = (one.min(other).max(0.0), one.max(other).min(scene.width_css_px));
    let theme = scene.theme;
    let h = scene.height_css_px - OVERVIEW_CSS_PX;
    let rect = Rect { x: left, y: OVERVIEW_CSS_PX, w: right - left, h };
    list.fill(theme.accent.with_alpha(0.12), rect);
    for x in [left, right] {
        list.fill(theme.accent.with_alpha(0.8), Rect { x, y: OVERVIEW_CSS_PX, w: scene.hair_css_px(), h });
    }
    let length_ns = (right - left) * scale.ns_per_css_px;
    let middle = (left + right) / 2.0;
    let text = format::duration(length_ns);
    let w = text.chars().count() as f64 * 7.0 + 14.0;
    let y = TRACKS_TOP_CSS_PX + 14.0;
    list.fill(theme.group, Rect { x: middle - w / 2.0, y: y - 10.0, w, h: 20.0 });
    list.text(middle, y, text, theme.text, Align::Centre);
}

/// Returns a slice's rectangle, clamped to coordinates that a canvas can draw. A slice whose track is hidden may be
/// drawn on a kernel's track. Time without a slice is drawn on its own track only.
pub(super) fn rect_of(scene: &Scene<'_>, scale: &TimeScale, at: &SliceRef, frame: &Frame) -> Option<Rect> {
    const FAR_CSS_PX: f64 = 20_000.0;
    let Some((y, h)) = scene.layout.slice_css_px(scene.tree, at.track, at.lane) else {
        if at.slice == NO_SLICE {
            return None;
        }
        let drawn = frame.slices.iter().find(|drawn| drawn.slice == at.slice);
        return drawn.map(|drawn| drawn.rect);
    };
    let x = |at_ns: f64| scene.snapped(scale.px_from_time(at_ns).clamp(-FAR_CSS_PX, FAR_CSS_PX));
    let (left, right) = (x(at.start_ns as f64), x(at.start_ns as f64 + at.duration_ns as f64));
    let y = scene.layout.on_screen_css_px(y, scene.scroll_css_px) + TRACKS_TOP_CSS_PX;
    Some(Rect { x: left, y, w: (right - left).max(3.0), h })
}

/// True if a part of a slice's rectangle is visible. Pinned tracks cover scrolling ones.
pub(super) fn is_in_sight(scene: &Scene<'_>, at: &SliceRef, rect: &Rect) -> bool {
    let place = scene.tree.place(at.track);
    let is_pinned = place.is_some_and(|place| place < scene.tree.pinned);
    let room = if is_pinned { scene.tracks_rect() } else { scene.scrolled_rect() };
    rect.meets(&room)
}
