use crate::state::viewport::Viewport;
use crate::views::timeline::draw::{DrawnSlice, Frame, OVERVIEW_CSS_PX, TRACKS_TOP_CSS_PX};
use crate::views::timeline::layout::{Row, RowKind};

/// Maximum distance from a thin target, in CSS pixels.
const REACH_CSS_PX: f64 = 4.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    Overview,
    Ruler,
    Tracks,
}

pub fn region(y_css_px: f64) -> Region {
    if y_css_px < OVERVIEW_CSS_PX {
        Region::Overview
    } else if y_css_px < TRACKS_TOP_CSS_PX {
        Region::Ruler
    } else {
        Region::Tracks
    }
}

/// Returns the slice at a point: the last drawn one that contains it, else the nearest on the same lane within reach.
pub fn slice_at(frame: &Frame, x_css_px: f64, y_css_px: f64) -> Option<&DrawnSlice> {
    if region(y_css_px) != Region::Tracks {
        return None;
    }
    let mut nearest: Option<(f64, &DrawnSlice)> = None;
    for slice in frame.slices.iter().rev() {
        let rect = &slice.rect;
        if y_css_px < rect.y || y_css_px >= rect.y + rect.h {
            continue;
        }
        let distance = (rect.x - x_css_px).max(x_css_px - (rect.x + rect.w)).max(0.0);
        if distance <= REACH_CSS_PX && nearest.is_none_or(|(min, _)| distance < min) {
            nearest = Some((distance, slice));
        }
    }
    nearest.map(|(_, slice)| slice)
}

/// Returns the row at a height. Ruler and overview cover rows that scrolled below them. So do pinned rows, which are
/// drawn last.
pub fn row_at(frame: &Frame, y_css_px: f64) -> Option<&Row> {
    let mut rows = frame.rows.iter().rev();
    let row = rows.find(|row| (row.y_css_px..row.y_css_px + row.height_css_px).contains(&y_css_px));
    row.filter(|_| region(y_css_px) == Region::Tracks)
}

pub fn counter_at(frame: &Frame, y_css_px: f64) -> Option<&Row> {
    row_at(frame, y_css_px).filter(|row| row.kind == RowKind::Counter)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brush {
    Left,
    Right,
    Inside,
    Outside,
}

pub fn brush_at(viewport: &Viewport, duration_ns: u64, width_css_px: f64, x_css_px: f64) -> Brush {
    let px_per_ns = width_css_px / Viewport::whole(duration_ns).span_ns();
    let (left, right) = (viewport.start_ns() * px_per_ns, viewport.end_ns() * px_per_ns);
    if viewport.is_whole() {
        return Brush::Outside;
    }
    // In a narrow brush the edges get less of the reach, so that an inside remains.
    let inner = REACH_CSS_PX.min((right - left) / 3.0);
    if (left - REACH_CSS_PX..left + inner).contains(&x_css_px) {
        Brush::Left
    } else if (right - inner..right + REACH_CSS_PX).contains(&x_css_px) {
        Brush::Right
    } else if (left..right).contains(&x_css_px) {
        Brush::Inside
    } else {
        Brush::Outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::draw_list::Rect;
    use crate::ordered::OrderedSet;
    use crate::views::timeline::draw::tests::{counter, info, stage};
    use crate::views::timeline::layout::Layout;
    use crate::views::timeline::model::{LoadedAnswers, TrackTree};
    use crate::views::timeline::tracks::TrackChoice;

    #[test]
    fn thin_slices_are_found_within_reach_and_containing_ones_first() {
        let mut stage = stage(&info());
        let frame = stage.draw();
        let first = &frame.slices[0];
        let Rect { x, y, w, h } = first.rect;
        assert_eq!(slice_at(&frame, x + w / 2.0, y + h / 2.0).map(|slice| slice.slice), Some(first.slice));
        assert_eq!(slice_at(&frame, x, y - 1000.0), None);
        let mut frame = frame;
        frame.slices.truncate(1);
        frame.slices[0].rect.w = 1.0;
        assert!(slice_at(&frame, x + 3.0, y + 1.0).is_some());
        assert!(slice_at(&frame, x + 9.0, y + 1.0).is_none());
    }

    #[test]
    fn what_is_covered_is_not_at_the_pointer() {
        let mut info = info();
        info.tracks.push(counter(5, Some(3), "host memory"));
        let mut stage = stage(&info);
        stage.scroll_css_px = 20.0;
        let frame = stage.draw();
        let first = &frame.rows[0];
        assert!(first.y_css_px < TRACKS_TOP_CSS_PX, "a part of it lies below the ruler");
        assert_eq!(row_at(&frame, TRACKS_TOP_CSS_PX - 1.0), None);
        assert_eq!(row_at(&frame, TRACKS_TOP_CSS_PX + 1.0).map(|row| row.track), Some(first.track));
        // A pinned counter over one that scrolled behind it.
        let choice = TrackChoice { pinned: vec![2], ..TrackChoice::default() };
        stage.tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
        stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
        stage.scroll_css_px = 150.0;
        let frame = stage.draw();
        let y = TRACKS_TOP_CSS_PX + 30.0;
        let is_there = |row: &Row| (row.y_css_px..row.y_css_px + row.height_css_px).contains(&y);
        assert!(frame.rows.iter().any(|row| row.track == 5 && is_there(row)));
        assert_eq!(counter_at(&frame, y).map(|row| row.track), Some(2));
    }

    #[test]
    fn a_slice_behind_pinned_tracks_is_not_at_the_pointer() {
        let info = info();
        let mut stage = stage(&info);
        let choice = TrackChoice { pinned: vec![4], ..TrackChoice::default() };
        stage.tree = TrackTree::arranged(&info, &choice, LoadedAnswers::default());
        stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
        let y = TRACKS_TOP_CSS_PX + stage.layout.pinned_css_px - 1.0;
        for scroll_css_px in 0..60 {
            stage.scroll_css_px = f64::from(scroll_css_px);
            let frame = stage.draw();
            for slice in frame.slices.iter().filter(|slice| slice.track != 4) {
                let found = slice_at(&frame, slice.rect.x + slice.rect.w / 2.0, y);
                assert!(found.is_none_or(|found| found.track == 4), "{scroll_css_px}: {found:?}");
            }
        }
    }

    #[test]
    fn the_brush_has_edges() {
        let whole = Viewport::whole(1_000_000);
        assert_eq!(brush_at(&whole, 1_000_000, 1010.0, 500.0), Brush::Outside);
        let view = whole.with_range(100_000.0, 200_000.0);
        for (x, part) in [
            (98.0, Brush::Left),
            (103.0, Brush::Left),
            (150.0, Brush::Inside),
            (199.0, Brush::Right),
            (300.0, Brush::Outside),
        ] {
            assert_eq!(brush_at(&view, 1_000_000, 1010.0, x), part, "{x}");
        }
    }
}
