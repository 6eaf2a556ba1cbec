use std::sync::Arc;

use leptos::task::spawn_local;
use syclscope_language::api::{API_VERSION, TraceInfo};

use super::open_trace::OpenTrace;
use crate::browser::{pause, query, set_title};
use crate::components::header::Header;
use crate::components::links::PageLink;
use crate::data::client::{self, ClientError};
use crate::data::trace_source::TraceSource;
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::route::LIST_PATH;
use crate::state::url::is_embedded;

#[derive(Clone)]
enum Loaded {
    Loading,
    Ready(Arc<TraceInfo>),
    Failed(ClientError),
}

#[component]
pub(crate) fn TracePage(id: String) -> impl IntoView {
    let loaded = RwSignal::new(Loaded::Loading);
    let file_name = RwSignal::new(None::<String>);
    set_title("syclscope");
    load(id.clone(), loaded, file_name);
    let retry = {
        let id = id.clone();
        move || {
            loaded.set(Loaded::Loading);
            load(id.clone(), loaded, file_name);
        }
    };
    move || match loaded.get() {
        Loaded::Loading => view! {
            <Header><span class="quiet">"Opening trace…"</span></Header>
            <main class="timeline-placeholder" aria-busy="true"></main>
        }
        .into_any(),
        Loaded::Failed(error) => {
            let retry = retry.clone();
            view! { <Failed error retry/> }.into_any()
        }
        Loaded::Ready(info) => {
            view! { <OpenTrace home=TraceSource::Server(id.clone()) info file_name/> }.into_any()
        }
    }
}

fn load(id: String, loaded: RwSignal<Loaded>, file_name: RwSignal<Option<String>>) {
    let busy = Busy::start();
    spawn_local(async move {
        let _busy = busy;
        let answer = TraceSource::Server(id.clone()).info().await;
        // Reading the answer and building the page are separate tasks.
        pause().await;
        let _gone = loaded.try_set(match answer {
            Ok(info) if info.api_version == API_VERSION => Loaded::Ready(Arc::new(info)),
            Ok(info) => Loaded::Failed(ClientError {
                code: "other_version".into(),
                message: format!(
                    "The server uses API version {}, this page version {API_VERSION}. Reload the page.",
                    info.api_version
                ),
            }),
            Err(error) => Loaded::Failed(error),
        });
        // Users of a share link can't see the list.
        if let Ok((entries, _)) = client::traces(&format!("./api/v1/traces?id={id}")).await {
            let _gone = file_name.try_set(entries.into_iter().next().map(|entry| entry.name));
        }
    });
}

#[component]
fn Failed(error: ClientError, retry: impl Fn() + Clone + 'static) -> impl IntoView {
    // The server's message repeats the title.
    let (title, message) = match error.code.as_str() {
        "not_found" => ("Trace not found", "It may have been deleted, or the link is incomplete.".to_owned()),
        _ => ("The trace could not be opened", error.message),
    };
    view! {
        <Header><span></span></Header>
        <main class="message-page" data-testid="trace-failure">
            <h1>{title}</h1>
            <p role="alert">{message}</p>
            <p class="message-actions">
                <button type="button" class="button" on:click=move |_| retry()>"Try again"</button>
                {(!is_embedded(&query())).then(|| view! {
                    <PageLink href=LIST_PATH class="button">"All traces"</PageLink>
                })}
            </p>
        </main>
    }
}
