//! Placeholders of a view without content.

use crate::data::client::ClientError;
use crate::hooks::answer::{Answer, PendingQuery};
use crate::reactive::*;

/// Shows an answer once it has arrived. Until then it shows a progress text; on failure the reason and a retry button.
pub(crate) fn answered<T, V>(
    asked: PendingQuery<T>,
    what: &'static str,
    show: impl Fn(T) -> V + Send + 'static,
) -> impl Fn() -> AnyView + Send
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny,
{
    let retry = Callback::new(move |()| asked.retry());
    move || shown(asked.answer.get(), what, retry, &show)
}

/// Like [`answered`], but the old answer stays, paler, until the next one arrives.
pub(crate) fn answered_again<T, V>(
    asked: PendingQuery<T>,
    what: &'static str,
    show: impl Fn(T) -> V + Send + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny + 'static,
{
    let content = answered(asked, what, show);
    view! {
        <div class="lasting" class:is-old=move || asked.is_old.get() aria-busy=move || asked.is_old.get().to_string()>
            {content}
        </div>
    }
    .into_any()
}

/// Like [`answered`], for an answer requested elsewhere.
pub(crate) fn awaited<T, V>(
    answer: RwSignal<Answer<T>>,
    what: &'static str,
    retry: Callback<()>,
    show: impl Fn(T) -> V + Send + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + 'static,
    V: IntoAny,
{
    (move || shown(answer.get(), what, retry, &show)).into_any()
}

fn shown<T, V: IntoAny>(
    answer: Answer<T>,
    what: &'static str,
    retry: Callback<()>,
    show: &impl Fn(T) -> V,
) -> AnyView {
    match answer {
        Answer::None => ().into_any(),
        Answer::Loading => waiting_for(what),
        Answer::Ready(value) => show(value).into_any(),
        Answer::Failed(error) => failed(error, retry),
    }
}

fn waiting_for(what: &'static str) -> AnyView {
    view! { <Waiting text=format!("Loading {what}…")/> }.into_any()
}

fn failed(error: ClientError, retry: Callback<()>) -> AnyView {
    // An invalid query stays invalid.
    let again = (error.code != "bad_request").then(|| {
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
