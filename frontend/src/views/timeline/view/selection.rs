//! Selecting slices: by pointer, by key, by following what belongs together.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use syclscope_trace::api::SliceRef;

use crate::data::client;
use crate::format;
use crate::state::history::Change;
use crate::state::url::Panel;
use crate::views::timeline::draw::{DrawnSlice, Marks};
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;
use crate::views::timeline::view::signals::Detail;

/// A jump zooms only where the goal would be narrower than this share of the screen.
const LEAST_SHARE: f64 = 0.004;

/// A step on a lane.
#[derive(Clone, Copy)]
pub(super) enum Walk {
    Previous,
    Next,
}

fn is_on_lane(slice: &DrawnSlice, selected: &SliceRef) -> bool {
    slice.track == selected.track && slice.lane == selected.lane && slice.slice != selected.slice
}

impl Controller {
    /// Selects a slice, or nothing.
    pub(crate) fn select(self: &Rc<Self>, slice: Option<u32>) {
        let mut inner = self.inner.borrow_mut();
        if inner.selected == slice {
            return;
        }
        if slice.is_some() || inner.panel == Panel::Selection {
            inner.panel = Panel::standard(slice);
        }
        inner.changed(Change::Detail);
        drop(inner);
        self.load_selection(slice);
        self.request_frame();
    }

    /// Selects a slice and brings it into view.
    pub(crate) fn go_to(self: &Rc<Self>, goal: SliceRef) {
        self.select(Some(goal.slice));
        let mut inner = self.inner.borrow_mut();
        let (start_ns, end_ns) = (goal.start_ns as f64, (goal.start_ns + goal.duration_ns) as f64);
        let viewport = inner.settled_viewport().revealing(start_ns, end_ns, LEAST_SHARE);
        inner.changed(Change::Jump);
        inner.jump_to(viewport);
        inner.reveal_lane(goal.track, goal.lane);
        drop(inner);
        self.request_frame();
    }

    /// Takes over a selection and asks for its details.
    pub(crate) fn load_selection(self: &Rc<Self>, slice: Option<u32>) {
        let trace_id = {
            let mut inner = self.inner.borrow_mut();
            if inner.selected == slice && !matches!(inner.detail, Detail::None | Detail::Failed(_)) {
                return;
            }
            inner.selected = slice;
            inner.marks = None;
            inner.detail = if slice.is_some() { Detail::Loading } else { Detail::None };
            inner.repaint();
            inner.trace_id.clone()
        };
        let Some(slice) = slice else { return };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let answer = client::slice(&trace_id, slice).await;
            let Some(controller) = weak.upgrade() else { return };
            let mut inner = controller.inner.borrow_mut();
            if inner.selected != Some(slice) {
                return;
            }
            let announcement = match answer {
                Ok(detail) => {
                    let text = format!("{}, {}", detail.name, format::duration(detail.at.duration_ns as f64));
                    inner.marks = Some(Marks::new(&detail));
                    inner.detail = Detail::Ready(Box::new(detail));
                    text
                }
                Err(error) => {
                    let text = error.message.clone();
                    inner.detail = Detail::Failed(error);
                    text
                }
            };
            inner.repaint();
            drop(inner);
            controller.signals.announcement.set(announcement);
            controller.request_frame();
        });
    }

    /// The neighbour of the selected slice on its lane; the first slice in sight where nothing is selected.
    pub(super) fn walk_lane(self: &Rc<Self>, walk: Walk) {
        let goal = {
            let inner = self.inner.borrow();
            let slices = inner.frame.slices.iter();
            let goal = match (&inner.marks, walk) {
                (None, _) => slices.min_by_key(|slice| slice.start_ns),
                (Some(marks), Walk::Next) => {
                    let end_ns = marks.selected.start_ns + marks.selected.duration_ns;
                    slices
                        .filter(|slice| is_on_lane(slice, &marks.selected) && slice.start_ns >= end_ns)
                        .min_by_key(|slice| slice.start_ns)
                }
                (Some(marks), Walk::Previous) => slices
                    .filter(|slice| {
                        is_on_lane(slice, &marks.selected) && slice.start_ns < marks.selected.start_ns
                    })
                    .max_by_key(|slice| slice.start_ns),
            };
            goal.map(|slice| SliceRef {
                slice: slice.slice,
                track: slice.track,
                lane: slice.lane,
                start_ns: slice.start_ns,
                duration_ns: slice.duration_ns,
            })
        };
        if let Some(goal) = goal {
            self.go_to(goal);
        }
    }
}

impl Inner {
    /// Scrolls just as far as a lane needs to be in sight.
    fn reveal_lane(&mut self, track: u32, lane: u32) {
        const MARGIN_CSS_PX: f64 = 24.0;
        let Some((y, h)) = self.layout.slice_css_px(&self.tree, track, lane) else { return };
        let room = self.tracks_css_px();
        if y < self.scroll_css_px {
            self.set_scroll(y - MARGIN_CSS_PX);
        } else if y + h > self.scroll_css_px + room {
            self.set_scroll(y + h + MARGIN_CSS_PX - room);
        }
    }
}
