use crate::components::icons::{Icon, IconKind};
use crate::components::links::RouteContext;
use crate::reactive::*;
use crate::state::route::trace_path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TraceChoice {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) stored_unix_ns: u64,
}

impl TraceChoice {
    /// Returns the page of the comparison. The trace stored first is the baseline.
    fn path(&self, other: &Self) -> String {
        let [a, b] = if self.stored_unix_ns <= other.stored_unix_ns { [self, other] } else { [other, self] };
        format!("{}?v=compare&xb={}", trace_path(&a.id), b.id)
    }
}

#[component]
pub(super) fn Compare(own: TraceChoice, chosen: RwSignal<Option<TraceChoice>>) -> impl IntoView {
    let routes = expect_context::<RouteContext>();
    let (name, id) = (own.name.clone(), own.id.clone());
    let is_chosen = Memo::new(move |_| chosen.with(|chosen| chosen.as_ref().is_some_and(|one| one.id == id)));
    let label = move || match chosen.get().filter(|_| !is_chosen.get()) {
        Some(other) => format!("Compare {} with {name}", other.name),
        None => format!("Compare {name} with another trace"),
    };
    let press = move |_| match chosen.get_untracked() {
        Some(other) if other.id != own.id => routes.go(&other.path(&own)),
        Some(_) => chosen.set(None),
        None => chosen.set(Some(own.clone())),
    };
    view! {
        <button
            type="button"
            class="quiet-button"
            data-testid="compare-with"
            aria-label=label
            aria-pressed=move || is_chosen.get().to_string()
            title="Compare with another trace"
            on:click=press
        >
            <Icon kind=IconKind::Compare/>
        </button>
    }
}

#[component]
pub(super) fn Comparing(chosen: RwSignal<Option<TraceChoice>>) -> impl IntoView {
    let line = move || {
        chosen.get().map(|one| {
            view! {
                <span data-testid="comparing">
                    "Choose the trace to compare " <b>{one.name}</b> " with, by the same button. "
                    <button type="button" class="tool" on:click=move |_| chosen.set(None)>"Cancel"</button>
                </span>
            }
        })
    };
    view! { <p role="status">{line}</p> }
}
