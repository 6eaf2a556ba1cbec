//! A canvas of the memory view: it paints what a function draws, and tells what the user's hands want.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::html;
use web_sys::{HtmlCanvasElement, MouseEvent, WheelEvent};

use crate::canvas::draw_list::DrawList;
use crate::canvas::frame::FrameLoop;
use crate::canvas::paint::paint;
use crate::canvas::palette::Theme;
use crate::canvas::surface::{Surface, read_theme};
use crate::components::theme::use_scheme;
use crate::hooks::size::SizeWatch;
use crate::reactive::*;
use crate::stage::log::timed;
use crate::views::memory::gesture::{Gesture, Pointer, wheeled};
use crate::views::timeline::input::{Modifiers, Point};

/// Size and density of a canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) width_css_px: f64,
    pub(super) height_css_px: f64,
    pub(super) device_pixel_ratio: f64,
}

/// Draws a canvas.
pub(super) type Draw = dyn Fn(Size, &Theme) -> DrawList;

/// What a canvas shows and does.
pub(super) struct Model {
    /// What a screen reader calls it.
    pub(super) label: &'static str,
    /// What tests call it.
    pub(super) testid: &'static str,
    /// Whether a plain wheel scrolls; else it zooms.
    pub(super) scrolls: bool,
    /// Reads every signal on which the picture depends.
    pub(super) depends: Box<dyn Fn()>,
    /// Draws; reads signals without following them, and sets none.
    pub(super) draw: Box<Draw>,
    /// Runs after each frame.
    pub(super) after: Box<dyn Fn(Size)>,
    /// Which of the moments' lines is at a point.
    pub(super) line_at: Box<dyn Fn(Point) -> Option<bool>>,
    /// Does what the user wants.
    pub(super) gesture: Box<dyn Fn(Gesture)>,
}

struct Inner {
    model: Model,
    surface: RefCell<Option<Surface>>,
    theme: RefCell<Theme>,
    pointer: RefCell<Pointer>,
    frames: FrameLoop,
    resize: SizeWatch,
}

/// A handle on a canvas that views can copy.
#[derive(Clone, Copy)]
pub(super) struct Stage {
    inner: StoredValue<Rc<Inner>, LocalStorage>,
    /// Where the pointer is; `None` outside and while something is dragged.
    pub(super) pointer: RwSignal<Option<Point>>,
}

impl Stage {
    /// A canvas; `pointer` will tell where the pointer is.
    pub(super) fn new(model: Model, pointer: RwSignal<Option<Point>>) -> Self {
        let inner = Rc::new_cyclic(|weak: &Weak<Inner>| {
            let on_frame = weak.clone();
            let frames = FrameLoop::new(Box::new(move |_| {
                if let Some(inner) = on_frame.upgrade() {
                    timed(|| inner.paint());
                }
            }));
            Inner {
                model,
                surface: RefCell::new(None),
                theme: RefCell::new(read_theme()),
                pointer: RefCell::default(),
                frames,
                resize: SizeWatch::default(),
            }
        });
        let stage = Self { inner: StoredValue::new_local(inner), pointer };
        Effect::new(move |_| {
            stage.with(|inner| {
                (inner.model.depends)();
                inner.frames.request();
            });
        });
        let scheme = use_scheme();
        Effect::new(move |_| {
            scheme.track();
            stage.with(|inner| {
                *inner.theme.borrow_mut() = read_theme();
                inner.frames.request();
            });
        });
        stage
    }

    fn with<T>(self, act: impl FnOnce(&Rc<Inner>) -> T) -> Option<T> {
        self.inner.try_with_value(act)
    }

    /// Breaks off what is being dragged; says whether anything was.
    pub(super) fn break_off(self) -> bool {
        self.with(|inner| inner.pointer.borrow_mut().cancel()).unwrap_or(false)
    }

    fn attach(self, canvas: HtmlCanvasElement) {
        self.with(|inner| {
            let weak = Rc::downgrade(inner);
            let on_resize = move || {
                if let Some(inner) = weak.upgrade() {
                    // At once, not in the next frame: a canvas that was stretched would flicker.
                    inner.paint();
                }
            };
            inner.resize.watch(&canvas, Box::new(on_resize));
            *inner.surface.borrow_mut() = Surface::new(canvas);
            inner.frames.request();
        });
    }

    fn detach(self) {
        self.with(|inner| {
            *inner.surface.borrow_mut() = None;
            inner.resize.stop();
        });
    }

    fn hover(self, at: Option<Point>) {
        if self.pointer.get_untracked() != at {
            self.pointer.set(at);
        }
    }

    fn gesture(self, gesture: Option<Gesture>) {
        if let Some(gesture) = gesture {
            self.with(|inner| inner.clone()).inspect(|inner| (inner.model.gesture)(gesture));
        }
    }
}

impl Inner {
    fn paint(&self) {
        let size = {
            let mut surface = self.surface.borrow_mut();
            let Some(surface) = surface.as_mut() else { return };
            surface.fit();
            let size = Size {
                width_css_px: surface.width_css_px(),
                height_css_px: surface.height_css_px(),
                device_pixel_ratio: surface.device_pixel_ratio(),
            };
            let list = untrack(|| (self.model.draw)(size, &self.theme.borrow()));
            paint(surface.context(), &list, size.device_pixel_ratio);
            size
        };
        (self.model.after)(size);
    }
}

#[component]
pub(super) fn Canvas(stage: Stage, children: Children) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        if let Some(canvas) = canvas.get() {
            stage.attach(canvas);
        }
    });
    on_cleanup(move || stage.detach());
    let (label, testid) = stage.with(|inner| (inner.model.label, inner.model.testid)).unwrap_or_default();
    let cursor = RwSignal::new("default");
    let line_at = move |at| stage.with(|inner| (inner.model.line_at)(at)).flatten();
    view! {
        <div class="stage">
            <canvas
                node_ref=canvas
                tabindex="0"
                role="application"
                aria-label=label
                data-testid=testid
                style:cursor=move || cursor.get()
                on:pointerdown=move |event| {
                    if event.button() == 0 {
                        let target: web_sys::Element = event_target(&event);
                        // Without capture the drag ends at the edge; that is all.
                        let _ = target.set_pointer_capture(event.pointer_id());
                        let at = point(&event);
                        let line = line_at(at);
                        stage.with(|inner| inner.pointer.borrow_mut().press(at, modifiers(&event), line));
                    }
                }
                on:pointermove=move |event| {
                    let at = point(&event);
                    let (gesture, is_dragging) = stage
                        .with(|inner| {
                            let mut pointer = inner.pointer.borrow_mut();
                            (pointer.moved(at), pointer.is_dragging())
                        })
                        .unwrap_or((None, false));
                    cursor.set(match (is_dragging, line_at(at)) {
                        (_, Some(_)) => "col-resize",
                        (true, None) => "grabbing",
                        (false, None) => "default",
                    });
                    stage.gesture(gesture);
                    stage.hover((!is_dragging).then_some(at));
                }
                on:pointerup=move |event| {
                    if event.button() == 0 {
                        let at = point(&event);
                        let gesture = stage.with(|inner| inner.pointer.borrow_mut().release(at)).flatten();
                        stage.gesture(Some(Gesture::Band(None)));
                        stage.gesture(gesture);
                    }
                }
                on:pointercancel=move |_| {
                    stage.break_off();
                    stage.gesture(Some(Gesture::Band(None)));
                }
                on:pointerleave=move |_| stage.hover(None)
                on:dblclick=move |event| stage.gesture(Some(Gesture::Open(point(&event))))
                on:wheel=move |event| wheel(stage, &event)
            ></canvas>
            {children()}
        </div>
    }
}

fn wheel(stage: Stage, event: &WheelEvent) {
    // The page itself never scrolls or zooms under a canvas.
    event.prevent_default();
    let unit_css_px = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => 32.0,
        WheelEvent::DOM_DELTA_PAGE => 400.0,
        _ => 1.0,
    };
    let (dx, dy) = (event.delta_x() * unit_css_px, event.delta_y() * unit_css_px);
    let scrolls = stage.with(|inner| inner.model.scrolls).unwrap_or(false);
    stage.gesture(wheeled(point(event), dx, dy, modifiers(event), scrolls));
}

/// Where an event of a canvas is on it.
fn point(event: &MouseEvent) -> Point {
    Point { x: f64::from(event.offset_x()), y: f64::from(event.offset_y()) }
}

fn modifiers(event: &MouseEvent) -> Modifiers {
    Modifiers { shift: event.shift_key(), ctrl: event.ctrl_key() || event.meta_key() }
}

/// What is told beside the pointer.
#[component]
pub(super) fn Bubble(at: Point, width_css_px: f64, children: Children) -> impl IntoView {
    let is_flipped = at.x > width_css_px - 320.0 && at.x > 320.0;
    view! {
        <div
            class="tooltip-place"
            style:transform=format!("translate({}px, {}px)", at.x + 14.0, at.y + 14.0)
            style:--pointer-x=format!("{}px", at.x)
        >
            <div class="tooltip" role="tooltip" data-testid="memory-tooltip" class:is-flipped=is_flipped>{children()}</div>
        </div>
    }
}
