//! Labels of a trace in the list: pressing one filters by it; an editor adds and removes them.

use leptos::task::spawn_local;
use syclscope_language::api::{Label, LabelKey, ListedTrace};
use web_sys::{KeyboardEvent, SubmitEvent};

use super::delete::focus_later;
use crate::components::icons::{Icon, IconKind};
use crate::data::client::labels;
use crate::reactive::*;
use crate::state::labels::{parse, put, text_of};
use crate::state::listing::Filters;

/// A trace's labels as chips, with the editor if `edited` is this trace's id.
#[component]
pub(super) fn Labels(
    id: String,
    project: String,
    labels: Vec<Label>,
    entries: RwSignal<Vec<ListedTrace>>,
    filters: RwSignal<Filters>,
    edited: RwSignal<Option<String>>,
) -> impl IntoView {
    let own = id.clone();
    let is_edited = Memo::new(move |_| edited.with(|edited| edited.as_ref() == Some(&own)));
    move || {
        let (id, project, labels) = (id.clone(), project.clone(), labels.clone());
        if is_edited.get() {
            view! { <Editor id project labels entries edited/> }.into_any()
        } else {
            labels.into_iter().map(|label| chip(label, filters)).collect_view().into_any()
        }
    }
}

#[component]
pub(super) fn LabelsButton(id: String, name: String, edited: RwSignal<Option<String>>) -> impl IntoView {
    let own = id.clone();
    let is_edited = move || edited.with(|edited| edited.as_ref() == Some(&own));
    view! {
        <button
            type="button"
            class="quiet-button"
            data-testid="edit-labels"
            aria-label=format!("Change labels of {name}")
            aria-expanded=move || is_edited().to_string()
            title="Change labels"
            on:click=move |_| edited.update(|edited| {
                *edited = if edited.as_ref() == Some(&id) { None } else { Some(id.clone()) };
            })
        >
            <Icon kind=IconKind::Label/>
        </button>
    }
}

/// Returns a label. Pressing it shows only traces that have it; pressing it again shows all.
fn chip(label: Label, filters: RwSignal<Filters>) -> impl IntoView {
    let text = text_of(&label.key, &label.value);
    let (pressed, title) = (text.clone(), text.clone());
    view! {
        <button
            type="button"
            class="label-chip"
            data-testid="label"
            aria-pressed=move || filters.with(|filters| filters.has("label", &pressed)).to_string()
            on:click=move |_| filters.update(|filters| filters.toggle("label", &text))
        >
            {title}
        </button>
    }
}

/// Adds and removes labels, one at a time. It suggests labels of the project's other traces.
#[component]
fn Editor(
    id: String,
    project: String,
    labels: Vec<Label>,
    entries: RwSignal<Vec<ListedTrace>>,
    edited: RwSignal<Option<String>>,
) -> impl IntoView {
    let suggestions = RwSignal::new(Vec::<LabelKey>::new());
    let failure = RwSignal::new(None::<String>);
    let text = RwSignal::new(String::new());
    let id = StoredValue::new(id);
    focus_later(id.with_value(|id| format!("[data-trace=\"{id}\"] [data-testid=label-field]")));
    spawn_local(async move {
        // Without suggestions, labels can still be typed.
        if let Ok(all) = labels::list(&project).await {
            let _gone = suggestions.try_set(all);
        }
    });
    let change = move |key: String, value: Option<String>| {
        let id = id.get_value();
        spawn_local(async move {
            match labels::set(&id, &key, value.as_deref()).await {
                Ok(()) => {
                    let _gone = entries.try_update(|entries| {
                        for entry in entries.iter_mut().filter(|entry| entry.id == id) {
                            put(&mut entry.labels, &key, value.as_deref());
                        }
                    });
                }
                Err(error) => {
                    let _gone = failure.try_set(Some(error.message));
                }
            }
        });
    };
    let close = move || {
        edited.set(None);
        focus_later(id.with_value(|id| format!("[data-trace=\"{id}\"] [data-testid=edit-labels]")));
    };
    let send = move |event: SubmitEvent| {
        event.prevent_default();
        match text.with_untracked(|text| parse(text)) {
            Some((key, value)) => change(key, Some(value)),
            None => failure.set(Some("Write a label as key:value".to_owned())),
        }
    };
    let keys = move |event: KeyboardEvent| {
        // The table's keys delete traces and move between rows.
        event.stop_propagation();
        if event.key() == "Escape" {
            close();
        }
    };
    let chips = labels.into_iter().map(|Label { key, value }| {
        let text = text_of(&key, &value);
        let label = format!("Remove {text}");
        view! {
            <button type="button" class="label-chip" data-testid="remove-label" aria-label=label
                on:click=move |_| change(key.clone(), None)>
                {text}
                <Icon kind=IconKind::Close/>
            </button>
        }
    });
    let offered = move || {
        let all = suggestions.get();
        let texts = all
            .iter()
            .flat_map(|LabelKey { key, values }| values.iter().map(move |value| text_of(key, value)));
        texts.map(|text| view! { <option value=text></option> }).collect_view()
    };
    view! {
        <form class="label-editor" aria-label="Labels" data-testid="label-editor" on:keydown=keys on:submit=send>
            {chips.collect_view()}
            <input
                class="tool-input"
                list="known-labels"
                autocomplete="off"
                placeholder="key:value"
                aria-label="New label, as key:value"
                data-testid="label-field"
                on:input=move |event| text.set(event_target_value(&event))
            />
            <datalist id="known-labels">{offered}</datalist>
            <button type="submit" class="button">"Add"</button>
            <button type="button" class="button" on:click=move |_| close()>"Done"</button>
            {move || failure.get().map(|text| view! { <span class="is-error" role="alert">{text}</span> })}
        </form>
    }
}
