//! A source file with a column for each run.

use syclscope_language::api::{ComparedRow, FileCost, FileLines, SourceText, ratio_words};
use syclscope_language::question::{LinesQuestion, Question};

use super::beside::Beside;
use super::cards::Card;
use crate::format;
use crate::hooks::answer::{Answer, PendingQuery, use_answer};
use crate::reactive::*;
use crate::state::history::Change;
use crate::views::compare::sources::{
    BothFile, Columns, LineTimes, Piece, SourceLine, SourceTable, files_of_both, pairs_of_lines,
};
use crate::views::compare::texts::Likeness;

#[component]
pub(super) fn Source(beside: Beside, rows: StoredValue<Vec<ComparedRow>>) -> impl IntoView {
    let own_files = use_answer::<Vec<FileCost>>(|| Some(Question::Files));
    let other_files = beside.ask_other::<Vec<FileCost>>(|| Some(Question::Files));
    let files = Memo::new(move |_| {
        let (Answer::Ready(own), Answer::Ready(other)) = (own_files.answer.get(), other_files.answer.get())
        else {
            return Vec::new();
        };
        let (a, b) = if beside.is_swapped() { (&other, &own) } else { (&own, &other) };
        files_of_both(a, b)
    });
    let path = Memo::new(move |_| beside.state().with(|state| state.file.clone()));
    let file = Memo::new(move |_| {
        files.with(|files: &Vec<BothFile>| {
            let path = path.get();
            let named = files.iter().find(|file| Some(file.path()) == path.as_deref());
            named.or(files.first()).cloned()
        })
    });
    let source = move |is_own: bool| {
        let side = usize::from(is_own == beside.is_swapped());
        file.with(|file| file.as_ref()?.sources[side]).map(Question::Source)
    };
    let own_text = use_answer::<SourceText>(move || source(true));
    let other_text = beside.ask_other::<SourceText>(move || source(false));
    let costs = beside.ask_runs::<FileLines>(move || {
        let file = file.get()?;
        Some(file.paths.map(|path| path.map(|path| Question::Lines(LinesQuestion::Path(path)))))
    });
    let table = Memo::new(move |_| {
        let (Answer::Ready(runs), Some(file)) = (costs.answer.get(), file.get()) else { return None };
        let texts = [text(own_text)?, text(other_text)?];
        let [a, b] = if beside.is_swapped() { [&texts[1], &texts[0]] } else { [&texts[0], &texts[1]] };
        let pairs = rows.with_value(|rows| pairs_of_lines(rows, &file));
        let [a_runs, b_runs] = &runs[..] else { return None };
        Some(SourceTable::new([a.as_deref(), b.as_deref()], [a_runs, b_runs], &pairs))
    });
    // Without source locations it needs no placeholder.
    let is_there = Memo::new(move |_| files.with(|files| !files.is_empty()));
    move || {
        is_there.get().then(|| {
            view! {
                <Card title="Source: a column for each run" testid="compare-source" wide=true>
                    <FileChoice beside files file/>
                    {move || match (costs.answer.get(), table.get(), file.get()) {
                        (_, Some(table), Some(file)) => table_view(beside, file, table),
                        (Answer::Failed(error), ..) => view! { <p class="is-error" role="alert">{error.message}</p> }.into_any(),
                        _ => view! { <p class="quiet" role="status" aria-busy="true">"Loading the lines…"</p> }.into_any(),
                    }}
                </Card>
            }
        })
    }
}

/// Returns the text of a file; the outer `None` while loading, the inner one if it is unavailable.
fn text(query: PendingQuery<SourceText>) -> Option<Option<String>> {
    match query.answer.get() {
        Answer::Loading => None,
        Answer::Ready(source) => Some(Some(source.text)),
        Answer::None | Answer::Failed(_) => Some(None),
    }
}

#[component]
fn FileChoice(beside: Beside, files: Memo<Vec<BothFile>>, file: Memo<Option<BothFile>>) -> impl IntoView {
    let path = move || file.with(|file| file.as_ref().map(|file| file.path().to_owned()));
    let choose = move |event| {
        let file = Some(event_target_value(&event));
        beside.state().update(|state| state.file = file);
        beside.session.record_change(Change::Detail);
    };
    view! {
        <p>
            <select class="tool-input" aria-label="Source file" data-testid="compare-file-choice" on:change=choose>
                {move || files.get().into_iter().map(|file| {
                    let own = file.path().to_owned();
                    let value = own.clone();
                    view! { <option value=value prop:selected=move || path().as_deref() == Some(own.as_str())>{file.path().to_owned()}</option> }
                }).collect_view()}
            </select>
        </p>
    }
}

fn table_view(beside: Beside, file: BothFile, table: SourceTable) -> AnyView {
    let words = words(&file, &table);
    let SourceTable { only, a_runs, kinds, has_same_numbers, pieces, .. } = table;
    let runs = pieces.iter().find_map(|piece| match piece {
        Piece::Line(line) => line.times.first().map(|times| times.runs_ns.len()),
        Piece::Skipped(_) => None,
    });
    let Some(runs) = runs else {
        return view! { <p class="quiet">"No line of it takes time in any run."</p> }.into_any();
    };
    let width = |columns: &Columns| runs + usize::from(columns.has_ratio);
    let groups = kinds.iter().map(|columns| {
        view! { <th scope="colgroup" colspan=width(columns).to_string() class="cost-group">{columns.kind.title()}</th> }
    });
    let groups = groups.collect_view();
    let head = |run: usize| {
        let (letter, number) = if run < a_runs { ("A", run) } else { ("B", run - a_runs) };
        let short = if number == 0 { letter.to_owned() } else { format!("{letter}{}", number + 1) };
        (short, format!("{letter}, run {}", number + 1))
    };
    let heads = kinds.iter().map(|columns| {
        let runs = (0..runs).map(|run| {
            let (short, title) = head(run);
            view! { <th scope="col" class="cost" title=title>{short}</th> }
        });
        let runs = runs.collect_view();
        view! { {runs}{columns.has_ratio.then(|| view! { <th scope="col" class="cost">"Ratio"</th> })} }
    });
    let heads = heads.collect_view();
    let numbers: &[&str] = if has_same_numbers { &["Line"] } else { &["A", "B"] };
    let columns = kinds.iter().map(width).sum::<usize>() + numbers.len() + 1;
    let number_heads =
        numbers.iter().map(|head| view! { <th scope="col" class="line-head">{*head}</th> }).collect_view();
    let rest = (numbers.len() + 1).to_string();
    let lines = pieces.into_iter().map(|piece| match piece {
        Piece::Line(line) => line_view(beside, &file, line, &kinds, (has_same_numbers, only)),
        Piece::Skipped(count) => {
            let why = if only.is_some() { " without time" } else { ", the same on both sides" };
            let text = format::counted(count as u64, "line", "lines") + why;
            view! { <tr class="is-skipped"><td colspan=columns.to_string()>{text}</td></tr> }.into_any()
        }
    });
    let lines = lines.collect_view();
    view! {
        <p class="quiet" role="status" data-testid="compare-source-text">{words}</p>
        <div class="compare-source" tabindex="0" role="region" aria-label="Lines of both sides">
            <table class="source-lines" data-testid="compare-source-lines">
                <thead>
                    <tr>{groups}<td colspan=rest></td></tr>
                    <tr>
                        {heads}
                        {number_heads}
                        <th scope="col" class="text-head"><span class="visually-hidden">"Text"</span></th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn words(file: &BothFile, table: &SourceTable) -> String {
    let [a, b] = &file.paths;
    let text = match (file.sources, a, b) {
        (_, Some(_), None) => "Only A names this file.".to_owned(),
        (_, None, Some(_)) => "Only B names this file.".to_owned(),
        ([Some(_), Some(_)], ..) if table.is_same() => "The text is the same on both sides.".to_owned(),
        ([Some(_), Some(_)], ..) => {
            let counted = |count: usize, what: &str| {
                (count > 0).then(|| format!("{} {what}", format::counted(count as u64, "line", "lines")))
            };
            let parts = [counted(table.changed, "added, removed or changed"), counted(table.moved, "moved")];
            format!("The text differs: {}.", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
        _ => "The text is not in both recordings: lines are matched by the commands that they submit, otherwise by number.".to_owned(),
    };
    match (a, b) {
        (Some(a), Some(b)) if a != b => format!("{text} In A it is {a}."),
        _ => text,
    }
}

fn line_view(
    beside: Beside,
    file: &BothFile,
    line: SourceLine,
    kinds: &[Columns],
    (has_same_numbers, only): (bool, Option<usize>),
) -> AnyView {
    let SourceLine { both, text, before, times } = line;
    let (class, title) = match both.likeness {
        Likeness::Same => ("", None),
        Likeness::Moved => ("is-moved", Some("Moved".to_owned())),
        Likeness::Changed => ("is-changed", before.map(|before| format!("In A: {}", before.trim()))),
        Likeness::Alone if both.numbers[0].is_some() => ("is-removed", Some("Only in A".to_owned())),
        Likeness::Alone => ("is-added", Some("Only in B".to_owned())),
    };
    let cells = times.into_iter().zip(kinds).map(|(times, kind)| cells(times, *kind)).collect_view();
    let own = usize::from(untrack(|| beside.is_swapped()));
    // If both sides have the same numbers, one column shows them: the column of the side with links, or of the only
    // side.
    let numbers = (0..2).filter(|side| !has_same_numbers || *side == only.unwrap_or(own)).map(|side: usize| {
        let number = both.numbers[side];
        let path = file.paths[side].clone();
        match (number, path) {
            // Only the page's own trace has views to link to.
            (Some(number), Some(path)) if side == own => {
                let show = move |_| beside.session.go_to_line(path.clone(), number);
                view! {
                    <th scope="row" class="has-cost">
                        <button type="button" title="Show the line and its slices" on:click=show>{number}</button>
                    </th>
                }
                .into_any()
            }
            (number, _) => view! { <td class="line-number">{number}</td> }.into_any(),
        }
    });
    let numbers = numbers.collect_view();
    let sign = match both.likeness {
        Likeness::Same => "",
        Likeness::Moved => "moved ",
        Likeness::Changed => "changed ",
        Likeness::Alone if both.numbers[0].is_some() => "only in A ",
        Likeness::Alone => "only in B ",
    };
    view! {
        <tr class=class title=title>
            {cells}
            {numbers}
            <td class="source-code"><pre><span class="line-likeness">{sign}</span>{text}</pre></td>
        </tr>
    }
    .into_any()
}

fn cells(times: LineTimes, columns: Columns) -> AnyView {
    let LineTimes { runs_ns, ratio } = times;
    let cells = runs_ns.into_iter().map(|ns| match ns {
        None => view! { <td class="cost is-none">"–"</td> }.into_any(),
        Some(0) => view! { <td class="cost"></td> }.into_any(),
        Some(ns) => {
            let share = format!("{:.2}%", ns as f64 / columns.max_ns.max(1) as f64 * 100.0);
            view! { <td class=columns.kind.class() style:--share=share>{format::short_duration(ns as f64)}</td> }.into_any()
        }
    });
    let cells = cells.collect_view();
    let ratio = columns.has_ratio.then(|| view! { <td class="cost is-none">{ratio.map(ratio_words)}</td> });
    view! { {cells}{ratio} }.into_any()
}
