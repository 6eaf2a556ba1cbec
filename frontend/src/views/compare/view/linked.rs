//! Timelines of both sides as guests of the comparison. Moves and selections in one are copied to the other and to the
//! page. The page's own time and selection refer to its own trace.

use std::sync::Arc;

use syclscope_language::api::{Anchor, Counterpart, SliceRef, TraceInfo};
use syclscope_language::question::{CompareQuestion, CompareSide};

use super::beside::Beside;
use crate::hooks::answer::Answer;
use crate::reactive::*;
use crate::state::call::{Call, Goal};
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::{Guest, Session};
use crate::state::time::SharedTime;
use crate::views::compare::warp::{Part, Warp};

/// Visible time range of a timeline, as in its session's `range_ns`; `None` shows everything.
type Range = Option<Part>;

/// Both timelines. Places are 0 for the page's own trace and 1 for the other one; sides are 0 for A and 1 for B.
#[derive(Clone, Copy)]
pub(super) struct Linked {
    beside: Beside,
    guests: StoredValue<Option<[Guest; 2]>>,
    warp: StoredValue<Warp>,
    own: usize,
    /// Range of the page's trace, mapped from one of the other trace.
    from_other: StoredValue<Option<Range>>,
    /// Place of the leading timeline, which the other one follows.
    led_by: RwSignal<usize>,
    refined: RwSignal<u32>,
    /// Selection that was copied to each timeline.
    copies: StoredValue<[Option<Selection>; 2]>,
    /// Command that the user selected in the other trace, with the exact selection.
    other_command: StoredValue<Option<(u64, Selection)>>,
}

impl Linked {
    pub(super) fn new(beside: Beside, warp: StoredValue<Warp>, other: Arc<TraceInfo>) -> Option<Self> {
        let page = beside.session;
        let own = untrack(|| usize::from(beside.is_swapped()));
        let linked = Self {
            beside,
            guests: StoredValue::new(None),
            warp,
            own,
            from_other: StoredValue::new(None),
            led_by: RwSignal::new(0),
            refined: RwSignal::new(0),
            copies: StoredValue::new([None, None]),
            other_command: StoredValue::new(None),
        };
        let query = beside.state().with_untracked(|state| state.timelines.clone());
        let own_guest =
            page.guest(page.info(), page.home()?, &query[0], move |change| linked.follow_guest(0, change))?;
        let home = untrack(|| beside.other_home())?;
        let other_guest = page.guest(other, home, &query[1], move |change| linked.follow_guest(1, change))?;
        linked.guests.set_value(Some([own_guest, other_guest]));
        linked.follow_time(page);
        linked.follow_selection(page);
        linked.follow_hands();
        linked.follow_address(page);
        Some(linked)
    }

    pub(super) fn sides(self) -> [Guest; 2] {
        let guests = self.guest(0).zip(self.guest(1));
        // The fields are set before anything else can access them.
        let (own, other) =
            guests.unwrap_or_else(|| unreachable!("both timelines are made with what links them"));
        if self.own == 0 { [own, other] } else { [other, own] }
    }

    fn guest(self, place: usize) -> Option<Guest> {
        self.guests.try_with_value(|guests| guests.map(|guests| guests[place])).flatten()
    }

    pub(super) fn leader(self) -> Option<(usize, Guest)> {
        let place = self.led_by.get();
        Some((if place == 0 { self.own } else { 1 - self.own }, self.guest(place)?))
    }

    /// Refines the mapping with all moments of a part of the run, and moves the follower accordingly.
    pub(super) fn refine(self, part: &[Anchor]) {
        self.warp.update_value(|warp| warp.refine(part));
        if self.led_by.get_untracked() == 1 {
            self.follow_guest(1, Change::Detail);
        } else {
            self.show_range(
                1,
                self.across(0, 1, self.beside.session.time.with_untracked(|time| time.range_ns)),
            );
        }
        self.refined.update(|times| *times += 1);
    }

    pub(super) fn lines(self, spans: [Part; 2], max: usize) -> Vec<[f64; 2]> {
        self.refined.track();
        self.warp.with_value(|warp| warp.lines(spans, max))
    }

    /// Returns the time under the pointer, on A and on B.
    pub(super) fn pointer_times(self) -> Option<[f64; 2]> {
        self.refined.track();
        let at = |place: usize| self.guest(place)?.session.pointer_ns.get();
        // Read both, so that both are tracked.
        let (own, other) = (at(0), at(1));
        let (side, at_ns) = match (own, other) {
            (Some(at_ns), _) => (self.own, at_ns),
            (None, Some(at_ns)) => (1 - self.own, at_ns),
            (None, None) => return None,
        };
        let across = self.warp.with_value(|warp| warp.across(side, at_ns));
        Some(if side == 0 { [at_ns, across] } else { [across, at_ns] })
    }

    /// Returns a note about a selection that exists in one timeline only.
    pub(super) fn remark(self) -> Option<String> {
        let letter = ["B", "A"][self.own];
        self.beside.alone.get().map(|_| format!("The selection exists in {letter} only."))
    }

    fn follow_guest(self, place: usize, change: Change) {
        let Some(guest) = self.guest(place) else { return };
        let page = self.beside.session;
        let query = guest.state_query();
        let state = self.beside.state();
        if state.with_untracked(|state| state.timelines[place] != query) {
            state.update(|state| state.timelines[place] = query);
            // Scrolling to the selection is not undone by Back.
            page.record_change(Change::Detail);
        }
        let range = guest.session.time.with_untracked(|time| time.range_ns);
        let own_range = if place == 0 { range } else { self.across(1, 0, range) };
        if place == 1 {
            self.from_other.set_value(Some(own_range));
        }
        if page.time.with_untracked(|time| time.range_ns != own_range) {
            page.time.update(|time| time.range_ns = own_range);
            page.record_change(change);
        }
    }

    fn across(self, from: usize, to: usize, range: Range) -> Range {
        let side = if from == 0 { self.own } else { 1 - self.own };
        let range = range?;
        let (from_ns, to_ns) = self.warp.with_value(|warp| warp.span_across(side, range));
        let guest = self.guest(to)?;
        let viewport = untrack(|| guest.session.viewport());
        SharedTime::range_of(&viewport.with_range(from_ns, to_ns))
    }

    fn follow_time(self, page: Session) {
        let range = Memo::new(move |_| page.time.with(|time| time.range_ns));
        Effect::new(move |_| {
            let range = range.get();
            let is_from_other = self.from_other.get_value() == Some(range);
            self.from_other.set_value(None);
            self.show_range(0, range);
            if !is_from_other {
                self.show_range(1, self.across(0, 1, range));
            }
            self.led_by.set_if_changed(usize::from(is_from_other));
        });
    }

    fn show_range(self, place: usize, range: Range) {
        let Some(guest) = self.guest(place) else { return };
        if guest.session.time.with_untracked(|time| time.range_ns != range) {
            guest.session.time.update(|time| time.range_ns = range);
        }
    }

    fn follow_selection(self, page: Session) {
        let pair = self.beside.selected_pair;
        Effect::new(move |_| {
            let (selected, pair) = (page.selection.get(), pair.get());
            let slices =
                pair.as_ref().map(|pair| if self.own == 0 { [pair.a, pair.b] } else { [pair.b, pair.a] });
            let nodes = pair.as_ref().map(|pair| {
                if self.own == 0 { [pair.a_node, pair.b_node] } else { [pair.b_node, pair.a_node] }
            });
            let [own_slice, other_slice] = slices.unwrap_or_default();
            let [own_node, other_node] = nodes.unwrap_or_default();
            let own = match &selected {
                Some(Selection::Node(node)) => own_slice.filter(|_| own_node == Some(*node)).map(of_slice),
                selected => selected.clone(),
            };
            self.show(0, own, own_slice);
            let other_command = self.other_command.get_value().filter(|(node, _)| other_node == Some(*node));
            let other = other_command.map(|(_, selection)| selection).or(other_slice.map(of_slice));
            // A selection without a counterpart stays until the next selection.
            let is_alone = self.beside.alone.with(Option::is_some);
            if selected.is_some() {
                self.beside.alone.set_if_changed(None);
            }
            if selected.is_some() || !is_alone {
                self.show(1, other.filter(|_| selected.is_some()), other_slice);
            }
        });
    }

    /// Selects an entity in a timeline, and scrolls to its track.
    fn show(self, place: usize, selection: Option<Selection>, at: Option<SliceRef>) {
        let Some(guest) = self.guest(place) else { return };
        self.copies.update_value(|copies| copies[place] = selection.clone());
        if guest.session.selection.with_untracked(|old| *old == selection) {
            return;
        }
        let slice = selection.as_ref().and_then(Selection::slice);
        guest.session.selection.set(selection);
        if let Some(at) = at.filter(|at| Some(at.slice) == slice) {
            guest.call(Call::Go(Goal::Track(at.track)));
        }
    }

    /// Makes the page follow selections in the timelines; for the other trace, it selects the counterpart.
    fn follow_hands(self) {
        let (Some(own), Some(other)) = (self.guest(0), self.guest(1)) else { return };
        let page = self.beside.session;
        let is_copy = move |place: usize, selection: &Option<Selection>| {
            self.copies.with_value(|copies| copies[place] == *selection)
        };
        Effect::new(move |_| {
            let selection = own.session.selection.get();
            if !is_copy(0, &selection) {
                page.select(selection);
            }
        });
        let chosen = Memo::new(move |_| {
            let selection = other.session.selection.get();
            if is_copy(1, &selection) {
                return None;
            }
            // A slice's details load a moment after its selection.
            let node = other.session.detail.with(|detail| match (&selection, detail) {
                (Some(Selection::Slice(slice)), Detail::Slice(detail)) if detail.at.slice == *slice => {
                    Some(detail.node.as_ref().map(|node| node.id))
                }
                (Some(Selection::Slice(_)), _) => None,
                _ => Some(None),
            })?;
            Some((selection, node))
        });
        let side = if self.own == 0 { CompareSide::B } else { CompareSide::A };
        let pending = self.beside.ask::<Counterpart>(move || {
            let (_, node) = chosen.get()?;
            Some(CompareQuestion::Counterpart { side, node: node? })
        });
        Effect::new(move |_| {
            let Some((selection, node)) = chosen.get() else { return };
            let counterpart = match (node, pending.answer.get()) {
                (None, _) | (Some(_), Answer::Failed(_)) => None,
                (Some(_), Answer::Ready(found)) => {
                    let MatchedSides { own, other } = MatchedSides::new(&found, self.own);
                    if other != node {
                        return;
                    }
                    own
                }
                (Some(_), Answer::None | Answer::Loading) => return,
            };
            self.copies.update_value(|copies| copies[1] = selection.clone());
            self.other_command.set_value(node.zip(selection.clone()));
            self.beside.alone.set(selection.filter(|_| counterpart.is_none()));
            page.select(counterpart);
        });
    }

    fn follow_address(self, page: Session) {
        Effect::new(move |before: Option<u32>| {
            let arrivals = page.arrivals.get();
            if before.is_some_and(|before| before != arrivals) {
                let query = self.beside.state().with_untracked(|state| state.timelines.clone());
                for (place, query) in query.iter().enumerate() {
                    if let Some(guest) = self.guest(place) {
                        guest.restore(query);
                    }
                }
            }
            arrivals
        });
    }
}

/// Counterpart in the page's own trace, and the other trace's command that it belongs to.
struct MatchedSides {
    own: Option<Selection>,
    other: Option<u64>,
}

impl MatchedSides {
    fn new(found: &Counterpart, own: usize) -> Self {
        let pair = &found.command;
        let (own_slice, own_node, other) = match own {
            0 => (pair.a, pair.a_node, pair.b_node),
            _ => (pair.b, pair.b_node, pair.a_node),
        };
        Self { own: own_slice.map(of_slice).or(own_node.map(Selection::Node)), other }
    }
}

fn of_slice(at: SliceRef) -> Selection {
    Selection::Slice(at.slice)
}
