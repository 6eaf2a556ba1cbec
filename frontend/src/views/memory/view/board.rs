//! A stage of the memory view: chart and map have the same input and are redrawn when a signal changes.

use std::cell::RefCell;
use std::rc::Rc;

use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::canvas::text::TextFit;
use crate::reactive::*;
use crate::stage::board::{self, Sketch};
use crate::stage::canvas::Canvas;
use crate::stage::pointer::{Hand, Point, Touch};
use crate::views::memory::gesture::{Gesture, Pointer, wheel};

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
    pointer: RefCell<Pointer>,
    hovered: RwSignal<Option<Point>>,
}

#[derive(Clone, Copy)]
pub(super) struct Board {
    board: board::Board,
    parts: StoredValue<Rc<Parts>>,
}

impl Board {
    /// Creates a canvas. `hovered` is set to the pointer's position: `None` outside and during a drag.
    pub(super) fn new(model: Model, hovered: RwSignal<Option<Point>>) -> Self {
        let parts = Rc::new(Parts { model, pointer: RefCell::default(), hovered });
        Self { board: board::Board::new(parts.clone()), parts: StoredValue::new(parts) }
    }

    pub(super) fn break_off(self) {
        self.parts.try_with_value(|parts| parts.pointer.borrow_mut().cancel());
    }
}

impl Sketch for Parts {
    fn track(&self) {
        (self.model.depends)();
    }

    fn draw(&self, size: Size, theme: &Theme, _fit: &mut TextFit<'_>) -> DrawList {
        (self.model.draw)(size, theme)
    }

    fn after(&self, size: Size) {
        (self.model.after)(size);
    }

    fn touch(&self, touch: &Touch) {
        let Touch { at, modifiers, .. } = *touch;
        let mut pointer = self.pointer.borrow_mut();
        let mut hovered = self.hovered.get_untracked();
        let (band, gesture) = match touch.hand {
            Hand::Press => {
                pointer.press(at, modifiers, (self.model.line_at)(at));
                (None, None)
            }
            Hand::Move => {
                let gesture = pointer.move_to(at);
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
            Hand::Wheel(dx, dy) => (None, wheel(at, dx, dy, modifiers, self.model.scrolls)),
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
    let (label, testid) = board.parts.with_value(|parts| (parts.model.label, parts.model.testid));
    view! {
        <div class="stage">
            <Canvas stage=board.board.stage() class="" label testid/>
            {children()}
        </div>
    }
}
