//! The selection on both sides: counterpart of a command, and the commands of a row one by one.

use syclscope_language::api::{Counterpart, MatchedCommand, MatchedCommands, SliceRef};
use syclscope_language::question::{CompareQuestion, CompareSide};

use super::beside::Beside;
use super::cards::Card;
use crate::components::facts::Jump;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery};
use crate::reactive::*;
use crate::state::detail::Detail;
use crate::state::selection::Selection;
use crate::views::compare::words::change;

/// Maximum number of commands of a row in the list.
const MAX_PAIRS: u32 = 50;

/// Counterpart of the selected command on the other side. It also finds the command's row.
#[component]
pub(super) fn Counterparts(beside: Beside) -> impl IntoView {
    let node = Memo::new(move |_| node_of(beside));
    let query = beside.ask::<Counterpart>(move || {
        let side = if beside.is_swapped() { CompareSide::B } else { CompareSide::A };
        Some(CompareQuestion::Counterpart { side, node: node.get()? })
    });
    Effect::new(move |_| {
        let (row, pair) = match query.answer.get() {
            Answer::Ready(found) => (found.row, Some(found.command)),
            // The row stays marked until the next one is loaded.
            Answer::Loading => return,
            Answer::None | Answer::Failed(_) => (None, None),
        };
        beside.selected_pair.set_if_changed(pair);
        if beside.selected_row.get_untracked() != row {
            beside.selected_row.set(row);
        }
    });
    let text = move || match query.answer.get() {
        Answer::Ready(Counterpart { command: MatchedCommand { a, b, .. }, row: Some(_) }) => match (a, b) {
            (Some(a), Some(b)) => {
                let [before, now] = format::durations([a.duration_ns as f64, b.duration_ns as f64]);
                let by = change(b.duration_ns as i64 - a.duration_ns as i64);
                format!("Selected command: {before} in A, {now} in B ({by})")
            }
            (Some(a), None) => {
                format!("Selected command: {} in A, not in B", format::duration(a.duration_ns as f64))
            }
            (None, Some(b)) => {
                format!("Selected command: {} in B, not in A", format::duration(b.duration_ns as f64))
            }
            (None, None) => "Selected command: no device times".to_owned(),
        },
        _ => String::new(),
    };
    view! { <span class="quiet" role="status" data-testid="compare-counterpart">{text}</span> }
}

fn node_of(beside: Beside) -> Option<u64> {
    let session = beside.session;
    match session.selection.get()? {
        Selection::Node(node) => Some(node),
        Selection::Slice(_) => session.detail.with(|detail| match detail {
            Detail::Slice(slice) => slice.node.as_ref().map(|node| node.id),
            _ => None,
        }),
        _ => None,
    }
}

pub(super) fn ask_pairs(beside: Beside) -> PendingQuery<MatchedCommands> {
    let row = Memo::new(move |_| beside.marked_row());
    beside.ask(move || Some(CompareQuestion::Commands { row: row.get()?, offset: 0, limit: MAX_PAIRS }))
}

#[component]
pub(super) fn Pairs(beside: Beside, query: PendingQuery<MatchedCommands>) -> impl IntoView {
    let is_marked = Memo::new(move |_| beside.marked_row().is_some());
    move || {
        is_marked.get().then(|| {
            let list =
                show_answer(query, "commands", move |found| pairs(found, untrack(|| beside.is_swapped())));
            view! {
                <Card title="Commands of the row, one by one" testid="compare-pairs" wide=true>{list}</Card>
            }
        })
    }
}

fn pairs(found: MatchedCommands, is_swapped: bool) -> AnyView {
    let more = found.total.saturating_sub(found.commands.len() as u64);
    let lines = found.commands.into_iter().zip(1_u64..).map(|(pair, number)| {
        let MatchedCommand { a, b, .. } = pair;
        let by = a.zip(b).map(|(a, b)| change(b.duration_ns as i64 - a.duration_ns as i64));
        view! {
            <tr>
                <th scope="row">{format::count(number)}</th>
                {cells(a, !is_swapped)}
                {cells(b, is_swapped)}
                <td class="number">{by.unwrap_or_else(|| "–".to_owned())}</td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    let heads = ["A, begin", "A, duration", "B, begin", "B, duration", "Change"];
    let heads = heads.map(|head| view! { <th scope="col" class="number">{head}</th> }).collect_view();
    view! {
        <table class="mini has-heads">
            <thead><tr><td></td>{heads}</tr></thead>
            <tbody>{lines}</tbody>
        </table>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> })}
    }
    .into_any()
}

/// Returns cells with start and duration, with a link for the page's own trace.
fn cells(at: Option<SliceRef>, is_own: bool) -> AnyView {
    let Some(at) = at else {
        return view! { <td class="number">"–"</td><td class="number">"–"</td> }.into_any();
    };
    let begin = format::moment(at.start_ns as f64);
    let begin = if is_own { view! { <Jump at text=begin/> }.into_any() } else { begin.into_any() };
    view! { <td class="number">{begin}</td><td class="number">{format::duration(at.duration_ns as f64)}</td> }
        .into_any()
}
