//! Source files of the recording, with the embedded texts.

use leptos::task::spawn_local;
use syclscope_language::api::{SourceInfo, SourceText};
use syclscope_language::event::SourceState;
use syclscope_language::question::Question;

use crate::format;
use crate::reactive::*;
use crate::state::session::use_session;

#[component]
pub(super) fn Sources(sources: Vec<SourceInfo>) -> impl IntoView {
    (!sources.is_empty()).then(|| {
        let count = format::count(sources.len() as u64);
        let files = (0_u32..).zip(sources);
        let files = files.map(|(number, source)| view! { <Source number source/> });
        view! {
            <section class="details-sources" data-testid="sources">
                <h3>"Source files "<span class="quiet">{count}</span></h3>
                <ul class="edges">{files.collect_view()}</ul>
            </section>
        }
    })
}

#[component]
fn Source(number: u32, source: SourceInfo) -> impl IntoView {
    let SourceInfo { path, state, size_bytes, sha256 } = source;
    let session = use_session();
    let text = RwSignal::new(None::<String>);
    let is_open = RwSignal::new(false);
    let size = format::bytes(size_bytes as f64);
    let note = match state {
        SourceState::Whole => size,
        SourceState::TooLarge => format!("{size}, over the recorder's limit"),
        SourceState::Unreadable => "could not be read".to_owned(),
        SourceState::Other => "not in the recording".to_owned(),
    };
    let toggle = move |_| {
        is_open.update(|is_open| *is_open = !*is_open);
        if !is_open.get_untracked() || text.with_untracked(Option::is_some) {
            return;
        }
        let Some(home) = session.home() else { return };
        spawn_local(async move {
            let answer = home.ask::<SourceText>(&Question::Source(number)).await;
            let _gone = text.try_set(Some(match answer {
                Ok(source) => source.text,
                Err(error) => error.message,
            }));
        });
    };
    let name = path.clone();
    view! {
        <li>
            {if state == SourceState::Whole {
                view! {
                    <button type="button" class="jump" aria-expanded=move || is_open.get().to_string() on:click=toggle>
                        <code>{name}</code>
                    </button>
                }.into_any()
            } else {
                view! { <code>{name}</code> }.into_any()
            }}
            <span class="quiet" title=sha256>{note}</span>
            {move || is_open.get().then(|| view! {
                <pre class="source-text" tabindex="0" aria-label=path.clone() data-testid="source-text">
                    {move || text.get().unwrap_or_else(|| "Loading…".to_owned())}
                </pre>
            })}
        </li>
    }
}
