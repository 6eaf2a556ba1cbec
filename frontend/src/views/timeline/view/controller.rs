//! Joins the timeline's plain parts with the browser: frames, tiles, history.
//!
//! User input changes [`Inner`] and asks for a frame. A frame has three steps: move (held keys, animation), paint,
//! and tell (signals, address, requests for tiles); only the last one sets signals.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::task::spawn_local;
use syclscope_language::question::TileKey;
use web_sys::{HtmlCanvasElement, HtmlElement};

use crate::browser::now_ms;
use crate::canvas::frame::FrameLoop;
use crate::canvas::surface::{Surface, read_theme};
use crate::data::home::Home;
use crate::hooks::size::SizeWatch;
use crate::stage::log::timed;
use crate::state::history::Change;
use crate::state::session::Session;
use crate::state::time::SharedTime;
use crate::views::timeline::draw::device_extent;
use crate::views::timeline::keys::{self, Motion};
use crate::views::timeline::log::draw_log;
use crate::views::timeline::model::TreeTrack;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::inner::Inner;
use crate::views::timeline::view::signals::{Signals, Status};

/// Requests at once; browsers open six connections to one server.
const REQUESTS_AT_ONCE: usize = 6;

/// The timeline of one trace.
pub(crate) struct Controller {
    pub(super) inner: RefCell<Inner>,
    pub(crate) signals: Signals,
    pub(super) session: Session,
    frames: FrameLoop,
    resize: SizeWatch,
}

impl Controller {
    /// The timeline of a trace, in the state that the address holds.
    pub(crate) fn new(session: Session, home: Home) -> Rc<Self> {
        let inner = Inner::new(home, session.info());
        let signals = Signals::new();
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| {
            let on_frame = weak.clone();
            let frames = FrameLoop::new(Box::new(move |now_ms| {
                if let Some(controller) = on_frame.upgrade() {
                    timed(|| controller.on_frame(now_ms));
                }
            }));
            Self { inner: RefCell::new(inner), signals, session, frames, resize: SizeWatch::default() }
        });
        controller.open_state();
        controller
    }

    /// Draws on this canvas from now on, and moves labels and scroll bar along.
    pub(crate) fn attach(
        self: &Rc<Self>,
        canvas: HtmlCanvasElement,
        labels: HtmlElement,
        scrollbar: HtmlElement,
    ) {
        let weak = Rc::downgrade(self);
        let on_resize = move || {
            if let Some(controller) = weak.upgrade() {
                // At once, not in the next frame: a canvas that was stretched would flicker.
                controller.inner.borrow_mut().paint();
                controller.request_frame();
            }
        };
        self.resize.watch(&canvas, Box::new(on_resize));
        let scroll_css_px = self.session.slot::<TimelineState>().with_untracked(|state| state.scroll_css_px);
        {
            let mut inner = self.inner.borrow_mut();
            inner.surface = Surface::new(canvas);
            let scale = inner.scale;
            inner.enlarge(scale);
            inner.labels = Some(labels);
            inner.scrollbar = Some(scrollbar);
            inner.set_scroll(scroll_css_px);
            inner.change = None;
            inner.is_dirty = true;
        }
        self.request_frame();
    }

    /// Draws nowhere from now on, unless it draws on another canvas already.
    pub(crate) fn detach(&self, canvas: &HtmlCanvasElement) {
        let mut inner = self.inner.borrow_mut();
        if inner.surface.as_ref().is_some_and(|surface| surface.canvas() == canvas) {
            inner.surface = None;
            inner.labels = None;
            inner.scrollbar = None;
            self.resize.stop();
        }
    }

    /// Takes over the state that the address holds: at first, and on Back and Forward.
    pub(crate) fn open_state(self: &Rc<Self>) {
        let view = self.session.slot::<TimelineState>().get_untracked();
        let area = self.session.time.with_untracked(|time| time.area.clone());
        {
            let mut inner = self.inner.borrow_mut();
            inner.jump = None;
            inner.viewport = self.session.viewport();
            inner.area = area;
            inner.collapsed = view.collapsed;
            inner.choice = view.choice;
            inner.placed = view.placed;
            inner.lay_out();
            inner.set_scroll(view.scroll_css_px);
            inner.change = None;
        }
        self.load_kernel_lanes();
        self.load_objects();
        self.request_frame();
    }

    /// Puts what the timeline shows into the session.
    pub(super) fn put_state(&self, change: Change) {
        let (time, state) = {
            let inner = self.inner.borrow();
            (inner.time(), inner.state())
        };
        let is_other_time = self.session.time.set_if_changed(time);
        if self.session.slot().set_if_changed(state) || is_other_time {
            self.session.changed(change);
        }
    }

    /// Shows the part of time that another view chose.
    pub(crate) fn follow_range(&self) {
        let viewport = self.session.viewport();
        let mut inner = self.inner.borrow_mut();
        // What the timeline itself put there is on screen, or on its way.
        if SharedTime::range_of(&inner.settled_viewport()) == SharedTime::range_of(&viewport) {
            return;
        }
        inner.jump = None;
        inner.viewport = viewport;
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    /// Asks for a frame.
    pub(crate) fn request_frame(&self) {
        self.frames.request();
    }

    /// Reads the colours anew.
    pub(crate) fn theme_changed(&self) {
        let theme = read_theme();
        let mut inner = self.inner.borrow_mut();
        inner.theme = theme;
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    /// Makes everything on the canvas so many times as large.
    pub(crate) fn enlarge(&self, scale: f64) {
        self.inner.borrow_mut().enlarge(scale);
        self.signals.scale.set_if_changed(scale);
        self.request_frame();
    }

    /// A movement's key goes down: one step at once, more while it is held.
    pub(crate) fn hold(&self, motion: Motion) {
        let mut inner = self.inner.borrow_mut();
        if inner.held.iter().all(|(held, _)| *held != motion) {
            let now_ms = now_ms();
            inner.held.push((motion, now_ms));
            inner.last_frame_ms = now_ms;
            inner.step(keys::tap(motion));
        }
        drop(inner);
        self.request_frame();
    }

    /// A movement's key goes up.
    pub(crate) fn release(&self, motion: Motion) {
        self.inner.borrow_mut().held.retain(|(held, _)| *held != motion);
    }

    fn on_frame(self: &Rc<Self>, now_ms: f64) {
        let goes_on = {
            let mut inner = self.inner.borrow_mut();
            let goes_on = inner.advance(now_ms);
            inner.settle();
            inner.paint();
            goes_on
        };
        self.tell();
        self.load_tiles();
        if goes_on || self.inner.borrow().wants_paint() {
            self.request_frame();
        }
    }

    /// Tells the page what the frame changed.
    fn tell(&self) {
        let hover = self.hover_now();
        let inner = self.inner.borrow();
        let range_ns = (inner.viewport.start_ns(), inner.viewport.end_ns());
        let status = Status {
            is_loading: inner.tiles.is_loading(),
            failure: inner.tiles.failure().map(|(count, message)| (count, message.to_owned())),
        };
        let is_panning = inner.pointer.is_panning();
        let (tool, left_out) = (inner.pointer.tool, (inner.tree.hidden, inner.tree.filtered));
        // Layouts are large: one that is the same is not cloned in every frame.
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
        signals.hover.set_if_changed(hover);
        signals.status.set_if_changed(status);
        signals.is_panning.set_if_changed(is_panning);
    }

    /// Asks for the tiles that the last frame lacked, nearest need first.
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

    /// Asks again for tiles that could not be loaded.
    pub(crate) fn retry(&self) {
        let mut inner = self.inner.borrow_mut();
        inner.tiles.retry();
        inner.is_dirty = true;
        drop(inner);
        self.request_frame();
    }

    /// Where the device worked, as far as loaded tiles tell.
    pub(super) fn device_extent(&self) -> Option<(u64, u64)> {
        let inner = self.inner.borrow();
        device_extent(&inner.scene())
    }

    /// A track by its place in the tree.
    pub(crate) fn track(&self, place: usize) -> Option<TreeTrack> {
        self.inner.borrow().tree.tracks.get(place).cloned()
    }

    /// The last frame in words, as JSON.
    pub(crate) fn draw_log(&self) -> String {
        let inner = self.inner.borrow();
        let scene = inner.scene();
        serde_json::to_string(&draw_log(&scene, &inner.frame)).unwrap_or_default()
    }

    /// How many slices the last frame painted.
    pub(crate) fn slices_painted(&self) -> usize {
        self.inner.borrow().frame.slices.len()
    }
}

async fn load_tile(controller: Weak<Controller>, home: Home, key: TileKey) {
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
