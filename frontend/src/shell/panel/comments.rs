mod going;
mod writing;

use leptos::task::spawn_local;
use syclscope_language::api::CommentEntry;

use self::writing::Writing;
use crate::browser::local_time;
use crate::components::states::{Nothing, Waiting};
use crate::data::client::{ClientError, comments};
use crate::data::trace_source::TraceSource;
use crate::reactive::*;
use crate::state::comments::{Draft, LoadState};
use crate::state::session::{Session, use_session};

pub(crate) use writing::begin;

#[component]
pub(super) fn CommentsPanel() -> impl IntoView {
    let session = use_session();
    // New comments stay marked until the panel shows something else.
    let fresh = StoredValue::new(session.talk.with_untracked(|talk| talk.news.clone()));
    if fresh.with_value(|fresh| !fresh.is_empty()) {
        session.talk.update(|talk| talk.news.clear());
    }
    let state = Memo::new(move |_| session.talk.with(|talk| talk.state.clone()));
    let may_comment = Memo::new(move |_| session.talk.with(|talk| talk.all.may_comment));
    move || {
        match state.get() {
        LoadState::Waiting => view! { <Waiting text="Loading comments…".to_owned()/> }.into_any(),
        LoadState::Failed(message) => {
            view! { <div class="state is-error" role="alert" data-testid="comments-failure"><p>{message}</p></div> }
                .into_any()
        }
        LoadState::Unsupported => view! {
            <Nothing title="Comments need a server">
                "This trace is a file of one computer. Upload it to your team's server to comment on it:"
                <pre><code>"syclscope share run.pftrace --to https://traces.example.org"</code></pre>
            </Nothing>
        }
        .into_any(),
        LoadState::Ready => view! {
            <div class="comments" data-testid="comments">
                {move || may_comment.get().then(|| view! { <Writing/> })}
                <ul class="comment-list">{move || threads(session, fresh)}</ul>
            </div>
        }
        .into_any(),
    }
    }
}

fn threads(session: Session, fresh: StoredValue<Vec<String>>) -> AnyView {
    session.talk.with(|talk| {
        let mut lines = Vec::new();
        for root in talk.roots() {
            lines.push(line(session, root, fresh));
            lines.extend(talk.answers(&root.id).map(|answer| line(session, answer, fresh)));
        }
        if lines.is_empty() {
            return view! { <li class="quiet" data-testid="no-comments">"No comments yet."</li> }.into_any();
        }
        lines.collect_view().into_any()
    })
}

fn line(session: Session, entry: &CommentEntry, fresh: StoredValue<Vec<String>>) -> AnyView {
    let (is_own, may_comment, can_put_back, is_for_user) = session.talk.with_untracked(|talk| {
        let is_for_user = talk.all.name.as_ref().is_some_and(|name| entry.mentions.contains(name));
        (talk.is_own(entry), talk.all.may_comment, talk.can_put_back(&entry.id), is_for_user)
    });
    let is_new = fresh.with_value(|fresh| fresh.contains(&entry.id));
    let CommentEntry { id, pin, text, is_deleted, .. } = entry.clone();
    let mut head = entry.by.clone().unwrap_or_else(|| "Somebody".to_owned());
    head += &format!(" · {}", local_time(entry.made_unix_ns));
    if entry.edited_unix_ns.is_some() {
        head += " · edited";
    }
    let about = entry.about.clone().or_else(|| pin.as_ref().map(ToString::to_string));
    let pin = pin.filter(|_| entry.reply_to.is_none()).map(|pin| {
        let thing = pin.to_string();
        view! {
            <button
                type="button"
                class="jump"
                title="Show it"
                data-testid="comment-pin"
                data-pin=thing
                on:click=move |_| going::go(session, pin.clone())
            >{about}</button>
        }
    });
    let words = match (is_deleted, text.is_empty()) {
        (true, _) => view! { <p class="quiet">"Deleted."</p> }.into_any(),
        (false, true) => view! { <p class="quiet">"Bookmark"</p> }.into_any(),
        (false, false) => {
            view! { <p class="comment-text" data-testid="comment-words">{text.clone()}</p> }.into_any()
        }
    };
    let tool = |title: &'static str, act: Box<dyn Fn()>| {
        view! { <button type="button" class="tool" on:click=move |_| act()>{title}</button> }
    };
    let draft = move |draft: Draft| session.talk.update(|talk| talk.draft = Some(draft));
    let mut tools = Vec::new();
    if may_comment && !is_deleted {
        let id = id.clone();
        tools.push(tool("Answer", Box::new(move || draft(Draft::Answer(id.clone())))));
    }
    if is_own && !is_deleted {
        let (changed, deleted) = (id.clone(), id.clone());
        tools.push(tool("Edit", Box::new(move || draft(Draft::Change(changed.clone())))));
        tools.push(tool("Delete", Box::new(move || delete(session, deleted.clone(), text.clone()))));
    }
    if is_deleted && can_put_back {
        tools.push(tool("Undo", Box::new(move || put_back(session, id.clone()))));
    }
    view! {
        <li
            class="comment"
            class:is-answer=entry.reply_to.is_some()
            class:is-new=is_new
            class:is-for-user=is_for_user
            data-testid="comment"
        >
            <div class="comment-head"><span class="quiet">{head}</span>" "{pin}</div>
            {words}
            <div class="comment-tools">{tools}</div>
        </li>
    }
    .into_any()
}

fn trace(session: Session) -> Option<String> {
    match session.home() {
        Some(TraceSource::Server(id)) => Some(id),
        _ => None,
    }
}

/// Applies the result of a change, or shows its error.
fn apply_result(session: Session, made: Result<CommentEntry, ClientError>) {
    match made {
        Ok(entry) => {
            let _gone = session.talk.try_update(|talk| {
                talk.deleted.retain(|(id, _)| *id != entry.id);
                talk.put(entry);
            });
        }
        Err(error) => session.fail(error.message),
    }
}

fn delete(session: Session, id: String, text: String) {
    let Some(trace) = trace(session) else { return };
    spawn_local(async move {
        match comments::delete(&trace, &id).await {
            Ok(()) => {
                let _gone = session.talk.try_update(|talk| {
                    if let Some(entry) = talk.all.comments.iter_mut().find(|entry| entry.id == id) {
                        (entry.is_deleted, entry.text) = (true, String::new());
                    }
                    talk.deleted.push((id, text));
                });
            }
            Err(error) => session.fail(error.message),
        }
    });
}

fn put_back(session: Session, id: String) {
    let text = session.talk.with_untracked(|talk| {
        let deleted = talk.deleted.iter().find(|(deleted, _)| *deleted == id);
        deleted.map(|(_, text)| text.clone())
    });
    if let (Some(trace), Some(text)) = (trace(session), text) {
        spawn_local(async move { apply_result(session, comments::change(&trace, &id, &text).await) });
    }
}
