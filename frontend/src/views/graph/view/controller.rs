//! Connection of the graph's parts to the browser: frames, answers, the address.
//!
//! The session owns the state in the address; its changes are applied here. A frame has three steps: move, paint, and
//! publish (signals, address); only the last one sets signals.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use leptos::task::spawn_local;
use syclscope_language::api::GraphView;
use syclscope_language::question::{GraphQuestion, Question};

use crate::browser::{now_ms, pause};
use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::{Hues, Theme};
use crate::canvas::scale::Size;
use crate::canvas::text::TextFit;
use crate::data::client::ClientError;
use crate::idle::Busy;
use crate::stage::canvas::{Content, Stage};
use crate::stage::pointer::Touch;
use crate::state::comments::Talk;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::views::graph::decode::Decoder;
use crate::views::graph::labels;
use crate::views::graph::log::graph_log;
use crate::views::graph::model::{EdgeChoice, Model, ModelBuilder, group_name};
use crate::views::graph::question;
use crate::views::graph::selection::find_nodes;
use crate::views::graph::state::GraphState;
use crate::views::graph::view::inner::Inner;
use crate::views::graph::view::signals::{Signals, Status};
use crate::views::graph::walk;

/// Number of nodes or edges parsed per step, and the time for parsing before yielding to the page.
const ELEMENTS: usize = 200;
const PIECE_MS: f64 = 8.0;

pub(crate) struct Controller {
    pub(super) inner: RefCell<Inner>,
    pub(crate) signals: Signals,
    pub(super) session: Session,
    pub(super) stage: Rc<Stage>,
}

impl Controller {
    pub(crate) fn new(session: Session) -> Rc<Self> {
        let info = session.info();
        let hues = Hues::new(&info.kernels);
        let place = session.slot::<GraphState>().with_untracked(|state| state.place);
        Rc::new_cyclic(|weak: &Weak<Self>| {
            let inner = RefCell::new(Inner::new(hues, place));
            Self { inner, signals: Signals::new(), session, stage: Stage::new(weak.clone()) }
        })
    }

    /// Applies the address except for the camera, and queries another drawing if needed.
    pub(crate) fn follow(self: &Rc<Self>) {
        let state = self.session.slot::<GraphState>().get_untracked();
        let question = question::drawing(&state);
        let mut inner = self.inner.borrow_mut();
        let choice = EdgeChoice { without: state.without_reasons.clone(), redundant: state.redundant };
        if inner.choice != choice {
            inner.choice = choice;
            inner.is_dirty = true;
        }
        if inner.colour != state.colour {
            inner.colour = state.colour;
            inner.recolour();
        }
        if inner.marks.has_critical != state.has_critical {
            inner.marks.has_critical = state.has_critical;
            inner.is_dirty = true;
        }
        let is_new = inner.pending_query.as_ref().or(inner.drawing_query.as_ref()) != Some(&question);
        let is_drawn = !is_new && inner.pending_query.is_none();
        inner.is_fitted |= is_new && state.place.is_none();
        drop(inner);
        self.search(&state);
        self.put_cursor(&state);
        if is_new {
            self.ask(question);
        } else if is_drawn && matches!(self.signals.status.get_untracked(), Status::Failed(_)) {
            self.signals.status.set(Status::Ready);
        }
        self.tell_model();
        self.request_frame();
    }

    pub(crate) fn arrive(self: &Rc<Self>) {
        let state = self.session.slot::<GraphState>().get_untracked();
        let mut inner = self.inner.borrow_mut();
        let wants_another = inner.drawing_query.as_ref() != Some(&question::drawing(&state));
        inner.is_fitted = state.place.is_none();
        inner.anchor = None;
        if wants_another {
            inner.start_place = state.place;
        } else {
            let whole = inner.model.whole();
            let mut to = inner.settled().opened(&whole, inner.model.first_x());
            if let Some(place) = state.place {
                to.place = place;
            }
            inner.jump_to(to, Change::Detail);
            inner.is_fitted = state.place.is_none();
            inner.change = None;
        }
        drop(inner);
        self.request_frame();
    }

    /// Queries a drawing; the old one stays until it arrives.
    fn ask(self: &Rc<Self>, question: GraphQuestion) {
        let Some(home) = self.session.home() else { return };
        self.inner.borrow_mut().pending_query = Some(question.clone());
        self.signals.status.set_if_changed(Status::Loading);
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let answer = match home.text(&Question::Graph(question.clone())).await {
                Ok(text) => read(text).await,
                Err(error) => Err(error),
            };
            let Some(controller) = weak.upgrade() else { return };
            // The query may have changed meanwhile.
            if controller.inner.borrow().pending_query.as_ref() != Some(&question) {
                return;
            }
            match answer {
                Ok(model) => controller.set_model(model, question),
                Err(error) => {
                    controller.inner.borrow_mut().pending_query = None;
                    controller.request_frame();
                    let _gone = controller.signals.status.try_set(Status::Failed(error.message));
                }
            }
        });
    }

    fn set_model(self: &Rc<Self>, model: Model, question: GraphQuestion) {
        let mut inner = self.inner.borrow_mut();
        inner.pending_query = None;
        inner.search.clear();
        inner.marks.hovered = None;
        inner.marks.hovered_edge = None;
        inner.show(model, question);
        let model = inner.model.clone();
        drop(inner);
        if self.signals.model.try_set(Some(model)).is_some() {
            return;
        }
        self.signals.status.set_if_changed(Status::Ready);
        self.keep_cursor();
        let state = self.session.slot::<GraphState>().get_untracked();
        if state.kinds.is_empty() {
            self.signals.kinds.set_if_changed(self.inner.borrow().model.kinds.clone());
        }
        self.search(&state);
        self.put_cursor(&state);
        self.show_selection();
        self.tell_model();
        self.request_frame();
    }

    pub(crate) fn retry(self: &Rc<Self>) {
        let state = self.session.slot::<GraphState>().get_untracked();
        self.ask(question::drawing(&state));
    }

    fn search(&self, state: &GraphState) {
        let mut inner = self.inner.borrow_mut();
        if inner.search != state.search {
            inner.search.clone_from(&state.search);
            inner.matches = Arc::new(walk::matches(&inner.model, &state.search));
        } else if state.search.is_empty() && !inner.matches.is_empty() {
            inner.matches = Arc::default();
        }
        let dims: Vec<bool> = if state.is_undimmed { Vec::new() } else { inner.matches.to_vec() };
        if inner.marks.matches != dims {
            inner.marks.matches = dims;
            inner.is_dirty = true;
        }
        let matches = inner.matches.clone();
        drop(inner);
        self.signals.matches.set_if_changed(matches);
    }

    pub(super) fn mark_pins(&self) {
        let pins = self.session.talk.with_untracked(Talk::pins);
        let mut inner = self.inner.borrow_mut();
        let nodes = pins.iter().filter(|pin| matches!(pin, Selection::Node(_)));
        let pinned: Vec<u32> = nodes.flat_map(|pin| find_nodes(&inner.model, pin)).collect();
        if inner.marks.pinned != pinned {
            inner.marks.pinned = pinned;
            inner.is_dirty = true;
        }
        drop(inner);
        self.request_frame();
    }

    fn put_cursor(&self, state: &GraphState) {
        let mut inner = self.inner.borrow_mut();
        let cursor = state.cursor.and_then(|name| inner.model.find(name));
        if inner.marks.cursor != cursor {
            inner.marks.cursor = cursor;
            inner.is_dirty = true;
        }
        let model = inner.model.clone();
        drop(inner);
        let announcement =
            cursor.and_then(|number| Some(labels::describe(&model, model.node(number)?, number)));
        self.signals.cursor.set_if_changed(cursor);
        self.signals.announcement.set_if_changed(announcement.unwrap_or_default());
    }

    /// If the node at the cursor was replaced by others, the cursor moves to the first of these.
    fn keep_cursor(&self) {
        let Some(name) = self.session.slot::<GraphState>().with_untracked(|state| state.cursor) else {
            return;
        };
        let inner = self.inner.borrow();
        let first = inner.model.beginning_with(name.node).and_then(|number| inner.model.node(number));
        let cursor = inner.model.find(name).is_none().then(|| first.map(group_name));
        drop(inner);
        if let Some(cursor) = cursor {
            self.change(Change::Detail, |state| state.cursor = cursor);
        }
    }

    fn tell_model(&self) {
        let inner = self.inner.borrow();
        let hidden = inner.model.view.edges.iter().filter(|edge| !inner.choice.shows(edge));
        let hidden: u64 = hidden.map(|edge| edge.count).sum();
        let legend = inner.colours.legend.iter();
        let legend =
            legend.map(|(colour, words)| (colour.map(|colour| colour.css()), words.clone())).collect();
        drop(inner);
        self.signals.hidden_edges.set_if_changed(hidden);
        self.signals.legend.set_if_changed(legend);
    }

    pub(crate) fn request_frame(&self) {
        self.stage.request();
    }

    fn publish_frame(&self) {
        let mut inner = self.inner.borrow_mut();
        let hover = inner.hover();
        let (scale, left_out) = (inner.camera.scale(), inner.frame.left_out_edges);
        let (change, place) = (inner.change.take(), inner.place());
        let has_column = inner.camera.column_css_px > 0.0;
        drop(inner);
        self.signals.has_column.set_if_changed(has_column);
        if let Some(change) = change
            && self.session.slot::<GraphState>().with_untracked(|state| state.place != place)
        {
            self.session.slot::<GraphState>().update(|state| state.place = place);
            self.session.record_change(change);
        }
        self.signals.hover.set_if_changed(hover);
        self.signals.scale.set_if_changed((scale * 100.0).round() / 100.0);
        self.signals.left_out_edges.set_if_changed(left_out);
    }

    pub(crate) fn change(&self, change: Change, act: impl FnOnce(&mut GraphState)) {
        self.session.slot::<GraphState>().update(act);
        self.session.record_change(change);
    }

    pub(crate) fn log(&self) -> String {
        let inner = self.inner.borrow();
        let scene = inner.scene();
        serde_json::to_string(&graph_log(&scene, &inner.frame)).unwrap_or_default()
    }
}

impl Content for Controller {
    fn resize(&self, size: Option<Size>) {
        self.inner.borrow_mut().place_on(size);
    }

    fn set_theme(self: Rc<Self>, theme: &Theme) {
        let mut inner = self.inner.borrow_mut();
        inner.theme = *theme;
        inner.recolour();
        drop(inner);
        self.tell_model();
    }

    fn wants_paint(&self) -> bool {
        self.inner.borrow().is_dirty
    }

    fn advance(&self, now_ms: f64) -> bool {
        let mut inner = self.inner.borrow_mut();
        let goes_on = inner.advance(now_ms);
        inner.settle();
        inner.point_at();
        goes_on
    }

    fn draw(&self, fit: &mut TextFit<'_>, paint: &mut dyn FnMut(&DrawList)) {
        let mut inner = self.inner.borrow_mut();
        inner.draw(fit);
        paint(&inner.frame.list);
    }

    fn tell(self: Rc<Self>) {
        self.publish_frame();
    }

    fn touch(self: Rc<Self>, touch: &Touch) {
        self.handle_touch(touch);
    }

    fn cursor(&self, _last: &Touch) -> &'static str {
        self.inner.borrow().cursor()
    }

    fn is_waiting(&self) -> bool {
        self.inner.borrow().pending_query.is_some()
    }
}

/// Reads an answer in steps, and yields to the page in between.
async fn read(text: String) -> Result<Model, ClientError> {
    // The page is not idle until the drawing is shown.
    let _busy = Busy::start();
    let mut decoder = Decoder::new(text);
    let mut begun_ms = now_ms();
    loop {
        match decoder.step(ELEMENTS) {
            Ok(Some(view)) => return Ok(make(view).await),
            Ok(None) => {}
            Err(error) => return Err(ClientError::unreadable(&error)),
        }
        if now_ms() - begun_ms > PIECE_MS {
            pause().await;
            begun_ms = now_ms();
        }
    }
}

/// Builds a drawing's model in steps, and yields to the page in between.
async fn make(view: GraphView) -> Model {
    let mut builder = ModelBuilder::new(view);
    loop {
        pause().await;
        if builder.step() {
            pause().await;
            return builder.finish();
        }
    }
}
