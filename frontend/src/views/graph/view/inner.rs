//! The graph's state in the browser, with animation and painting.

use std::rc::Rc;
use std::sync::Arc;

use syclscope_language::question::GraphQuestion;

use crate::browser::{now_ms, wants_less_motion};
use crate::canvas::palette::{Hues, Theme};
use crate::canvas::scale::Size;
use crate::canvas::surface::read_theme;
use crate::canvas::text::TextFit;
use crate::state::history::Change;
use crate::views::graph::camera::Camera;
use crate::views::graph::colour::Colours;
use crate::views::graph::draw::{Frame, Marks, Overview, Scene, Shift, draw};
use crate::views::graph::model::{EdgeChoice, Model, node_rect};
use crate::views::graph::state::{CameraPlace, ColourBy};
use crate::views::graph::view::pointer::{Drag, Pointer};

const JUMP_MS: f64 = 200.0;
/// Maximum number of nodes of an animated drawing.
const MAX_MOVING_NODES: usize = 3_000;

/// Fixed point on screen across drawings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Anchor {
    /// First command of the node.
    pub(super) command: u64,
    /// Centre of its node on screen.
    pub(super) at: (f64, f64),
}

struct Jump {
    from: Camera,
    to: Camera,
    start_ms: f64,
}

pub(crate) struct Inner {
    pub(super) model: Arc<Model>,
    /// Query of the current model.
    pub(super) drawing_query: Option<GraphQuestion>,
    pub(super) pending_query: Option<GraphQuestion>,
    pub(super) camera: Camera,
    /// True if the drawing is shown with its initial camera, whatever the viewport's size.
    pub(super) is_fitted: bool,
    /// Camera from the address, before the first drawing arrives.
    pub(super) start_place: Option<CameraPlace>,
    pub(super) anchor: Option<Anchor>,
    pub(super) theme: Theme,
    pub(super) hues: Hues,
    pub(super) colour: ColourBy,
    pub(super) colours: Colours,
    pub(super) overview: Option<Rc<Overview>>,
    pub(super) choice: EdgeChoice,
    pub(super) marks: Marks,
    pub(super) search: String,
    pub(super) matches: Arc<Vec<bool>>,
    shift: Option<(Shift, f64)>,
    jump: Option<Jump>,
    pub(super) is_on_stage: bool,
    pub(super) frame: Frame,
    pub(super) pointer: Pointer,
    /// Unpublished change of the address.
    pub(super) change: Option<Change>,
    pub(super) is_dirty: bool,
}

impl Inner {
    pub(super) fn new(hues: Hues, start_place: Option<CameraPlace>) -> Self {
        Self {
            model: Arc::default(),
            drawing_query: None,
            pending_query: None,
            camera: Camera::new(1.0, 1.0),
            is_fitted: start_place.is_none(),
            start_place,
            anchor: None,
            theme: read_theme(),
            hues,
            colour: ColourBy::default(),
            colours: Colours::default(),
            overview: None,
            choice: EdgeChoice::default(),
            marks: Marks::default(),
            search: String::new(),
            matches: Arc::default(),
            shift: None,
            jump: None,
            is_on_stage: false,
            frame: Frame::default(),
            pointer: Pointer::default(),
            change: None,
            is_dirty: true,
        }
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            model: &self.model,
            camera: &self.camera,
            theme: &self.theme,
            colours: &self.colours,
            names: &self.hues.names,
            choice: &self.choice,
            marks: &self.marks,
            shift: self.shift.as_ref().map(|(shift, _)| shift),
            overview: self.overview.as_ref(),
        }
    }

    /// Replaces the drawing. Nodes that it shares with the old one move from their old positions.
    pub(super) fn show(&mut self, model: Model, question: GraphQuestion) {
        let old = std::mem::replace(&mut self.model, Arc::new(model));
        self.drawing_query = Some(question);
        self.recolour();
        let (old_camera, anchor) = (self.settled(), self.anchor.take());
        self.jump = None;
        let is_first = old.view.nodes.is_empty();
        if let Some(place) = self.start_place.take() {
            self.camera.place = place;
            self.is_fitted = false;
        } else if self.is_fitted || is_first {
            self.camera = self.camera.opened(&self.model.whole(), self.model.first_x());
        } else if let Some((anchor, number)) =
            anchor.and_then(|anchor| Some((anchor, self.model.beginning_with(anchor.command)?)))
            && let Some(node) = self.model.node(number)
        {
            let (x, y) = self.camera.to_screen(f64::from(node.x), f64::from(node.y));
            self.camera = self.camera.panned(anchor.at.0 - x, anchor.at.1 - y);
            self.record_change(Change::Detail);
        }
        self.shift = None;
        if !is_first && !wants_less_motion() && self.model.view.nodes.len() <= MAX_MOVING_NODES {
            self.shift = Some((self.shift_from(&old, &old_camera, anchor), now_ms()));
        }
        self.is_dirty = true;
    }

    fn shift_from(&self, old: &Model, old_camera: &Camera, anchor: Option<Anchor>) -> Shift {
        let before = |number: u32| {
            let rect = old.node(number).map(node_rect)?;
            let (x, y) = old_camera.to_screen(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
            Some(self.camera.to_drawing(x, y))
        };
        let anchored = anchor.map(|anchor| self.camera.to_drawing(anchor.at.0, anchor.at.1));
        let from = self.model.view.nodes.iter().map(|node| {
            let own = old.beginning_with(node.node).and_then(before);
            own.or(anchored).unwrap_or((f64::from(node.x), f64::from(node.y)))
        });
        Shift { from: from.collect(), progress: 0.0 }
    }

    pub(super) fn recolour(&mut self) {
        self.colours = Colours::new(&self.model, self.colour, self.theme.scheme, &self.hues);
        self.overview = Some(Rc::new(Overview::new(&self.model, &self.colours)));
        self.is_dirty = true;
    }

    /// Returns the camera at the end of a jump in progress.
    pub(super) fn settled(&self) -> Camera {
        self.jump.as_ref().map_or(self.camera, |jump| jump.to)
    }

    /// Changes the camera immediately, as part of a movement.
    pub(super) fn set_camera(&mut self, camera: Camera) {
        self.jump = None;
        self.is_fitted = false;
        if self.camera != camera {
            self.camera = camera;
            self.record_change(Change::Continuous);
        }
    }

    /// Moves to a camera, animated unless the user prefers reduced motion.
    pub(super) fn jump_to(&mut self, to: Camera, change: Change) {
        let to = Camera { place: to.place.rounded(), ..to };
        self.is_fitted = false;
        if to == self.settled() {
            return;
        }
        self.record_change(change);
        if wants_less_motion() {
            self.jump = None;
            self.camera = to;
        } else {
            self.jump = Some(Jump { from: self.camera, to, start_ms: now_ms() });
        }
    }

    pub(super) fn fit_all(&mut self) {
        let to = self.settled().fitted(&self.model.whole());
        self.jump_to(to, Change::Jump);
        // A link without a camera opens with the initial one.
        self.is_fitted = to == to.opened(&self.model.whole(), self.model.first_x());
        self.record_change(Change::Detail);
    }

    pub(super) fn record_change(&mut self, change: Change) {
        change.add_to(&mut self.change);
        self.is_dirty = true;
    }

    pub(super) fn place(&self) -> Option<CameraPlace> {
        (!self.is_fitted).then(|| self.settled().place.rounded())
    }

    /// Advances animations. True if they continue.
    pub(super) fn advance(&mut self, now_ms: f64) -> bool {
        if let Some(Jump { from, to, start_ms }) = &self.jump {
            let progress = ((now_ms - start_ms) / JUMP_MS).clamp(0.0, 1.0);
            self.camera = from.toward(to, progress);
            self.is_dirty = true;
            if progress >= 1.0 {
                self.camera = *to;
                self.jump = None;
            }
        }
        if let Some((shift, start_ms)) = &mut self.shift {
            shift.progress = ((now_ms - *start_ms) / JUMP_MS).clamp(0.0, 1.0);
            self.is_dirty = true;
            if shift.progress >= 1.0 {
                self.shift = None;
            }
        }
        self.jump.is_some() || self.shift.is_some()
    }

    /// Rounds the camera as the address does, so that a link shows exactly the screen.
    pub(super) fn settle(&mut self) {
        let settled = self.camera.place.rounded();
        let is_still = self.jump.is_none() && self.pointer.drag == Drag::None;
        if is_still && settled != self.camera.place {
            self.camera.place = settled;
            self.is_dirty = true;
        }
    }

    pub(super) fn place_on(&mut self, size: Option<Size>) {
        self.is_on_stage = size.is_some();
        self.is_dirty = true;
        let Some(Size { width_css_px, height_css_px, .. }) = size else { return };
        let (was_wide, was_high) = (self.camera.width_css_px, self.camera.height_css_px);
        self.camera = self.camera.sized(width_css_px, height_css_px);
        // Keep the drawing in place: a click may open the panel, and nothing may move between the clicks of a
        // double-click.
        if was_wide == self.camera.width_css_px && !self.model.view.nodes.is_empty() && self.jump.is_none() {
            self.camera.place.y += (height_css_px - was_high) / 2.0 / self.camera.scale();
            return;
        }
        if let Some(jump) = &mut self.jump {
            jump.to = jump.to.sized(width_css_px, height_css_px);
        }
        if self.is_fitted {
            self.jump = None;
            self.camera = self.camera.opened(&self.model.whole(), self.model.first_x());
        }
    }

    pub(super) fn draw(&mut self, fit: &mut TextFit<'_>) {
        self.is_dirty = false;
        self.frame = draw(&self.scene(), fit);
    }
}
