//! Connection of the timeline's parts to the browser: frames, tiles, history.
//!
//! User input changes [`Inner`] and requests a frame. A frame has three steps: move (held keys, animation), paint, and
//! publish (signals, address, requests for tiles); only the last one sets signals.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::task::spawn_local;
use syclscope_language::question::TileKey;
use web_sys::HtmlElement;

use crate::browser::now_ms;
use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::canvas::text::TextFit;
use crate::data::trace_source::TraceSource;
use crate::reactive::untrack;
use crate::stage::canvas::{Content, Stage};
use crate::stage::pointer::Touch;
use crate::state::history::Change;
use crate::state::session::Session;
use crate::state::time::SharedTime;
use crate::views::timeline::additions::Note;
use crate::views::timeline::keys::{self, Motion};
use crate::views::timeline::log::draw_log;
use crate::views::timeline::model::TreeTrack;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::inner::Inner;
use crate::views::timeline::view::signals::{Signals, Status};

/// Concurrent requests; browsers open six connections to one server.
const REQUESTS_AT_ONCE: usize = 6;

pub(crate) struct Controller {
    pub(super) inner: RefCell<Inner>,
    pub(crate) signals: Signals,
    pub(super) session: Session,
    pub(super) stage: Rc<Stage>,
}

impl Controller {
    pub(crate) fn new(session: Session, home: TraceSource) -> Rc<Self> {
        let inner = Inner::new(home, session.info(), session.hues());
        let signals = Signals::new();
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| Self {
            inner: RefCell::new(inner),
            signals,
            session,
            stage: Stage::new(weak.clone()),
        });
        controller.open_state();
        controller
    }

    /// Registers the labels and the scroll bar, which move along with the canvas.
    pub(crate) fn attach_labels(&self, labels: HtmlElement, scrollbar: HtmlElement) {
        let mut inner = self.inner.borrow_mut();
        (inner.labels, inner.scrollbar) = (Some(labels), Some(scrollbar));
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    /// Applies the state of the address: at first, and on Back and Forward.
    pub(crate) fn open_state(self: &Rc<Self>) {
        let view = self.session.slot::<TimelineState>().get_untracked();
        let area = self.session.time.with_untracked(|time| time.area.clone());
        let edited = self.signals.edited_note.get_untracked();
        let note_at = |notes: &[Note]| Some(notes.get(edited?)?.at);
        // The number of the edited note may be that of another note now.
        let is_other = note_at(&self.inner.borrow().additions.notes) != note_at(&view.additions.notes);
        {
            let mut inner = self.inner.borrow_mut();
            inner.jump = None;
            inner.glide.stop();
            inner.viewport = untrack(|| self.session.viewport());
            inner.area = area;
            inner.collapsed = view.collapsed;
            inner.choice = view.choice;
            inner.additions = view.additions;
            inner.lay_out();
            inner.set_scroll(view.scroll_css_px);
            inner.change = None;
        }
        if is_other {
            self.signals.edited_note.set(None);
        }
        self.load_kernel_lanes();
        self.load_objects();
        self.request_frame();
    }

    pub(super) fn put_state(&self, change: Change) {
        let (time, state) = {
            let inner = self.inner.borrow();
            (inner.time(), inner.state())
        };
        let is_other_time = self.session.time.set_if_changed(time);
        if self.session.slot().set_if_changed(state) || is_other_time {
            self.session.record_change(change);
        }
    }

    /// Shows the time range and the area chosen in other views.
    pub(crate) fn follow_time(&self) {
        let viewport = untrack(|| self.session.viewport());
        let area = self.session.time.with_untracked(|time| time.area.clone());
        let mut inner = self.inner.borrow_mut();
        if inner.area != area && !inner.pointer.is_dragging() {
            inner.area = area;
            inner.repaint();
            self.stage.request();
        }
        // The range was published by the timeline itself: it is on screen, or is the target of a jump.
        if SharedTime::range_of(&inner.settled_viewport()) == SharedTime::range_of(&viewport) {
            return;
        }
        inner.jump = None;
        inner.viewport = viewport;
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn request_frame(&self) {
        self.stage.request();
    }

    /// Scales the elements next to the canvas like its content.
    pub(crate) fn enlarge(&self, scale: f64) {
        self.inner.borrow_mut().scale = scale;
        self.signals.scale.set_if_changed(scale);
        self.stage.request();
    }

    /// Starts a movement when its key goes down: one step immediately, more while it is down.
    pub(crate) fn hold(&self, motion: Motion) {
        let mut inner = self.inner.borrow_mut();
        if inner.motions.iter().all(|(other, _)| *other != motion) {
            let now_ms = now_ms();
            inner.motions.push((motion, now_ms));
            inner.last_frame_ms = now_ms;
            inner.step(keys::tap(motion));
        }
        drop(inner);
        self.request_frame();
    }

    /// Ends a movement when its key goes up.
    pub(crate) fn release(&self, motion: Motion) {
        self.inner.borrow_mut().motions.retain(|(other, _)| *other != motion);
    }

    fn publish_frame(&self) {
        let hover = self.hover_now();
        let inner = self.inner.borrow();
        let range_ns = (inner.viewport.start_ns(), inner.viewport.end_ns());
        let filtered = inner.filtered.as_ref().and_then(|(_, tiles)| tiles.failure());
        let failure = inner.tiles.failure().or(filtered);
        let status = Status {
            is_loading: inner.tiles.is_loading(),
            failure: failure.map(|(count, message)| (count, message.to_owned())),
        };
        let (tool, left_out) = (inner.pointer.tool, (inner.tree.hidden, inner.tree.filtered));
        // Layouts are large, so an unchanged one is not cloned in every frame.
        let layout =
            self.signals.layout.with_untracked(|old| *old != inner.layout).then(|| inner.layout.clone());
        drop(inner);
        let change = self.inner.borrow_mut().change.take();
        if let Some(change) = change {
            self.put_state(change);
        }
        let signals = self.signals;
        if let Some(layout) = layout {
            signals.layout.set(layout);
        }
        signals.tool.set_if_changed(tool);
        signals.left_out.set_if_changed(left_out);
        signals.range_ns.set_if_changed(range_ns);
        self.session.pointer_ns.set_if_changed(hover.as_ref().map(|hover| hover.at_ns));
        signals.hover.set_if_changed(hover);
        signals.status.set_if_changed(status);
    }

    /// Requests the tiles that the last frame lacked, in order of priority.
    fn load_tiles(self: &Rc<Self>) {
        let (started, home) = {
            let mut inner = self.inner.borrow_mut();
            let Inner { frame, tiles, home, .. } = &mut *inner;
            let mut started = tiles.start_loading(&frame.needed, REQUESTS_AT_ONCE);
            if tiles.all_settled(&frame.needed) {
                started.extend(tiles.start_loading(&frame.nearby, REQUESTS_AT_ONCE));
            }
            (started, home.clone())
        };
        for key in started {
            let (weak, home) = (Rc::downgrade(self), home.clone());
            spawn_local(async move { load_tile(weak, home, key).await });
        }
        self.load_filtered_tiles();
        self.load_activity();
    }

    pub(crate) fn retry(&self) {
        let mut inner = self.inner.borrow_mut();
        inner.tiles.retry();
        if let Some((_, tiles)) = &mut inner.filtered {
            tiles.retry();
        }
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn track(&self, place: usize) -> Option<TreeTrack> {
        self.inner.borrow().tree.tracks.get(place).cloned()
    }

    pub(crate) fn draw_log(&self) -> String {
        let inner = self.inner.borrow();
        let scene = inner.scene();
        serde_json::to_string(&draw_log(&scene, &inner.frame)).unwrap_or_default()
    }

    pub(crate) fn slices_painted(&self) -> usize {
        self.inner.borrow().frame.slices.len()
    }
}

impl Content for Controller {
    fn resize(&self, size: Option<Size>) {
        let mut inner = self.inner.borrow_mut();
        let is_new = inner.size.is_none();
        let is_lower = inner.size.zip(size).is_some_and(|(old, new)| new.height_css_px < old.height_css_px);
        inner.size = size;
        inner.is_dirty = true;
        match size {
            None => (inner.labels, inner.scrollbar) = (None, None),
            Some(_) if is_new => {
                // Without a canvas there was no space to scroll in.
                let scroll_css_px =
                    self.session.slot::<TimelineState>().with_untracked(|state| state.scroll_css_px);
                // Changes from before the canvas was mounted are still unpublished. This scrolling is not one of them.
                let change = inner.change;
                inner.set_scroll(scroll_css_px);
                inner.change = change;
            }
            Some(_) => {
                let scroll_css_px = inner.scroll_css_px;
                inner.set_scroll(scroll_css_px);
                // The panel that opens at a selection must not cover the slice.
                let lane = inner.drawn_lane().filter(|_| is_lower);
                if let Some((track, lane)) = lane {
                    inner.reveal_lane(track, lane);
                }
            }
        }
    }

    fn set_theme(self: Rc<Self>, theme: &Theme) {
        let mut inner = self.inner.borrow_mut();
        inner.theme = *theme;
        inner.is_dirty = true;
    }

    fn wants_paint(&self) -> bool {
        self.inner.borrow().is_dirty
    }

    fn advance(&self, now_ms: f64) -> bool {
        let mut inner = self.inner.borrow_mut();
        let goes_on = inner.advance(now_ms);
        inner.settle();
        goes_on
    }

    fn draw(&self, fit: &mut TextFit<'_>, paint: &mut dyn FnMut(&DrawList)) {
        let mut inner = self.inner.borrow_mut();
        inner.draw(fit);
        paint(&inner.frame.list);
        inner.place_labels();
    }

    fn tell(self: Rc<Self>) {
        self.publish_frame();
        self.load_tiles();
    }

    fn touch(self: Rc<Self>, touch: &Touch) {
        self.handle_touch(touch);
    }

    fn cursor(&self, last: &Touch) -> &'static str {
        self.inner.borrow().cursor(last)
    }

    fn takes_wheel(&self) -> bool {
        !self.session.is_guest()
    }

    fn is_waiting(&self) -> bool {
        let inner = self.inner.borrow();
        inner.tiles.is_loading() || inner.filtered.as_ref().is_some_and(|(_, tiles)| tiles.is_loading())
    }
}

async fn load_tile(controller: Weak<Controller>, home: TraceSource, key: TileKey) {
    let answer = home.tile(key).await;
    let Some(controller) = controller.upgrade() else { return };
    {
        let mut inner = controller.inner.borrow_mut();
        match answer {
            Ok(tile) => inner.tiles.insert(key, tile),
            Err(error) => inner.tiles.fail(key, error.message),
        }
        inner.is_dirty = true;
    }
    controller.request_frame();
}
