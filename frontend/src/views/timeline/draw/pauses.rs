//! Times without recording: a veil over a process's tracks, so that they don't look idle.

use syclscope_language::api::PauseInfo;

use super::{Frame, Scene};
use crate::canvas::draw_list::{Align, Rect};
use crate::canvas::scale::TimeScale;
use crate::canvas::text::TextFit;
use crate::views::timeline::layout::Row;
use syclscope_language::sorting::Sorting as _;

const OPACITY: f64 = 0.16;
const MARGIN_CSS_PX: f64 = 6.0;

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame, fit: &mut TextFit<'_>) {
    let rects = |pause: &PauseInfo| {
        let end_ns = pause.end_ns.unwrap_or(scene.duration_ns);
        covered(scene, scale, frame, pause.process, (pause.start_ns, end_ns))
    };
    let all: Vec<_> = scene.pauses.iter().map(|pause| (pause, rects(pause))).collect();
    for (pause, rect) in
        all.into_iter().flat_map(|(pause, rects)| rects.into_iter().map(move |rect| (pause, rect)))
    {
        frame.list.fill(scene.theme.quiet.with_alpha(OPACITY), rect);
        for x in [rect.x, rect.x + rect.w - scene.hair_css_px()] {
            let edge = Rect { x, w: scene.hair_css_px(), ..rect };
            frame.list.fill(scene.theme.quiet.with_alpha(0.6), edge);
        }
        let reason =
            (!pause.reason.is_empty()).then(|| format!("paused · {}", pause.reason.replace('_', " ")));
        let room_css_px = rect.w - 2.0 * MARGIN_CSS_PX;
        let mut names = reason.into_iter().chain(["paused".to_owned()]);
        if let Some(text) = names.find(|name| fit.width_css_px(name) <= room_css_px) {
            frame.list.text(rect.x + rect.w / 2.0, rect.y + 9.0, text, scene.theme.text, Align::Centre);
        }
        frame.pauses.push(rect);
    }
}

/// Returns the areas of a process's visible tracks during a range, from the top. Tracks of other processes may lie
/// between them, so that there are several areas.
pub(super) fn covered(
    scene: &Scene<'_>,
    scale: &TimeScale,
    frame: &Frame,
    process: u32,
    (start_ns, end_ns): (u64, u64),
) -> Vec<Rect> {
    let left = scene.snapped(scale.px_from_time(start_ns as f64).max(-1.0));
    let right = scene.snapped(scale.px_from_time(end_ns as f64).min(scene.width_css_px + 1.0));
    if right < 0.0 || left > scene.width_css_px {
        return Vec::new();
    }
    let w = (right - left).max(scene.hair_css_px());
    let part = |row: &Row| {
        // Pinned tracks cover scrolling ones.
        let room = if row.place < scene.tree.pinned { scene.tracks_rect() } else { scene.scrolled_rect() };
        let visible = Rect { x: 0.0, y: row.y_css_px, w: room.w, h: row.height_css_px }.intersection(&room);
        Rect { x: left, w, ..visible }
    };
    let own = frame.rows.iter().filter(|row| scene.tree.tracks[row.place].process == process);
    let mut parts: Vec<Rect> = own.map(part).filter(|part| part.h > 0.0).collect();
    parts.arrange_by(|one, other| one.y.total_cmp(&other.y));
    let mut areas: Vec<Rect> = Vec::new();
    for part in parts {
        match areas.last_mut() {
            Some(area) if (area.y + area.h - part.y).abs() < 0.5 => area.h += part.h,
            _ => areas.push(part),
        }
    }
    areas
}
