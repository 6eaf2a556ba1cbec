//! A file whose text was not recorded: the reason, the costs of its lines, and how to attach the text.

use leptos::task::spawn_local;
use syclscope_language::api::FileLines;
use syclscope_language::event::SourceState;
use syclscope_language::question::{LinesQuestion, Question};
use wasm_bindgen_futures::JsFuture;

use super::File;
use super::text::Lines;
use crate::browser::{load, store, store_large};
use crate::components::choose_file::ChooseFile;
use crate::components::drop_area::AttachTarget;
use crate::hooks::answer::{Answer, use_answer};
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::attached::{Attached, KEY_PREFIX, Recorded, compare};
use crate::state::session::{Session, use_session};

#[component]
pub(super) fn MissingText(file: File) -> impl IntoView {
    let session = use_session();
    let AttachTarget(target) = expect_context::<AttachTarget>();
    let path = StoredValue::new(file.path.clone());
    let take = Callback::new(move |files: Vec<web_sys::File>| {
        if let Some(file) = files.into_iter().next() {
            attach(session, path.get_value(), file);
        }
    });
    // A file dropped on the page while this one is shown may be its text.
    target.set(Some((file.path.clone(), take)));
    on_cleanup(move || {
        let _gone = target.try_set(None);
    });
    // The text attached when the trace was last open.
    let key = Attached::key(&session.info(), &file.path);
    if session.attached.with_untracked(|files| !files.contains_key(&file.path))
        && let Some(stored) = load(&key).and_then(|stored| Attached::from_stored(&stored))
    {
        session.attached.update(|files| {
            files.insert(file.path.clone(), stored);
        });
    }
    let attached =
        Memo::new(move |_| path.with_value(|path| session.attached.with(|files| files.get(path).cloned())));
    let size_bytes = file.source.and_then(|source| {
        let size_bytes = session.info().sources.get(source as usize)?.size_bytes;
        (size_bytes > 0).then_some(size_bytes)
    });
    let why = why(file.state);
    let title = file.path.clone();
    view! {
        <div class="source-text-pane" data-testid="source-missing">
            <div class="view-bar source-path"><code title=title.clone()>{title.clone()}</code></div>
            {move || match attached.get() {
                Some(file) => view! { <Notice path=path.get_value() file size_bytes/> }.into_any(),
                None => view! {
                    <div class="notice">
                        <span>
                            <b>"The text is not in the recording. "</b>{why}
                            " Or attach it: choose the file or drop it on this page. It stays on this computer."
                        </span>
                        <ChooseFile label="Attach file" testid="source-attach" input_testid="source-input" take/>
                    </div>
                }
                .into_any(),
            }}
            {move || view! { <Lines path=path.get_value() text=attached.get().map(|file| file.text.to_string())/> }}
        </div>
    }
}

fn why(state: SourceState) -> &'static str {
    match state {
        SourceState::TooLarge => {
            "The file exceeds the recorder's limit. Record again with a larger SYCLSCOPE_SOURCES_MAX."
        }
        SourceState::Unreadable => {
            "The recorder could not read it. Record on a machine that has the source at this path."
        }
        SourceState::Whole | SourceState::Other => {
            "Record on a machine that has the source, without --no-sources."
        }
    }
}

#[component]
fn Notice(path: String, file: Attached, size_bytes: Option<u64>) -> impl IntoView {
    let session = use_session();
    let own_path = path.clone();
    let query = use_answer::<FileLines>(move || Some(Question::Lines(LinesQuestion::Path(own_path.clone()))));
    let lost = file.loss().map(|why| format!(" {why}: it is lost when this page closes or reloads."));
    let name = file.name.clone();
    let compared = move || {
        let Answer::Ready(costs) = query.answer.get() else { return None };
        let last_line = costs.lines.iter().map(|line| line.line).max().unwrap_or(0);
        Some(match compare(&file, Recorded { size_bytes, last_line }) {
            Ok(fits) => view! { <span class="quiet" role="status">{fits}</span> }.into_any(),
            Err(differs) => view! { <span class="is-error" role="alert">{differs}</span> }.into_any(),
        })
    };
    view! {
        <div class="notice" data-testid="source-attached">
            <span><b>{format!("Attached: {name}. ")}</b>{compared}{lost}</span>
            <button
                type="button"
                class="button"
                data-testid="source-detach"
                on:click=move |_| {
                    store(&Attached::key(&session.info(), &path), None);
                    session.attached.update(|files| { files.remove(&path); });
                }
            >"Remove"</button>
        </div>
    }
}

fn attach(session: Session, path: String, file: web_sys::File) {
    let (name, size_bytes) = (file.name(), file.size() as u64);
    let busy = Busy::start();
    spawn_local(async move {
        let _busy = busy;
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        let _gone = match text {
            Some(text) => {
                let mut file =
                    Attached { name: name.clone(), size_bytes, text: text.into(), is_stored: false };
                let key = Attached::key(&session.info(), &path);
                file.is_stored =
                    file.to_stored().is_some_and(|stored| store_large(&key, &stored, KEY_PREFIX));
                session.attached.try_update(|files| {
                    files.insert(path, file);
                })
            }
            None => session.announcement.try_update(|said| *said = format!("{name} is not a text file.")),
        };
    });
}
