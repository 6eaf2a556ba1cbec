//! The timeline's state in the browser, with animation and painting.

use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::api::{ActivityCounter, SliceRef, TraceInfo};
use syclscope_language::filter::Filter;
use syclscope_language::question::StepQuestion;
use web_sys::HtmlElement;

use crate::browser::{now_ms, wants_less_motion};
use crate::canvas::palette::{Hues, Theme};
use crate::canvas::scale::Size;
use crate::canvas::surface::read_theme;
use crate::canvas::text::TextFit;
use crate::data::cache::TileCache;
use crate::data::trace_source::TraceSource;
use crate::ordered::OrderedSet;
use crate::stage::pointer::Point;
use crate::state::history::Change;
use crate::state::session::Session;
use crate::state::time::{Area, SharedTime};
use crate::state::viewport::Viewport;
use crate::views::timeline::additions::Additions;
use crate::views::timeline::draw::{Frame, Marks, Overview, Scene, TRACKS_TOP_CSS_PX, draw};
use crate::views::timeline::glide::Glide;
use crate::views::timeline::input::Pointer;
use crate::views::timeline::keys::{self, Motion};
use crate::views::timeline::layout::Layout;
use crate::views::timeline::model::{LoadedAnswers, TrackTree};
use crate::views::timeline::overlay_answers::OverlayAnswers;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::tracks::TrackChoice;

const CACHE_BYTES: usize = 96 << 20;
const JUMP_MS: f64 = 170.0;
/// Delay before a held key repeats.
const HOLD_DELAY_MS: f64 = 140.0;

pub(super) struct Jump {
    from: Viewport,
    to: Viewport,
    start_ms: f64,
}

pub(crate) struct Inner {
    pub(super) home: TraceSource,
    pub(super) info: Arc<TraceInfo>,
    pub(super) tree: Rc<TrackTree>,
    pub(super) layout: Layout,
    pub(super) collapsed: OrderedSet,
    pub(super) choice: TrackChoice,
    pub(super) additions: Additions,
    pub(super) area: Option<Area>,
    pub(super) overlays: OverlayAnswers,
    pub(super) kernel_lanes: Option<Vec<u32>>,
    pub(super) activity: Vec<ActivityCounter>,
    pub(super) is_activity_pending: bool,
    pub(super) filtered: Option<(Filter, TileCache)>,
    pub(super) glide: Glide,
    pub(super) tiles: TileCache,
    pub(super) viewport: Viewport,
    pub(super) scroll_css_px: f64,
    pub(super) theme: Theme,
    pub(super) hues: Rc<Hues>,
    /// `None` without a canvas.
    pub(super) size: Option<Size>,
    pub(super) scale: f64,
    pub(super) labels: Option<HtmlElement>,
    pub(super) scrollbar: Option<HtmlElement>,
    pub(super) frame: Frame,
    overview: Overview,
    pub(super) pointer: Pointer,
    pub(super) pointer_at: Option<Point>,
    pub(super) band_css_px: Option<(f64, f64)>,
    /// The first of two slices, to measure their gap.
    pub(super) first_of_two: Option<(u64, u64)>,
    pub(super) selected: Option<u32>,
    /// Track and lane on which the slice was selected, which may be an object's track.
    pub(super) selected_lane: Option<(u32, u32)>,
    /// Target of the last step along a lane.
    pub(super) last_step: Option<SliceRef>,
    /// Query in flight for the next slice, and the lane that it is for.
    pub(super) pending_step: Option<(StepQuestion, Option<(u32, u32)>)>,
    pub(super) marks: Option<Marks>,
    pub(super) hovered: Option<u32>,
    pub(super) highlighted: Option<String>,
    pub(super) motions: Vec<(Motion, f64)>,
    pub(super) last_frame_ms: f64,
    pub(super) jump: Option<Jump>,
    /// Unpublished change of the address.
    pub(super) change: Option<Change>,
    pub(super) is_dirty: bool,
}

impl Inner {
    /// Creates the state of a trace without loaded tiles, with everything visible.
    pub(super) fn new(home: TraceSource, info: Arc<TraceInfo>, hues: Rc<Hues>) -> Self {
        let tree = Rc::new(TrackTree::new(&info));
        Self {
            home,
            viewport: Viewport::whole(info.duration_ns),
            tree,
            layout: Layout::default(),
            collapsed: OrderedSet::default(),
            choice: TrackChoice::default(),
            additions: Additions::default(),
            area: None,
            overlays: OverlayAnswers::default(),
            kernel_lanes: None,
            activity: Vec::new(),
            is_activity_pending: false,
            filtered: None,
            glide: Glide::default(),
            tiles: TileCache::new(CACHE_BYTES),
            scroll_css_px: 0.0,
            theme: read_theme(),
            hues,
            size: None,
            scale: 1.0,
            labels: None,
            scrollbar: None,
            frame: Frame::default(),
            overview: Overview::default(),
            pointer: Pointer::default(),
            pointer_at: None,
            band_css_px: None,
            first_of_two: None,
            selected: None,
            selected_lane: None,
            last_step: None,
            pending_step: None,
            marks: None,
            hovered: None,
            highlighted: None,
            motions: Vec::new(),
            last_frame_ms: 0.0,
            jump: None,
            change: None,
            is_dirty: true,
            info,
        }
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        let size = self.size();
        Scene {
            tree: &self.tree,
            layout: &self.layout,
            tiles: &self.tiles,
            viewport: &self.viewport,
            duration_ns: self.info.duration_ns,
            pauses: &self.info.pauses,
            scroll_css_px: self.scroll_css_px,
            width_css_px: size.width_css_px,
            height_css_px: size.height_css_px,
            device_pixel_ratio: size.device_pixel_ratio,
            theme: &self.theme,
            hues: &self.hues,
            selected: self.selected,
            marks: self.marks.as_ref(),
            hovered: self.hovered,
            highlighted: self.highlighted.as_deref(),
            band_css_px: self.band_css_px,
            additions: &self.additions,
            area: self.area.as_ref(),
            overlays: &self.overlays,
            filtered: self.filtered.as_ref().map(|(_, tiles)| tiles),
            overview: &self.overview,
        }
    }

    /// Returns the size of the canvas; one pixel without a canvas.
    pub(super) fn size(&self) -> Size {
        let none = Size { width_css_px: 1.0, height_css_px: 1.0, device_pixel_ratio: 1.0 };
        self.size.unwrap_or(none)
    }

    pub(super) fn width_css_px(&self) -> f64 {
        self.size().width_css_px
    }

    pub(super) fn tracks_css_px(&self) -> f64 {
        self.size.map_or(0.0, |size| (size.height_css_px - TRACKS_TOP_CSS_PX).max(0.0))
    }

    /// Returns the viewport at the end of a jump in progress.
    pub(super) fn settled_viewport(&self) -> Viewport {
        self.jump.as_ref().map_or(self.viewport, |jump| jump.to)
    }

    /// Changes the viewport immediately, as part of a movement.
    pub(super) fn set_viewport(&mut self, viewport: Viewport) {
        self.jump = None;
        if self.viewport != viewport {
            self.viewport = viewport;
            self.record_change(Change::Continuous);
        }
    }

    /// Moves to a viewport, animated unless the user prefers reduced motion.
    pub(super) fn jump_to(&mut self, to: Viewport) {
        // Gliding on would end the jump.
        self.glide.stop();
        let to = SharedTime::reopened(&to);
        if to == self.settled_viewport() {
            return;
        }
        self.record_change(Change::Jump);
        if wants_less_motion() {
            self.jump = None;
            self.viewport = to;
        } else {
            self.jump = Some(Jump { from: self.viewport, to, start_ms: now_ms() });
        }
    }

    pub(super) fn set_scroll(&mut self, scroll_css_px: f64) {
        let max = (self.layout.height_css_px - self.tracks_css_px()).max(0.0);
        let scroll_css_px = scroll_css_px.clamp(0.0, max).round();
        if scroll_css_px != self.scroll_css_px {
            self.scroll_css_px = scroll_css_px;
            self.record_change(Change::Detail);
        }
    }

    pub(super) fn record_change(&mut self, change: Change) {
        change.add_to(&mut self.change);
        self.is_dirty = true;
    }

    pub(super) fn repaint(&mut self) {
        self.is_dirty = true;
    }

    fn loaded(&self) -> LoadedAnswers<'_> {
        let kernel_lanes = self.kernel_lanes.as_deref().unwrap_or_default();
        LoadedAnswers { kernel_lanes, activity: &self.activity, objects: &self.overlays.objects }
    }

    /// Changes the choice of tracks so that a track is visible; true if it changed.
    pub(super) fn make_visible(&mut self, track: u32) -> bool {
        let mut choice = self.choice.clone();
        TrackTree::make_visible(&self.info, &mut choice, self.loaded(), track);
        let is_changed = self.choice != choice;
        self.choice = choice;
        is_changed
    }

    pub(super) fn lay_out(&mut self) {
        self.tree = Rc::new(TrackTree::arranged(&self.info, &self.choice, self.loaded()));
        self.layout = Layout::new(&self.tree, &self.collapsed);
        self.is_dirty = true;
        let scroll_css_px = self.scroll_css_px;
        self.set_scroll(scroll_css_px);
    }

    /// Lays the tracks out again after more were loaded, and scrolls to the position in the address. Without these
    /// tracks the position may have been out of range.
    pub(super) fn lay_out_further(&mut self, session: Session) {
        let change = self.change;
        self.lay_out();
        self.set_scroll(session.slot::<TimelineState>().with_untracked(|state| state.scroll_css_px));
        self.change = change;
    }

    /// Rounds the viewport as the address does, so that a link shows exactly the same range.
    pub(super) fn settle(&mut self) {
        let settled = SharedTime::reopened(&self.viewport);
        let is_still = self.jump.is_none()
            && self.motions.is_empty()
            && !self.pointer.is_dragging()
            && !self.glide.is_moving();
        if is_still && settled != self.viewport {
            self.viewport = settled;
            self.is_dirty = true;
        }
    }

    pub(super) fn time(&self) -> SharedTime {
        SharedTime { range_ns: SharedTime::range_of(&self.settled_viewport()), area: self.area.clone() }
    }

    pub(super) fn state(&self) -> TimelineState {
        TimelineState {
            scroll_css_px: self.scroll_css_px,
            collapsed: self.collapsed.clone(),
            choice: self.choice.clone(),
            additions: self.additions.clone(),
        }
    }

    pub(super) fn advance(&mut self, now_ms: f64) -> bool {
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
            .motions
            .iter()
            .filter(|(_, since_ms)| now_ms - since_ms > HOLD_DELAY_MS)
            .map(|(motion, _)| *motion)
            .collect();
        if !moving.is_empty() {
            self.step(keys::combined_step(moving, elapsed_ms));
        }
        if let Some((dx_css_px, dy_css_px)) = self.glide.advance(now_ms) {
            self.pan_by(dx_css_px, dy_css_px);
        }
        self.jump.is_some() || !self.motions.is_empty() || self.glide.is_moving()
    }

    pub(super) fn pan_by(&mut self, dx_css_px: f64, dy_css_px: f64) {
        let ns_per_css_px = self.viewport.span_ns() / self.width_css_px();
        self.set_viewport(self.viewport.panned(-dx_css_px * ns_per_css_px));
        self.set_scroll(self.scroll_css_px - dy_css_px);
    }

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

    pub(super) fn draw(&mut self, fit: &mut TextFit<'_>) {
        self.is_dirty = false;
        self.tiles.begin_frame();
        if let Some((_, tiles)) = &mut self.filtered {
            tiles.begin_frame();
        }
        let before = std::mem::take(&mut self.overview);
        self.overview = Overview::following(&self.scene(), before);
        self.frame = draw(&self.scene(), fit);
    }

    /// Moves labels and scroll bar with the canvas, in the same frame.
    pub(super) fn place_labels(&self) {
        if let Some(labels) = &self.labels {
            let transform = format!("translateY({}px)", -self.scroll_css_px * self.scale);
            // A label that can't be moved is no reason to stop painting.
            let _ = labels.style().set_property("transform", &transform);
        }
        if let Some(scrollbar) = &self.scrollbar {
            scrollbar.set_scroll_top((self.scroll_css_px * self.scale).round() as i32);
        }
    }
}
