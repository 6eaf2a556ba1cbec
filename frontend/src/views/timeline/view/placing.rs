//! Edits of the timeline: measures, areas, notes, searches, the choice of tracks and arrows.

use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{SliceList, SliceRef, Stepped};
use syclscope_language::filter::Filter;
use syclscope_language::question::{
    ListQuestion, Question, Selection as SliceChoice, SliceOrder, StepFrom, StepQuestion,
};

use crate::browser::focus;
use crate::data::trace_source::TraceSource;
use crate::stage::pointer::Point;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::state::time::Area;
use crate::state::url::Panel;
use crate::views::timeline::additions::{Additions, Measure, Note, NoteAt};
use crate::views::timeline::input::Tool;
use crate::views::timeline::tracks::TrackChoice;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;
use crate::views::timeline::view::notes::NOTE_FIELD;

/// Maximum number of requests for one step.
const MAX_STEPS: u32 = 100;
/// Maximum number of slices of a track at one time.
const MAX_RUNNING: u32 = 200;

impl Controller {
    pub(crate) fn change_additions(&self, change: impl FnOnce(&mut Additions)) {
        let mut additions = self.inner.borrow().additions.clone();
        change(&mut additions);
        self.put_additions(additions);
    }

    // The parts without the type of the change are functions of their own, which are compiled once.

    fn put_additions(&self, additions: Additions) {
        let mut inner = self.inner.borrow_mut();
        if inner.additions != additions {
            inner.additions = additions;
            inner.record_change(Change::Detail);
        }
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn change_tracks(self: &Rc<Self>, change: impl FnOnce(&mut TrackChoice)) {
        let mut choice = self.inner.borrow().choice.clone();
        change(&mut choice);
        self.put_tracks(choice);
    }

    fn put_tracks(self: &Rc<Self>, choice: TrackChoice) {
        {
            let mut inner = self.inner.borrow_mut();
            if inner.choice == choice {
                return;
            }
            // Back undoes a change of tracks. Typing a filter is one history entry, however many letters it has.
            let is_typed = inner.choice.filter != choice.filter;
            inner.choice = choice;
            inner.lay_out();
            inner.record_change(if is_typed { Change::Continuous } else { Change::Jump });
        }
        self.load_kernel_lanes();
        self.load_objects();
        self.request_frame();
    }

    pub(crate) fn shift_track(self: &Rc<Self>, track: u32, by: isize) {
        let siblings = {
            let inner = self.inner.borrow();
            inner.tree.place(track).map(|place| inner.tree.siblings(place)).unwrap_or_default()
        };
        self.change_tracks(|choice| {
            choice.shift(track, &siblings, by);
        });
    }

    pub(super) fn say(&self, text: &str) {
        self.session.announcement.set(text.to_owned());
    }

    pub(crate) fn toggle_tool(&self, tool: Tool) {
        let mut inner = self.inner.borrow_mut();
        inner.pointer.tool = if inner.pointer.tool == tool { Tool::Move } else { tool };
        drop(inner);
        self.request_frame();
    }

    /// Returns the selected slice, once its details are loaded.
    pub(super) fn selected(&self) -> Option<SliceRef> {
        self.inner.borrow().marks.as_ref().map(|marks| marks.selected)
    }

    /// Measures the selected slice. False if none is selected, or it is measured already.
    pub(super) fn measure_selected(&self) -> bool {
        let Some(at) = self.selected() else { return false };
        let measure = Some(Measure::ruler(at.start_ns, at.start_ns + at.duration_ns));
        let is_new = self.inner.borrow().additions.measure != measure;
        self.change_additions(|additions| additions.measure = measure);
        is_new
    }

    pub(super) fn measure_to(&self, at: Point) {
        let other = {
            let inner = self.inner.borrow();
            inner.drawn_at(at).map(|slice| (slice.start_ns, slice.start_ns + slice.duration_ns))
        };
        if let (Some(one), Some(other)) = (self.selected(), other) {
            let measure = Measure::between((one.start_ns, one.start_ns + one.duration_ns), other);
            self.change_additions(|additions| additions.measure = Some(measure));
        }
    }

    /// Stores the selected slice at the first call. At the second call, measures the gap to the slice selected then.
    pub(super) fn measure_gap(&self) {
        let Some(at) = self.selected() else { return };
        let own = (at.start_ns, at.start_ns + at.duration_ns);
        let first = self.inner.borrow_mut().first_of_two.take().filter(|first| *first != own);
        match first {
            Some(first) => {
                self.change_additions(|additions| additions.measure = Some(Measure::between(first, own)))
            }
            None => {
                self.inner.borrow_mut().first_of_two = Some(own);
                self.say("First slice set. Select another slice and press the same key.");
            }
        }
    }

    /// Selects the visible time of the selected slice's track as the area; of all tracks without a selection.
    pub(super) fn select_area(&self) {
        let (from_ns, to_ns) = {
            let inner = self.inner.borrow();
            inner.viewport.within(inner.info.duration_ns)
        };
        let lane_track = self.inner.borrow().selected_lane.map(|(track, _)| track);
        let tracks = self.selected().map(|at| vec![lane_track.unwrap_or(at.track)]).unwrap_or_default();
        {
            let mut inner = self.inner.borrow_mut();
            inner.area = Some(Area { from_ns, to_ns, tracks });
            inner.record_change(Change::Jump);
        }
        self.request_frame();
        self.put_state(Change::Jump);
        self.session.show_panel(Panel::Area);
    }

    /// Starts a note at the selected slice, else under the pointer, else in the middle.
    pub(super) fn write_note(&self) {
        let at = match self.selected() {
            Some(at) => NoteAt::Slice(at),
            None => NoteAt::Time(self.inner.borrow().pointer_ns()),
        };
        let mut place = 0;
        self.change_additions(|additions| {
            place = additions.notes.len();
            additions.notes.push(Note { at, text: String::new() });
        });
        self.edit_note(place);
    }

    pub(crate) fn edit_note(&self, mut note: usize) {
        match self.signals.edited_note.get_untracked() {
            Some(open) if open == note => return focus(NOTE_FIELD),
            Some(open) => {
                let text = self.signals.note_text.get_untracked().trim().to_owned();
                // A note without a text is removed.
                note -= usize::from(text.is_empty() && open < note);
                self.change_additions(|additions| {
                    if text.is_empty() && open < additions.notes.len() {
                        additions.notes.remove(open);
                    } else if let Some(note) = additions.notes.get_mut(open) {
                        note.text = text;
                    }
                });
                // The field reads its text from the published notes.
                self.put_state(Change::Detail);
            }
            None => {}
        }
        self.signals.edited_note.set(Some(note));
    }

    pub(super) fn set_zero(&self) {
        let at_ns = self.selected().map_or_else(|| self.inner.borrow().pointer_ns(), |at| at.start_ns);
        self.change_additions(|additions| {
            additions.zero_ns = if additions.zero_ns.is_some() { None } else { Some(at_ns) };
        });
    }

    /// Moves the selection along the first visible dependence of the selected command.
    pub(super) fn walk_chain(&self, before: bool) {
        let goal = {
            let inner = self.inner.borrow();
            inner.marks.as_ref().and_then(|marks| match inner.overlays.chain_of(marks.selected.slice) {
                Some(chain) => {
                    let near = chain.edges.iter().find(|edge| edge.hop == 1 && edge.before == before);
                    near.map(|edge| if before { edge.from } else { edge.to })
                }
                None if before => marks.waits_for.first().copied(),
                None => marks.waited_by.first().copied(),
            })
        };
        if let Some(goal) = goal {
            self.session.go_to(goal);
        }
    }

    pub(crate) fn step_match(self: &Rc<Self>, back: bool) {
        let (filter, from) = {
            let inner = self.inner.borrow();
            let Ok(filter) = inner.additions.search.parse::<Filter>() else { return };
            let at_ns = inner.viewport.start_ns().max(0.0) as u64;
            (filter, inner.selected.map_or(StepFrom::At(at_ns), StepFrom::Slice))
        };
        // Without a search, every slice would match.
        if filter.is_everything() {
            return focus("[data-testid=search]");
        }
        let selection = SliceChoice { filter, ..SliceChoice::default() };
        self.step(StepQuestion { selection, from, back }, None);
    }

    /// Selects the next slice of a choice, or the previous one: of a track's lane, or else of all, around the ends.
    pub(super) fn step(self: &Rc<Self>, question: StepQuestion, lane: Option<(u32, u32)>) {
        let mut inner = self.inner.borrow_mut();
        let step = Some((question.clone(), lane));
        // A held key repeats before the answer.
        if inner.pending_step == step {
            return;
        }
        inner.pending_step.clone_from(&step);
        let home = inner.home.clone();
        drop(inner);
        let (weak, session) = (Rc::downgrade(self), self.session);
        let selected = session.selection.get_untracked();
        spawn_local(async move {
            take_step(session, &home, selected, question, lane).await;
            let Some(controller) = weak.upgrade() else { return };
            let mut inner = controller.inner.borrow_mut();
            // Another step may have replaced this one.
            if inner.pending_step == step {
                inner.pending_step = None;
            }
        });
    }
}

/// Selects the slice of a step, unless the selection is no longer `selected` when the answer arrives.
async fn take_step(
    session: Session,
    home: &TraceSource,
    selected: Option<Selection>,
    mut question: StepQuestion,
    lane: Option<(u32, u32)>,
) {
    let is_current = || session.selection.try_with_untracked(|now| *now == selected) == Some(true);
    let back = question.back;
    let mut wraps = lane.is_none();
    // Slices of a track's other lanes may be nearer.
    for _ in 0..MAX_STEPS {
        let answer = home.ask::<Stepped>(&Question::Step(question.clone())).await;
        // The user changed the selection, or left the page, before the answer arrived.
        if !is_current() {
            return;
        }
        question.from = match answer {
            Ok(Stepped { slice: Some(found) }) => {
                if lane.is_none_or(|lane| lane == (found.at.track, found.at.lane)) {
                    return session.go_to(found.at);
                }
                // The wanted slice may contain any number of others.
                let around = match lane {
                    Some(lane) if back => running(home, lane, found.at.start_ns).await,
                    _ => None,
                };
                if let Some(at) = around {
                    if is_current() {
                        session.go_to(at);
                    }
                    return;
                }
                StepFrom::Slice(found.at.slice)
            }
            Ok(_) if wraps => {
                wraps = false;
                StepFrom::At(if back { u64::MAX } else { 0 })
            }
            Ok(_) => return,
            Err(error) => return session.announcement.set(error.message),
        };
    }
}

/// Returns the slice of a track's lane that runs at a time.
async fn running(home: &TraceSource, (track, lane): (u32, u32), at_ns: u64) -> Option<SliceRef> {
    let selection = SliceChoice {
        from_ns: Some(at_ns),
        to_ns: Some(at_ns.saturating_add(1)),
        tracks: Some(vec![track]),
        ..SliceChoice::default()
    };
    let sort = SliceOrder::Start;
    let question =
        Question::Slices(ListQuestion { selection, sort, offset: 0, limit: MAX_RUNNING, args: false });
    let list = home.ask::<SliceList>(&question).await.ok()?;
    list.slices.iter().map(|item| item.at).find(|at| (at.track, at.lane) == (track, lane))
}

impl Inner {
    /// Returns the moment under the pointer, else in the middle.
    fn pointer_ns(&self) -> u64 {
        let middle_ns = self.viewport.start_ns() + self.viewport.span_ns() / 2.0;
        self.pointer_at.map_or(middle_ns, |at| self.time_at(at.x)).max(0.0).round() as u64
    }
}
