//! Start-up and run-time compilation: a tint over the tracks of the process, with labels above them and in the
//! overview.

use super::pauses::covered;
use super::{Frame, OVERVIEW_CSS_PX, Scene, overview};
use crate::canvas::draw_list::{Align, Colour, Font, Op, Rect, Text};
use crate::canvas::scale::TimeScale;
use crate::canvas::text::TextFit;
use crate::format;
use crate::views::timeline::phases::{Phase, PhaseKind};

const OPACITY: f64 = 0.09;
const MARGIN_CSS_PX: f64 = 6.0;
const NAME_CSS_PX: f64 = 15.0;

#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPhase {
    pub kind: PhaseKind,
    pub rect: Rect,
    /// Label, if it fits.
    pub name: Option<String>,
}

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame, fit: &mut TextFit<'_>) {
    for phase in &scene.overlays.phases {
        let span = (phase.start_ns, phase.end_ns);
        for rect in covered(scene, scale, frame, phase.process, span) {
            let rect = rect.intersection(&scene.tracks_rect());
            frame.list.fill(colour(scene, phase).with_alpha(OPACITY), rect);
            let part = beside_pauses(scene, scale, phase, rect);
            // Most of many phases are narrow. The search for a free place looks at every slice.
            if part.w <= 2.0 * MARGIN_CSS_PX {
                frame.phases.push(DrawnPhase { kind: phase.kind, rect, name: None });
                continue;
            }
            // The first row may be a pinned or a scrolled one with slices, whose names the label would hide.
            let below = scene.scrolled_rect().y.clamp(rect.y, rect.y + rect.h - NAME_CSS_PX.min(rect.h));
            let places = [rect.y, below].map(|y| Rect { h: NAME_CSS_PX, y: y + 2.0, ..part });
            let is_free = |place: &Rect| !frame.slices.iter().any(|slice| slice.rect.meets(place));
            let place = places.into_iter().find(is_free);
            let name = place.and_then(|place| draw_name(scene, phase, place, frame, fit));
            frame.phases.push(DrawnPhase { kind: phase.kind, rect, name });
        }
    }
}

pub(super) fn draw_in_overview(scene: &Scene<'_>, frame: &mut Frame, fit: &mut TextFit<'_>) {
    let scale = overview::scale(scene);
    for phase in &scene.overlays.phases {
        let x = scene.snapped(scale.px_from_time(phase.start_ns as f64));
        let end = scene.snapped(scale.px_from_time(phase.end_ns as f64));
        let rect = Rect { x, y: 0.0, w: (end - x).max(scene.hair_css_px()), h: OVERVIEW_CSS_PX - 1.0 };
        frame.list.fill(colour(scene, phase).with_alpha(OPACITY), rect);
        let line = Rect { y: rect.h - 2.0, h: 2.0, ..rect };
        frame.list.fill(colour(scene, phase).with_alpha(0.7), line);
        let place = Rect { y: rect.h - 5.0 - NAME_CSS_PX, h: NAME_CSS_PX, ..rect };
        let name = draw_name(scene, phase, place, frame, fit);
        frame.phases.push(DrawnPhase { kind: phase.kind, rect, name });
    }
}

/// Returns the widest part of a phase beside pauses of the recording, which have labels of their own.
fn beside_pauses(scene: &Scene<'_>, scale: &TimeScale, phase: &Phase, rect: Rect) -> Rect {
    let own = scene.pauses.iter().filter(|pause| pause.process == phase.process);
    own.fold(rect, |place, pause| {
        let end_ns = pause.end_ns.unwrap_or(scene.duration_ns);
        let (left, right) = (place.x, place.x + place.w);
        let [start, end] =
            [pause.start_ns, end_ns].map(|at_ns| scale.px_from_time(at_ns as f64).clamp(left, right));
        match (start - left, right - end) {
            (before, after) if before >= after => Rect { w: before, ..place },
            (_, after) => Rect { x: end, w: after, ..place },
        }
    })
}

fn colour(scene: &Scene<'_>, phase: &Phase) -> Colour {
    match phase.kind {
        PhaseKind::StartUp => scene.theme.quiet,
        PhaseKind::Build => scene.theme.edge,
    }
}

/// Draws name and duration, centred in a rectangle, if they fit. Returns the text.
fn draw_name(
    scene: &Scene<'_>,
    phase: &Phase,
    place: Rect,
    frame: &mut Frame,
    fit: &mut TextFit<'_>,
) -> Option<String> {
    let length = format::duration(phase.end_ns.saturating_sub(phase.start_ns) as f64);
    let (title, short) = phase.kind.titles();
    let room_css_px = place.w - 2.0 * MARGIN_CSS_PX;
    let mut names = vec![
        format!("{title} · {length}"),
        format!("{short} · {length}"),
        title.to_owned(),
        short.to_owned(),
    ];
    // Compilation splits start-up. Later parts without a length would read like further start-ups.
    let comes_before = |other: &Phase| {
        (other.kind, other.process) == (phase.kind, phase.process) && other.start_ns < phase.start_ns
    };
    if phase.kind == PhaseKind::StartUp && scene.overlays.phases.iter().any(comes_before) {
        names.truncate(2);
    }
    let text = names.into_iter().find(|name| fit.width_css_px(name) <= room_css_px)?;
    let w = fit.width_css_px(&text) + 2.0 * MARGIN_CSS_PX;
    let x = place.x + (place.w - w) / 2.0;
    frame.list.fill(scene.theme.ground.with_alpha(0.75), Rect { x, w, ..place });
    frame.list.push(Op::Text(Text {
        x: x + w / 2.0,
        y: place.y + place.h / 2.0,
        text: text.clone(),
        colour: scene.theme.text,
        font: Font::Small,
        align: Align::Centre,
    }));
    Some(text)
}
