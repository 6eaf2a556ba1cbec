//! Times without recording: a veil over a process's tracks, so that they don't look idle.

use syclscope_language::api::PauseInfo;

use super::{Frame, Scene};
use crate::canvas::draw_list::{Align, Rect};
use crate::canvas::scale::TimeScale;

const OPACITY: f64 = 0.16;
/// Minimum width of a veil with a label.
const LABEL_CSS_PX: f64 = 56.0;
/// Minimum width of a veil with the pause's reason.
const REASON_CSS_PX: f64 = 150.0;

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, frame: &mut Frame) {
    let rect = |pause: &PauseInfo| {
        let end_ns = pause.end_ns.unwrap_or(scene.duration_ns);
        covered(scene, scale, frame, pause.process, (pause.start_ns, end_ns))
    };
    let rects: Vec<_> = scene.pauses.iter().filter_map(|pause| Some((pause, rect(pause)?))).collect();
    for (pause, rect) in rects {
        frame.list.fill(scene.theme.quiet.with_alpha(OPACITY), rect);
        for x in [rect.x, rect.x + rect.w - scene.hair_css_px()] {
            let edge = Rect { x, w: scene.hair_css_px(), ..rect };
            frame.list.fill(scene.theme.quiet.with_alpha(0.6), edge);
        }
        if rect.w >= LABEL_CSS_PX {
            let text = match pause.reason.as_str() {
                "" => "paused".to_owned(),
                _ if rect.w < REASON_CSS_PX => "paused".to_owned(),
                reason => format!("paused · {}", reason.replace('_', " ")),
            };
            frame.list.text(rect.x + rect.w / 2.0, rect.y + 9.0, text, scene.theme.text, Align::Centre);
        }
        frame.pauses.push(rect);
    }
}

/// Area of a process's visible tracks during a range.
pub(super) fn covered(
    scene: &Scene<'_>,
    scale: &TimeScale,
    frame: &Frame,
    process: u32,
    (start_ns, end_ns): (u64, u64),
) -> Option<Rect> {
    let tracks = scene.tracks_rect();
    let left = scene.snapped(scale.px_from_time(start_ns as f64).max(-1.0));
    let right = scene.snapped(scale.px_from_time(end_ns as f64).min(scene.width_css_px + 1.0));
    if right < 0.0 || left > scene.width_css_px {
        return None;
    }
    let rows = frame.rows.iter().filter(|drawn| scene.tree.tracks[drawn.row.place].process == process);
    let (top, bottom) = rows.fold((f64::MAX, f64::MIN), |(top, bottom), drawn| {
        (top.min(drawn.row.y_css_px), bottom.max(drawn.row.y_css_px + drawn.row.height_css_px))
    });
    let rect = Rect { x: left, y: top, w: (right - left).max(scene.hair_css_px()), h: bottom - top };
    let visible = rect.intersection(&tracks);
    (bottom > top && visible.h > 0.0).then_some(Rect { y: visible.y, h: visible.h, ..rect })
}
