use leptos::task::spawn_local;

use super::{apply_result, trace};
use crate::browser::{focus, hint};
use crate::data::client::comments;
use crate::format;
use crate::reactive::*;
use crate::state::comments::Draft;
use crate::state::detail::Detail;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::url::Panel;
use crate::state::words::queue_title;

/// Maximum number of letters; the server counts bytes and rejects longer texts.
const MAX_LETTERS: &str = "4000";

/// Starts a comment on the selection, else on the area, else on the whole trace.
pub(crate) fn begin(session: Session) {
    let area =
        untrack(|| session.selected_range()).map(|(start_ns, end_ns)| Selection::Range { start_ns, end_ns });
    let pin = session.selection.get_untracked().or(area);
    let about = pin.as_ref().map(|pin| about(session, pin)).unwrap_or_default();
    session.talk.update(|talk| talk.draft = Some(Draft::On(pin, about)));
    session.show_panel(Panel::Comments);
    if untrack(|| session.is_panel_closed()) {
        session.open_panel(Panel::Comments);
    }
}

fn about(session: Session, pin: &Selection) -> String {
    match pin {
        Selection::Slice(slice) => session.detail.with_untracked(|detail| match detail {
            Detail::Slice(detail) => session.fit_name(&detail.name, 60),
            _ => format!("slice {slice}"),
        }),
        Selection::Node(node) => format!("command {node}"),
        Selection::Name(name) => session.fit_name(name, 60),
        Selection::Queue(queue) => queue_title(&session.info(), *queue),
        Selection::Allocation(row) => format!("allocation {row}"),
        Selection::Object(number) => format!("buffer or image {number}"),
        Selection::Line { file, line } => {
            let name = file.rsplit('/').next().unwrap_or_default();
            format!("{}:{line}", name.chars().take(60).collect::<String>())
        }
        Selection::Gap { at_ns, .. } => format!("idle time at {}", format::moment(*at_ns as f64)),
        Selection::Range { start_ns, end_ns } => {
            let length = format::duration(end_ns.saturating_sub(*start_ns) as f64);
            format!("{length} at {}", format::moment(*start_ns as f64))
        }
    }
}

#[component]
pub(super) fn Writing() -> impl IntoView {
    let session = use_session();
    let draft = Memo::new(move |_| session.talk.with(|talk| talk.draft.clone()));
    move || match draft.get() {
        Some(draft) => view! { <Field draft/> }.into_any(),
        None => view! {
            <button type="button" class="button" data-testid="comment-here" on:click=move |_| begin(session)>
                "Comment here"
            </button>
        }
        .into_any(),
    }
}

#[component]
fn Field(draft: Draft) -> impl IntoView {
    let session = use_session();
    let (before, title, action) = session.talk.with_untracked(|talk| {
        let by = |id: &str| {
            talk.find(id).and_then(|entry| entry.by.clone()).unwrap_or_else(|| "somebody".to_owned())
        };
        let (before, title, action) = match &draft {
            Draft::On(None, _) => (String::new(), "On the whole trace".to_owned(), "Comment"),
            Draft::On(Some(_), about) => (String::new(), format!("On {about}"), "Comment"),
            Draft::Answer(id) => (String::new(), format!("Answer to {}", by(id)), "Answer"),
            Draft::Change(id) => {
                let text = talk.find(id).map(|entry| entry.text.clone()).unwrap_or_default();
                (text, "Change".to_owned(), "Save")
            }
        };
        (talk.unsent_text(&draft).map_or(before, str::to_owned), title, action)
    });
    let text = RwSignal::new(before);
    let is_sending = RwSignal::new(false);
    let can_mark = matches!(draft, Draft::On(Some(_), _));
    let draft = StoredValue::new(draft);
    Effect::new(move |_| focus("[data-testid=comment-field]"));
    let close = move || {
        session.talk.update(|talk| {
            draft.with_value(|draft| talk.keep(draft, ""));
            talk.draft = None;
        });
    };
    let send = move |words: String| {
        let Some(trace) = trace(session).filter(|_| !is_sending.get_untracked()) else { return };
        is_sending.set(true);
        let draft = draft.get_value();
        spawn_local(async move {
            let made = match &draft {
                Draft::On(pin, about) => comments::make(&trace, &words, pin.as_ref(), about).await,
                Draft::Answer(to) => comments::answer(&trace, &words, to).await,
                Draft::Change(id) => comments::change(&trace, id, &words).await,
            };
            // Meanwhile the user may have started another draft. A text that could not be sent stays in the field.
            let _gone = is_sending.try_set(false);
            if made.is_ok() {
                let _gone = session.talk.try_update(|talk| {
                    talk.keep(&draft, "");
                    if talk.draft.as_ref() == Some(&draft) {
                        talk.draft = None;
                    }
                });
            }
            apply_result(session, made);
        });
    };
    let say = move || {
        let words = text.get_untracked().trim().to_owned();
        if !words.is_empty() {
            send(words);
        }
    };
    view! {
        <div class="comment-form" role="group" aria-label=action>
            <label>
                <span data-testid="comment-about">{title}</span>
                <textarea
                    class="tool-input"
                    rows="2"
                    data-testid="comment-field"
                    maxlength=MAX_LETTERS
                    readonly=move || is_sending.get()
                    placeholder=hint(
                        "Plain text. @name notifies a person; Ctrl+Enter sends it.",
                        "Plain text. @name notifies a person.",
                    )
                    prop:value=move || text.get()
                    on:input=move |event| {
                        let words = event_target_value(&event);
                        session.talk.update_untracked(|talk| draft.with_value(|draft| talk.keep(draft, &words)));
                        text.set(words);
                    }
                    on:keydown=move |event| {
                        match event.key().as_str() {
                            "Enter" if event.ctrl_key() || event.meta_key() => say(),
                            "Escape" => close(),
                            _ => return,
                        }
                        event.prevent_default();
                        event.stop_propagation();
                    }
                ></textarea>
            </label>
            <button
                type="button"
                class="button"
                data-testid="comment-send"
                disabled=move || is_sending.get() || text.with(|text| text.trim().is_empty())
                on:click=move |_| say()
            >{action}</button>
            {can_mark.then(|| view! {
                <button
                    type="button"
                    class="button"
                    title="Marks the place and says nothing"
                    data-testid="comment-mark"
                    disabled=move || is_sending.get() || text.with(|text| !text.is_empty())
                    on:click=move |_| send(String::new())
                >"Bookmark"</button>
            })}
            <button type="button" class="button" on:click=move |_| close()>"Cancel"</button>
        </div>
    }
}
