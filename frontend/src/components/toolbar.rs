//! What the toolbars of views share: menus, a field to search in.

use web_sys::KeyboardEvent;

use crate::browser::focus;
use crate::reactive::*;
use crate::state::view::View;

/// The keyboard goes to a view's canvas.
fn focus_canvas(view: View) {
    focus(&format!("[data-testid={}-canvas]", view.as_str()));
}

/// Escape leads from a field back to the view.
pub(crate) fn leave_on_escape(view: View, event: &KeyboardEvent) {
    if event.key() == "Escape" {
        event.prevent_default();
        event.stop_propagation();
        focus_canvas(view);
    }
}

/// A menu that a button opens, and Escape closes.
#[component]
pub(crate) fn ToolMenu(
    view: View,
    /// What the button says.
    #[prop(into)]
    text: Signal<String>,
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
    view! {
        <details class=class on:keydown=close>
            <summary class="tool" data-testid=testid title=title>{move || text.get()}</summary>
            <div class="tool-menu-content">{children()}</div>
        </details>
    }
}

/// A field to search in: Enter goes to the next one found, with Shift to the one before, Escape back to the view.
#[component]
pub(crate) fn SearchField(
    view: View,
    testid: &'static str,
    placeholder: &'static str,
    label: &'static str,
    /// The id of what tells how many were found.
    described_by: &'static str,
    text: Memo<String>,
    on_text: Callback<String>,
    /// Goes on, or back.
    on_step: Callback<bool>,
) -> impl IntoView {
    view! {
        <input
            type="search"
            class="tool-input search"
            data-testid=testid
            placeholder=placeholder
            aria-label=label
            aria-describedby=described_by
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
    }
}
