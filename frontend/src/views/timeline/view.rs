mod actions;
mod answers;
mod commands;
mod controller;
mod gaps;
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
pub(crate) use signals::{Signals, Status};

use std::rc::Rc;

use leptos::html;
use syclscope_language::event::TrackKind;

use crate::browser::is_narrow;
use crate::components::gestures::Gestures;
use crate::components::splitter::{Axis, Splitter, use_size};
use crate::components::theme::use_text_scale;
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::reactive::*;
use crate::stage::canvas::Canvas;
use crate::state::call::{Call, Goal, Phase};
use crate::state::session::{Session, use_session, with_key};
use crate::state::settings::drag_selects;
use crate::state::view_descriptor::Running;
use crate::views::timeline::ID;
use crate::views::timeline::input::Tool;
use crate::views::timeline::keys::{self, Command, GESTURES, Key, MEASURING, SELECTING};
use crate::views::timeline::layout::Layout;
use labels::Labels;
use notes::NoteEditor;
use toolbar::Toolbar;
use tooltip::Tooltip;

/// A copyable handle on the timeline's controller. It lives as long as the trace's page, even when the timeline is not
/// on screen.
#[derive(Clone, Copy)]
pub(crate) struct Timeline {
    controller: StoredValue<Rc<Controller>>,
    pub(crate) signals: Signals,
}

impl Timeline {
    /// Creates the timeline of a session; it follows the selection, Back and Forward, and the theme.
    fn new(session: Session, home: TraceSource) -> Self {
        let controller = Controller::new(session, home);
        crate::stage::log::draws(&controller);
        let signals = controller.signals;
        let timeline = Self { controller: StoredValue::new(controller), signals };
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
        Effect::new(move |_| {
            session.time.track();
            follow(|controller, _| controller.follow_time());
        });
        let goal = signals.goal;
        Effect::new(move |_| {
            if let Some((_, goal)) = goal.get() {
                timeline.with(|controller| controller.reveal(goal));
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

    pub(super) fn run(&self, command: Command) {
        self.with(|controller| controller.command(command));
    }

    /// Calls `act` with the controller, if the page still shows it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Rc<Controller>) -> T) -> Option<T> {
        self.controller.try_with_value(act)
    }
}

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
            // This goal is shown at once: it needs no selection, and another goal may follow immediately.
            Call::Go(goal @ Goal::Matches(_)) => controller.reveal(goal),
            Call::Go(goal) => controller.signals.request(goal),
        }
        true
    };
    timeline.with(act).unwrap_or(false)
}

#[component]
fn TimelineView(timeline: Timeline) -> impl IntoView {
    let labels = NodeRef::<html::Div>::new();
    let scrollbar = NodeRef::<html::Div>::new();
    let signals = timeline.signals;
    let is_guest = use_session().is_guest();
    let label_width =
        use_size("syclscope.label-width", if is_narrow() { 152.0 } else { 264.0 }, (140.0, 640.0));
    Effect::new(move |_| {
        if let (Some(labels), Some(scrollbar)) = (labels.get(), scrollbar.get()) {
            timeline.with(|controller| controller.attach_labels(labels.into(), scrollbar.into()));
        }
    });
    let stage = timeline.with(|controller| controller.stage.clone());
    let canvas = stage.map(|stage| view! {
        <Canvas
            stage
            class="timeline-canvas"
            label="Timeline of slices. Press ? for the keys; full stop and comma walk from slice to slice."
            testid="timeline-canvas"
        />
    });
    let scale = signals.scale;
    let height =
        move || format!("{}px", signals.layout.with(|layout: &Layout| layout.height_css_px) * scale.get());
    view! {
        <section
            class="timeline-view"
            aria-label=(!is_guest).then_some("Timeline")
            data-testid="timeline"
            style:--label-width=move || format!("{}px", label_width.get())
            style:--canvas-scale=move || scale.get().to_string()
        >
        {(!is_guest).then(|| view! { <Toolbar timeline/> })}
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
                {canvas}
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
        {move || {
            let lines = match signals.tool.get() {
                Tool::Measure => &MEASURING,
                Tool::Move if !drag_selects() => &GESTURES,
                _ => &SELECTING,
            };
            view! { <Gestures view=ID lines/> }
        }}
        </section>
    }
}

#[component]
fn Readout(timeline: Timeline) -> impl IntoView {
    let signals = timeline.signals;
    let span = move || {
        let (start_ns, end_ns) = signals.range_ns.get();
        format::duration(end_ns - start_ns)
    };
    let from = move || match signals.range_ns.get().0 {
        0.0 => "from the start".to_owned(),
        start_ns => format!("from {}", format::moment(start_ns)),
    };
    let info = use_session().info();
    let has_worked = info.tracks.iter().any(|track| track.kind == TrackKind::Queue && track.slices > 0);
    // Target of the fit: without a queue that ran something, device activity is unknown.
    let (fitted, title) = match has_worked {
        true => ("Device activity", "Fit device activity (E)"),
        false => ("All slices", "Fit all slices (E)"),
    };
    view! {
        <div class="readout" title="Duration and start of the visible range">
            <span class="readout-span" data-testid="visible-span">{span}</span>
            <span class="readout-start">{from}</span>
        </div>
        <div class="readout-buttons" role="group" aria-label="Zoom">
            <button
                type="button"
                title=with_key("timeline.zoom_out", "Zoom out (−)")
                aria-label="Zoom out"
                on:click=move |_| { timeline.with(|controller| controller.zoom_by(2.0)); }
            >"−"</button>
            <button
                type="button"
                title=with_key("timeline.zoom_in", "Zoom in (+)")
                aria-label="Zoom in"
                on:click=move |_| { timeline.with(|controller| controller.zoom_by(0.5)); }
            >"+"</button>
            <button
                type="button"
                title=with_key("timeline.fit_all", "Fit the whole run (0)")
                data-testid="fit"
                on:click=move |_| timeline.run(Command::FitAll)
            >"Whole run"</button>
            <button
                type="button"
                title=with_key("timeline.fit_device", title)
                data-testid="fit-device"
                on:click=move |_| timeline.run(Command::FitDevice)
            >{fitted}</button>
        </div>
        <div class="loading-line" class:is-active=move || signals.status.with(|status| status.is_loading)></div>
    }
}

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
