//! The visible views and their layout: a tree of rows and columns.
//!
//! A view is shown at most once. Shares are integers in thousandths, so that an address reproduces the screen exactly.

mod place;
mod text;

pub use place::{Area, Divider, PanePlace};

use crate::state::view::View;

/// Sum of the shares of a split.
pub const WHOLE: u32 = 1_000;
const MIN_SHARE: u32 = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Row,
    Column,
}

impl Axis {
    fn as_str(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pane {
    View(View),
    Split(Split),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Split {
    axis: Axis,
    /// At least two parts with their shares, which add up to [`WHOLE`].
    parts: Vec<(u32, Pane)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panes {
    root: Pane,
}

impl Panes {
    pub fn only(view: View) -> Self {
        Self { root: Pane::View(view) }
    }

    /// Returns the views, from the top left.
    pub fn views(&self) -> Vec<View> {
        let mut views = Vec::new();
        self.root.views(&mut views);
        views
    }

    pub fn shows(&self, view: View) -> bool {
        self.views().contains(&view)
    }

    /// Shows `new` in place of `old`. If `new` is already visible, they swap places.
    pub fn replace(&mut self, old: View, new: View) {
        let is_shown = self.shows(new);
        self.root.rename(&|view| match view {
            view if view == old => new,
            view if view == new && is_shown => old,
            view => view,
        });
    }

    /// Shows `new` next to or below `at`, which gives up half of its space. No effect if `new` is already visible.
    pub fn open_beside(&mut self, at: View, new: View, axis: Axis) {
        if !self.shows(new) {
            self.root.open_beside(at, new, axis);
        }
    }

    /// Removes a view; the other parts of its split share its space. The last view stays.
    pub fn close(&mut self, view: View) {
        if self.root != Pane::View(view) {
            self.root.close(view);
        }
    }

    /// Moves the border after part `index` of the split at `path`, so that the parts before it have this share in
    /// thousandths.
    pub fn move_border(&mut self, path: &[usize], index: usize, share: u32) {
        let Some(split) = self.root.split_at(path) else { return };
        let before: u32 = split.parts.iter().take(index).map(|(share, _)| share).sum();
        let Some([(one, _), (other, _)]) = split.parts.get_mut(index..index + 2) else { return };
        let both = *one + *other;
        let min = MIN_SHARE.min(both / 2);
        *one = share.saturating_sub(before).clamp(min, both - min);
        *other = both - *one;
    }
}

impl Pane {
    fn views(&self, into: &mut Vec<View>) {
        match self {
            Self::View(view) => into.push(*view),
            Self::Split(split) => split.parts.iter().for_each(|(_, part)| part.views(into)),
        }
    }

    fn rename(&mut self, name: &impl Fn(View) -> View) {
        match self {
            Self::View(view) => *view = name(*view),
            Self::Split(split) => split.parts.iter_mut().for_each(|(_, part)| part.rename(name)),
        }
    }

    fn open_beside(&mut self, at: View, new: View, axis: Axis) {
        match self {
            Self::View(view) if *view == at => {
                let parts = vec![(WHOLE / 2, Self::View(at)), (WHOLE / 2, Self::View(new))];
                *self = Self::Split(Split { axis, parts });
            }
            Self::View(_) => {}
            Self::Split(split) => {
                let own = split.parts.iter().position(|(_, part)| *part == Self::View(at));
                match own.filter(|_| split.axis == axis) {
                    Some(index) => {
                        let share = split.parts[index].0;
                        split.parts[index].0 = share - share / 2;
                        split.parts.insert(index + 1, (share / 2, Self::View(new)));
                    }
                    None => split.parts.iter_mut().for_each(|(_, part)| part.open_beside(at, new, axis)),
                }
            }
        }
    }

    fn close(&mut self, view: View) {
        let Self::Split(split) = self else { return };
        split.parts.iter_mut().for_each(|(_, part)| part.close(view));
        split.parts.retain(|(_, part)| *part != Self::View(view));
        split.share_out();
        if split.parts.len() == 1 {
            *self = split.parts.remove(0).1;
        }
        self.flatten();
    }

    /// Merges nested splits of one direction.
    fn flatten(&mut self) {
        let Self::Split(split) = self else { return };
        let mut parts = Vec::new();
        for (share, part) in std::mem::take(&mut split.parts) {
            match part {
                Self::Split(inner) if inner.axis == split.axis => {
                    parts.extend(inner.parts.into_iter().map(|(part, pane)| (part * share / WHOLE, pane)));
                }
                part => parts.push((share, part)),
            }
        }
        split.parts = parts;
        split.share_out();
    }

    fn split_at(&mut self, path: &[usize]) -> Option<&mut Split> {
        let Self::Split(split) = self else { return None };
        match path {
            [] => Some(split),
            [first, rest @ ..] => split.parts.get_mut(*first)?.1.split_at(rest),
        }
    }
}

impl Split {
    /// Scales the shares so that they add up to [`WHOLE`].
    fn share_out(&mut self) {
        let sum: u32 = self.parts.iter().map(|(share, _)| share).sum();
        for (share, _) in &mut self.parts {
            *share = (*share * WHOLE).checked_div(sum).unwrap_or_default();
        }
        let rest = WHOLE - self.parts.iter().map(|(share, _)| share).sum::<u32>();
        if let Some((share, _)) = self.parts.last_mut() {
            *share += rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMELINE: View = View::new("timeline");
    const SOURCE: View = View::new("source");
    const CALLS: View = View::new("calls");
    const SUMMARY: View = View::new("summary");
    const KNOWN: [View; 4] = [TIMELINE, SOURCE, CALLS, SUMMARY];

    fn panes(text: &str) -> Panes {
        Panes::read(text, &KNOWN).unwrap()
    }

    #[test]
    fn views_open_beside_and_below_and_close_again() {
        let mut shown = Panes::only(TIMELINE);
        shown.open_beside(TIMELINE, SOURCE, Axis::Row);
        assert_eq!(shown.to_string(), "row(timeline:500,source:500)");
        shown.open_beside(TIMELINE, CALLS, Axis::Row);
        assert_eq!(shown.to_string(), "row(timeline:250,calls:250,source:500)");
        shown.close(CALLS);
        shown.open_beside(SOURCE, SUMMARY, Axis::Column);
        assert_eq!(shown.to_string(), "row(timeline:333,column(source:500,summary:500):667)");
        shown.open_beside(SOURCE, SUMMARY, Axis::Row);
        assert_eq!(shown.views(), [TIMELINE, SOURCE, SUMMARY], "no view is shown twice");
        shown.close(TIMELINE);
        assert_eq!(shown.to_string(), "column(source:500,summary:500)");
        shown.close(SOURCE);
        shown.close(SUMMARY);
        assert_eq!(shown, Panes::only(SUMMARY), "the last view stays");
    }

    #[test]
    fn a_view_that_is_shown_changes_places() {
        let mut shown = panes("row(timeline:700,source:300)");
        shown.replace(TIMELINE, SOURCE);
        assert_eq!(shown.to_string(), "row(source:700,timeline:300)");
        shown.replace(SOURCE, CALLS);
        assert_eq!(shown.to_string(), "row(calls:700,timeline:300)");
    }

    #[test]
    fn borders_move_between_their_neighbours_only() {
        let mut shown = panes("row(timeline:400,source:300,calls:300)");
        shown.move_border(&[], 1, 900);
        assert_eq!(shown.to_string(), "row(timeline:400,source:500,calls:100)");
        shown.move_border(&[], 0, 5);
        assert_eq!(shown.to_string(), "row(timeline:80,source:820,calls:100)");
        shown.move_border(&[4], 0, 5);
        shown.move_border(&[], 2, 5);
        assert_eq!(shown.to_string(), "row(timeline:80,source:820,calls:100)");
    }

    #[test]
    fn a_row_that_ends_up_in_a_row_joins_it() {
        let mut shown = panes("row(timeline:500,column(calls:500,row(source:500,summary:500):500):500)");
        shown.close(CALLS);
        assert_eq!(shown.to_string(), "row(timeline:500,source:250,summary:250)");
    }
}
