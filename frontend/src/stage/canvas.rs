//! A canvas on the page: frames, size, theme and input.
//!
//! A frame has three steps: animations advance, changes are painted, and signals are set. No other step sets signals.
//! Outside of a frame, only a change of the canvas's size paints.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use leptos::{ev, html};
use web_sys::{Element, HtmlCanvasElement, MouseEvent, PointerEvent, WheelEvent};

use crate::browser::document;
use crate::canvas::draw_list::DrawList;
use crate::canvas::frame::FrameLoop;
use crate::canvas::paint::measure;
use crate::canvas::palette::Theme;
use crate::canvas::scale::Size;
use crate::canvas::surface::{Surface, read_theme};
use crate::canvas::text::{TextFit, WidthCache};
use crate::components::theme::{use_scheme, use_text_scale};
use crate::hooks::size::SizeWatch;
use crate::reactive::*;
use crate::stage::fingers::Fingers;
use crate::stage::log::measure_frame;
use crate::stage::pointer::{Hand, Modifiers, Point, Touch};

pub(crate) trait Content {
    /// Called with a new size, which requires painting; `None` if there is no longer a canvas.
    fn resize(&self, size: Option<Size>);

    /// Called with new colours, which require painting.
    fn set_theme(self: Rc<Self>, theme: &Theme);

    fn wants_paint(&self) -> bool;

    /// Advances animations. True if they continue.
    fn advance(&self, _now_ms: f64) -> bool {
        false
    }

    /// Draws and paints, which completes the pending work. Sets no signal.
    fn draw(&self, fit: &mut TextFit<'_>, paint: &mut dyn FnMut(&DrawList));

    /// Sets signals for the frame's changes.
    fn tell(self: Rc<Self>);

    fn touch(self: Rc<Self>, touch: &Touch);

    fn cursor(&self, last: &Touch) -> &'static str;

    /// True if the content handles the wheel without focus. Otherwise the wheel scrolls the page until the canvas has
    /// the focus.
    fn takes_wheel(&self) -> bool {
        true
    }

    /// False if the content has nothing to scroll, so that a plain wheel scrolls the page.
    fn scrolls(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool;
}

/// A canvas with its frames and input. It may be unmounted and mounted again.
pub(crate) struct Stage {
    content: Weak<dyn Content>,
    surface: RefCell<Option<Surface>>,
    widths: RefCell<WidthCache>,
    frames: FrameLoop,
    resize: SizeWatch,
    scale: Cell<f64>,
    last: Cell<Touch>,
    fingers: RefCell<Fingers>,
    /// State of the element: cursor and loading.
    element_state: Cell<(&'static str, bool)>,
}

impl Stage {
    /// Creates a stage for content that is under construction. It follows the theme and the text size as long as the
    /// current owner lives.
    pub(crate) fn new(content: Weak<dyn Content>) -> Rc<Self> {
        let stage = Rc::new_cyclic(|weak: &Weak<Self>| {
            let weak = weak.clone();
            let frames = FrameLoop::new(Box::new(move |now_ms| {
                if let Some(stage) = weak.upgrade() {
                    measure_frame(|| stage.frame(now_ms));
                }
            }));
            Self {
                content,
                surface: RefCell::default(),
                widths: RefCell::default(),
                frames,
                resize: SizeWatch::default(),
                scale: Cell::new(1.0),
                last: Cell::default(),
                fingers: RefCell::default(),
                element_state: Cell::new(BEGINNING),
            }
        });
        let (scheme, follower) = (use_scheme(), Rc::downgrade(&stage));
        Effect::new(move |_| {
            scheme.track();
            if let Some(stage) = follower.upgrade()
                && let Some(content) = stage.content.upgrade()
            {
                content.set_theme(&read_theme());
                stage.request();
            }
        });
        let (text_scale, follower) = (use_text_scale(), Rc::downgrade(&stage));
        Effect::new(move |_| {
            let scale = text_scale.get();
            if let Some(stage) = follower.upgrade() {
                stage.enlarge(scale);
            }
        });
        stage
    }

    pub(crate) fn request(&self) {
        self.frames.request();
    }

    fn enlarge(&self, scale: f64) {
        self.scale.set(scale);
        let Some(()) = self.surface.borrow_mut().as_mut().map(|surface| surface.enlarge(scale)) else {
            return;
        };
        self.place();
        self.request();
    }

    fn place(&self) {
        let size = self.surface.borrow().as_ref().map(Surface::size);
        if let Some(content) = self.content.upgrade() {
            content.resize(size);
        }
    }

    fn attach(self: &Rc<Self>, canvas: HtmlCanvasElement) {
        let weak = Rc::downgrade(self);
        let on_resize = move || {
            if let Some(stage) = weak.upgrade() {
                // Paint immediately: until the next frame a resized canvas would be stretched and flicker.
                stage.paint();
                stage.request();
            }
        };
        self.resize.watch(&canvas, Box::new(on_resize));
        let mut surface = Surface::new(canvas);
        if let Some(surface) = &mut surface {
            surface.enlarge(self.scale.get());
        }
        self.element_state.set(BEGINNING);
        self.surface.replace(surface);
        self.place();
        // A drag or pinch on the previous canvas has no end event on this one.
        self.fingers.replace(Fingers::default());
        untrack(|| self.dispatch(Touch { hand: Hand::Cancel, ..self.last.get() }));
    }

    /// Unmounts the content, unless it is on another canvas already.
    fn detach(&self, canvas: &HtmlCanvasElement) {
        let is_here = |surface: &mut Surface| surface.canvas() == canvas;
        if self.surface.borrow_mut().take_if(is_here).is_some() {
            self.resize.stop();
            self.place();
        }
    }

    fn frame(&self, now_ms: f64) {
        let Some(content) = self.content.upgrade() else { return };
        let goes_on = content.advance(now_ms);
        self.paint();
        content.clone().tell();
        self.update_element(&*content);
        if goes_on || (content.wants_paint() && self.surface.borrow().is_some()) {
            self.request();
        }
    }

    fn paint(&self) {
        let Some(content) = self.content.upgrade() else { return };
        let mut surface = self.surface.borrow_mut();
        let Some(surface) = surface.as_mut() else { return };
        if surface.fit() {
            content.resize(Some(surface.size()));
        }
        if content.wants_paint() {
            let context = surface.context().clone();
            let mut measure = |text: &str| measure(&context, text);
            let fit = &mut TextFit { cache: &mut self.widths.borrow_mut(), measure: &mut measure };
            content.draw(fit, &mut |list| surface.paint(list));
        }
    }

    fn update_element(&self, content: &dyn Content) {
        let surface = self.surface.borrow();
        let Some(surface) = surface.as_ref() else { return };
        let now = (content.cursor(&self.last.get()), content.is_waiting() || content.wants_paint());
        let before = self.element_state.replace(now);
        // If the browser refuses, only the pointer's shape or the state for screen readers is wrong.
        if before.0 != now.0 {
            let style = web_sys::HtmlElement::style(surface.canvas());
            let _ = style.set_property("cursor", now.0);
        }
        if before.1 != now.1 {
            let _ = surface.canvas().set_attribute("aria-busy", if now.1 { "true" } else { "false" });
        }
    }

    fn point(&self, event: &MouseEvent) -> Point {
        let scale = self.scale.get();
        Point { x: f64::from(event.offset_x()) / scale, y: f64::from(event.offset_y()) / scale }
    }

    fn touch(&self, hand: Hand, event: &MouseEvent) {
        let at = self.point(event);
        let modifiers = Modifiers {
            shift: event.shift_key(),
            ctrl: event.ctrl_key() || event.meta_key(),
            alt: event.alt_key(),
        };
        self.dispatch(Touch { hand, at, modifiers, is_pressed: event.buttons() != 0 });
    }

    fn dispatch(&self, touch: Touch) {
        self.last.set(touch);
        if let Some(content) = self.content.upgrade() {
            content.touch(&touch);
        }
        self.request();
    }

    fn is_focused(&self) -> bool {
        let surface = self.surface.borrow();
        surface.as_ref().is_some_and(|surface| {
            let canvas: &Element = surface.canvas();
            document().active_element().as_ref() == Some(canvas)
        })
    }

    fn wheel(&self, event: &WheelEvent) {
        let Some(content) = self.content.upgrade() else { return };
        let is_chord = event.ctrl_key() || event.meta_key() || event.shift_key();
        let is_meant = content.takes_wheel() || self.is_focused();
        let scrolls = content.scrolls() || event.delta_x().abs() > event.delta_y().abs();
        let is_taken = is_chord || (is_meant && scrolls);
        if !is_taken {
            return;
        }
        // The page itself never scrolls or zooms under a canvas.
        event.prevent_default();
        let unit_css_px = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 32.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        self.touch(Hand::Wheel(event.delta_x() * unit_css_px, event.delta_y() * unit_css_px), event);
    }

    /// Selects the entity under the pointer on a press of the right button, as a click does, for the menu.
    fn select_for_menu(&self, event: &MouseEvent) {
        const RIGHT: i16 = 2;
        if event.button() == RIGHT {
            self.touch(Hand::Press, event);
            self.touch(Hand::Release, event);
        }
    }

    /// Handles the main button. A drag continues outside the canvas.
    fn button(&self, hand: Hand, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if hand == Hand::Press {
            let canvas: Element = event_target(event);
            // Without capture the drag ends at the edge.
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        let is_second = hand == Hand::Press
            && event.pointer_type() == "touch"
            && self.fingers.borrow_mut().down(event.pointer_id(), self.point(event));
        let was_pinching = self.fingers.borrow().is_pinching();
        if hand != Hand::Press {
            self.fingers.borrow_mut().up(event.pointer_id());
        }
        match (is_second, was_pinching) {
            (true, _) => self.touch(Hand::Cancel, event),
            (false, true) => {}
            (false, false) => self.touch(hand, event),
        }
    }

    fn move_to(&self, event: &PointerEvent) {
        let pinch = self.fingers.borrow_mut().move_to(event.pointer_id(), self.point(event));
        if !self.fingers.borrow().is_pinching() {
            return self.touch(Hand::Move, event);
        }
        let Some(pinch) = pinch else { return };
        for ((dx, dy), modifiers) in pinch.turns() {
            let hand = Hand::Wheel(dx, dy);
            self.dispatch(Touch { hand, at: pinch.at, modifiers, is_pressed: false });
        }
    }

    fn cancelled(&self, event: &PointerEvent) {
        self.fingers.borrow_mut().up(event.pointer_id());
        self.touch(Hand::Cancel, event);
    }
}

/// State of the element before the first frame.
const BEGINNING: (&str, bool) = ("default", true);

#[component]
pub(crate) fn Canvas(
    stage: Rc<Stage>,
    class: &'static str,
    label: &'static str,
    testid: &'static str,
    #[prop(optional)] described_by: Option<&'static str>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let stage = StoredValue::new(stage);
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            stage.try_with_value(|stage| stage.attach(canvas));
        }
    });
    on_cleanup(move || {
        if let Some(Some(canvas)) = canvas.try_get_untracked() {
            stage.try_with_value(|stage| stage.detach(&canvas));
        }
    });
    let with = move |act: &dyn Fn(&Stage)| {
        stage.try_with_value(|stage| act(stage));
    };
    // The screen's density may change while the element's size stays.
    let resized = window_event_listener(ev::resize, move |_| with(&Stage::request));
    on_cleanup(move || resized.remove());
    view! {
        <canvas
            node_ref=canvas
            class=class
            data-testid=testid
            tabindex="0"
            role="application"
            aria-label=label
            aria-describedby=described_by
            aria-busy="true"
            on:pointerdown=move |event| with(&|stage| stage.button(Hand::Press, &event))
            on:pointermove=move |event| with(&|stage| stage.move_to(&event))
            on:pointerup=move |event| with(&|stage| stage.button(Hand::Release, &event))
            on:pointercancel=move |event| with(&|stage| stage.cancelled(&event))
            on:pointerleave=move |event| with(&|stage| stage.touch(Hand::Leave, &event))
            on:dblclick=move |event| with(&|stage| stage.touch(Hand::DoubleClick, &event))
            on:contextmenu=move |event| with(&|stage| stage.select_for_menu(&event))
            on:wheel=move |event| with(&|stage| stage.wheel(&event))
        ></canvas>
    }
}
