//! Dialogs: one at a time, which takes the focus and returns it.

use leptos::html;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlDivElement, HtmlElement, KeyboardEvent};

use super::icons::{Icon, IconKind};
use crate::browser::{document, focus, focus_is_free};
use crate::reactive::*;
use crate::state::call::Overlay;
use crate::state::session::use_session;

/// Selector of the close button in a [`DialogHead`], which takes the focus.
pub(crate) const CLOSE: &str = ".dialog-close";

/// Elements that can take the focus; disabled ones and those in a closed `<details>` cannot.
const FOCUSABLE: &str = ":is(button:enabled, input:enabled, select:enabled, a[href], summary, [tabindex='0'])\
     :not(details:not([open]) > :not(summary) *)";

/// A dialog that is open while the session's overlay is `overlay`. The focus moves to `first` and stays inside. On
/// closing it returns to the active view, unless something else has taken it, such as the target of a command. A press
/// outside the dialog closes it.
#[component]
pub(crate) fn Dialog(
    overlay: Overlay,
    first: &'static str,
    /// Classes in addition to `dialog`; the first is also the test id.
    class: &'static str,
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
        // An element that can't take the focus is skipped.
        let _ = to.focus();
    }
}
