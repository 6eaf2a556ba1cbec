//! Synchronization of the address with the state, including Back and Forward.

use leptos::ev;

use super::{Parts, Session, restore_panels};
use crate::browser::{HISTORY_DEPTH, acts, history_depth, now_ms, path, query, window};
use crate::canvas::frame::FrameLoop;
use crate::reactive::*;
use crate::state::history::{Change, Write};
use crate::state::panes::Panes;
use crate::state::selection::Selection;
use crate::state::time::SharedTime;
use crate::state::url::PageState;
use crate::state::view::Views;
use crate::state::viewport::Viewport;

impl Session {
    pub(super) fn keep_address(self) {
        let frames = FrameLoop::new(Box::new(move |now_ms| self.write(now_ms)));
        self.with(|parts| *parts.frames.borrow_mut() = Some(frames));
        let moved = window_event_listener(ev::popstate, move |_| self.arrive());
        on_cleanup(move || moved.remove());
        // A press may start an entry, and Back from it must return to the last position, not to an earlier one.
        let pressed = window_event_listener(ev::pointerdown, move |_| self.write_replacement());
        on_cleanup(move || pressed.remove());
    }

    /// Records a change of the state in the address.
    pub(crate) fn record_change(self, change: Change) {
        if self.tell_host(change) {
            return;
        }
        self.with(|parts| {
            parts.writer.borrow_mut().record(change, now_ms(), acts());
            if let Some(frames) = parts.frames.borrow().as_ref() {
                frames.request();
            }
        });
    }

    /// Returns the time range for views of slices: the selected one, else the area's.
    pub(crate) fn selected_range(self) -> Option<(u64, u64)> {
        let selected = self.selection.with(|selection| match selection {
            Some(Selection::Range { start_ns, end_ns }) => Some((*start_ns, *end_ns)),
            _ => None,
        });
        let area = || self.time.with(|time| time.area.as_ref().map(|area| (area.from_ns, area.to_ns)));
        selected.or_else(area)
    }

    pub(crate) fn viewport(self) -> Viewport {
        let whole = Viewport::whole(self.with(|parts| parts.info.duration_ns).unwrap_or(0));
        let range_ns = self.time.with(|time| time.range_ns);
        range_ns.map_or(whole, |(start_ns, end_ns)| whole.with_range(start_ns, end_ns))
    }

    /// Returns the visible time within the run, in whole nanoseconds.
    pub(crate) fn visible_range(self) -> (u64, u64) {
        self.viewport().within(self.with(|parts| parts.info.duration_ns).unwrap_or(0))
    }

    /// Returns the visible range, if it is neither the whole run nor the opening range.
    pub(crate) fn visible_part(self) -> Option<(u64, u64)> {
        let opening_ns = self.with(|parts| parts.opening_ns).flatten();
        let range_ns = self.time.with(|time| time.range_ns).filter(|range_ns| Some(*range_ns) != opening_ns);
        range_ns.map(|_| self.visible_range())
    }

    /// Returns the start of the opening range, if it is still the visible one.
    pub(crate) fn opening_start(self) -> Option<f64> {
        let opening_ns = self.with(|parts| parts.opening_ns).flatten();
        let is_shown = self.time.with_untracked(|time| time.range_ns == opening_ns);
        opening_ns.filter(|_| is_shown).map(|(start_ns, _)| start_ns)
    }

    pub(crate) fn put_viewport(self, viewport: Viewport, change: Change) {
        let range_ns = SharedTime::range_of(&viewport);
        if self.time.with_untracked(|old| old.range_ns != range_ns) {
            self.time.update(|time| time.range_ns = range_ns);
            self.record_change(change);
        }
    }

    pub(crate) fn is_embedded(self) -> bool {
        self.with(|parts| parts.is_embedded).unwrap_or(false)
    }

    fn own_query(self) -> String {
        let own = self
            .with(|parts| (parts.is_embedded, parts.telling.as_ref().map(|telling| telling.name.clone())));
        let (is_embedded, teller) = own.unwrap_or_default();
        self.query(is_embedded, teller)
    }

    /// Returns the query of an address with the same view on a separate page.
    pub(super) fn screen_query(self) -> String {
        self.query(false, None)
    }

    fn query(self, is_embedded: bool, teller: Option<String>) -> String {
        let (file, first, opening_ns) = self
            .with(|parts| (parts.file.clone(), Some(parts.views.first), parts.opening_ns))
            .unwrap_or_default();
        let panes = self.panes.get_untracked();
        let state = PageState {
            is_embedded,
            teller,
            file,
            panes: (first.map(Panes::only).as_ref() != Some(&panes)).then_some(panes),
            selection: self.selection.get_untracked(),
            panel: self.panel.get_untracked(),
            time: self.time.get_untracked().linked(opening_ns),
            panels: self.panels.get_untracked(),
            scrolls: self.scrolls.get_untracked(),
        };
        state.to_query(&|query| self.write_slots(query))
    }

    /// Moves back in the history, but never leaves the trace.
    pub(crate) fn back(self) {
        if self.with(|parts| parts.depth.get()).is_some_and(|depth| depth > 0)
            && let Ok(history) = window().history()
        {
            // The browser may refuse.
            let _ = history.back();
        }
    }

    pub(crate) fn forward(self) {
        if let Ok(history) = window().history() {
            // Does nothing at the end of the history.
            let _ = history.forward();
        }
    }

    fn write(self, now_ms: f64) {
        self.with(|parts| {
            let due = parts.writer.borrow_mut().due(now_ms);
            if let Some(write) = due {
                self.write_state(parts, write);
            }
            if parts.writer.borrow().is_pending()
                && let Some(frames) = parts.frames.borrow().as_ref()
            {
                frames.request();
            }
        });
    }

    fn write_replacement(self) {
        self.with(|parts| {
            let is_pending = parts.writer.borrow_mut().take_replacement(now_ms());
            if is_pending {
                self.write_state(parts, Write::Replace);
            }
        });
    }

    fn write_state(self, parts: &Parts, write: Write) {
        let new = self.own_query();
        if new != query() {
            if write == Write::Push {
                parts.depth.set(parts.depth.get() + 1);
            }
            write_history(write, &new, parts.depth.get());
            self.tell_program();
        }
    }

    fn arrive(self) {
        let query = query();
        let views = self.with(|parts| parts.views);
        let Some(Views { all, first }) = views else { return };
        let state = PageState::from_query(&query, all);
        self.with(|parts| {
            parts.writer.borrow_mut().reset();
            parts.depth.set(history_depth());
        });
        self.panes.set(state.panes.unwrap_or_else(|| Panes::only(first)));
        if !self.panes.with_untracked(|panes| panes.shows(self.active.get_untracked())) {
            self.active.set(self.first_active());
        }
        self.panel.set(state.panel);
        self.time.set(state.time.opened(self.with(|parts| parts.opening_ns).flatten()));
        self.panels.set(restore_panels(state.panels, state.panel, state.selection.as_ref()));
        self.scrolls.set(state.scrolls);
        self.read_slots(&query);
        if self.selection.with_untracked(|old| *old != state.selection) {
            self.selection.set(state.selection);
        }
        self.arrivals.update(|arrivals| *arrivals += 1);
        self.tell_program();
    }

    /// Returns a link to the screen's state on a separate page. It opens in the reader's own theme.
    pub(crate) fn link(self) -> String {
        let origin = window().location().origin().unwrap_or_default();
        format!("{origin}{}{}", path(), self.screen_query())
    }
}

fn write_history(write: Write, query: &str, depth: u32) {
    let address = format!("{}{query}", path());
    let Ok(history) = window().history() else { return };
    let state = js_sys::Object::new();
    // Setting a field of a plain object can't fail.
    let _ = js_sys::Reflect::set(&state, &HISTORY_DEPTH.into(), &f64::from(depth).into());
    // A browser that refuses (after too many changes) keeps the older address; the next change tries again.
    let _ = match write {
        Write::Push => history.push_state_with_url(&state, "", Some(&address)),
        Write::Replace => history.replace_state_with_url(&state, "", Some(&address)),
    };
}
