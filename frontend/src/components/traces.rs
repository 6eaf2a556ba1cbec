//! The table of stored traces.

use leptos::task::spawn_local;
use syclscope_language::api::TraceEntry;

use crate::browser::{focus, local_time, unix_seconds};
use crate::components::icons::{Icon, IconKind};
use crate::components::keyed::keyed;
use crate::components::links::PageLink;
use crate::data::client;
use crate::format;
use crate::reactive::*;
use crate::state::route::trace_path;

#[component]
pub(crate) fn Traces(entries: RwSignal<Vec<TraceEntry>>, is_writable: Memo<bool>) -> impl IntoView {
    view! {
        <table class="table traces" data-testid="traces">
            <thead>
                <tr>
                    <th scope="col">"Name"</th>
                    <th scope="col" class="number">"Size"</th>
                    <th scope="col">"Stored"</th>
                    <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                </tr>
            </thead>
            <tbody>
                {keyed(
                    move || entries.get(),
                    |entry| entry.id.clone(),
                    move |entry| view! { <Entry entry entries is_writable/> },
                )}
            </tbody>
        </table>
    }
}

#[component]
fn Entry(entry: TraceEntry, entries: RwSignal<Vec<TraceEntry>>, is_writable: Memo<bool>) -> impl IntoView {
    let TraceEntry { id, name, size_bytes, stored_unix_ns } = entry;
    let age_s = unix_seconds() - stored_unix_ns as f64 / 1e9;
    let file = format!("./api/v1/traces/{id}/file");
    let (link_name, file_name, delete_name) = (name.clone(), name.clone(), name);
    let path = trace_path(&id);
    let row_id = id.clone();
    view! {
        <tr data-testid="trace" data-trace=row_id>
            <th scope="row"><PageLink href=path class="trace-link">{link_name}</PageLink></th>
            <td class="number">{format::bytes(size_bytes as f64)}</td>
            <td title=local_time(stored_unix_ns)>{format::ago(age_s)}</td>
            <td class="actions">
                <a
                    class="quiet-button"
                    href=file
                    download=file_name.clone()
                    aria-label=format!("Download {file_name}")
                    title="Download"
                >
                    <Icon kind=IconKind::Download/>
                </a>
                {move || {
                    let (id, name) = (id.clone(), delete_name.clone());
                    is_writable.get().then(|| view! { <Delete id name entries/> })
                }}
            </td>
        </tr>
    }
}

/// A button that asks once more before it deletes.
#[component]
fn Delete(id: String, name: String, entries: RwSignal<Vec<TraceEntry>>) -> impl IntoView {
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
                    // Somebody else deleted it meanwhile: what was wanted is so.
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

/// Focuses an element that the next rendering makes.
fn focus_later(selector: String) {
    request_animation_frame(move || focus(&selector));
}
