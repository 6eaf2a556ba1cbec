//! A stage that draws its whole picture again whenever a signal changes.

use std::cell::Cell;
use std::rc::{Rc, Weak};

use crate::canvas::draw_list::DrawList;
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::canvas::surface::read_theme;
use crate::canvas::text::TextFit;
use crate::reactive::*;
use crate::stage::canvas::{Content, Stage};
use crate::stage::pointer::Touch;

/// Picture and input of a board.
pub(crate) trait Sketch {
    /// Reads every signal that the picture depends on.
    fn track(&self);

    /// Draws the picture. It reads signals without tracking them, and sets none.
    fn draw(&self, size: Size, theme: &Theme, fit: &mut TextFit<'_>) -> DrawList;

    /// Called after each frame in which the board was drawn.
    fn after(&self, _size: Size) {}

    fn touch(&self, touch: &Touch);

    fn cursor(&self, last: &Touch) -> &'static str;

    /// See [`Content::scrolls`].
    fn scrolls(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool;
}

struct Parts {
    sketch: Rc<dyn Sketch>,
    stage: Rc<Stage>,
    size: Cell<Option<Size>>,
    theme: Cell<Theme>,
    is_dirty: Cell<bool>,
    has_drawn: Cell<bool>,
}

/// A copyable handle on a board, which is disposed with its owner.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    parts: StoredValue<Rc<Parts>>,
}

impl Board {
    pub(crate) fn new(sketch: Rc<dyn Sketch>) -> Self {
        let parts = Rc::new_cyclic(|weak: &Weak<Parts>| Parts {
            sketch,
            stage: Stage::new(weak.clone()),
            size: Cell::new(None),
            theme: Cell::new(read_theme()),
            is_dirty: Cell::new(true),
            has_drawn: Cell::new(false),
        });
        let parts = StoredValue::new(parts);
        Effect::new(move |_| {
            parts.try_with_value(|parts| {
                parts.sketch.track();
                parts.is_dirty.set(true);
                parts.stage.request();
            });
        });
        Self { parts }
    }

    pub(crate) fn stage(self) -> Rc<Stage> {
        self.parts.with_value(|parts| parts.stage.clone())
    }
}

impl Content for Parts {
    fn resize(&self, size: Option<Size>) {
        self.size.set(size);
        self.is_dirty.set(true);
    }

    fn set_theme(self: Rc<Self>, theme: &Theme) {
        self.theme.set(*theme);
        self.is_dirty.set(true);
    }

    fn wants_paint(&self) -> bool {
        self.is_dirty.get()
    }

    fn draw(&self, fit: &mut TextFit<'_>, paint: &mut dyn FnMut(&DrawList)) {
        self.is_dirty.set(false);
        self.has_drawn.set(true);
        let size = self.size.get().unwrap_or_default();
        paint(&untrack(|| self.sketch.draw(size, &self.theme.get(), fit)));
    }

    fn tell(self: Rc<Self>) {
        if self.has_drawn.take() {
            self.sketch.after(self.size.get().unwrap_or_default());
        }
    }

    fn touch(self: Rc<Self>, touch: &Touch) {
        self.sketch.touch(touch);
    }

    fn cursor(&self, last: &Touch) -> &'static str {
        self.sketch.cursor(last)
    }

    fn scrolls(&self) -> bool {
        self.sketch.scrolls()
    }

    fn is_waiting(&self) -> bool {
        self.sketch.is_waiting()
    }
}
