//! What lies over the page: one dialogue at a time, which takes the keyboard and gives it back.

use leptos::html;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlDivElement, HtmlElement, KeyboardEvent};

use super::icons::{Icon, IconKind};
use crate::browser::{document, focus, focus_is_free};
use crate::reactive::*;
use crate::state::call::Overlay;
use crate::state::session::use_session;

/// The button that closes a dialogue with a [`DialogHead`], which takes the focus.
pub(crate) const CLOSE: &str = ".dialog-close";

/// What can take the focus in a dialogue.
const FOCUSABLE: &str = "button, input, select, a[href], summary, [tabindex='0']";

/// A dialogue that is there while the session says so. The focus goes to `first`, stays inside, and goes back to the
/// active view unless something else has taken it, like what a command of the dialogue leads to; a press beside the dialogue closes it.
#[component]
pub(crate) fn Dialog(
    overlay: Overlay,
    /// Selector of what takes the focus.
    first: &'static str,
    /// Its classes beside `dialog`, the first of which tests know it by.
    class: &'static str,
    /// What a screen reader calls it.
    label: &'static str,
    children: ChildrenFn,
) -> impl IntoView {
    let session = use_session();
    let is_open = Memo::new(move |_| session.overlay.get() == Some(overlay));
    Effect::new(move |was_open: Option<bool>| {
        let is_open = is_open.get();
        if is_open {
            focus(first);
        } else if was_open == Some(true) && session.overlay.with_untracked(Option::is_none) && focus_is_free()
        {
            focus(&format!("[data-testid=pane-{}] [tabindex='0']", session.active.get_untracked().as_str()));
        }
        is_open
    });
    let dialog = NodeRef::<html::Div>::new();
    let opened = move || {
        view! {
            <div class="overlay" on:click=move |_| session.overlay.set(None)>
                <div
                    node_ref=dialog
                    class=format!("dialog {class}")
                    role="dialog"
                    aria-modal="true"
                    aria-label=label
                    data-testid=class
                    on:click=|event| event.stop_propagation()
                    on:keydown=move |event| {
                        if let Some(dialog) = dialog.get_untracked() {
                            keep_focus(&dialog, &event);
                        }
                    }
                >{children()}</div>
            </div>
        }
    };
    move || is_open.get().then(&opened)
}

/// What a dialogue begins with: its title, what `children` put beside it, and a button that closes it.
#[component]
pub(crate) fn DialogHead(title: &'static str, #[prop(optional)] children: Option<Children>) -> impl IntoView {
    let session = use_session();
    view! {
        <div class="dialog-head">
            <h2>{title}</h2>
            {children.map(|children| children())}
            <button
                class="quiet-button dialog-close"
                type="button"
                aria-label="Close"
                on:click=move |_| session.overlay.set(None)
            >
                <Icon kind=IconKind::Close/>
            </button>
        </div>
    }
}

/// The focus goes round inside of a dialogue.
fn keep_focus(dialog: &HtmlDivElement, event: &KeyboardEvent) {
    if event.key() != "Tab" || event.default_prevented() {
        return;
    }
    let Ok(all) = dialog.query_selector_all(FOCUSABLE) else { return };
    let at = |place: u32| all.item(place).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    let (Some(first), Some(last)) = (at(0), at(all.length().saturating_sub(1))) else { return };
    let (from, to) = if event.shift_key() { (first, last) } else { (last, first) };
    if document().active_element().is_some_and(|active| active == *from) {
        event.prevent_default();
        // What can't take the focus leaves it where it is.
        let _ = to.focus();
    }
}
