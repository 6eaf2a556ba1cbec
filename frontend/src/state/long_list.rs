//! Virtual lists: visible rows and the pages that contain them.

/// Maximum height of all rows, in CSS pixels; browsers draw nothing beyond about twice that.
const MAX_HEIGHT_CSS_PX: f64 = 15_000_000.0;

pub const PAGE_ROWS: u64 = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongList {
    pub rows: u64,
    pub row_css_px: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VisibleRows {
    pub first: u64,
    /// End, exclusive.
    pub end: u64,
    /// Top of the first visible row in the scrolled content.
    pub top_css_px: f64,
}

impl LongList {
    pub fn height_css_px(&self) -> f64 {
        (self.rows as f64 * self.row_css_px).min(MAX_HEIGHT_CSS_PX)
    }

    /// Returns the visible rows at a scroll position. If a list exceeds the maximum height, the scroll bar covers the
    /// rows in proportion.
    pub fn visible(&self, scroll_css_px: f64, room_css_px: f64) -> VisibleRows {
        let fits = (room_css_px / self.row_css_px).ceil() as u64 + 1;
        let (whole_css_px, height_css_px) = (self.rows as f64 * self.row_css_px, self.height_css_px());
        let (first, top_css_px) = if whole_css_px <= height_css_px {
            let first = (scroll_css_px / self.row_css_px).floor().max(0.0);
            (first as u64, first * self.row_css_px)
        } else {
            let share = scroll_css_px / (height_css_px - room_css_px).max(1.0);
            let last = self.rows.saturating_sub(fits - 1) as f64;
            ((share.clamp(0.0, 1.0) * last).round() as u64, scroll_css_px)
        };
        let first = first.min(self.rows.saturating_sub(1));
        VisibleRows { first, end: (first + fits).min(self.rows), top_css_px }
    }

    pub fn scroll_to_css_px(&self, row: u64, room_css_px: f64) -> f64 {
        let (whole_css_px, height_css_px) = (self.rows as f64 * self.row_css_px, self.height_css_px());
        if whole_css_px <= height_css_px {
            return row as f64 * self.row_css_px;
        }
        let fits = (room_css_px / self.row_css_px).ceil();
        row as f64 / (self.rows as f64 - fits).max(1.0) * (height_css_px - room_css_px)
    }
}

impl VisibleRows {
    pub fn pages(&self) -> impl Iterator<Item = u64> + use<> {
        let last = self.end.saturating_sub(1).max(self.first);
        self.first / PAGE_ROWS..=last / PAGE_ROWS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_the_scroll_bar() {
        let list = LongList { rows: 1_000, row_css_px: 20.0 };
        assert_eq!(list.height_css_px(), 20_000.0);
        assert_eq!(list.visible(0.0, 100.0), VisibleRows { first: 0, end: 6, top_css_px: 0.0 });
        assert_eq!(list.visible(410.0, 100.0), VisibleRows { first: 20, end: 26, top_css_px: 400.0 });
        let last = list.visible(19_900.0, 100.0);
        assert_eq!((last.first, last.end), (995, 1_000));
        assert_eq!(last.pages().collect::<Vec<_>>(), [4]);
        assert_eq!(VisibleRows { first: 190, end: 210, top_css_px: 0.0 }.pages().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(list.scroll_to_css_px(20, 100.0), 400.0);
    }

    #[test]
    fn a_list_that_is_too_long_for_pixels_shows_its_first_and_last_row() {
        let list = LongList { rows: 100_000_000, row_css_px: 20.0 };
        assert_eq!(list.height_css_px(), MAX_HEIGHT_CSS_PX);
        assert_eq!(list.visible(0.0, 400.0).first, 0);
        let last = list.visible(MAX_HEIGHT_CSS_PX - 400.0, 400.0);
        assert_eq!(last.end, list.rows);
        let middle = list.scroll_to_css_px(50_000_000, 400.0);
        assert!(list.visible(middle, 400.0).first.abs_diff(50_000_000) < 30);
    }

    #[test]
    fn an_empty_list_shows_nothing() {
        let list = LongList { rows: 0, row_css_px: 20.0 };
        let visible = list.visible(0.0, 100.0);
        assert_eq!((visible.first, visible.end), (0, 0));
    }
}
