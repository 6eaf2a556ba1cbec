//! The store of a trace's page: screen and selection as signals that every view reads, and the operations that change
//! them. Each change is written to the address.

mod address;
mod commands;
mod comments;
mod detail;
mod goal;
mod guest;
mod notice;
mod slots;
mod telling;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::api::TraceInfo;
use syclscope_language::event::Category;
use syclscope_language::names::ShortNames;

use self::guest::Host;
pub(crate) use self::guest::{Guest, GuestView, StartGuest};
use self::telling::Telling;
use crate::browser::{history_depth, load, query, store};
use crate::canvas::frame::FrameLoop;
use crate::canvas::palette::{Hues, MAX_NAMES, Scheme, slice_colour};
use crate::data::trace_source::TraceSource;
use crate::reactive::*;
use crate::state::attached::AttachedFiles;
use crate::state::call::{Overlay, Responder};
use crate::state::comments::Talk;
use crate::state::detail::Detail;
use crate::state::history::{Change, HistoryWriter};
use crate::state::keys::{Keymap, STORAGE_KEY};
use crate::state::notice::Notice;
use crate::state::panes::{Axis, Panes};
use crate::state::selection::Selection;
use crate::state::slot::Slot;
use crate::state::time::{Area, SharedTime, opening};
use crate::state::url::panels::PanelsState;
use crate::state::url::scrolls::Scrolls;
use crate::state::url::{PageState, Panel};
use crate::state::view::{View, Views};

#[derive(Clone, Copy)]
pub(crate) struct Session {
    parts: StoredValue<Rc<Parts>>,
    pub(crate) selection: RwSignal<Option<Selection>>,
    pub(crate) detail: RwSignal<Detail>,
    pub(crate) panes: RwSignal<Panes>,
    /// View whose keys take precedence.
    pub(crate) active: RwSignal<View>,
    pub(crate) panel: RwSignal<Panel>,
    pub(crate) overlay: RwSignal<Option<Overlay>>,
    /// Number of times the whole state was read from the address: at first, and on Back and Forward.
    pub(crate) arrivals: RwSignal<u32>,
    pub(crate) time: RwSignal<SharedTime>,
    pub(crate) panels: RwSignal<PanelsState>,
    pub(crate) scrolls: RwSignal<Scrolls>,
    pub(crate) keymap: RwSignal<Keymap>,
    pub(crate) attached: RwSignal<AttachedFiles>,
    /// Text for screen readers.
    pub(crate) announcement: RwSignal<String>,
    pub(crate) notice: RwSignal<Notice>,
    pub(crate) talk: RwSignal<Talk>,
    /// Time under the pointer in the first view, in nanoseconds.
    pub(crate) pointer_ns: RwSignal<Option<f64>>,
    pub(crate) focused_guest: RwSignal<Option<Session>>,
}

struct Parts {
    info: Arc<TraceInfo>,
    home: TraceSource,
    file: Option<String>,
    is_embedded: bool,
    telling: Option<Telling>,
    hues: Rc<Hues>,
    writer: RefCell<HistoryWriter>,
    frames: RefCell<Option<FrameLoop>>,
    /// Steps that Back can undo without leaving the trace.
    depth: Cell<u32>,
    views: Views,
    slots: RefCell<Vec<Slot>>,
    responders: RefCell<Vec<Responder>>,
    opening_ns: Option<(f64, f64)>,
    start_guest: StartGuest,
    /// Host of a guest trace; `None` for a page's own trace.
    host: Option<Host>,
}

impl Session {
    /// Provides the store of a trace as a context, with the state of the current address.
    pub(crate) fn provide(
        info: Arc<TraceInfo>,
        home: TraceSource,
        views: Views,
        start_guest: StartGuest,
    ) -> Self {
        let state = PageState::from_query(&query(), views.all);
        let session = Self::new(info, home, (views, start_guest), state, None);
        provide_context(session);
        session.keep_address();
        session.tell_program();
        session.load_details();
        session.follow_comments();
        session
    }

    fn new(
        info: Arc<TraceInfo>,
        home: TraceSource,
        (views, start_guest): (Views, StartGuest),
        state: PageState,
        host: Option<Host>,
    ) -> Self {
        let panes = state.panes.unwrap_or_else(|| Panes::only(views.first));
        let opening_ns = opening(&info);
        let before = host.as_ref().map(|host| host.hues.clone()).unwrap_or_default();
        let parts = Rc::new(Parts {
            hues: Rc::new(before.of_another(&info.kernels)),
            info,
            home,
            file: state.file.clone(),
            is_embedded: state.is_embedded,
            telling: state.teller.map(Telling::under),
            writer: RefCell::default(),
            frames: RefCell::new(None),
            depth: Cell::new(history_depth()),
            views,
            slots: RefCell::default(),
            responders: RefCell::default(),
            opening_ns,
            start_guest,
            host,
        });
        let active = first_active(views.first, &panes);
        Self {
            parts: StoredValue::new(parts),
            selection: RwSignal::new(state.selection.clone()),
            detail: RwSignal::new(Detail::None),
            panes: RwSignal::new(panes),
            active: RwSignal::new(active),
            panel: RwSignal::new(state.panel),
            overlay: RwSignal::new(None),
            arrivals: RwSignal::new(0),
            time: RwSignal::new(state.time.opened(opening_ns)),
            panels: RwSignal::new(restore_panels(state.panels, state.panel, state.selection.as_ref())),
            scrolls: RwSignal::new(state.scrolls),
            keymap: RwSignal::new(Keymap::from_stored(load(STORAGE_KEY).as_deref())),
            attached: RwSignal::default(),
            announcement: RwSignal::new(String::new()),
            notice: RwSignal::default(),
            talk: RwSignal::default(),
            pointer_ns: RwSignal::default(),
            focused_guest: RwSignal::default(),
        }
    }

    /// Calls `act` with the parts, if the page still shows the trace.
    fn with<T>(self, act: impl FnOnce(&Rc<Parts>) -> T) -> Option<T> {
        self.parts.try_with_value(act)
    }

    pub(crate) fn info(self) -> Arc<TraceInfo> {
        self.with(|parts| parts.info.clone()).unwrap_or_default()
    }

    /// Returns the trace's source; `None` if the page no longer shows the trace.
    pub(crate) fn home(self) -> Option<TraceSource> {
        self.with(|parts| parts.home.clone())
    }

    pub(crate) fn hues(self) -> Rc<Hues> {
        self.with(|parts| parts.hues.clone()).unwrap_or_default()
    }

    pub(crate) fn slice_css(self, scheme: Scheme, category: Category, name: &str) -> String {
        self.with(|parts| slice_colour(scheme, category, name, &parts.hues).css()).unwrap_or_default()
    }

    pub(crate) fn short_name(self, name: &str) -> String {
        self.fit_name(name, 96)
    }

    /// Returns a kernel's name in at most `max` letters, with the part that distinguishes it from the trace's other
    /// kernels; other names lose only their namespaces.
    pub(crate) fn fit_name(self, name: &str, max: usize) -> String {
        self.with(|parts| {
            let names = &parts.hues.names;
            if names.has(name) { names.fit(name, max) } else { names.short(name).into_owned() }
        })
        .unwrap_or_default()
    }

    /// Like [`Self::fit_name`], but a text that is no kernel's name stays as it is.
    pub(crate) fn fit_kernel(self, text: &str, max: usize) -> String {
        let short = self.with(|parts| {
            let names = &parts.hues.names;
            names.has(text).then(|| names.fit(text, max))
        });
        short.flatten().unwrap_or_else(|| text.to_owned())
    }

    /// Shortens the names of rows in one table to at most `max` letters each. Kernels have the same names as elsewhere;
    /// other names have the part that distinguishes them from one another.
    pub(crate) fn fit_names(self, names: Vec<&str>, max: usize) -> Vec<String> {
        self.with(|parts| {
            let shared = &parts.hues.names;
            let first = names[..names.len().min(MAX_NAMES)].to_vec();
            let own = ShortNames::new(first.into_iter(), |_| 1);
            let fit = |name: &&str| if shared.has(name) { shared } else { &own }.fit(name, max);
            names.iter().map(fit).collect()
        })
        .unwrap_or_default()
    }

    pub(crate) fn select(self, selection: Option<Selection>) {
        // An answer may come after the user left the page.
        if self.selection.try_with_untracked(|old| *old == selection) != Some(false) {
            return;
        }
        let panel = self.panel.get_untracked();
        if selection.is_some() || panel == Panel::Selection {
            self.set_panel(Panel::standard(selection.as_ref()));
        }
        self.selection.set(selection);
        self.record_change(Change::Detail);
    }

    /// Sets the selection without changing the panel.
    pub(crate) fn mark(self, selection: Option<Selection>) {
        let panel = self.panel.get_untracked();
        self.select(selection);
        self.set_panel(panel);
    }

    /// Sets or removes the area. Back undoes it.
    pub(crate) fn put_area(self, area: Option<Area>) {
        if self.time.with_untracked(|time| time.area != area) {
            self.time.update(|time| time.area = area);
            self.record_change(Change::Jump);
        }
    }

    /// Shows a view in its pane, or else replaces the active view, and makes it active.
    pub(crate) fn show(self, view: View) {
        let active = self.active.get_untracked();
        if !self.panes.with_untracked(|panes| panes.shows(view)) {
            self.panes.update(|panes| panes.replace(active, view));
            self.record_change(Change::Jump);
        }
        self.activate(view);
    }

    pub(crate) fn open_beside(self, at: View, view: View, axis: Axis) {
        self.panes.update(|panes| panes.open_beside(at, view, axis));
        self.activate(view);
        self.record_change(Change::Jump);
    }

    pub(crate) fn close(self, view: View) {
        self.panes.update(|panes| panes.close(view));
        if self.active.get_untracked() == view {
            self.activate(self.first_active());
        }
        self.record_change(Change::Jump);
    }

    pub(crate) fn only(self, view: View) {
        if self.panes.with_untracked(|panes| *panes != Panes::only(view)) {
            self.panes.set(Panes::only(view));
            self.record_change(Change::Jump);
        }
        self.activate(view);
    }

    pub(crate) fn activate(self, view: View) {
        if self.active.get_untracked() != view {
            self.active.set(view);
        }
    }

    /// True if only the panel's tabs are visible: the user's choice, else true until there is something to show.
    pub(crate) fn is_panel_closed(self) -> bool {
        let is_closed = self.panels.with(|panels| panels.is_closed);
        is_closed.unwrap_or_else(|| {
            let has_none = self.selection.with(Option::is_none);
            match self.panel.get() {
                // This is the default tab, which opens only at the user's request.
                Panel::Kernels => true,
                Panel::Selection => has_none,
                Panel::Area => has_none && self.time.with(|time| time.area.is_none()),
                Panel::Problems | Panel::Recording | Panel::Comments => false,
            }
        })
    }

    /// Shows a tab of the panel. A panel closed by the user stays closed.
    pub(crate) fn show_panel(self, panel: Panel) {
        if self.panel.get_untracked() != panel {
            self.set_panel(panel);
            self.record_change(Change::Detail);
        }
    }

    /// Opens the panel at a tab, at the user's request. It stays open until the user closes it.
    pub(crate) fn open_panel(self, panel: Panel) {
        self.show_panel(panel);
        self.put_panel(Some(false));
    }

    /// Closes the panel except for its tabs. The browser stores this for other traces.
    pub(crate) fn close_panel(self) {
        self.put_panel(Some(true));
    }

    fn put_panel(self, is_closed: Option<bool>) {
        if self.panels.with_untracked(|panels| panels.is_closed != is_closed) {
            self.panels.update(|panels| panels.is_closed = is_closed);
            store(PANEL_KEY, (is_closed == Some(true)).then_some(CLOSED));
            self.record_change(Change::Detail);
        }
    }

    fn first_active(self) -> View {
        let active =
            self.with(|parts| self.panes.with_untracked(|panes| first_active(parts.views.first, panes)));
        active.unwrap_or_else(|| self.active.get_untracked())
    }

    fn set_panel(self, panel: Panel) {
        if self.panel.get_untracked() != panel {
            self.panel.set(panel);
        }
    }
}

const PANEL_KEY: &str = "syclscope.panel";
const CLOSED: &str = "closed";

/// Returns the state of the panels from the address. Without one, the panel is closed if the user last closed it,
/// unless the address names the panel's content.
fn restore_panels(panels: PanelsState, panel: Panel, selection: Option<&Selection>) -> PanelsState {
    let is_named = panel != Panel::standard(selection);
    let is_kept = !is_named && load(PANEL_KEY).as_deref() == Some(CLOSED);
    let is_closed = panels.is_closed.or(is_kept.then_some(true));
    PanelsState { is_closed, ..panels }
}

/// Returns the view that is active at first: the default view if visible, else the first visible one.
fn first_active(first: View, panes: &Panes) -> View {
    let views = panes.views();
    if views.contains(&first) { first } else { views.first().copied().unwrap_or(first) }
}

pub(crate) fn use_session() -> Session {
    expect_context::<Session>()
}

/// Returns a title that ends with a command's default key in brackets, with the key that the user set.
pub(crate) fn with_key(id: &'static str, title: &'static str) -> impl Fn() -> String + Send + 'static {
    let keymap = use_session().keymap;
    move || keymap.with(|keymap| keymap.titled(id, title))
}
