//! Tracks of memory objects: creation, queries, and links to the objects.

use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{NO_SLICE, ObjectHistory, ObjectList};
use syclscope_language::question::{ObjectQuestion, ObjectsQuestion, Question};

use crate::stage::pointer::Point;
use crate::state::call::Goal;
use crate::state::filters::memory_of;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::views::timeline::draw::DrawnSlice;
use crate::views::timeline::hit;
use crate::views::timeline::model::{Source, TreeTrack};
use crate::views::timeline::objects::ObjectLane;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;

impl Controller {
    /// Adds a track for an object, and scrolls to it.
    pub(super) fn show_object(self: &Rc<Self>, object: u32) {
        {
            let mut inner = self.inner.borrow_mut();
            let Some(track) = inner.choice.show_object(object) else { return };
            inner.lay_out();
            inner.set_scroll(0.0);
            if inner.size.is_some() {
                inner.reveal_lane(track, 1);
            }
            inner.change = None;
        }
        // Set now, not in the next frame, so that the new track and the switch to the timeline are one history entry.
        self.put_state(Change::Jump);
        self.load_objects();
        self.request_frame();
    }

    pub(super) fn show_selected_object(&self) {
        let (session, home) = (self.session, self.inner.borrow().home.clone());
        let selection = session.selection.get_untracked();
        spawn_local(async move {
            let is_memory = |one: &Selection| matches!(one, Selection::Object(_) | Selection::Allocation(_));
            let Some(touched_by) = selection.filter(is_memory).and_then(|one| memory_of(&one)) else {
                let text = "Select a buffer, image or allocation first.";
                return session.announcement.set(text.to_owned());
            };
            let touched_by = Some(touched_by);
            let question =
                Question::Objects(ObjectsQuestion { touched_by, limit: 1, ..ObjectsQuestion::default() });
            match home.ask::<ObjectList>(&question).await {
                Ok(list) => list.objects.iter().for_each(|item| session.go(Goal::Object(item.id))),
                Err(error) => session.announcement.set(error.message),
            }
        });
    }

    /// Queries the objects with tracks, each once.
    pub(super) fn load_objects(self: &Rc<Self>) {
        let (ids, home) = {
            let mut inner = self.inner.borrow_mut();
            let lanes: Vec<u32> = inner.overlays.objects.iter().map(|lane| lane.id).collect();
            let ids = inner.choice.objects.iter().copied().filter(|id| !lanes.contains(id));
            let ids: Vec<u32> = ids.collect();
            inner.overlays.objects.extend(ids.iter().map(|id| ObjectLane::pending(*id)));
            (ids, inner.home.clone())
        };
        for id in ids {
            let (weak, home, session) = (Rc::downgrade(self), home.clone(), self.session);
            spawn_local(async move {
                let question = Question::Object(ObjectQuestion { id, offset: 0, limit: 0 });
                let answer = home.ask::<ObjectHistory>(&question).await;
                let Some(controller) = weak.upgrade() else { return };
                let lane = match answer {
                    // An allocation of a buffer has the buffer's id; the track keeps its own.
                    Ok(history) => ObjectLane { id, ..ObjectLane::from_history(&history) },
                    Err(error) => ObjectLane::failed(id, &error.message),
                };
                controller.update(|inner| {
                    inner.overlays.objects.retain(|lane| lane.id != id);
                    inner.overlays.objects.push(lane);
                    inner.lay_out_further(session);
                });
            });
        }
    }

    /// Selects the entity at a point: a slice, the object of the track, idle time, or nothing.
    pub(super) fn select_at(&self, at: Point) {
        let (slice, object, gap, is_in_area) = {
            let mut inner = self.inner.borrow_mut();
            let drawn = inner.drawn_at(at).filter(|slice| slice.slice != NO_SLICE);
            let drawn = drawn.map(|slice| (slice.slice, (slice.track, slice.lane)));
            inner.selected_lane = drawn.map(|(_, lane)| lane);
            let at_ns = inner.time_at(at.x);
            let row = hit::row_at(&inner.frame, at.y);
            let track = row.and_then(|row| inner.tree.tracks.get(row.place));
            let object = match track.map(|track| &track.source) {
                Some(Source::Object(id)) => inner.overlays.objects.iter().find(|lane| lane.id == *id),
                _ => None,
            };
            let object = object.filter(|object| object.lives_at(at_ns));
            let object = object.and_then(|object| object.selection.clone());
            let gap = track.and_then(|track| inner.gap_at(track, at_ns));
            let is_in_area = inner.area.as_ref().is_some_and(|area| {
                let is_of = |track: &TreeTrack| area.tracks.is_empty() || area.tracks.contains(&track.id);
                (area.from_ns as f64..area.to_ns as f64).contains(&at_ns) && track.is_some_and(is_of)
            });
            (drawn.map(|(slice, _)| slice), object, gap, is_in_area)
        };
        match slice {
            Some(slice) => self.select(Some(slice)),
            None => {
                let found = object.or(gap);
                if found.is_none() || !is_in_area {
                    self.session.put_area(None);
                }
                self.session.select(found);
            }
        }
    }
}

impl Inner {
    fn gap_at(&self, track: &TreeTrack, at_ns: f64) -> Option<Selection> {
        let is_there = |slice: &DrawnSlice| {
            let end_ns = slice.start_ns + slice.duration_ns;
            slice.track == track.id && (slice.start_ns as f64..end_ns as f64).contains(&at_ns)
        };
        let is_gap = track.may_be_idle() && at_ns >= 0.0 && !self.frame.slices.iter().any(is_there);
        is_gap.then_some(Selection::Gap { track: track.id, at_ns: at_ns as u64 })
    }
}
