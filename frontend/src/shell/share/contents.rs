//! Private data of the trace, and a cleaned copy.

use leptos::task::spawn_local;
use syclscope_language::api::{Contents, KindContents, TraceEntry};
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;
use syclscope_language::question::Question;

use super::progress;
use crate::browser::{local_time, save_bytes};
use crate::components::dialog::{CLOSE, Dialog, DialogHead};
use crate::data::trace_source::TraceSource;
use crate::data::{client, export};
use crate::format;
use crate::hooks::answer::{Answer, use_answer};
use crate::reactive::*;
use crate::state::call::Overlay;
use crate::state::session::{Session, use_session};

#[component]
pub(crate) fn ContentsDialog() -> impl IntoView {
    view! {
        <Dialog overlay=Overlay::Contents first=CLOSE class="contents" label="Contents of this trace">
            <Body/>
        </Dialog>
    }
}

#[component]
fn Body() -> impl IntoView {
    let query = use_answer::<Contents>(|| Some(Question::Contents));
    let listed = move || match query.answer.get() {
        Answer::Ready(contents) => view! { <Kinds contents/> }.into_any(),
        Answer::Failed(error) => view! { <p role="alert">{error.message}</p> }.into_any(),
        _ => view! { <p role="status">"Scanning the trace…"</p> }.into_any(),
    };
    view! {
        <DialogHead title="Contents of this trace"/>
        {listed}
    }
}

#[derive(Clone, Copy)]
struct Choice {
    stays: RwSignal<Vec<ContentKind>>,
    keep_file_names: RwSignal<bool>,
}

#[component]
fn Kinds(contents: Contents) -> impl IntoView {
    let session = use_session();
    let choice = Choice { stays: RwSignal::new(Vec::new()), keep_file_names: RwSignal::new(false) };
    let is_busy = RwSignal::new(false);
    let stored = RwSignal::new(None::<TraceEntry>);
    let all: Vec<ContentKind> = contents.kinds.iter().map(|kind| kind.kind).collect();
    let rows = contents.kinds.into_iter().map(|kind| row(choice, kind)).collect_view();
    let is_local = matches!(session.home(), Some(TraceSource::Worker(_)));
    let count = all.len();
    let nothing_goes = move || choice.stays.with(|stays| stays.len() >= count);
    let press = move |_| {
        let stays = choice.stays.get_untracked();
        let kinds: Vec<&str> =
            all.iter().filter(|kind| !stays.contains(kind)).map(|kind| kind.as_str()).collect();
        share(session, kinds, choice.keep_file_names.get_untracked(), is_busy, stored);
    };
    view! {
        <p>
            "A cleaned copy leaves out the checked kinds. Names become pseudonyms like "
            <code>"kernel-3f2a91c0"</code>
            ", always the same for the same name. Times, dependences, memory and numbers stay. The copy is searched for removed contents before you get it."
        </p>
        <ul class="contents-kinds" aria-label="Removed">{rows}</ul>
        <label class="contents-files">
            <input
                type="checkbox"
                data-testid="contents-files"
                on:change=move |event| choice.keep_file_names.set(event_target_checked(&event))
            />
            "Remove only folders; keep file names and line numbers"
        </label>
        <p>
            <button
                type="button"
                class="button"
                data-testid="contents-share"
                disabled=move || is_busy.get() || nothing_goes()
                on:click=press
            >
                {if is_local { "Save a cleaned copy" } else { "Store a cleaned copy on this server" }}
            </button>
        </p>
        <p role="status" data-testid="contents-stored">
            {move || stored.get().map(|entry| view! {
                "Stored: "
                <a href=format!("./t/{}", entry.id) target="_blank">"open the cleaned copy"</a>
                ", and share its link."
            })}
        </p>
    }
}

fn row(choice: Choice, kind: KindContents) -> impl IntoView {
    let KindContents { kind, count, examples } = kind;
    let change = move |event| {
        let goes = event_target_checked(&event);
        choice.stays.update(|stays| {
            stays.retain(|stay| *stay != kind);
            if !goes {
                stays.push(kind);
            }
        });
    };
    view! {
        <li>
            <label>
                <input type="checkbox" checked data-testid=format!("contents-{}", kind.as_str()) on:change=change/>
                <span>{kind.title()}</span>
                <span class="contents-count">{format::count(count)}</span>
                <span class="contents-examples">{readable(kind, examples).join("   ")}</span>
            </label>
        </li>
    }
}

/// Formats examples: dates are recorded in nanoseconds.
fn readable(kind: ContentKind, mut examples: Vec<String>) -> Vec<String> {
    if kind == ContentKind::Date {
        for example in &mut examples {
            if let Ok(unix_ns) = example.parse() {
                *example = local_time(unix_ns);
            }
        }
    }
    examples
}

/// Creates the copy: of a local file in the browser, else on the server.
fn share(
    session: Session,
    kinds: Vec<&'static str>,
    keep_file_names: bool,
    is_busy: RwSignal<bool>,
    stored: RwSignal<Option<TraceEntry>>,
) {
    let Some(home) = session.home() else { return };
    is_busy.set(true);
    spawn_local(async move {
        match &home {
            TraceSource::Worker(trace) => {
                let progress = progress(session, &home, "copy");
                let copy = export::clean(&trace.file(), &kinds.join(","), keep_file_names, progress).await;
                match copy {
                    Ok(bytes) => {
                        // The original name may be private.
                        let name = Format::Perfetto.file_name("cleaned");
                        save_bytes(&name, &bytes);
                        session.tell(format!("Saved {name}, {}", format::bytes(bytes.size())));
                    }
                    Err(error) => session.fail(error.message),
                }
            }
            TraceSource::Server(id) => {
                let kinds = kinds.join("\",\"");
                let request = format!("{{\"kinds\":[\"{kinds}\"],\"keep_file_names\":{keep_file_names}}}");
                match client::clean(id, &request).await {
                    Ok(entry) => drop(stored.try_set(Some(entry))),
                    Err(error) => session.fail(error.message),
                }
            }
        }
        let _gone = is_busy.try_set(false);
    });
}
