//! Context menu of an entity, by the right button or by the menu key.
//!
//! Elements name their entity: by `data-thing`, in the form of a selection in addresses, by `data-slice`, or, for a
//! track's label, by `data-track`. A canvas selects the entity under the pointer before the menu opens. So the menu is
//! about the selection, or about a track.

mod items;

use leptos::ev;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent, MouseEvent};

use self::items::{Item, items};
use crate::browser::{document, focus_is_free, window};
use crate::reactive::*;
use crate::shell::keys::{Tools, call};
use crate::state::call::Overlay;
use crate::state::keys::CommandInfo;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};

/// Elements for which the browser's own menu is better.
const FIELDS: &str = "input, textarea, select, a[href]";
/// Elements that name an entity.
const ENTITY_SELECTOR: &str = "[data-thing], [data-slice]";
/// Maximum size of a menu, in CSS pixels; closer to the edge it opens to the other side.
const ROOM_CSS_PX: (i32, i32) = (420, 420);

pub(crate) fn open_at_focus(session: Session) {
    let Some(element) = document().active_element() else { return };
    let rect = element.get_bounding_client_rect();
    // For a large element, such as a canvas, the menu opens in its middle.
    let down = if rect.height() > 100.0 { rect.height() / 2.0 } else { rect.height() };
    let across = if rect.width() > 400.0 { rect.width() / 2.0 } else { 0.0 };
    let track = select_entity(session, &element).unwrap_or_default();
    let (x, y) = ((rect.x() + across) as i32, (rect.y() + down) as i32);
    session.overlay.set(Some(Overlay::Menu { x, y, track }));
}

/// Selects the entity of an element and returns the track if the element labels one; `None` if it names nothing.
fn select_entity(session: Session, element: &Element) -> Option<Option<u32>> {
    let closest = |selector: &str| element.closest(selector).ok().flatten();
    if let Some(label) = closest("[data-track]") {
        return Some(label.get_attribute("data-track").and_then(|track| track.parse().ok()));
    }
    // A table row names the entity in its first cell.
    let in_row = || closest("tr, .log-row")?.query_selector(ENTITY_SELECTOR).ok().flatten();
    let Some(entity) = closest(ENTITY_SELECTOR).or_else(in_row) else {
        return (element.tag_name() == "CANVAS").then_some(None);
    };
    let text = entity.get_attribute("data-thing").or_else(|| entity.get_attribute("data-slice"));
    session.mark(Some(text?.parse::<Selection>().ok()?));
    Some(None)
}

#[component]
pub(crate) fn ContextMenu() -> impl IntoView {
    let session = use_session();
    let listener = window_event_listener(ev::contextmenu, move |event: MouseEvent| {
        let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        // With Shift the browser's own menu opens.
        let Some(element) = element.filter(|_| !event.shift_key()) else { return };
        if element.closest(FIELDS).ok().flatten().is_none()
            && let Some(track) = select_entity(session, &element)
        {
            event.prevent_default();
            let (x, y) = (event.client_x(), event.client_y());
            session.overlay.set(Some(Overlay::Menu { x, y, track }));
        }
    });
    on_cleanup(move || listener.remove());
    let place = Memo::new(move |_| match session.overlay.get() {
        Some(Overlay::Menu { x, y, track }) => Some((x, y, track)),
        _ => None,
    });
    // The focus returns to its previous element, unless a command has moved it.
    let before = StoredValue::new(None::<HtmlElement>);
    Effect::new(move |was_open: Option<bool>| {
        let is_open = place.get().is_some();
        if is_open {
            let active = document().active_element().and_then(|active| active.dyn_into().ok());
            before.set_value(active);
            step(1, true);
        } else if let (Some(true), Some(before)) = (was_open, before.get_value())
            && session.overlay.with_untracked(Option::is_none)
            && focus_is_free()
        {
            // A removed element can't take the focus.
            let _ = before.focus();
        }
        is_open
    });
    let tools = Tools::from_context();
    move || place.get().map(|(x, y, track)| view! { <MenuBody place=(x, y) track tools/> })
}

fn step(by: i32, from_start: bool) {
    let Ok(all) = document().query_selector_all(".context-menu button") else { return };
    let at =
        |place: i32| all.item(place.cast_unsigned()).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let count = all.length().cast_signed();
    let active = document().active_element();
    let now = (0..count).find(|place| at(*place).map(Element::from) == active).unwrap_or(-1);
    let goal = match (from_start, by) {
        (true, 1) => 0,
        (true, _) => count - 1,
        _ => (now + by).rem_euclid(count.max(1)),
    };
    if let Some(item) = at(goal) {
        // Buttons can always take the focus.
        let _ = item.focus();
    }
}

#[component]
fn MenuBody(place: (i32, i32), track: Option<u32>, tools: Tools) -> impl IntoView {
    let session = use_session();
    let close = move || session.overlay.set(None);
    let lines = move || {
        let lines = items(session, track).into_iter().map(|Item { title, command, act }| {
            // Another view's key would do something else here, or nothing.
            let active = session.active.get_untracked();
            let has_key = |command: &&CommandInfo| command.view.is_none_or(|view| view == active);
            let chord = command.filter(has_key).and_then(|command| {
                let keys = session.keymap.with_untracked(|keymap| keymap.keys(command));
                keys.into_iter().next()
            });
            let labels = chord.map(|chord| chord.labels()).unwrap_or_default();
            let labels = labels.into_iter().map(|label| view! { <kbd>{label}</kbd> }).collect_view();
            let run = move |_| {
                close();
                act();
                if let Some(command) = command {
                    call(session, tools, command);
                }
            };
            view! {
                <li role="none">
                    <button type="button" role="menuitem" on:click=run>
                        <span>{title}</span>
                        <span class="chord">{labels}</span>
                    </button>
                </li>
            }
        });
        lines.collect_view()
    };
    let by_key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowDown" => step(1, false),
            "ArrowUp" => step(-1, false),
            "Home" => step(1, true),
            "End" => step(-1, true),
            "Escape" | "Tab" => close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let size = |of: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        of.ok().and_then(|size| size.as_f64()).unwrap_or_default() as i32
    };
    let (width, height) = (size(window().inner_width()), size(window().inner_height()));
    // Near the right edge it opens to the left, near the lower one upwards.
    let is_far = place.0 > width - ROOM_CSS_PX.0.min(width / 2);
    let is_low = place.1 > height - ROOM_CSS_PX.1;
    let px = |at: i32| format!("{at}px");
    view! {
        <div
            class="menu-ground"
            on:click=move |_| close()
            on:contextmenu=move |event: MouseEvent| {
                event.prevent_default();
                event.stop_propagation();
                close();
            }
        ></div>
        <nav aria-label="Menu of a thing"><ul
            class="menu context-menu"
            role="menu"
            aria-label="Actions"
            data-testid="context-menu"
            style:left=if is_far { "auto".to_owned() } else { px(place.0) }
            style:right=if is_far { px((width - place.0).max(0)) } else { "auto".to_owned() }
            style:top=if is_low { "auto".to_owned() } else { px(place.1) }
            style:bottom=if is_low { px((height - place.1).max(0)) } else { "auto".to_owned() }
            on:keydown=by_key
        >{lines}</ul></nav>
    }
}
