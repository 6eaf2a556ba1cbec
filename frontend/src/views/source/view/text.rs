//! A file's text with line numbers, and the costs of each line.

use syclscope_language::api::{FileLines, Line, LineCost, SourceText};
use syclscope_language::question::{LinesQuestion, Question};

use crate::browser::scroll_to;
use crate::components::states::show_answer;
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::ordered::OrderedMap;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::views::source::ID;
use crate::views::source::costs::{CostColumn, columns};
use crate::views::source::tokens::{Language, Token, TokenKind, tokens};

#[component]
pub(super) fn Text(source: u32, path: String) -> impl IntoView {
    let query = use_answer::<SourceText>(move || Some(Question::Source(source)));
    let file_path = path.clone();
    view! {
        <div class="source-text-pane">
            <div class="view-bar source-path"><code title=path.clone()>{path.clone()}</code></div>
            {show_answer(query, "the file", move |source| view! { <Lines path=file_path.clone() text=Some(source.text)/> })}
        </div>
    }
}

/// Lines of a text; without a text, the lines with a cost.
#[component]
pub(super) fn Lines(path: String, text: Option<String>) -> impl IntoView {
    let own_path = path.clone();
    let query = use_answer::<FileLines>(move || Some(Question::Lines(LinesQuestion::Path(own_path.clone()))));
    show_answer(query, "line costs", move |costs| {
        view! { <Table path=path.clone() text=text.clone() costs=costs.lines/> }
    })
}

#[component]
fn Table(path: String, text: Option<String>, costs: Vec<Line>) -> impl IntoView {
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
    let columns = columns(&costs);
    let by_line: OrderedMap<u32, LineCost> = costs.iter().map(|line| (line.line, line.cost)).collect();
    let lines: Vec<(u32, Vec<Token>)> = match &text {
        Some(text) => (1_u32..).zip(tokens(Language::from_path(&path), text)).collect(),
        None => by_line.iter().filter(|(line, _)| **line > 0).map(|(line, _)| (*line, Vec::new())).collect(),
    };
    // The effect runs after the lines are in the document, so that it can scroll to one.
    let first = |is_meant: fn(&LineCost) -> bool| {
        by_line.iter().find(|(line, cost)| **line > 0 && is_meant(cost)).map(|(line, _)| *line)
    };
    let first_busy = first(|cost| cost.device_ns > 0)
        .or_else(|| first(|cost| cost.wait_ns > 0))
        .or_else(|| first(|_| true));
    Effect::new(move |before: Option<()>| match (selected.get(), before) {
        (Some(line), _) => scroll_to(&format!("#line-{line}")),
        (None, None) => {
            let is_linked = session.scrolls.with_untracked(|scrolls| scrolls.get(ID).is_some());
            if let Some(line) = first_busy.filter(|_| !is_linked) {
                scroll_to(&format!("#line-{line}"));
            }
        }
        (None, Some(())) => {}
    });
    let heads = columns.iter().map(|column| {
        view! { <th scope="col" class=format!("cost {}", column.cost.class()) title=column.cost.hint()>{column.cost.title()}</th> }
    });
    let heads = heads.collect_view();
    let rows = lines.into_iter().map(|(line, tokens)| {
        let cost = by_line.get(&line).copied();
        let path = path.clone();
        let thing = Selection::Line { file: path.clone(), line }.to_string();
        let select = move |_| session.select(Some(Selection::Line { file: path.clone(), line }));
        let cells = columns.iter().map(|column| cell(*column, cost));
        let label = match cost {
            Some(cost) => format!("Line {line}: {}", format::counted(cost.slices, "slice", "slices")),
            None => format!("Line {line}"),
        };
        view! {
            <tr id=format!("line-{line}") class:is-selected=move || selected.get() == Some(line)>
                {cells.collect_view()}
                <th scope="row" class:has-cost=cost.is_some()>
                    <button
                        type="button"
                        tabindex=if cost.is_some() { "0" } else { "-1" }
                        aria-label=label
                        data-thing=thing
                        title=cost.map(|_| "Show its slices")
                        on:click=select
                    >{line}</button>
                </th>
                <td class="source-code"><pre>{tokens.into_iter().map(token).collect_view()}</pre></td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <ViewBody
            view=ID
            class="view-body source-scroll"
            label="Source text"
            shows_selection=Signal::derive(move || selected.get().is_some())
        >
            <table class="source-lines" data-testid="source-lines">
                <thead>
                    <tr>
                        {heads}
                        <th scope="col" class="line-head">"Line"</th>
                        <th scope="col" class="text-head"><span class="visually-hidden">"Text"</span></th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ViewBody>
    }
}

fn cell(column: CostColumn, cost: Option<LineCost>) -> impl IntoView {
    let cost = cost.unwrap_or_default();
    let text = column.cost.text(&cost);
    let share = format!("{:.2}%", column.share(&cost) * 100.0);
    let class = format!("cost {}", column.cost.class());
    if text.is_empty() {
        return view! { <td class=class></td> }.into_any();
    }
    view! { <td class=class style:--share=share><span>{text}</span></td> }.into_any()
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
