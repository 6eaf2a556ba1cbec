use wasm_bindgen::JsCast as _;
use web_sys::{Element, FocusEvent, HtmlElement, KeyboardEvent, Node};

use crate::browser::document;
use crate::reactive::*;

/// A button that opens a menu of `items`, list entries with a button each. Escape closes it, and so does moving the
/// focus away. Arrow keys move between entries. A closing menu loses the focus, so the button gets it first: after
/// Escape, and when an entry is chosen, which may then pass it on.
#[component]
pub(crate) fn Menu(
    is_open: RwSignal<bool>,
    label: &'static str,
    testid: &'static str,
    class: &'static str,
    #[prop(optional)] disabled: Option<Memo<bool>>,
    #[prop(into)] items: ViewFn,
    children: Children,
) -> impl IntoView {
    let is_disabled = move || disabled.is_some_and(Memo::get);
    let is_entry = |event: &web_sys::MouseEvent| {
        event_target::<Element>(event).closest("button").is_ok_and(|entry| entry.is_some())
    };
    view! {
        <div
            class="menu-holder"
            on:keydown=move |event| walk(is_open, &event)
            on:focusout=move |event| if is_open.get_untracked() && has_left(&event) { is_open.set(false) }
        >
            <button
                type="button"
                class=class
                aria-label=label
                title=label
                aria-haspopup="menu"
                aria-expanded=move || is_open.get().to_string()
                disabled=is_disabled
                data-testid=testid
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >{children()}</button>
            {move || is_open.get().then(|| view! {
                <ul
                    class="menu"
                    role="menu"
                    aria-label=label
                    on:click:capture=move |event| if is_entry(&event) { focus_button(event.target()) }
                >{items.run()}</ul>
            })}
        </div>
    }
}

fn holder(target: Option<web_sys::EventTarget>) -> Option<Element> {
    target?.dyn_into::<Element>().ok()?.closest(".menu-holder").ok()?
}

fn focus_button(target: Option<web_sys::EventTarget>) {
    let button = holder(target).and_then(|holder| holder.query_selector("button").ok()?);
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        // Buttons can always take the focus.
        let _ = button.focus();
    }
}

fn has_left(event: &FocusEvent) -> bool {
    let next = event.related_target().and_then(|next| next.dyn_into::<Node>().ok());
    !holder(event.target()).is_some_and(|holder| holder.contains(next.as_ref()))
}

fn walk(is_open: RwSignal<bool>, event: &KeyboardEvent) {
    let step = match event.key().as_str() {
        "Escape" if is_open.get_untracked() => {
            event.stop_propagation();
            focus_button(event.target());
            return is_open.set(false);
        }
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return,
    };
    let Some(holder) = holder(event.target()) else { return };
    let Ok(buttons) = holder.query_selector_all("button:not(:disabled)") else { return };
    let at = |place: u32| buttons.item(place).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let now = document().active_element();
    let place = (0..buttons.length()).find(|place| at(*place).as_deref() == now.as_ref()).unwrap_or(0);
    let next = (i64::from(place) + step).rem_euclid(i64::from(buttons.length().max(1)));
    if let Some(next) = at(next as u32) {
        event.prevent_default();
        event.stop_propagation();
        // An element that can't take the focus is skipped.
        let _ = next.focus();
    }
}
