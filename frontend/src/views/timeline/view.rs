//! The timeline in the browser.

mod actions;
mod answers;
mod controller;
mod inner;
mod labels;
mod notes;
mod objects;
mod placing;
mod saving;
mod selection;
mod signals;
mod toolbar;
mod tooltip;

pub(crate) use controller::Controller;
pub(crate) use saving::png;
pub(crate) use signals::{Signals, Status};

use std::rc::Rc;

use leptos::ev;
use leptos::html;
use web_sys::{MouseEvent, WheelEvent};

use crate::components::splitter::{Axis, Splitter, use_size};
use crate::components::theme::{use_scheme, use_text_scale};
use crate::data::home::Home;
use crate::format;
use crate::reactive::*;
use crate::state::call::{Call, Phase};
use crate::state::plug::Running;
use crate::state::session::Session;
use crate::views::timeline::hit::{self, Brush, Region};
use crate::views::timeline::input::{Modifiers, Point, Tool};
use crate::views::timeline::keys::{self, Key};
use crate::views::timeline::layout::Layout;
use labels::Labels;
use notes::NoteEditor;
use toolbar::Toolbar;
use tooltip::Tooltip;

/// A handle on the timeline's controller that views can copy. It lives as long as the trace's page, whether the timeline
/// is on screen or not.
#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    controller: StoredValue<Rc<Controller>, LocalStorage>,
    pub(crate) signals: Signals,
}

impl Timeline {
    /// The timeline of a session; it follows the selection, Back and Forward, and the theme.
    fn new(session: Session, home: Home) -> Self {
        let controller = Controller::new(session, home);
        crate::stage::log::draws(&controller);
        let signals = controller.signals;
        let timeline = Self { controller: StoredValue::new_local(controller), signals };
        let follow = move |act: fn(&Rc<Controller>, Session)| {
            timeline.with(|controller| act(controller, session));
        };
        Effect::new(move |_| {
            session.selection.track();
            follow(|controller, session| {
                session.selection.with_untracked(|selection| controller.show_selection(selection.as_ref()));
            });
        });
        Effect::new(move |_| {
            session.detail.track();
            follow(|controller, session| {
                session.detail.with_untracked(|detail| controller.show_detail(detail))
            });
        });
        Effect::new(move |before: Option<u32>| {
            let arrivals = session.arrivals.get();
            if before.is_some_and(|before| before != arrivals) {
                follow(|controller, _| controller.open_state());
            }
            arrivals
        });
        let range = Memo::new(move |_| session.time.with(|time| time.range_ns));
        Effect::new(move |_| {
            range.with(|_| ());
            follow(|controller, _| controller.follow_range());
        });
        let goal = signals.goal;
        Effect::new(move |_| {
            if let Some((_, goal)) = goal.get() {
                timeline.with(|controller| controller.reveal(goal));
            }
        });
        let scheme = use_scheme();
        Effect::new(move |before: Option<()>| {
            scheme.track();
            if before.is_some() {
                follow(|controller, _| controller.theme_changed());
            }
        });
        let text_scale = use_text_scale();
        Effect::new(move |_| {
            let scale = text_scale.get();
            timeline.with(|controller| controller.enlarge(scale));
        });
        timeline.with(|controller| controller.follow_answers());
        timeline
    }

    /// Does something with the controller, if the page still shows it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Rc<Controller>) -> T) -> Option<T> {
        self.controller.try_with_value(act)
    }
}

/// Makes the view ready for a trace's page.
pub(crate) fn start(session: Session) -> Running {
    let timeline = session.home().map(|home| Timeline::new(session, home));
    let handle = move |call| timeline.is_some_and(|timeline| handle(timeline, call));
    let mount = move || timeline.map(|timeline| view! { <TimelineView timeline/> }).into_any();
    Running { mount: Box::new(mount), handle: Rc::new(handle) }
}

fn handle(timeline: Timeline, call: Call) -> bool {
    let act = |controller: &Rc<Controller>| {
        match call {
            Call::Command(command, phase) => match (keys::meaning(command.id), phase) {
                (Some(Key::Hold(motion)), Phase::Press) => controller.hold(motion),
                (Some(Key::Hold(motion)), Phase::Release) => controller.release(motion),
                (Some(Key::Press(command)), Phase::Press | Phase::Repeat) => controller.command(command),
                _ => return false,
            },
            Call::BreakOff => return controller.break_off(),
            Call::Go(goal) => controller.signals.wish(goal),
        }
        true
    };
    timeline.with(act).unwrap_or(false)
}

/// The timeline with its labels, scroll bar and tooltip.
#[component]
fn TimelineView(timeline: Timeline) -> impl IntoView {
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
    on_cleanup(move || {
        if let Some(Some(canvas)) = canvas.try_get_untracked() {
            timeline.with(|controller| controller.detach(&canvas));
        }
    });
    listen_to_resizing(timeline);

    let scale = signals.scale;
    let height =
        move || format!("{}px", signals.layout.with(|layout: &Layout| layout.height_css_px) * scale.get());
    let point = move |event: &MouseEvent| point(event, scale.get_untracked());
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
            class="timeline-view"
            aria-label="Timeline"
            data-testid="timeline"
            style:--label-width=move || format!("{}px", label_width.get())
            style:--canvas-scale=move || scale.get().to_string()
        >
        <Toolbar timeline/>
        <div class="timeline">
            <div class="timeline-corner">
                <Readout timeline/>
            </div>
            <div class="timeline-labels">
                <div class="timeline-labels-inner" node_ref=labels style:height=height>
                    <Labels timeline is_pinned=false/>
                </div>
                <div class="timeline-labels-pinned">
                    <Labels timeline is_pinned=true/>
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
                    style:cursor=move || match (signals.is_panning.get(), signals.tool.get()) {
                        (true, _) => "grabbing",
                        (false, Tool::Move) => cursor.get(),
                        (false, _) => "crosshair",
                    }
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
                <NoteEditor timeline/>
            </div>
            <div
                class="timeline-scrollbar"
                node_ref=scrollbar
                tabindex="-1"
                aria-hidden="true"
                on:scroll=move |event| {
                    let top = f64::from(event_target::<web_sys::HtmlElement>(&event).scroll_top()) / scale.get_untracked();
                    timeline.with(|controller| controller.scrolled(top));
                }
            >
                <div style:height=height></div>
            </div>
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
        <div class="readout" title="Duration and start of the visible range">
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
                title="Fit device activity (E)"
                data-testid="fit-device"
                on:click=move |_| { timeline.with(|controller| controller.fit_device()); }
            >"Fit device activity"</button>
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

/// A change of the window's size or density is painted in the next frame.
fn listen_to_resizing(timeline: Timeline) {
    let resized = window_event_listener(ev::resize, move |_| {
        timeline.with(|controller| controller.request_frame());
    });
    on_cleanup(move || resized.remove());
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
    let at = point(event, timeline.signals.scale.get_untracked());
    timeline.with(|controller| controller.wheel(at, dx, dy, modifiers(event)));
}

/// Where an event of the canvas is on it, whatever is on it being so many times as large.
fn point(event: &MouseEvent, scale: f64) -> Point {
    Point { x: f64::from(event.offset_x()) / scale, y: f64::from(event.offset_y()) / scale }
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
