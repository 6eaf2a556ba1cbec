//! Placeholders of a view without content.

use crate::data::client::ClientError;
use crate::hooks::answer::{Answer, PendingQuery};
use crate::reactive::*;

/// Shows an answer once it has arrived. Until then it shows a progress text; on failure the reason and a retry button.
pub(crate) fn show_answer<T, V>(
    query: PendingQuery<T>,
    what: &'static str,
    show: impl Fn(T) -> V + Send + 'static,
) -> impl Fn() -> AnyView + Send
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny,
{
    let retry = Callback::new(move |()| query.retry());
    move || answer_view(query.answer.get(), what, retry, &show)
}

/// Like [`show_answer`], but the old answer stays, paler, until the next one arrives.
pub(crate) fn show_lasting_answer<T, V>(
    query: PendingQuery<T>,
    what: &'static str,
    show: impl Fn(T) -> V + Send + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny + 'static,
{
    let content = show_answer(query, what, show);
    view! {
        <div class="lasting" class:is-old=move || query.is_old.get() aria-busy=move || query.is_old.get().to_string()>
            {content}
        </div>
    }
    .into_any()
}

/// Like [`show_answer`], for an answer requested elsewhere.
pub(crate) fn show_pending<T, V>(
    answer: RwSignal<Answer<T>>,
    what: &'static str,
    retry: Callback<()>,
    show: impl Fn(T) -> V + Send + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny,
{
    (move || answer_view(answer.get(), what, retry, &show)).into_any()
}

fn answer_view<T, V: IntoAny>(
    answer: Answer<T>,
    what: &'static str,
    retry: Callback<()>,
    show: &impl Fn(T) -> V,
) -> AnyView {
    match answer {
        Answer::None => ().into_any(),
        Answer::Loading => waiting_for(what),
        Answer::Ready(value) => show(value).into_any(),
        Answer::Failed(error) => {
            // An invalid query stays invalid.
            let can_retry = error.code != "bad_request";
            failed(error, can_retry.then_some(retry))
        }
    }
}

pub(crate) fn waiting_for(what: &'static str) -> AnyView {
    view! { <Waiting text=format!("Loading {what}…")/> }.into_any()
}

pub(crate) fn failed(error: ClientError, retry: Option<Callback<()>>) -> AnyView {
    let again = retry.map(|retry| {
        view! { <button type="button" class="button" on:click=move |_| retry.run(())>"Try again"</button> }
    });
    view! {
        <div class="state is-error" role="alert" data-testid="view-failure">
            <p>{error.message}</p>
            {again}
        </div>
    }
    .into_any()
}

#[component]
pub(crate) fn Waiting(text: String) -> impl IntoView {
    view! {
        <div class="state" aria-busy="true" role="status">
            <p class="quiet">{text}</p>
        </div>
    }
}

#[component]
pub(crate) fn Nothing(#[prop(into)] title: String, children: Children) -> impl IntoView {
    view! {
        <div class="state" data-testid="view-empty">
            <h3>{title}</h3>
            <div class="quiet">{children()}</div>
        </div>
    }
}
