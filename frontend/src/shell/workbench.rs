//! The views of a trace side by side, and the borders between them.

mod bar;
mod started;

use crate::components::keyed::keyed;
use crate::reactive::*;
use leptos::html;

use self::bar::PaneBar;
pub(crate) use self::started::{Started, start_guest};
use crate::state::history::Change;
use crate::state::panes::{Area, Axis, Divider, PanePlace, WHOLE};
use crate::state::session::{Session, use_session};
use crate::state::view::View;
use crate::views::{entry, title};
use syclscope_language::sorting::Sorting as _;

/// Step of a border per key press, in thousandths.
const KEY_STEP: i64 = 20;

#[component]
pub(crate) fn Workbench(started: Started) -> impl IntoView {
    let session = use_session();
    let room = NodeRef::<html::Div>::new();
    // A view is built once and stays, however the panes are divided.
    let views = Memo::new(move |_| {
        let mut views = session.panes.with(|panes| panes.views());
        views.arrange_by_key(|view| entry(*view).map(|(place, _)| place));
        views
    });
    let borders = Memo::new(move |_| session.panes.with(|panes| panes.dividers().len()));
    view! {
        <div class="workbench" node_ref=room data-testid="workbench">
            {keyed(move || views.get(), |view| view.as_str().to_owned(), move |view| view! { <Pane view started/> })}
            {keyed(
                move || (0..borders.get()).collect(),
                usize::to_string,
                move |index| view! { <Border index room/> },
            )}
        </div>
    }
}

fn percent(share: f64) -> String {
    format!("{:.4}%", share * 100.0)
}

#[component]
fn Pane(view: View, started: Started) -> impl IntoView {
    let session = use_session();
    let area = Memo::new(move |_| {
        let place = session.panes.with(|panes| panes.places().into_iter().find(|place| place.view == view));
        place.map_or(Area { x: 0.0, y: 0.0, w: 0.0, h: 0.0 }, |PanePlace { area, .. }| area)
    });
    let is_alone = Memo::new(move |_| session.panes.with(|panes| panes.views().len() == 1));
    view! {
        <section
            class="pane"
            class:is-active=move || session.active.get() == view && !is_alone.get()
            style:left=move || percent(area.get().x)
            style:top=move || percent(area.get().y)
            style:width=move || percent(area.get().w)
            style:height=move || percent(area.get().h)
            aria-label=format!("{} view", title(view))
            data-testid=format!("pane-{}", view.as_str())
            on:pointerdown=move |_| session.activate(view)
            on:focusin=move |_| session.activate(view)
        >
            {move || if is_alone.get() {
                view! { <h2 class="visually-hidden">{title(view)}</h2> }.into_any()
            } else {
                view! { <PaneBar view/> }.into_any()
            }}
            {started.mount(view)}
        </section>
    }
}

#[component]
fn Border(index: usize, room: NodeRef<html::Div>) -> impl IntoView {
    let session = use_session();
    let divider = Memo::new(move |_| session.panes.with(|panes| panes.dividers().into_iter().nth(index)));
    let is_dragging = RwSignal::new(false);
    let place = move |name: &'static str| {
        let Some(Divider { axis, split, share, .. }) = divider.get() else { return String::new() };
        let share = f64::from(share) / f64::from(WHOLE);
        let value = match (axis, name) {
            (Axis::Row, "left") => split.x + split.w * share,
            (Axis::Column, "top") => split.y + split.h * share,
            (Axis::Row, "top") => split.y,
            (Axis::Row, "height") => split.h,
            (Axis::Column, "left") => split.x,
            (Axis::Column, "width") => split.w,
            _ => return String::new(),
        };
        percent(value)
    };
    let is_row = move || divider.get().is_some_and(|divider| divider.axis == Axis::Row);
    view! {
        <div
            class="splitter pane-border"
            class:splitter-horizontal=is_row
            class:splitter-vertical=move || !is_row()
            class:is-dragging=move || is_dragging.get()
            style:left=move || place("left")
            style:top=move || place("top")
            style:width=move || place("width")
            style:height=move || place("height")
            role="separator"
            aria-orientation=move || if is_row() { "vertical" } else { "horizontal" }
            aria-label="Resize panes"
            aria-valuenow=move || divider.get().map_or(0, |divider| divider.share / 10).to_string()
            aria-valuemin="0"
            aria-valuemax="100"
            tabindex="0"
            on:pointerdown=move |event| {
                event.prevent_default();
                let line: web_sys::Element = event_target(&event);
                // Without capture the drag ends when the pointer leaves the line.
                let _ = line.set_pointer_capture(event.pointer_id());
                is_dragging.set(true);
            }
            on:pointermove=move |event| {
                if is_dragging.get_untracked()
                    && let (Some(divider), Some(room)) = (divider.get_untracked(), room.get_untracked())
                {
                    let room = room.get_bounding_client_rect();
                    let (x, y) = (f64::from(event.client_x()) - room.x(), f64::from(event.client_y()) - room.y());
                    let share = match divider.axis {
                        Axis::Row => (x / room.width() - divider.split.x) / divider.split.w,
                        Axis::Column => (y / room.height() - divider.split.y) / divider.split.h,
                    };
                    let share = (share * f64::from(WHOLE)).round().clamp(0.0, f64::from(WHOLE));
                    move_to(session, &divider, share as u32);
                }
            }
            on:pointerup=move |_| is_dragging.set(false)
            on:pointercancel=move |_| is_dragging.set(false)
            on:keydown=move |event| {
                let step = match event.key().as_str() {
                    "ArrowLeft" | "ArrowUp" => -KEY_STEP,
                    "ArrowRight" | "ArrowDown" => KEY_STEP,
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                if let Some(divider) = divider.get_untracked() {
                    let share = i64::from(divider.share).saturating_add(step).clamp(0, i64::from(WHOLE));
                    move_to(session, &divider, share as u32);
                }
            }
        ></div>
    }
}

fn move_to(session: Session, divider: &Divider, share: u32) {
    session.panes.update(|panes| panes.move_border(&divider.path, divider.index, share));
    session.record_change(Change::Detail);
}
