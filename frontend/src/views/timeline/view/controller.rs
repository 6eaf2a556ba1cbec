//! Joins the timeline's plain parts with the browser: frames, tiles, history.
//!
//! User input changes [`Inner`] and asks for a frame. A frame has three steps: move (held keys, animation), paint,
//! and tell (signals, address, requests for tiles); only the last one sets signals.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use leptos::task::spawn_local;
use syclscope_trace::api::TraceInfo;
use syclscope_trace::event::Category;
use syclscope_trace::source::TileKey;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlCanvasElement, HtmlElement, ResizeObserver};

use crate::browser::{now_ms, query, wants_less_motion, window};
use crate::canvas::frame::FrameLoop;
use crate::canvas::paint::{measure, paint};
use crate::canvas::palette::{Hues, Scheme, Theme, slice_colour};
use crate::canvas::surface::{Surface, read_theme};
use crate::canvas::text::WidthCache;
use crate::data::cache::TileCache;
use crate::data::client;
use crate::state::history::{Change, HistoryWriter, Write};
use crate::state::url::{Panel, ViewState};
use crate::state::viewport::Viewport;
use crate::views::timeline::draw::{Frame, Marks, Scene, TRACKS_TOP_CSS_PX, TextFit, device_extent, draw};
use crate::views::timeline::input::{Point, Pointer};
use crate::views::timeline::keys::{self, Motion};
use crate::views::timeline::layout::Layout;
use crate::views::timeline::log::draw_log;
use crate::views::timeline::model::{TrackTree, TreeTrack};
use crate::views::timeline::view::signals::{Detail, Signals, Status, set_if_changed};

/// Tiles kept in memory.
const CACHE_BYTES: usize = 96 << 20;
/// Requests at once; browsers open six connections to one server.
const REQUESTS_AT_ONCE: usize = 6;
/// How long a jump takes.
const JUMP_MS: f64 = 170.0;
/// How long a key is held before it moves on its own.
const HOLD_DELAY_MS: f64 = 140.0;

/// A jump under way.
struct Jump {
    from: Viewport,
    to: Viewport,
    start_ms: f64,
}

/// The timeline's state.
pub(crate) struct Inner {
    pub(super) trace_id: String,
    pub(super) info: Arc<TraceInfo>,
    pub(super) tree: Rc<TrackTree>,
    pub(super) layout: Layout,
    pub(super) collapsed: BTreeSet<u32>,
    pub(super) tiles: TileCache,
    pub(super) viewport: Viewport,
    pub(super) scroll_css_px: f64,
    theme: Theme,
    hues: Hues,
    surface: Option<Surface>,
    labels: Option<HtmlElement>,
    scrollbar: Option<HtmlElement>,
    widths: WidthCache,
    pub(super) frame: Frame,
    pub(super) pointer: Pointer,
    pub(super) pointer_at: Option<Point>,
    pub(super) band_css_px: Option<(f64, f64)>,
    pub(super) selected: Option<u32>,
    pub(super) detail: Detail,
    pub(super) marks: Option<Marks>,
    pub(super) hovered: Option<u32>,
    pub(super) highlighted: Option<String>,
    pub(super) panel: Panel,
    held: Vec<(Motion, f64)>,
    last_frame_ms: f64,
    jump: Option<Jump>,
    history: HistoryWriter,
    is_dirty: bool,
    frame_ms: f64,
}

/// The observer of the canvas' size, with the callback that it needs as long as it lives.
type Resizing = (ResizeObserver, Closure<dyn FnMut()>);

/// The timeline of one trace.
pub(crate) struct Controller {
    pub(super) inner: RefCell<Inner>,
    pub(crate) signals: Signals,
    frames: FrameLoop,
    resize: RefCell<Option<Resizing>>,
}

impl Inner {
    /// What is drawn now.
    fn scene(&self) -> Scene<'_> {
        let surface = self.surface.as_ref();
        Scene {
            tree: &self.tree,
            layout: &self.layout,
            tiles: &self.tiles,
            viewport: &self.viewport,
            duration_ns: self.info.duration_ns,
            scroll_css_px: self.scroll_css_px,
            width_css_px: surface.map_or(1.0, Surface::width_css_px),
            height_css_px: surface.map_or(1.0, Surface::height_css_px),
            device_pixel_ratio: surface.map_or(1.0, Surface::device_pixel_ratio),
            theme: &self.theme,
            hues: &self.hues,
            selected: self.selected,
            marks: self.marks.as_ref(),
            hovered: self.hovered,
            highlighted: self.highlighted.as_deref(),
            band_css_px: self.band_css_px,
        }
    }

    /// Width of the canvas in CSS pixels.
    pub(super) fn width_css_px(&self) -> f64 {
        self.surface.as_ref().map_or(1.0, Surface::width_css_px)
    }

    /// Device pixels in a CSS pixel.
    pub(super) fn device_pixel_ratio(&self) -> f64 {
        self.surface.as_ref().map_or(1.0, Surface::device_pixel_ratio)
    }

    /// Height of the visible tracks in CSS pixels.
    pub(super) fn tracks_css_px(&self) -> f64 {
        self.surface.as_ref().map_or(0.0, |surface| (surface.height_css_px() - TRACKS_TOP_CSS_PX).max(0.0))
    }

    /// The viewport that a jump under way ends in.
    pub(super) fn settled_viewport(&self) -> Viewport {
        self.jump.as_ref().map_or(self.viewport, |jump| jump.to)
    }

    /// Changes the viewport at once, as part of a movement.
    pub(super) fn set_viewport(&mut self, viewport: Viewport) {
        self.jump = None;
        if self.viewport != viewport {
            self.viewport = viewport;
            self.changed(Change::Continuous);
        }
    }

    /// Goes to a viewport, smoothly where the user likes movement.
    pub(super) fn jump_to(&mut self, to: Viewport) {
        let to = ViewState::reopened(&to);
        if to == self.settled_viewport() {
            return;
        }
        self.changed(Change::Jump);
        if wants_less_motion() {
            self.jump = None;
            self.viewport = to;
        } else {
            self.jump = Some(Jump { from: self.viewport, to, start_ms: now_ms() });
        }
    }

    /// Scrolls the tracks to a height, as far as there is something to show.
    pub(super) fn set_scroll(&mut self, scroll_css_px: f64) {
        let most = (self.layout.height_css_px - self.tracks_css_px()).max(0.0);
        let scroll_css_px = scroll_css_px.clamp(0.0, most).round();
        if scroll_css_px != self.scroll_css_px {
            self.scroll_css_px = scroll_css_px;
            self.changed(Change::Detail);
        }
    }

    /// Notes a change of what the address holds.
    pub(super) fn changed(&mut self, change: Change) {
        self.history.changed(change, now_ms());
        self.is_dirty = true;
    }

    /// Notes a change of what is painted only.
    pub(super) fn repaint(&mut self) {
        self.is_dirty = true;
    }

    /// Lays the tracks out anew.
    pub(super) fn lay_out(&mut self) {
        self.layout = Layout::new(&self.tree, &self.collapsed);
        self.is_dirty = true;
        let scroll_css_px = self.scroll_css_px;
        self.set_scroll(scroll_css_px);
    }

    /// Rounds the viewport as the address rounds it, so that a link shows exactly what is on screen.
    fn settle(&mut self) {
        let settled = ViewState::reopened(&self.viewport);
        let is_still = self.jump.is_none() && self.held.is_empty() && !self.pointer.is_dragging();
        if is_still && settled != self.viewport {
            self.viewport = settled;
            self.is_dirty = true;
        }
    }

    fn view_state(&self) -> ViewState {
        ViewState {
            range_ns: ViewState::range_of(&self.settled_viewport()),
            scroll_css_px: self.scroll_css_px,
            slice: self.selected,
            collapsed: self.collapsed.clone(),
            panel: self.panel,
        }
    }

    /// Moves what moves on its own; says whether it will go on.
    fn advance(&mut self, now_ms: f64) -> bool {
        let elapsed_ms = now_ms - self.last_frame_ms;
        self.last_frame_ms = now_ms;
        if let Some(Jump { from, to, start_ms }) = &self.jump {
            let progress = ((now_ms - start_ms) / JUMP_MS).clamp(0.0, 1.0);
            self.viewport = from.toward(to, progress);
            self.is_dirty = true;
            if progress >= 1.0 {
                self.jump = None;
            }
        }
        let moving: Vec<Motion> = self
            .held
            .iter()
            .filter(|(_, since_ms)| now_ms - since_ms > HOLD_DELAY_MS)
            .map(|(motion, _)| *motion)
            .collect();
        if !moving.is_empty() {
            self.step(keys::held(moving, elapsed_ms));
        }
        self.jump.is_some() || !self.held.is_empty()
    }

    /// Moves by the step of a key.
    pub(super) fn step(&mut self, step: keys::Step) {
        let viewport = self.viewport;
        let centre_ns = match self.pointer_at {
            Some(Point { x, .. }) => viewport.start_ns() + x / self.width_css_px() * viewport.span_ns(),
            None => viewport.start_ns() + viewport.span_ns() / 2.0,
        };
        let moved = viewport.panned(step.pan_share * viewport.span_ns()).zoomed(step.zoom_factor, centre_ns);
        if moved != viewport {
            self.set_viewport(moved);
        }
        if step.scroll_css_px != 0.0 {
            self.set_scroll(self.scroll_css_px + step.scroll_css_px);
        }
    }

    fn paint(&mut self) {
        let Some(surface) = &mut self.surface else { return };
        let resized = surface.fit();
        if resized {
            let scroll_css_px = self.scroll_css_px;
            self.set_scroll(scroll_css_px);
        }
        if !self.is_dirty && !resized {
            return;
        }
        self.is_dirty = false;
        let start_ms = now_ms();
        self.tiles.begin_frame();
        let mut widths = std::mem::take(&mut self.widths);
        if let Some(surface) = &self.surface {
            let context = surface.context();
            let mut measure = |text: &str| measure(context, text);
            let fit = &mut TextFit { cache: &mut widths, measure: &mut measure };
            self.frame = draw(&self.scene(), fit);
            paint(context, &self.frame.list, surface.device_pixel_ratio());
        }
        self.widths = widths;
        self.place_labels();
        self.frame_ms = now_ms() - start_ms;
    }

    /// Moves labels and scroll bar with the canvas, in the same frame.
    fn place_labels(&self) {
        if let Some(labels) = &self.labels {
            let transform = format!("translateY({}px)", -self.scroll_css_px);
            // A label that can't be moved is no reason to stop painting.
            let _ = labels.style().set_property("transform", &transform);
        }
        if let Some(scrollbar) = &self.scrollbar {
            scrollbar.set_scroll_top(self.scroll_css_px as i32);
        }
    }
}

impl Controller {
    /// The timeline of a trace, in the view that the present address holds.
    pub(crate) fn new(trace_id: String, info: Arc<TraceInfo>, signals: Signals) -> Rc<Self> {
        let tree = Rc::new(TrackTree::new(&info));
        let inner = Inner {
            trace_id,
            viewport: Viewport::whole(info.duration_ns),
            tree,
            layout: Layout::default(),
            collapsed: BTreeSet::new(),
            tiles: TileCache::new(CACHE_BYTES),
            scroll_css_px: 0.0,
            theme: read_theme(),
            hues: Hues::new(info.kernels.iter().map(|kernel| kernel.name.as_str())),
            surface: None,
            labels: None,
            scrollbar: None,
            widths: WidthCache::default(),
            frame: Frame::default(),
            pointer: Pointer::default(),
            pointer_at: None,
            band_css_px: None,
            selected: None,
            detail: Detail::None,
            marks: None,
            hovered: None,
            highlighted: None,
            panel: Panel::default(),
            held: Vec::new(),
            last_frame_ms: 0.0,
            jump: None,
            history: HistoryWriter::default(),
            is_dirty: true,
            frame_ms: 0.0,
            info,
        };
        let controller = Rc::new_cyclic(|weak: &Weak<Self>| {
            let on_frame = weak.clone();
            let frames = FrameLoop::new(move |now_ms| {
                if let Some(controller) = on_frame.upgrade() {
                    controller.on_frame(now_ms);
                }
            });
            Self { inner: RefCell::new(inner), signals, frames, resize: RefCell::new(None) }
        });
        controller.open_address();
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
        let on_resize = Closure::new(move || {
            if let Some(controller) = weak.upgrade() {
                // At once, not in the next frame: a canvas that was stretched would flicker.
                controller.inner.borrow_mut().paint();
                controller.request_frame();
            }
        });
        if let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) {
            observer.observe(&canvas);
            *self.resize.borrow_mut() = Some((observer, on_resize));
        }
        let view = ViewState::from_query(&query());
        {
            let mut inner = self.inner.borrow_mut();
            inner.surface = Surface::new(canvas);
            inner.labels = Some(labels);
            inner.scrollbar = Some(scrollbar);
            inner.set_scroll(view.scroll_css_px);
            inner.history.reset();
            inner.is_dirty = true;
        }
        self.request_frame();
    }

    /// Takes over the view that the present address holds: at first, and on Back and Forward.
    pub(crate) fn open_address(self: &Rc<Self>) {
        let view = ViewState::from_query(&query());
        {
            let mut inner = self.inner.borrow_mut();
            let whole = Viewport::whole(inner.info.duration_ns);
            inner.jump = None;
            inner.viewport =
                view.range_ns.map_or(whole, |(start_ns, end_ns)| whole.with_range(start_ns, end_ns));
            inner.collapsed = view.collapsed;
            inner.panel = view.panel;
            inner.lay_out();
            inner.set_scroll(view.scroll_css_px);
        }
        self.load_selection(view.slice);
        self.inner.borrow_mut().history.reset();
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

    /// No key is held any more: the page lost the keyboard.
    pub(crate) fn release_all(&self) {
        self.inner.borrow_mut().held.clear();
    }

    fn on_frame(self: &Rc<Self>, now_ms: f64) {
        let goes_on = {
            let mut inner = self.inner.borrow_mut();
            let goes_on = inner.advance(now_ms);
            inner.paint();
            goes_on
        };
        self.tell();
        self.load_tiles();
        let is_unwritten = self.write_address(now_ms);
        if goes_on || is_unwritten || self.inner.borrow().is_dirty {
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
        let (layout, is_panning) = (inner.layout.clone(), inner.pointer.is_panning());
        let (selected, detail, panel) = (inner.selected, inner.detail.clone(), inner.panel);
        let highlighted = inner.highlighted.clone();
        drop(inner);
        let signals = self.signals;
        set_if_changed(signals.layout, layout);
        set_if_changed(signals.range_ns, range_ns);
        set_if_changed(signals.hover, hover);
        set_if_changed(signals.status, status);
        set_if_changed(signals.is_panning, is_panning);
        set_if_changed(signals.selected, selected);
        set_if_changed(signals.detail, detail);
        set_if_changed(signals.panel, panel);
        set_if_changed(signals.highlighted, highlighted);
    }

    /// Asks for the tiles that the last frame lacked, nearest need first.
    fn load_tiles(self: &Rc<Self>) {
        let (started, trace_id) = {
            let mut inner = self.inner.borrow_mut();
            let Inner { frame, tiles, trace_id, .. } = &mut *inner;
            let mut started = tiles.start_loading(&frame.needed, REQUESTS_AT_ONCE);
            if tiles.all_settled(&frame.needed) {
                started.extend(tiles.start_loading(&frame.nearby, REQUESTS_AT_ONCE));
            }
            (started, trace_id.clone())
        };
        for key in started {
            let (weak, trace_id) = (Rc::downgrade(self), trace_id.clone());
            spawn_local(async move { load_tile(weak, trace_id, key).await });
        }
    }

    /// Writes the address where it is due; says whether something is still unwritten.
    fn write_address(&self, now_ms: f64) -> bool {
        let mut inner = self.inner.borrow_mut();
        if let Some(write) = inner.history.due(now_ms) {
            inner.settle();
            let new = inner.view_state().to_query();
            if new != query() {
                write_history(write, &new);
            }
        }
        inner.history.is_pending()
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

    /// Name of a track by its id.
    pub(crate) fn track_name(&self, track: u32) -> Option<String> {
        self.inner.borrow().info.tracks.get(track as usize).map(|track| track.name.clone())
    }

    /// The colour of a slice, as CSS.
    pub(crate) fn slice_css(&self, scheme: Scheme, category: Category, name: &str) -> String {
        slice_colour(scheme, category, name, &self.inner.borrow().hues).css()
    }

    /// What is known of the trace.
    pub(crate) fn info(&self) -> Arc<TraceInfo> {
        self.inner.borrow().info.clone()
    }

    /// Whether everything that was asked for is on screen.
    pub(crate) fn is_idle(&self) -> bool {
        let inner = self.inner.borrow();
        !self.frames.is_requested() && !inner.tiles.is_loading() && inner.surface.is_some()
    }

    /// The last frame in words, as JSON.
    pub(crate) fn draw_log(&self) -> String {
        let inner = self.inner.borrow();
        let scene = inner.scene();
        serde_json::to_string(&draw_log(&scene, &inner.frame)).unwrap_or_default()
    }

    /// How long the last frame took to draw and paint.
    pub(crate) fn frame_ms(&self) -> f64 {
        self.inner.borrow().frame_ms
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        if let Some((observer, _)) = self.resize.borrow_mut().take() {
            observer.disconnect();
        }
    }
}

async fn load_tile(controller: Weak<Controller>, trace_id: String, key: TileKey) {
    let answer = client::tile(&trace_id, key).await;
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

fn write_history(write: Write, query: &str) {
    let path = crate::browser::path();
    let address = format!("{path}{query}");
    let Ok(history) = window().history() else { return };
    let state = wasm_bindgen::JsValue::NULL;
    // A browser that refuses (too many changes) keeps the older address; the next change tries again.
    let _ = match write {
        Write::Push => history.push_state_with_url(&state, "", Some(&address)),
        Write::Replace => history.replace_state_with_url(&state, "", Some(&address)),
    };
}
