use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::views::memory::state::MemoryState;

pub(super) fn use_order() -> (Memo<String>, Callback<String>) {
    let session = use_session();
    let order = Memo::new(move |_| session.slot::<MemoryState>().with(|memory| memory.order.clone()));
    let on_order = Callback::new(move |order: String| {
        session.slot::<MemoryState>().update(|memory| memory.order = order);
        session.record_change(Change::Detail);
    });
    (order, on_order)
}

pub(super) fn use_choice() -> Memo<String> {
    let session = use_session();
    Memo::new(move |_| session.slot::<MemoryState>().with(|memory| memory.choice.clone()))
}

/// Returns the selected part of time that restricts the tables, if any.
pub(super) fn use_range() -> Memo<Option<(u64, u64)>> {
    let session = use_session();
    Memo::new(move |_| session.selected_range())
}

#[component]
pub(super) fn Choices(label: &'static str, entries: Vec<(&'static str, String)>) -> impl IntoView {
    let session = use_session();
    let choice = use_choice();
    let all = std::iter::once(("", "All".to_owned()));
    let buttons = all.chain(entries).map(|(word, title)| {
        view! {
            <button
                type="button"
                aria-pressed=move || choice.with(|choice| choice == word).to_string()
                data-testid=format!("memory-choice-{}", if word.is_empty() { "all" } else { word })
                on:click=move |_| {
                    session.slot::<MemoryState>().update(|memory| memory.choice = word.to_owned());
                    session.record_change(Change::Detail);
                }
            >{title}</button>
        }
    });
    view! { <div class="segments" role="group" aria-label=label>{buttons.collect_view()}</div> }
}

#[component]
pub(super) fn FilterField(placeholder: &'static str) -> impl IntoView {
    let session = use_session();
    let state = session.slot::<MemoryState>();
    view! {
        <input
            type="search"
            class="field"
            placeholder=placeholder
            aria-label="Filter the table"
            data-testid="memory-filter"
            prop:value=move || state.with(|memory| memory.filter.clone())
            on:input=move |event| {
                let text = event_target_value(&event);
                state.update(|memory| memory.filter = text);
                session.record_change(Change::Detail);
            }
        />
    }
}
