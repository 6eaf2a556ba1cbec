//! The timeline in the browser.

mod actions;
mod controller;
mod inner;
mod labels;
mod selection;
mod signals;
mod tooltip;

pub(crate) use controller::Controller;
pub(crate) use signals::{Detail, Signals, Status};

use std::rc::Rc;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use syclscope_trace::event::Category;
use web_sys::{KeyboardEvent, MouseEvent, WheelEvent};

use crate::browser::key_is_taken;
use crate::components::splitter::{Axis, Splitter, use_size};
use crate::components::theme::use_scheme;
use crate::format;
use crate::views::timeline::hit::{self, Brush, Region};
use crate::views::timeline::input::{Modifiers, Point};
use crate::views::timeline::keys::{self, Command, Key};
use crate::views::timeline::layout::Layout;
use labels::Labels;
use tooltip::Tooltip;

/// A handle on the timeline's controller that views can copy.
#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    controller: StoredValue<Rc<Controller>, LocalStorage>,
    pub(crate) signals: Signals,
}

impl Timeline {
    pub(crate) fn new(controller: Rc<Controller>) -> Self {
        let signals = controller.signals;
        crate::testing::set_timeline(&controller);
        Self { controller: StoredValue::new_local(controller), signals }
    }

    /// The colour of a slice as CSS, which follows the theme.
    pub(crate) fn colour(
        &self,
        category: Category,
        name: &str,
    ) -> impl Fn() -> String + Clone + Send + use<> {
        let (timeline, scheme, name) = (*self, use_scheme(), name.to_owned());
        move || {
            let scheme = scheme.get();
            timeline.with(|controller| controller.slice_css(scheme, category, &name)).unwrap_or_default()
        }
    }

    /// Does something with the controller, if the page still shows it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Rc<Controller>) -> T) -> Option<T> {
        self.controller.try_with_value(act)
    }
}

/// The timeline with its labels, scroll bar and tooltip.
#[component]
pub(crate) fn TimelineView(timeline: Timeline) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    let labels = NodeRef::<html::Div>::new();
    let scrollbar = NodeRef::<html::Div>::new();
    let signals = timeline.signals;
    let label_width = use_size("syclscope.label-width", 264.0, (140.0, 640.0));
    Effect::new(move |_| {
        if let (Some(canvas), Some(labels), Some(scrollbar)) = (canvas.get(), labels.get(), scrollbar.get()) {
            timeline.with(|controller| controller.attach(canvas, labels.into(), scrollbar.into()));
        }
    });
    listen_to_keys(timeline);
    listen_to_history(timeline);

    let height = move || format!("{}px", signals.layout.with(|layout: &Layout| layout.height_css_px));
    let cursor = RwSignal::new("default");
    let pointer_moved = move |event: web_sys::PointerEvent| {
        let at = point(&event);
        let part = timeline.with(|controller| {
            controller.moved(at);
            controller.inner.borrow().brush_at(at.x)
        });
        cursor.set(cursor_at(at, part.unwrap_or(Brush::Outside), event.shift_key(), event.buttons() != 0));
    };
    view! {
        <section
            class="timeline"
            aria-label="Timeline"
            data-testid="timeline"
            style:--label-width=move || format!("{}px", label_width.get())
        >
            <div class="timeline-corner">
                <Readout timeline/>
            </div>
            <div class="timeline-labels">
                <div class="timeline-labels-inner" node_ref=labels style:height=height>
                    <Labels timeline/>
                </div>
            </div>
            <Splitter axis=Axis::Horizontal size=label_width label="Width of the track names"/>
            <div class="timeline-stage">
                <canvas
                    node_ref=canvas
                    class="timeline-canvas"
                    data-testid="timeline-canvas"
                    tabindex="0"
                    role="application"
                    aria-label="Timeline of slices. Press ? for the keys; full stop and comma walk from slice to slice."
                    style:cursor=move || if signals.is_panning.get() { "grabbing" } else { cursor.get() }
                    on:pointerdown=move |event| {
                        if event.button() == 0 {
                            capture(&event);
                            timeline.with(|controller| controller.press(point(&event), modifiers(&event)));
                        }
                    }
                    on:pointermove=pointer_moved
                    on:pointerup=move |event| {
                        if event.button() == 0 {
                            timeline.with(|controller| controller.released(point(&event)));
                        }
                    }
                    on:pointercancel=move |_| { timeline.with(|controller| controller.cancel_drag()); }
                    on:pointerleave=move |_| { timeline.with(|controller| controller.left()); }
                    on:dblclick=move |event| {
                        let at = point(&event);
                        timeline.with(|controller| controller.double_click(at));
                    }
                    on:wheel=move |event| wheel(timeline, &event)
                ></canvas>
                <Tooltip timeline/>
                <Failure timeline/>
            </div>
            <div
                class="timeline-scrollbar"
                node_ref=scrollbar
                tabindex="-1"
                aria-hidden="true"
                on:scroll=move |event| {
                    let top = f64::from(event_target::<web_sys::HtmlElement>(&event).scroll_top());
                    timeline.with(|controller| controller.scrolled(top));
                }
            >
                <div style:height=height></div>
            </div>
            <div class="visually-hidden" role="status" data-testid="announcement">
                {move || signals.announcement.get()}
            </div>
        </section>
    }
}

/// The visible span, and buttons to change it.
#[component]
fn Readout(timeline: Timeline) -> impl IntoView {
    let signals = timeline.signals;
    let span = move || {
        let (start_ns, end_ns) = signals.range_ns.get();
        format::duration(end_ns - start_ns)
    };
    let from = move || match signals.range_ns.get().0 {
        0.0 => "from the start".to_owned(),
        start_ns => format!("from {}", format::duration(start_ns)),
    };
    view! {
        <div class="readout" title="Length and start of the visible time">
            <span class="readout-span" data-testid="visible-span">{span}</span>
            <span class="readout-start">{from}</span>
        </div>
        <div class="readout-buttons" role="group" aria-label="Zoom">
            <button
                type="button"
                title="Zoom out (−)"
                aria-label="Zoom out"
                on:click=move |_| { timeline.with(|controller| controller.zoom_by(2.0)); }
            >"−"</button>
            <button
                type="button"
                title="Zoom in (+)"
                aria-label="Zoom in"
                on:click=move |_| { timeline.with(|controller| controller.zoom_by(0.5)); }
            >"+"</button>
            <button
                type="button"
                title="Fit the whole run (0)"
                data-testid="fit"
                on:click=move |_| { timeline.with(|controller| controller.fit_all()); }
            >"All"</button>
            <button
                type="button"
                title="Fit the executions: the span in which devices worked (E)"
                data-testid="fit-device"
                on:click=move |_| { timeline.with(|controller| controller.fit_device()); }
            >"Executions"</button>
        </div>
        <div class="loading-line" class:is-active=move || signals.status.with(|status| status.is_loading)></div>
    }
}

/// Says when parts could not be loaded.
#[component]
fn Failure(timeline: Timeline) -> impl IntoView {
    let failure = Memo::new(move |_| timeline.signals.status.with(|status: &Status| status.failure.clone()));
    move || {
        failure.get().map(|(count, message)| {
            let parts = format::counted(count as u64, "part", "parts");
            view! {
                <div class="timeline-failure" role="alert" data-testid="tile-failure">
                    <span>{format!("{parts} of the timeline could not be loaded. {message}")}</span>
                    <button type="button" on:click=move |_| { timeline.with(|controller| controller.retry()); }>
                        "Try again"
                    </button>
                </div>
            }
        })
    }
}

fn listen_to_keys(timeline: Timeline) {
    let pressed = window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || key_is_taken(&event) {
            return;
        }
        let Some(key) = keys::key(&event.key()) else { return };
        if timeline.signals.is_help_open.get_untracked()
            && !matches!(key, Key::Press(Command::Clear | Command::Help))
        {
            return;
        }
        event.prevent_default();
        timeline.with(|controller| match key {
            Key::Hold(motion) => controller.hold(motion),
            Key::Press(_) if event.repeat() => {}
            Key::Press(command) => controller.command(command),
        });
    });
    let released = window_event_listener(ev::keyup, move |event: KeyboardEvent| {
        if let Some(Key::Hold(motion)) = keys::key(&event.key()) {
            timeline.with(|controller| controller.release(motion));
        }
    });
    let blurred = window_event_listener(ev::blur, move |_| {
        timeline.with(|controller| controller.release_all());
    });
    let resized = window_event_listener(ev::resize, move |_| {
        timeline.with(|controller| controller.request_frame());
    });
    on_cleanup(move || {
        pressed.remove();
        released.remove();
        blurred.remove();
        resized.remove();
    });
}

fn listen_to_history(timeline: Timeline) {
    let moved = window_event_listener(ev::popstate, move |_| {
        timeline.with(|controller| controller.open_address());
    });
    on_cleanup(move || moved.remove());
}

fn wheel(timeline: Timeline, event: &WheelEvent) {
    // The page itself never scrolls or zooms under the timeline.
    event.prevent_default();
    let unit_css_px = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => 32.0,
        WheelEvent::DOM_DELTA_PAGE => 400.0,
        _ => 1.0,
    };
    let (dx, dy) = (event.delta_x() * unit_css_px, event.delta_y() * unit_css_px);
    timeline.with(|controller| controller.wheel(point(event), dx, dy, modifiers(event)));
}

/// Where an event of the canvas is on it.
fn point(event: &MouseEvent) -> Point {
    Point { x: f64::from(event.offset_x()), y: f64::from(event.offset_y()) }
}

fn modifiers(event: &MouseEvent) -> Modifiers {
    Modifiers { shift: event.shift_key(), ctrl: event.ctrl_key() || event.meta_key() }
}

/// A drag goes on outside the canvas.
fn capture(event: &web_sys::PointerEvent) {
    let canvas: web_sys::Element = event_target(event);
    // Without capture the drag ends at the edge; that is all.
    let _ = canvas.set_pointer_capture(event.pointer_id());
}

fn cursor_at(at: Point, brush: Brush, shift: bool, is_pressed: bool) -> &'static str {
    match (hit::region(at.y), brush) {
        (Region::Overview, Brush::Left | Brush::Right) => "ew-resize",
        (Region::Overview, Brush::Inside) if is_pressed => "grabbing",
        (Region::Overview, Brush::Inside) => "grab",
        (Region::Overview, Brush::Outside) | (Region::Ruler, _) => "col-resize",
        (Region::Tracks, _) if shift => "col-resize",
        (Region::Tracks, _) => "default",
    }
}
