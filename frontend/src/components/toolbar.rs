//! Shared parts of the views' toolbars: menus and a search.

use leptos::{ev, html};
use wasm_bindgen::JsCast as _;
use web_sys::{KeyboardEvent, Node};

use crate::browser::{focus, has_fingers};
use crate::reactive::*;
use crate::state::session::with_key;
use crate::state::view::View;

fn focus_canvas(view: View) {
    focus(&format!("[data-testid={}-canvas]", view.as_str()));
}

pub(crate) fn leave_on_escape(view: View, event: &KeyboardEvent) {
    if event.key() == "Escape" {
        event.prevent_default();
        event.stop_propagation();
        focus_canvas(view);
    }
}

/// Returns a field's hint. The field's key in brackets at its end is omitted for fingers.
pub(crate) fn hint(text: &'static str) -> &'static str {
    if has_fingers() { text.rsplit_once(" (").map_or(text, |(text, _)| text) } else { text }
}

/// A menu of a toolbar. Escape closes it, and so does a press outside.
#[component]
pub(crate) fn ToolMenu(
    view: View,
    #[prop(into)] text: Signal<String>,
    title: &'static str,
    testid: &'static str,
    #[prop(default = "tool-menu")] class: &'static str,
    children: Children,
) -> impl IntoView {
    let close = move |event: KeyboardEvent| {
        let target: web_sys::Element = event_target(&event);
        if let ("Escape", Ok(Some(menu))) = (event.key().as_str(), target.closest("details")) {
            // A menu that can't be closed stays open.
            let _ = menu.remove_attribute("open");
            event.prevent_default();
            event.stop_propagation();
            focus_canvas(view);
        }
    };
    let menu = NodeRef::<html::Details>::new();
    let press = window_event_listener(ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        if let Some(menu) = menu.get_untracked().filter(|menu| !menu.contains(target.as_ref())) {
            // A menu that can't be closed stays open.
            let _ = menu.remove_attribute("open");
        }
    });
    on_cleanup(move || press.remove());
    view! {
        <details node_ref=menu class=class on:keydown=close>
            <summary class="tool" data-testid=testid title=title>{move || text.get()}</summary>
            <div class="tool-menu-content">{children()}</div>
        </details>
    }
}

/// Names of a search's parts, used as test ids and by `aria-describedby`.
#[derive(Clone, Copy)]
pub(crate) struct SearchNames {
    pub(crate) field: &'static str,
    pub(crate) count: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) next: &'static str,
    pub(crate) dim: &'static str,
    /// Ids of the same commands: search, previous match, next match, and dimming.
    pub(crate) commands: [&'static str; 4],
}

/// A search: a field, the number of matches, buttons for the next and previous one, and a switch that fades the rest.
/// In the field, Enter goes to the next match, Shift-Enter to the previous one, and Escape back to the view.
#[component]
pub(crate) fn SearchBar(
    view: View,
    names: SearchNames,
    placeholder: &'static str,
    label: &'static str,
    text: Memo<String>,
    on_text: Callback<String>,
    /// Result count as text, with true if there are no matches; `None` without a search.
    status: Memo<Option<(String, bool)>>,
    can_step: Memo<bool>,
    /// True for forward.
    on_step: Callback<bool>,
    is_dimmed: Memo<bool>,
    on_dim: Callback<()>,
) -> impl IntoView {
    let has_status = Memo::new(move |_| status.with(Option::is_some));
    let words = move || status.get().map(|(words, _)| words).unwrap_or_default();
    let [search, previous, next, dim] = names.commands;
    let step = move |testid, label, (command, title), sign, is_back| {
        view! {
            <button
                type="button"
                class="tool"
                aria-label=label
                title=with_key(command, title)
                data-testid=testid
                disabled=move || !can_step.get()
                on:click=move |_| on_step.run(is_back)
            >{sign}</button>
        }
    };
    let tools = move || {
        view! {
            {step(names.previous, "Previous match", (previous, "Previous match (Shift+J)"), "‹", true)}
            {step(names.next, "Next match", (next, "Next match (J)"), "›", false)}
            <button
                type="button"
                class="tool"
                data-testid=names.dim
                title=with_key(dim, "Dim non-matches (Shift+D)")
                aria-pressed=move || is_dimmed.get().to_string()
                on:click=move |_| on_dim.run(())
            >"Dim non-matches"</button>
        }
    };
    view! {
        <span class="search-box">
            <input
                type="search"
                class="tool-input search"
                data-testid=names.field
                placeholder=with_key(search, hint(placeholder))
                aria-label=label
                aria-describedby=names.count
                prop:value=move || text.get()
                on:input=move |event| on_text.run(event_target_value(&event))
                on:keydown=move |event| {
                    if event.key() == "Enter" {
                        event.prevent_default();
                        on_step.run(event.shift_key());
                    } else {
                        leave_on_escape(view, &event);
                    }
                }
            />
            <span class="search-tools">
                <span
                    id=names.count
                    class="search-count"
                    class:is-error=move || status.with(|status| status.as_ref().is_some_and(|(_, is_bad)| *is_bad))
                    role="status"
                    data-testid=names.count
                    title=words
                >{words}</span>
                {move || has_status.get().then(tools)}
            </span>
        </span>
    }
}
