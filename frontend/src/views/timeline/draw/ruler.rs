use super::{OVERVIEW_CSS_PX, RULER_CSS_PX, Scene};
use crate::canvas::draw_list::{Align, DrawList, Rect};
use crate::canvas::scale::{TimeScale, grid_step_ns};
use crate::format;

/// Minimum distance of labels; the smaller one is for narrow canvases, which would otherwise have no labels.
const MIN_STEP_CSS_PX: f64 = 110.0;
const MIN_NARROW_STEP_CSS_PX: f64 = 70.0;
/// Maximum number of decimals of a label; with more, labels are relative to a base that is written once.
const MAX_DECIMALS: f64 = 3.0;
/// Space for the base at the left end.
const BASE_ROOM_CSS_PX: f64 = 150.0;
/// Approximate width of a letter.
const LETTER_CSS_PX: f64 = 7.0;
/// Space between labels.
const GAP_CSS_PX: f64 = 8.0;

pub(super) struct Ticks {
    pub(super) lines_css_px: Vec<f64>,
    labels: Vec<(f64, String)>,
    base: Option<String>,
    minor_css_px: f64,
}

pub(super) fn ticks(scene: &Scene<'_>, scale: &TimeScale) -> Ticks {
    let step_css_px = (scene.width_css_px / 4.0).clamp(MIN_NARROW_STEP_CSS_PX, MIN_STEP_CSS_PX);
    let step_ns = grid_step_ns(scale.ns_per_css_px * step_css_px);
    // The user's zero always has a line, whatever the step.
    let zero_ns = scene.additions.zero_ns.map_or(0.0, |zero_ns| zero_ns as f64);
    let first = ((scene.viewport.start_ns() - zero_ns) / step_ns).ceil() as i64;
    let last = ((scene.viewport.end_ns() - zero_ns) / step_ns).floor() as i64;
    let is_relative = scene.additions.zero_ns.is_some();
    let base_ns =
        base_ns(scene.viewport.start_ns(), scene.viewport.end_ns(), step_ns).filter(|_| !is_relative);
    let mut ticks = Ticks {
        lines_css_px: Vec::new(),
        labels: Vec::new(),
        base: base_ns.map(|base_ns| format::exact_duration(base_ns as u64)),
        minor_css_px: scale.px_from_duration(step_ns) / 5.0,
    };
    for index in first..=last {
        let at_ns = index as f64 * step_ns;
        let x = scene.snapped(scale.px_from_time(zero_ns + at_ns));
        ticks.lines_css_px.push(x);
        let text = match base_ns {
            Some(base_ns) => format!("+{}", format::time_on_grid(at_ns - base_ns, step_ns)),
            None if is_relative && at_ns > 0.0 => format!("+{}", format::time_on_grid(at_ns, step_ns)),
            None => format::time_on_grid(at_ns, step_ns),
        };
        ticks.labels.push((x, text));
    }
    ticks
}

/// Returns the base of the labels, if their numbers would get too long.
fn base_ns(start_ns: f64, end_ns: f64, step_ns: f64) -> Option<f64> {
    let unit_ns = [1e9, 1e6, 1e3, 1.0].into_iter().find(|unit_ns| end_ns >= *unit_ns)?;
    if (unit_ns / step_ns).log10() <= MAX_DECIMALS {
        return None;
    }
    let coarse_ns = grid_step_ns(step_ns * 1_000.0);
    let base_ns = (start_ns / coarse_ns).floor() * coarse_ns;
    (base_ns > 0.0).then_some(base_ns)
}

pub(super) fn draw(scene: &Scene<'_>, scale: &TimeScale, ticks: &Ticks, list: &mut DrawList) {
    let theme = scene.theme;
    let hair = scene.hair_css_px();
    let bottom = OVERVIEW_CSS_PX + RULER_CSS_PX;
    list.fill(theme.group, Rect { x: 0.0, y: OVERVIEW_CSS_PX, w: scene.width_css_px, h: RULER_CSS_PX });
    for x in &ticks.lines_css_px {
        list.fill(theme.quiet, Rect { x: *x, y: bottom - 8.0, w: hair, h: 8.0 });
    }
    if let Some(first) = ticks.lines_css_px.first() {
        let before = (first / ticks.minor_css_px).ceil();
        let mut x = first - before * ticks.minor_css_px;
        while x < scene.width_css_px {
            list.fill(theme.line, Rect { x: scene.snapped(x), y: bottom - 4.0, w: hair, h: 4.0 });
            x += ticks.minor_css_px;
        }
    }
    let middle = OVERVIEW_CSS_PX + RULER_CSS_PX / 2.0 - 2.0;
    let mut left = 0.0;
    if let Some(base) = &ticks.base {
        list.text(6.0, middle, format!("{base} …"), theme.text, Align::Left);
        left = BASE_ROOM_CSS_PX;
    }
    for (x, text) in &ticks.labels {
        let room = text.chars().count() as f64 * LETTER_CSS_PX + 4.0;
        // The last label may have space only before its line.
        let (at, align) =
            if x + room <= scene.width_css_px { (x + 4.0, Align::Left) } else { (x - 4.0, Align::Right) };
        let begin = if align == Align::Left { *x } else { x - room };
        if begin >= left {
            list.text(at, middle, text.as_str(), theme.quiet, align);
            left = x + room + GAP_CSS_PX;
        }
    }
    draw_end(scene, scale, list);
    list.fill(theme.line, Rect { x: 0.0, y: bottom - hair, w: scene.width_css_px, h: hair });
}

/// Draws a line through all tracks at the trace's end, if visible.
fn draw_end(scene: &Scene<'_>, scale: &TimeScale, list: &mut DrawList) {
    let x = scene.snapped(scale.px_from_time(scene.duration_ns as f64));
    if (0.0..scene.width_css_px).contains(&x) {
        let y = OVERVIEW_CSS_PX;
        let w = scene.hair_css_px();
        list.fill(scene.theme.quiet.with_alpha(0.6), Rect { x, y, w, h: scene.height_css_px - y });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::draw_list::{Op, Text};
    use crate::views::timeline::draw::tests::{info, stage};

    #[test]
    fn a_narrow_ruler_has_labels_that_lie_beside_each_other() {
        let mut stage = stage(&info());
        for (start_ns, end_ns) in
            [(0.0, 1e6), (3e5, 3.4e5), (252_329.0, 306_000.0), (990_000.0, 990_700.0), (207_044.0, 209_095.0)]
        {
            stage.viewport = stage.viewport.with_range(start_ns, end_ns);
            for width_css_px in [180.0, 220.0, 260.0, 330.0, 520.0, 1157.0] {
                let scene = Scene { width_css_px, ..stage.scene() };
                let (scale, mut list) = (scene.scale(), DrawList::default());
                draw(&scene, &scale, &ticks(&scene, &scale), &mut list);
                let labels = list.ops.iter().filter_map(|op| match op {
                    Op::Text(Text { x, text, align, .. }) => {
                        let room = text.chars().count() as f64 * LETTER_CSS_PX;
                        Some(if *align == Align::Left { (*x, x + room) } else { (x - room, *x) })
                    }
                    _ => None,
                });
                let labels: Vec<(f64, f64)> = labels.collect();
                assert!(!labels.is_empty(), "{start_ns} to {end_ns} at {width_css_px}");
                assert!(labels.windows(2).all(|two| two[0].1 + GAP_CSS_PX <= two[1].0), "{labels:?}");
                assert!(
                    labels.iter().all(|(left, right)| *left >= 0.0 && *right <= width_css_px),
                    "{labels:?}"
                );
            }
        }
    }
}
