//! The one store of a trace's page: what is on screen and what is selected, as signals that every view reads, and the
//! steps that change them. Each change finds its way into the address.

mod address;
mod commands;
mod detail;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use syclscope_trace::api::{SliceRef, TraceInfo};
use syclscope_trace::event::Category;

pub(crate) use commands::{Overlay, Phase};
pub(crate) use detail::Detail;

use crate::browser::query;
use crate::canvas::frame::FrameLoop;
use crate::canvas::palette::{Hues, Scheme, slice_colour};
use crate::data::home::Home;
use crate::reactive::*;
use crate::state::attached::AttachedFiles;
use crate::state::history::{Change, HistoryWriter};
use crate::state::keys::Keymap;
use crate::state::panes::{Axis, Panes};
use crate::state::selection::Selection;
use crate::state::theme::ThemeChoice;
use crate::state::url::calls::CallsState;
use crate::state::url::graph::GraphState;
use crate::state::url::memory::MemoryState;
use crate::state::url::panels::PanelsState;
use crate::state::url::scrolls::Scrolls;
use crate::state::url::source::SourceState;
use crate::state::url::timeline::TimelineState;
use crate::state::url::{PageState, Panel};
use crate::state::view::View;

/// A part of the timeline that somebody wants to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// A slice.
    Slice(SliceRef),
    /// A part of time, in nanoseconds.
    Range(f64, f64),
    /// The track of a buffer, an image or USM, by its id.
    Object(u32),
}

/// A handle on the store that views can copy.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    parts: StoredValue<Rc<Parts>, LocalStorage>,
    /// What is selected.
    pub(crate) selection: RwSignal<Option<Selection>>,
    /// What is known of it.
    pub(crate) detail: RwSignal<Detail>,
    /// The views on screen.
    pub(crate) panes: RwSignal<Panes>,
    /// The view that keys go to first.
    pub(crate) active: RwSignal<View>,
    /// What the panel shows.
    pub(crate) panel: RwSignal<Panel>,
    /// What lies over the page.
    pub(crate) overlay: RwSignal<Option<Overlay>>,
    /// Where the timeline shall go, with the number of the wish.
    pub(crate) goal: RwSignal<Option<(u32, Goal)>>,
    /// How often the whole state came from the address: at first, and on Back and Forward.
    pub(crate) arrivals: RwSignal<u32>,
    /// The timeline's part of the address. The timeline itself puts it here.
    pub(crate) timeline: RwSignal<TimelineState>,
    /// The graph view's part.
    pub(crate) graph: RwSignal<GraphState>,
    /// The source view's part.
    pub(crate) source: RwSignal<SourceState>,
    /// The calls view's part.
    pub(crate) calls: RwSignal<CallsState>,
    /// The panel's part.
    pub(crate) panels: RwSignal<PanelsState>,
    /// How far views are scrolled.
    pub(crate) scrolls: RwSignal<Scrolls>,
    /// The memory view's part.
    pub(crate) memory: RwSignal<MemoryState>,
    /// How often another view than the timeline changed the visible time.
    pub(crate) range_moves: RwSignal<u32>,
    /// The chosen theme.
    theme: RwSignal<ThemeChoice>,
    /// Which keys mean what.
    pub(crate) keymap: RwSignal<Keymap>,
    /// Source files that the user brought along.
    pub(crate) attached: RwSignal<AttachedFiles>,
    /// What a screen reader is to say.
    pub(crate) announcement: RwSignal<String>,
}

struct Parts {
    info: Arc<TraceInfo>,
    home: Home,
    file: Option<String>,
    hues: Hues,
    writer: RefCell<HistoryWriter>,
    frames: RefCell<Option<FrameLoop>>,
    /// Steps that Back could undo without leaving the trace.
    depth: Cell<u32>,
    handlers: RefCell<Vec<(View, commands::Handler)>>,
}

impl Session {
    /// The store of a trace, in the state that the present address holds; a context for everything below.
    pub(crate) fn provide(info: Arc<TraceInfo>, home: Home, theme: RwSignal<ThemeChoice>) -> Self {
        let state = PageState::from_query(&query());
        let parts = Rc::new(Parts {
            hues: Hues::new(info.kernels.iter().map(|kernel| kernel.name.as_str())),
            info,
            home,
            file: state.file.clone(),
            writer: RefCell::default(),
            frames: RefCell::new(None),
            depth: Cell::new(address::depth()),
            handlers: RefCell::default(),
        });
        let active = first_active(&state.panes);
        let session = Self {
            parts: StoredValue::new_local(parts),
            selection: RwSignal::new(state.selection),
            detail: RwSignal::new(Detail::None),
            panes: RwSignal::new(state.panes),
            active: RwSignal::new(active),
            panel: RwSignal::new(state.panel),
            overlay: RwSignal::new(None),
            goal: RwSignal::new(None),
            arrivals: RwSignal::new(0),
            timeline: RwSignal::new(state.timeline),
            graph: RwSignal::new(state.graph),
            source: RwSignal::new(state.source),
            calls: RwSignal::new(state.calls),
            panels: RwSignal::new(state.panels),
            scrolls: RwSignal::new(state.scrolls),
            memory: RwSignal::new(state.memory),
            range_moves: RwSignal::new(0),
            theme,
            keymap: RwSignal::new(commands::stored_keymap()),
            attached: RwSignal::default(),
            announcement: RwSignal::new(String::new()),
        };
        provide_context(session);
        session.keep_address();
        session.load_details();
        session
    }

    /// Does something with the parts, if the page still shows the trace.
    fn with<T>(self, act: impl FnOnce(&Rc<Parts>) -> T) -> Option<T> {
        self.parts.try_with_value(act)
    }

    /// What is known of the trace.
    pub(crate) fn info(self) -> Arc<TraceInfo> {
        self.with(|parts| parts.info.clone()).unwrap_or_default()
    }

    /// Where the trace is; `None` if the page no longer shows it.
    pub(crate) fn home(self) -> Option<Home> {
        self.with(|parts| parts.home.clone())
    }

    /// The colour of a slice, as CSS.
    pub(crate) fn slice_css(self, scheme: Scheme, category: Category, name: &str) -> String {
        self.with(|parts| slice_colour(scheme, category, name, &parts.hues).css()).unwrap_or_default()
    }

    /// Selects something, or nothing, and shows its details.
    pub(crate) fn select(self, selection: Option<Selection>) {
        if self.selection.with_untracked(|old| *old == selection) {
            return;
        }
        let panel = self.panel.get_untracked();
        if selection.is_some() || panel == Panel::Selection {
            self.set_panel(Panel::standard(selection.as_ref()));
        }
        self.selection.set(selection);
        self.changed(Change::Detail);
    }

    /// Selects something and leaves the panel as it is.
    pub(crate) fn mark(self, selection: Option<Selection>) {
        let panel = self.panel.get_untracked();
        self.select(selection);
        self.set_panel(panel);
    }

    /// Selects a slice and brings it into view.
    pub(crate) fn go_to(self, at: SliceRef) {
        self.select(Some(Selection::Slice(at.slice)));
        self.go(Goal::Slice(at));
    }

    /// Lets the timeline go somewhere.
    pub(crate) fn go(self, goal: Goal) {
        self.show(View::Timeline);
        self.goal.update(|last| {
            let number = last.map_or(0, |(number, _)| number) + 1;
            *last = Some((number, goal));
        });
    }

    /// Shows a view: where it is, else in the place of the active one. Keys go to it.
    pub(crate) fn show(self, view: View) {
        let active = self.active.get_untracked();
        if !self.panes.with_untracked(|panes| panes.shows(view)) {
            self.panes.update(|panes| panes.replace(active, view));
            self.changed(Change::Jump);
        }
        self.activate(view);
    }

    /// Shows a view beside or below the active one.
    pub(crate) fn open_beside(self, at: View, view: View, axis: Axis) {
        self.panes.update(|panes| panes.open_beside(at, view, axis));
        self.activate(view);
        self.changed(Change::Jump);
    }

    /// Takes a view away.
    pub(crate) fn close(self, view: View) {
        self.panes.update(|panes| panes.close(view));
        if self.active.get_untracked() == view {
            self.activate(self.panes.with_untracked(first_active));
        }
        self.changed(Change::Jump);
    }

    /// Shows a view alone.
    pub(crate) fn only(self, view: View) {
        if self.panes.with_untracked(|panes| *panes != Panes::only(view)) {
            self.panes.set(Panes::only(view));
            self.changed(Change::Jump);
        }
        self.activate(view);
    }

    /// Keys go to this view from now on.
    pub(crate) fn activate(self, view: View) {
        if self.active.get_untracked() != view {
            self.active.set(view);
        }
    }

    /// Shows a panel.
    pub(crate) fn show_panel(self, panel: Panel) {
        if self.panel.get_untracked() != panel {
            self.set_panel(panel);
            self.changed(Change::Detail);
        }
    }

    fn set_panel(self, panel: Panel) {
        if self.panel.get_untracked() != panel {
            self.panel.set(panel);
        }
    }
}

/// The view that keys go to first: the timeline where it is shown.
fn first_active(panes: &Panes) -> View {
    let views = panes.views();
    if views.contains(&View::Timeline) {
        View::Timeline
    } else {
        views.first().copied().unwrap_or(View::Timeline)
    }
}

/// The store of the trace that the page shows.
pub(crate) fn use_session() -> Session {
    expect_context::<Session>()
}
