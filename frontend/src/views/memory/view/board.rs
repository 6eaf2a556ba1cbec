//! A stage of the memory view: chart and map have the same input and are redrawn when a signal changes.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::canvas::surface::read_theme;
use crate::canvas::text::TextFit;
use crate::reactive::*;
use crate::stage::canvas::{Canvas, Content, Stage};
use crate::stage::pointer::{Hand, Point, Touch};
use crate::views::memory::gesture::{Gesture, Pointer, wheeled};

pub(super) type Draw = dyn Fn(Size, &Theme) -> DrawList;

pub(super) struct Model {
    pub(super) label: &'static str,
    pub(super) testid: &'static str,
    /// True if a plain wheel scrolls; otherwise it zooms.
    pub(super) scrolls: bool,
    /// Reads every signal that the picture depends on.
    pub(super) depends: Box<dyn Fn()>,
    /// Draws; reads signals without tracking, and sets none.
    pub(super) draw: Box<Draw>,
    /// Runs after each frame that drew.
    pub(super) after: Box<dyn Fn(Size)>,
    pub(super) is_waiting: Box<dyn Fn() -> bool>,
    pub(super) line_at: Box<dyn Fn(Point) -> Option<bool>>,
    pub(super) gesture: Box<dyn Fn(Gesture)>,
}

struct Parts {
    model: Model,
    stage: Rc<Stage>,
    size: Cell<Option<Size>>,
    theme: Cell<Theme>,
    is_dirty: Cell<bool>,
    has_drawn: Cell<bool>,
    pointer: RefCell<Pointer>,
    hovered: RwSignal<Option<Point>>,
}

#[derive(Clone, Copy)]
pub(super) struct Board {
    parts: StoredValue<Rc<Parts>>,
}

impl Board {
    /// A canvas. `hovered` is set to the pointer's position: `None` outside and during a drag.
    pub(super) fn new(model: Model, hovered: RwSignal<Option<Point>>) -> Self {
        let parts = Rc::new_cyclic(|weak: &Weak<Parts>| Parts {
            model,
            stage: Stage::new(weak.clone()),
            size: Cell::new(None),
            theme: Cell::new(read_theme()),
            is_dirty: Cell::new(true),
            has_drawn: Cell::new(false),
            pointer: RefCell::default(),
            hovered,
        });
        let board = Self { parts: StoredValue::new(parts) };
        Effect::new(move |_| {
            board.parts.try_with_value(|parts| {
                (parts.model.depends)();
                parts.is_dirty.set(true);
                parts.stage.request();
            });
        });
        board
    }

    pub(super) fn break_off(self) {
        self.parts.try_with_value(|parts| parts.pointer.borrow_mut().cancel());
    }
}

impl Content for Parts {
    fn placed(&self, size: Option<Size>) {
        self.size.set(size);
        self.is_dirty.set(true);
    }

    fn themed(self: Rc<Self>, theme: &Theme) {
        self.theme.set(*theme);
        self.is_dirty.set(true);
    }

    fn wants_paint(&self) -> bool {
        self.is_dirty.get()
    }

    fn draw(&self, _fit: &mut TextFit<'_>, paint: &mut dyn FnMut(&DrawList)) {
        self.is_dirty.set(false);
        self.has_drawn.set(true);
        let size = self.size.get().unwrap_or_default();
        paint(&untrack(|| (self.model.draw)(size, &self.theme.get())));
    }

    fn tell(self: Rc<Self>) {
        if self.has_drawn.take() {
            (self.model.after)(self.size.get().unwrap_or_default());
        }
    }

    fn touched(self: Rc<Self>, touch: &Touch) {
        let Touch { at, modifiers, .. } = *touch;
        let mut pointer = self.pointer.borrow_mut();
        let mut hovered = self.hovered.get_untracked();
        let (band, gesture) = match touch.hand {
            Hand::Press => {
                pointer.press(at, modifiers, (self.model.line_at)(at));
                (None, None)
            }
            Hand::Move => {
                let gesture = pointer.moved(at);
                hovered = (!pointer.is_dragging()).then_some(at);
                (None, gesture)
            }
            Hand::Release => (Some(Gesture::Band(None)), pointer.release(at)),
            Hand::Cancel => {
                pointer.cancel();
                (Some(Gesture::Band(None)), None)
            }
            Hand::Leave => {
                hovered = None;
                (None, None)
            }
            Hand::DoubleClick => (None, Some(Gesture::Open(at))),
            Hand::Wheel(dx, dy) => (None, wheeled(at, dx, dy, modifiers, self.model.scrolls)),
        };
        drop(pointer);
        for gesture in band.into_iter().chain(gesture) {
            (self.model.gesture)(gesture);
        }
        self.hovered.set_if_changed(hovered);
    }

    fn cursor(&self, last: &Touch) -> &'static str {
        let is_dragging = self.pointer.borrow().is_dragging();
        match (is_dragging, (self.model.line_at)(last.at)) {
            (_, Some(_)) => "col-resize",
            (true, None) => "grabbing",
            (false, None) => "default",
        }
    }

    fn is_waiting(&self) -> bool {
        (self.model.is_waiting)()
    }
}

#[component]
pub(super) fn BoardView(board: Board, children: Children) -> impl IntoView {
    let parts = board.parts.get_value();
    let Model { label, testid, .. } = parts.model;
    view! {
        <div class="stage">
            <Canvas stage=parts.stage.clone() class="" label testid/>
            {children()}
        </div>
    }
}
