//! A file's text with line numbers.

use leptos::prelude::*;
use syclscope_trace::api::{SourceInfo, SourceText};
use syclscope_trace::source::Question;

use crate::browser::scroll_to;
use crate::components::states::answered;
use crate::hooks::answer::use_answer;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::views::source::tokens::{Language, Token, TokenKind, tokens};

#[component]
pub(super) fn Text(number: u32, file: SourceInfo) -> impl IntoView {
    let asked = use_answer::<SourceText>(move || Some(Question::Source(number)));
    let path = file.path.clone();
    view! {
        <div class="source-text-pane">
            <div class="view-bar source-path"><code title=file.path.clone()>{file.path.clone()}</code></div>
            {answered(asked, "the file", move |source| view! { <Lines path=path.clone() text=source.text/> })}
        </div>
    }
}

#[component]
fn Lines(path: String, text: String) -> impl IntoView {
    let session = use_session();
    let selected = {
        let path = path.clone();
        Memo::new(move |_| {
            session.selection.with(|selection| match selection {
                Some(Selection::Line { file, line }) if *file == path => Some(*line),
                _ => None,
            })
        })
    };
    // The lines come into the document after this; scroll then.
    Effect::new(move |_| {
        if let Some(line) = selected.get() {
            scroll_to(&format!("#line-{line}"));
        }
    });
    let lines = (1_u32..).zip(tokens(Language::of(&path), &text)).map(|(line, tokens)| {
        let path = path.clone();
        let choose = move |_| session.select(Some(Selection::Line { file: path.clone(), line }));
        view! {
            <tr id=format!("line-{line}") class:is-selected=move || selected.get() == Some(line)>
                <th scope="row">
                    <button type="button" tabindex="-1" aria-label=format!("Line {line}") on:click=choose>{line}</button>
                </th>
                <td><pre>{tokens.into_iter().map(token).collect_view()}</pre></td>
            </tr>
        }
    });
    view! {
        <div class="view-body source-scroll" tabindex="0" role="region" aria-label="Source text">
            <table class="source-lines" data-testid="source-lines"><tbody>{lines.collect_view()}</tbody></table>
        </div>
    }
}

fn token(token: Token) -> impl IntoView {
    let class = match token.kind {
        TokenKind::Plain => return token.text.into_any(),
        TokenKind::Keyword => "tok-keyword",
        TokenKind::Type => "tok-type",
        TokenKind::Function => "tok-function",
        TokenKind::Number => "tok-number",
        TokenKind::Text => "tok-text",
        TokenKind::Comment => "tok-comment",
        TokenKind::Directive => "tok-directive",
    };
    view! { <span class=class>{token.text}</span> }.into_any()
}
