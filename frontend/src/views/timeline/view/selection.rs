//! Selection of slices: by pointer, by key, and by relation.

use std::rc::Rc;

use syclscope_language::api::{NO_SLICE, SliceRef};
use syclscope_language::question::{Selection as SliceChoice, StepFrom, StepQuestion};

use crate::state::call::Goal;
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::viewport::Viewport;
use crate::views::timeline::draw::{DrawnSlice, Marks};
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;

/// A jump zooms only if the target would be narrower than this share of the screen.
pub(super) const MIN_SHARE: f64 = 0.004;

#[derive(Clone, Copy)]
pub(super) enum Walk {
    Previous,
    Next,
}

/// True if a slice is on a lane, and is not the selected one.
fn is_on_lane(slice: &DrawnSlice, (track, lane): (u32, u32), selected: u32) -> bool {
    slice.track == track && slice.lane == lane && slice.slice != selected
}

impl Controller {
    pub(crate) fn select(&self, slice: Option<u32>) {
        self.session.select(slice.map(Selection::Slice));
    }

    /// Outlines the selected slice, or highlights all slices with the selected name.
    pub(crate) fn show_selection(&self, selection: Option<&Selection>) {
        let mut inner = self.inner.borrow_mut();
        let selected = selection.and_then(Selection::slice);
        // The lane stays only if the new selection was made on it.
        let is_there = |slice: &DrawnSlice| {
            Some(slice.slice) == selected && Some((slice.track, slice.lane)) == inner.selected_lane
        };
        if !inner.frame.slices.iter().any(is_there) {
            inner.selected_lane = None;
        }
        inner.selected = selected;
        inner.highlighted = match selection {
            Some(Selection::Name(name)) => Some(name.clone()),
            _ => None,
        };
        if inner.marks.as_ref().map(|marks| marks.selected.slice) != inner.selected {
            inner.marks = None;
        }
        inner.repaint();
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn show_detail(&self, detail: &Detail) {
        let mut inner = self.inner.borrow_mut();
        if let Detail::Slice(detail) = detail {
            inner.marks = Some(Marks::new(detail));
            inner.repaint();
        }
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn reveal(self: &Rc<Self>, goal: Goal) {
        match goal {
            Goal::Object(object) => self.show_object(object),
            Goal::Track(track) => self.show_track(track),
            Goal::Slice(at) => {
                let (start_ns, end_ns) = (at.start_ns as f64, (at.start_ns + at.duration_ns) as f64);
                self.reveal_time(|settled| settled.revealing(start_ns, end_ns, MIN_SHARE));
                let mut inner = self.inner.borrow_mut();
                inner.uncover(at.track);
                inner.reveal_lane(at.track, at.lane);
            }
            Goal::Range(start_ns, end_ns) => self.reveal_time(|settled| settled.with_range(start_ns, end_ns)),
            Goal::Matches(filter) => self.change_additions(|additions| {
                additions.is_undimmed &= filter.is_empty();
                additions.search = filter;
            }),
            _ => {}
        }
    }

    /// Scrolls to a track whose label got the focus, because labels move only with the drawing.
    pub(super) fn show_label(&self, track: u32) {
        self.inner.borrow_mut().reveal_lane(track, 0);
        self.request_frame();
    }

    /// Unfolds a track's groups, and scrolls to it.
    fn show_track(&self, track: u32) {
        let mut inner = self.inner.borrow_mut();
        inner.uncover(track);
        // Each opened group reveals the next.
        while let Some(group) = inner.folded_into(track) {
            if !inner.collapsed.remove(group) {
                inner.collapsed.insert(group);
            }
            inner.lay_out();
        }
        inner.reveal_lane(track, 0);
        inner.record_change(Change::Jump);
        drop(inner);
        self.request_frame();
    }

    fn reveal_time(&self, to: impl FnOnce(Viewport) -> Viewport) {
        let mut inner = self.inner.borrow_mut();
        let viewport = to(inner.settled_viewport());
        inner.jump_to(viewport);
        drop(inner);
        self.request_frame();
    }

    /// Selects the neighbour of the selected slice on its lane; without a selection, the first visible slice.
    pub(super) fn walk_lane(self: &Rc<Self>, walk: Walk) {
        let selected = self.session.selection.with_untracked(|selection| selection.as_ref()?.slice());
        let (at, goal) = {
            let inner = self.inner.borrow();
            let at = inner.place_of(selected);
            (at, inner.neighbour(selected, at, walk))
        };
        match (at, goal) {
            (_, Some(goal)) => {
                let mut inner = self.inner.borrow_mut();
                inner.selected_lane = Some((goal.track, goal.lane));
                // The next repeat of a held key comes before the details of this slice are loaded.
                inner.last_step = Some(goal);
                drop(inner);
                self.session.go_to(goal);
            }
            (Some(at), None) => self.walk_further(at, walk),
            (None, None) => {}
        }
    }

    /// Selects the neighbour of a slice on its lane, outside of the visible range.
    fn walk_further(self: &Rc<Self>, at: SliceRef, walk: Walk) {
        let (track, lane) = self.inner.borrow().lane_of(&at);
        // The lanes of kernels and objects are made of slices of other tracks.
        let is_own = (track, lane) == (at.track, at.lane);
        if is_own && self.session.info().tracks.iter().any(|one| one.id == track) {
            let selection = SliceChoice { tracks: Some(vec![track]), ..SliceChoice::default() };
            let (back, from) = match walk {
                Walk::Previous => (true, StepFrom::At(at.start_ns)),
                // A slice without duration begins at its own end.
                Walk::Next if at.duration_ns == 0 => (false, StepFrom::Slice(at.slice)),
                Walk::Next => (false, StepFrom::At(at.start_ns + at.duration_ns)),
            };
            self.step(StepQuestion { selection, from, back }, Some((track, lane)));
        }
    }
}

impl Inner {
    /// Shows a track that is hidden or filtered.
    fn uncover(&mut self, track: u32) {
        if self.tree.place(track).is_none() && self.make_visible(track) {
            self.lay_out();
            self.record_change(Change::Jump);
        }
    }

    /// Returns the collapsed group of a track without its own row.
    fn folded_into(&self, track: u32) -> Option<u32> {
        let group = self.layout.row_of(&self.tree, track)?.track;
        (group != track && self.tree.place(group) < self.tree.place(track)).then_some(group)
    }

    /// Returns the position of the selected slice. It is unknown until the details are loaded, unless the last step
    /// along a lane selected the slice.
    fn place_of(&self, selected: Option<u32>) -> Option<SliceRef> {
        let is_selected = |at: &SliceRef| Some(at.slice) == selected;
        let detailed = self.marks.as_ref().map(|marks| marks.selected);
        self.last_step.filter(is_selected).or(detailed.filter(is_selected))
    }

    fn neighbour(&self, selected: Option<u32>, at: Option<SliceRef>, walk: Walk) -> Option<SliceRef> {
        // An object's track also has uses without a slice, which can't be selected.
        let slices = self.frame.slices.iter().filter(|slice| slice.slice != NO_SLICE);
        let goal = match selected {
            None => slices.min_by_key(|slice| slice.start_ns),
            Some(selected) => {
                let at = at?;
                let lane = self.lane_of(&at);
                let others = slices.filter(|slice| is_on_lane(slice, lane, selected));
                match walk {
                    Walk::Next => {
                        let end_ns = at.start_ns + at.duration_ns;
                        others.filter(|slice| slice.start_ns >= end_ns).min_by_key(|slice| slice.start_ns)
                    }
                    Walk::Previous => {
                        others.filter(|slice| slice.start_ns < at.start_ns).max_by_key(|slice| slice.start_ns)
                    }
                }
            }
        };
        goal.map(|slice| SliceRef {
            slice: slice.slice,
            track: slice.track,
            lane: slice.lane,
            start_ns: slice.start_ns,
            duration_ns: slice.duration_ns,
        })
    }

    /// Returns the track and lane on which the selected slice is drawn: a kernel's track has slices of other tracks,
    /// and an object's track also shows a slice in addition to its own track.
    fn lane_of(&self, selected: &SliceRef) -> (u32, u32) {
        let mut found: Option<&DrawnSlice> = None;
        for slice in self.frame.slices.iter().filter(|slice| slice.slice == selected.slice) {
            let is_there = Some((slice.track, slice.lane)) == self.selected_lane;
            if is_there || found.is_none_or(|found| found.touch.is_some() && self.selected_lane.is_none()) {
                found = Some(slice);
            }
        }
        found.map_or((selected.track, selected.lane), |found| (found.track, found.lane))
    }

    /// Returns the track and lane on which the selected slice is drawn. If an object's track also shows it, returns
    /// those on which it was selected.
    pub(super) fn drawn_lane(&self) -> Option<(u32, u32)> {
        let drawn = self.frame.slices.iter().filter(|slice| Some(slice.slice) == self.selected);
        let lanes: Vec<(u32, u32)> = drawn.map(|slice| (slice.track, slice.lane)).collect();
        lanes.iter().find(|lane| Some(**lane) == self.selected_lane).or(lanes.first()).copied()
    }

    /// Scrolls just far enough to show a lane below the pinned rows, which do not scroll.
    pub(super) fn reveal_lane(&mut self, track: u32, lane: u32) {
        const MARGIN_CSS_PX: f64 = 24.0;
        let Some((y, h)) = self.layout.slice_css_px(&self.tree, track, lane) else { return };
        let (room, pinned) = (self.tracks_css_px(), self.layout.pinned_css_px);
        if y < pinned {
            return;
        }
        if y < self.scroll_css_px + pinned {
            self.set_scroll(y - pinned - MARGIN_CSS_PX);
        } else if y + h > self.scroll_css_px + room {
            self.set_scroll(y + h + MARGIN_CSS_PX - room);
        }
    }
}
