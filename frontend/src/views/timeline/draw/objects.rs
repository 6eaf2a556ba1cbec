//! Life of a memory object as a bar on the first lane of its track, below the calls that allocate and free it.

use super::{Scene, Target};
use crate::canvas::draw_list::Rect;
use crate::canvas::palette::memory_colour;
use crate::canvas::scale::TimeScale;
use crate::views::timeline::layout::Row;
use crate::views::timeline::model::Source;

/// Height of the line for the lifetime.
const LIFE_CSS_PX: f64 = 2.0;
/// Height of the bar for the memory.
const MEMORY_CSS_PX: f64 = 8.0;

/// Draws the life of an object's row: a line for its lifetime, thick while it has memory.
pub(super) fn draw_life(scene: &Scene<'_>, scale: &TimeScale, row: &Row, target: &mut Target<'_>) {
    let Some(Source::Object(id)) = scene.tree.tracks.get(row.place).map(|track| &track.source) else {
        return;
    };
    let Some(object) = scene.overlays.objects.iter().find(|object| object.id == *id) else { return };
    let (made_ns, gone_ns) = object.life_ns;
    let end_ns = gone_ns.unwrap_or(scene.duration_ns);
    let (y, h) = row.lane_css_px(0);
    let middle = y + h / 2.0;
    let mut bar = |from_ns: u64, to_ns: u64, height: f64, opacity: f64| {
        let left = scene.snapped(scale.px_from_time(from_ns as f64).max(-8.0));
        let right = scene.snapped(scale.px_from_time(to_ns as f64).min(scene.width_css_px + 8.0));
        if from_ns < to_ns && right > 0.0 && left < scene.width_css_px {
            let w = (right - left).max(scene.hair_css_px());
            let colour = memory_colour(scene.theme.scheme, object.kind).with_alpha(opacity);
            target.fills.fill(colour, Rect { x: left, y: middle - height / 2.0, w, h: height });
        }
    };
    bar(made_ns, end_ns, LIFE_CSS_PX, 1.0);
    for (from_ns, to_ns) in &object.memory_ns {
        bar(from_ns.unwrap_or(made_ns), to_ns.unwrap_or(end_ns), MEMORY_CSS_PX, 0.75);
    }
}
