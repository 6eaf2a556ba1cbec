//! Times and tracks of a drag: the ruler, which snaps to the edges of slices, and areas.

use crate::canvas::scale::TimeScale;
use crate::stage::pointer::Point;
use crate::state::time::Area;
use crate::views::timeline::draw::Frame;
use crate::views::timeline::layout::{Row, RowKind};
use crate::views::timeline::model::{Source, TrackTree, TreeTrack};
use syclscope_language::event::TrackKind;
use syclscope_language::sorting::Sorting as _;

/// Maximum distance from an edge, in CSS pixels.
const REACH_CSS_PX: f64 = 7.0;
/// Penalty in distance for an edge on another lane than the pointer's.
const OWN_LANE_CSS_PX: f64 = 4.0;

/// Returns the time at a point: the nearest slice edge within reach, preferring the lane under the pointer.
pub fn snapped_ns(frame: &Frame, scale: &TimeScale, at: Point) -> u64 {
    let mut nearest: Option<(f64, u64)> = None;
    for slice in &frame.slices {
        let is_own = (slice.rect.y..slice.rect.y + slice.rect.h).contains(&at.y);
        let handicap = if is_own { 0.0 } else { OWN_LANE_CSS_PX };
        for edge_ns in [slice.start_ns, slice.start_ns.saturating_add(slice.duration_ns)] {
            let distance = (scale.px_from_time(edge_ns as f64) - at.x).abs();
            if distance <= REACH_CSS_PX && nearest.is_none_or(|(min, _)| distance + handicap < min) {
                nearest = Some((distance + handicap, edge_ns));
            }
        }
    }
    nearest.map_or_else(|| scale.time_from_px(at.x).max(0.0).round() as u64, |(_, edge_ns)| edge_ns)
}

/// Returns the area between two points: their range of time and the tracks between them. A group's heading counts only
/// if there is nothing else. A group created by the page, such as that of counters, stands for the group around it.
pub fn area(frame: &Frame, scale: &TimeScale, tree: &TrackTree, one: Point, other: Point) -> Area {
    let time = |x: f64| scale.time_from_px(x).max(0.0).round() as u64;
    let (top, bottom) = (one.y.min(other.y), one.y.max(other.y));
    let is_touched = |row: &&Row| row.y_css_px < bottom && row.y_css_px + row.height_css_px > top;
    let touched: Vec<_> = frame.rows.iter().filter(is_touched).collect();
    let has_content = touched.iter().any(|row| row.kind != RowKind::Heading);
    let own = |track: &TreeTrack| match track.source {
        // Activity counters of a queue or a device belong to it.
        Source::Activity(_, of) => of,
        _ => track.id,
    };
    let (mut tracks, mut around) = (Vec::new(), Vec::new());
    for row in touched.into_iter().filter(|row| !has_content || row.kind != RowKind::Heading) {
        match tree.tracks.get(row.place) {
            Some(track) if track.is_made() => {
                let is_row = |track: &&TreeTrack| !matches!(track.source, Source::Folded(_));
                let below = tree.subtree(row.place)[1..].iter().filter(is_row).map(own);
                match track.parent {
                    Some(parent) => around.push(tree.tracks[parent].id),
                    None if track.kind == TrackKind::Counter => around.extend(below),
                    // Kernels or objects: their slices count like those of other tracks.
                    None => tracks.extend(below),
                }
            }
            Some(TreeTrack { source: Source::Folded(_), .. }) => {
                tracks.extend(tree.subtree(row.place)[1..].iter().map(|track| track.id));
            }
            Some(track) => tracks.push(own(track)),
            None => {}
        }
    }
    // An area without tracks would cover all tracks.
    if tracks.is_empty() {
        tracks = around;
    }
    tracks.arrange();
    tracks.dedup();
    Area { from_ns: time(one.x.min(other.x)), to_ns: time(one.x.max(other.x)), tracks }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{ActivityCounter, ActivityKind};

    use super::*;
    use crate::ordered::OrderedSet;
    use crate::state::tracks::KERNEL_IDS;
    use crate::views::timeline::draw::TRACKS_TOP_CSS_PX;
    use crate::views::timeline::draw::tests::{info, kernel, stage};
    use crate::views::timeline::layout::Layout;
    use crate::views::timeline::model::LoadedAnswers;
    use crate::views::timeline::tracks::{Grouping, TrackChoice};

    #[test]
    fn the_ruler_snaps_to_edges_of_slices() {
        let mut stage = stage(&info());
        let frame = stage.draw();
        let scale = stage.scene().scale();
        let kernel = frame.slices.iter().find(|slice| slice.slice == 1).unwrap();
        let end = kernel.rect.x + kernel.rect.w;
        let y = kernel.rect.y + 2.0;
        assert_eq!(snapped_ns(&frame, &scale, Point { x: kernel.rect.x + 5.0, y }), 100_000);
        assert_eq!(snapped_ns(&frame, &scale, Point { x: end - 4.0, y }), 300_000);
        let free = Point { x: end + 40.0, y };
        assert_eq!(snapped_ns(&frame, &scale, free), scale.time_from_px(free.x).round() as u64);
    }

    #[test]
    fn an_area_holds_the_tracks_that_it_touches() {
        let mut stage = stage(&info());
        let frame = stage.draw();
        let scale = stage.scene().scale();
        let row = |track: u32| frame.rows.iter().find(|row| row.track == track).unwrap().clone();
        let tracks = |top: f64, bottom: f64| {
            let (one, other) = (Point { x: 400.0, y: bottom }, Point { x: 100.0, y: top });
            area(&frame, &scale, &stage.tree, one, other)
        };
        let queue = row(1);
        let only = tracks(queue.y_css_px + 2.0, queue.y_css_px + 9.0);
        assert_eq!(only.tracks, [1]);
        assert_eq!((only.from_ns, only.to_ns), (101_000, 404_000));
        assert_eq!(
            tracks(TRACKS_TOP_CSS_PX, 499.0).tracks,
            [1, 2, 4],
            "the groups' own headings add nothing"
        );
        assert_eq!(tracks(TRACKS_TOP_CSS_PX + 1.0, TRACKS_TOP_CSS_PX + 5.0).tracks, [0]);
    }

    #[test]
    fn a_closed_group_of_kernels_counts_beside_other_tracks() {
        let mut info = info();
        info.kernels = vec![kernel("a"), kernel("b")];
        let mut stage = stage(&info);
        let choice = TrackChoice { grouping: Grouping::Kernel, ..TrackChoice::default() };
        stage.tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
        stage.layout = Layout::new(&stage.tree, &OrderedSet::from_iter([KERNEL_IDS - 1]));
        let frame = stage.draw();
        let scale = stage.scene().scale();
        let (one, other) = (Point { x: 100.0, y: TRACKS_TOP_CSS_PX }, Point { x: 400.0, y: 499.0 });
        let found = area(&frame, &scale, &stage.tree, one, other).tracks;
        assert_eq!(found, [2, 4, KERNEL_IDS, KERNEL_IDS + 1]);
    }

    #[test]
    fn a_group_of_counters_counts_as_the_device_around_it_or_not_at_all() {
        let mut info = info();
        info.counts.executions = 2;
        let (name, unit) = ("depth".to_owned(), String::new());
        let activity = [ActivityCounter { kind: ActivityKind::QueueDepth, track: 1, name, unit, max: 2.0 }];
        let mut stage = stage(&info);
        for grouping in [Grouping::Device, Grouping::Kernel] {
            let choice = TrackChoice { grouping, ..TrackChoice::default() };
            let loaded = LoadedAnswers { activity: &activity, ..LoadedAnswers::default() };
            stage.tree = TrackTree::arranged(&info, &choice, loaded);
            let made = stage.tree.tracks.iter().find(|track| track.name == "counters").unwrap();
            let (group, is_inside) = (made.id, made.parent.is_some());
            stage.layout = Layout::new(&stage.tree, &OrderedSet::from_iter([group]));
            let frame = stage.draw();
            let scale = stage.scene().scale();
            let line = frame.rows.iter().find(|row| row.track == group).unwrap().clone();
            let of = |top: f64, bottom: f64| {
                let (one, other) = (Point { x: 100.0, y: top }, Point { x: 400.0, y: bottom });
                area(&frame, &scale, &stage.tree, one, other).tracks
            };
            let alone = of(line.y_css_px + 2.0, line.y_css_px + 6.0);
            assert_eq!(alone, if is_inside { [0] } else { [1] }, "{grouping:?}");
            let all = of(TRACKS_TOP_CSS_PX, 499.0);
            assert!(all.contains(&4) && !all.contains(&group), "{grouping:?}: {all:?}");
        }
    }
}
