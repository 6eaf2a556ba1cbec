//! Positions of tracks, top to bottom, in CSS pixels from the top of all tracks.

use crate::ordered::OrderedSet;
use crate::views::timeline::model::{Source, TrackTree, TreeTrack};

pub const LANE_CSS_PX: f64 = 20.0;
pub const SLICE_CSS_PX: f64 = 18.0;
/// Space above and below a track's lanes.
const PADDING_CSS_PX: f64 = 4.0;
/// Height of a track group's heading, and of collapsed tracks.
pub const HEADING_CSS_PX: f64 = 28.0;
const COUNTER_CSS_PX: f64 = 40.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    Heading,
    Lanes,
    Counter,
    /// A collapsed track: its few lanes, squeezed into one line.
    Condensed,
    /// A collapsed track with more lanes than one line could show: their activity.
    Density,
}

pub const MAX_STRIPS: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Index in [`TrackTree::tracks`].
    pub place: usize,
    pub track: u32,
    pub kind: RowKind,
    /// True if it also represents the tracks below its own.
    pub is_collapsed: bool,
    pub descendants: usize,
    pub y_css_px: f64,
    pub height_css_px: f64,
}

impl Row {
    /// Returns top and height of a lane's slices.
    pub fn lane_css_px(&self, lane: u32) -> (f64, f64) {
        (self.y_css_px + PADDING_CSS_PX + f64::from(lane) * LANE_CSS_PX, SLICE_CSS_PX)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub rows: Vec<Row>,
    pub height_css_px: f64,
    /// Height of the pinned rows, which come first and do not scroll.
    pub pinned_css_px: f64,
}

impl Layout {
    /// Lays out a tree, given the tracks whose collapsed state the user changed from the default.
    pub fn new(tree: &TrackTree, collapsed: &OrderedSet) -> Self {
        let mut layout = Self::default();
        let mut place = 0;
        while let Some(track) = tree.tracks.get(place) {
            if place == tree.pinned {
                layout.pinned_css_px = layout.height_css_px;
            }
            let is_toggled = collapsed.contains(track.id);
            let is_collapsed = track.is_collapsible() && is_toggled != track.is_closed_at_first;
            let (kind, height_css_px) = shape(tree.subtree(place), is_collapsed);
            layout.rows.push(Row {
                place,
                track: track.id,
                kind,
                is_collapsed,
                descendants: track.descendants,
                y_css_px: layout.height_css_px,
                height_css_px,
            });
            layout.height_css_px += height_css_px;
            place += if is_collapsed { 1 + track.descendants } else { 1 };
        }
        if tree.pinned > 0 && tree.pinned == tree.tracks.len() {
            layout.pinned_css_px = layout.height_css_px;
        }
        layout
    }

    pub fn pinned_rows(&self) -> usize {
        self.rows.partition_point(|row| row.y_css_px < self.pinned_css_px)
    }

    /// Converts a row's position to a screen position, both from the top of the tracks; pinned rows don't scroll.
    pub fn on_screen_css_px(&self, y_css_px: f64, scroll_css_px: f64) -> f64 {
        if y_css_px < self.pinned_css_px { y_css_px } else { y_css_px - scroll_css_px }
    }

    /// Returns the visible pinned and scrolling rows for this height of the tracks.
    pub fn in_sight(&self, scroll_css_px: f64, room_css_px: f64) -> (&[Row], &[Row]) {
        let pinned = &self.rows[..self.pinned_rows()];
        let top_css_px = scroll_css_px + self.pinned_css_px;
        let below = self.rows_between(top_css_px, (scroll_css_px + room_css_px).max(top_css_px));
        (pinned, &below[below.partition_point(|row| row.y_css_px < self.pinned_css_px)..])
    }

    pub fn row_at(&self, y_css_px: f64) -> Option<(usize, &Row)> {
        let index = self.rows.partition_point(|row| row.y_css_px + row.height_css_px <= y_css_px);
        self.rows.get(index).filter(|row| y_css_px >= row.y_css_px).map(|row| (index, row))
    }

    /// Returns the rows that touch `[top, bottom)`.
    pub fn rows_between(&self, top_css_px: f64, bottom_css_px: f64) -> &[Row] {
        let first = self.rows.partition_point(|row| row.y_css_px + row.height_css_px <= top_css_px);
        let end = self.rows.partition_point(|row| row.y_css_px < bottom_css_px);
        &self.rows[first..end.max(first)]
    }

    /// Returns the row of a track, or of its collapsed group.
    pub fn row_of(&self, tree: &TrackTree, track: u32) -> Option<&Row> {
        let place = tree.place(track)?;
        // Rows are ordered by place; the last one at or before the track is its own or its collapsed group's.
        let after = self.rows.partition_point(|row| row.place <= place);
        self.rows[..after].last()
    }

    pub fn slice_css_px(&self, tree: &TrackTree, track: u32, lane: u32) -> Option<(f64, f64)> {
        let row = self.row_of(tree, track)?;
        Some(match row.kind {
            RowKind::Lanes => row.lane_css_px(lane),
            RowKind::Condensed => {
                let strips = strips(tree.subtree(row.place));
                let index = strips.iter().position(|strip| *strip == (track, lane)).unwrap_or(0);
                strip_css_px(row, index, strips.len())
            }
            RowKind::Heading | RowKind::Counter | RowKind::Density => (row.y_css_px, row.height_css_px),
        })
    }
}

fn shape(subtree: &[TreeTrack], is_collapsed: bool) -> (RowKind, f64) {
    let Some(track) = subtree.first() else { return (RowKind::Heading, HEADING_CSS_PX) };
    let is_idle = matches!(track.source, Source::Folded(_)) && subtree.iter().all(|track| track.slices == 0);
    if is_collapsed && !is_idle {
        // Objects have no activity tiles, so any number of their lanes shares the line.
        let are_objects = subtree.iter().any(|track| matches!(track.source, Source::Object(_)));
        let is_summed = strips(subtree).len() > MAX_STRIPS && !are_objects;
        let kind = if is_summed { RowKind::Density } else { RowKind::Condensed };
        (kind, HEADING_CSS_PX)
    } else if track.counter.is_some() {
        (RowKind::Counter, COUNTER_CSS_PX)
    } else if track.is_group() {
        (RowKind::Heading, HEADING_CSS_PX)
    } else {
        (RowKind::Lanes, f64::from(track.lanes) * LANE_CSS_PX + 2.0 * PADDING_CSS_PX - 2.0)
    }
}

/// Returns the lanes that represent tracks in thin strips: each lane of a queue, the outermost lane of a thread, the
/// uses of an object.
pub fn strips(tracks: &[TreeTrack]) -> Vec<(u32, u32)> {
    use syclscope_language::event::TrackKind;
    let mut strips = Vec::new();
    // A queue without executions would be an empty strip.
    for track in tracks.iter().filter(|track| track.slices > 0 || track.source != Source::Recorded) {
        let lanes = match track.source {
            Source::Object(_) => 1..track.lanes,
            _ if track.kind == TrackKind::Queue => 0..track.lanes,
            _ => 0..track.lanes.min(1),
        };
        strips.extend(lanes.map(|lane| (track.id, lane)));
    }
    strips
}

/// Returns top and height of one of `count` strips in a condensed row.
pub fn strip_css_px(row: &Row, index: usize, count: usize) -> (f64, f64) {
    const MARGIN_CSS_PX: f64 = 4.0;
    let room = row.height_css_px - 2.0 * MARGIN_CSS_PX;
    let (y, height) = strip_in(room, index, count);
    (row.y_css_px + MARGIN_CSS_PX + y, height)
}

/// Returns top and height of one of `count` strips within `room_css_px`: equal shares, at least 2 pixels each; strips
/// overlap if they don't fit.
pub fn strip_in(room_css_px: f64, index: usize, count: usize) -> (f64, f64) {
    let share = room_css_px / count.max(1) as f64;
    let height = (share - if share >= 4.0 { 1.0 } else { 0.0 }).clamp(2.0, 12.0).min(room_css_px);
    let y = (share * index as f64).min(room_css_px - height).floor().max(0.0);
    (y, height)
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::TraceInfo;
    use syclscope_language::event::TrackKind;

    use super::*;
    use crate::views::timeline::draw::tests::{info, track};
    use crate::views::timeline::model::LoadedAnswers;
    use crate::views::timeline::tracks::TrackChoice;

    #[test]
    fn rows_follow_the_tree_without_gaps() {
        let tree = TrackTree::new(&info());
        let layout = Layout::new(&tree, &OrderedSet::default());
        assert_eq!(layout.rows.len(), tree.tracks.len());
        let mut y = 0.0;
        for row in &layout.rows {
            assert_eq!(row.y_css_px, y);
            y += row.height_css_px;
        }
        assert_eq!(y, layout.height_css_px);
        let (index, row) = layout.row_at(HEADING_CSS_PX + 1.0).unwrap();
        assert_eq!((index, row.track), (1, 1));
        assert!(layout.row_at(y).is_none() && layout.row_at(-1.0).is_none());
        assert_eq!(layout.rows_between(0.0, HEADING_CSS_PX).len(), 1);
        assert_eq!(layout.rows_between(-100.0, 1e9).len(), layout.rows.len());
    }

    #[test]
    fn a_collapsed_group_hides_what_is_below_it_and_still_shows_its_slices() {
        let tree = TrackTree::new(&info());
        let layout = Layout::new(&tree, &OrderedSet::from_iter([0]));
        let shown: Vec<u32> = layout.rows.iter().map(|row| row.track).collect();
        assert_eq!(shown, [0, 3, 4]);
        assert_eq!(layout.pinned_rows(), 0);
        assert_eq!(layout.rows[0].kind, RowKind::Condensed);
        let (y, height) = layout.slice_css_px(&tree, 1, 1).unwrap();
        assert!(y >= 0.0 && y + height <= HEADING_CSS_PX);
        assert_eq!(layout.slice_css_px(&tree, 99, 0), None);
    }

    #[test]
    fn a_group_with_many_lanes_is_summed_up() {
        let tracks = (0..9).map(|id| match id {
            0 => track(0, None, TrackKind::Device, "gpu", 0),
            id => track(id, Some(0), TrackKind::Queue, "queue", 1),
        });
        let info = TraceInfo { tracks: tracks.collect(), ..TraceInfo::default() };
        let layout = Layout::new(&TrackTree::new(&info), &OrderedSet::from_iter([0]));
        assert_eq!((layout.rows.len(), layout.rows[0].kind), (1, RowKind::Density));
    }

    #[test]
    fn pinned_rows_stay_while_the_others_scroll() {
        let choice = TrackChoice { pinned: vec![4], ..TrackChoice::default() };
        let tree = TrackTree::arranged(&info(), &choice, LoadedAnswers::default());
        let layout = Layout::new(&tree, &OrderedSet::default());
        assert_eq!((layout.rows[0].track, layout.pinned_rows()), (4, 1));
        assert_eq!(layout.pinned_css_px, layout.rows[0].height_css_px);
        let (pinned, below) = layout.in_sight(HEADING_CSS_PX, 60.0);
        assert_eq!(pinned.len(), 1);
        // The first row below the pinned ones has scrolled out of sight.
        assert_eq!(below[0].track, layout.rows[2].track);
        assert_eq!(layout.on_screen_css_px(layout.rows[0].y_css_px, 30.0), 0.0);
        assert_eq!(layout.on_screen_css_px(layout.rows[2].y_css_px, 30.0), layout.rows[2].y_css_px - 30.0);
        let all = TrackChoice { pinned: vec![0, 3], ..TrackChoice::default() };
        let layout = Layout::new(
            &TrackTree::arranged(&info(), &all, LoadedAnswers::default()),
            &OrderedSet::default(),
        );
        assert_eq!((layout.pinned_css_px, layout.in_sight(0.0, 100.0).1.len()), (layout.height_css_px, 0));
    }

    #[test]
    fn strips_stay_in_their_room_however_many_there_are() {
        for count in [1, 3, 10, 500] {
            for index in 0..count {
                let (y, height) = strip_in(20.0, index, count);
                assert!(y >= 0.0 && height >= 2.0 && y + height <= 20.0, "{index} of {count}");
            }
        }
    }
}
