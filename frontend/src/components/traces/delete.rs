use leptos::task::spawn_local;
use syclscope_language::api::ListedTrace;

use crate::browser::focus;
use crate::components::icons::{Icon, IconKind};
use crate::data::client;
use crate::idle::Busy;
use crate::reactive::*;

#[component]
pub(super) fn Delete(id: String, name: String, entries: RwSignal<Vec<ListedTrace>>) -> impl IntoView {
    let is_asking = RwSignal::new(false);
    let failure = RwSignal::new(None::<String>);
    let (label, question) = (format!("Delete {name}"), format!("Delete {name} permanently?"));
    let delete = {
        let id = id.clone();
        move || {
            let id = id.clone();
            spawn_local(async move {
                match client::delete(&id).await {
                    Ok(()) => {
                        entries.update(|entries| entries.retain(|entry| entry.id != id));
                    }
                    // The trace has already been deleted.
                    Err(error) if error.code == "not_found" => {
                        entries.update(|entries| entries.retain(|entry| entry.id != id));
                    }
                    Err(error) => {
                        let _gone = failure.try_set(Some(error.message));
                        let _gone = is_asking.try_set(false);
                    }
                }
            });
        }
    };
    let cancel = {
        let id = id.clone();
        move || {
            is_asking.set(false);
            focus_later(format!("[data-trace=\"{id}\"] [data-testid=delete]"));
        }
    };
    move || {
        if !is_asking.get() {
            let (label, id) = (label.clone(), id.clone());
            return view! {
                <button
                    type="button"
                    class="quiet-button"
                    data-testid="delete"
                    aria-label=label
                    title="Delete"
                    on:click=move |_| {
                        failure.set(None);
                        is_asking.set(true);
                        focus_later(format!("[data-trace=\"{id}\"] [data-testid=keep]"));
                    }
                >
                    <Icon kind=IconKind::Trash/>
                </button>
                {failure.get().map(|message| view! { <span class="is-error" role="alert">{message}</span> })}
            }
            .into_any();
        }
        let (delete, cancel, on_escape) = (delete.clone(), cancel.clone(), cancel.clone());
        view! {
            <span
                class="confirm"
                role="group"
                aria-label=question.clone()
                on:keydown=move |event| if event.key() == "Escape" { on_escape() }
            >
                <span>"Delete permanently?"</span>
                <button type="button" class="button is-danger" data-testid="confirm-delete" on:click=move |_| delete()>
                    "Delete"
                </button>
                <button type="button" class="button" data-testid="keep" on:click=move |_| cancel()>"Cancel"</button>
            </span>
        }
        .into_any()
    }
}

/// Focuses an element that the next render creates.
pub(super) fn focus_later(selector: String) {
    let busy = Busy::start();
    request_animation_frame(move || {
        focus(&selector);
        drop(busy);
    });
}
