//! Cards of a comparison: metrics, settings, loops, dependences, memory.

use syclscope_language::api::{
    ComparedEdges, ComparedLoop, ComparedMemory, ComparedRow, FactDifference, FigureChange, LocationInfo,
};

use crate::components::facts::PlaceLink;
use crate::format;
use crate::reactive::*;
use crate::state::words::{self, edge_reason, short_place};
use crate::views::compare::lines::{HEADS, Line, by_line};
use crate::views::compare::merged::reason_words;
use crate::views::compare::words::{change, figure_change, figures_of};

const MAX_ROWS: usize = 40;
/// Number of conditions that are shown without a press.
const MAX_OPEN: usize = 6;

/// A card with a title; `wide` ones take the whole row.
#[component]
pub(super) fn Card(
    title: &'static str,
    testid: &'static str,
    #[prop(optional)] wide: bool,
    children: Children,
) -> impl IntoView {
    view! {
        <section class="card" class:is-wide=wide data-testid=testid aria-label=title>
            <h3>{title}</h3>
            {children()}
        </section>
    }
}

#[component]
pub(super) fn LineLink(location: Option<LocationInfo>) -> impl IntoView {
    location.filter(|location| !location.file.is_empty()).map(|location| view! { <PlaceLink location/> })
}

type Row = (AnyView, Vec<String>);

/// Returns a card with a table; `None` without lines.
fn table_card(
    [title, testid]: [&'static str; 2],
    heads: &[&'static str],
    lines: Vec<Row>,
) -> Option<AnyView> {
    (!lines.is_empty()).then(|| {
        let table = table(heads, lines, 0);
        view! { <Card title testid wide=true>{table}</Card> }.into_any()
    })
}

/// Returns a table of the first [`MAX_ROWS`] lines, with the number of the others; `more` is the number of lines that
/// were not loaded.
fn table(heads: &[&'static str], lines: Vec<Row>, more: u64) -> AnyView {
    let more = more + lines.len().saturating_sub(MAX_ROWS) as u64;
    let heads = heads.iter().map(|head| view! { <th scope="col" class="number">{*head}</th> }).collect_view();
    let rows = lines.into_iter().take(MAX_ROWS).map(|(name, cells)| {
        let cells = cells.into_iter().map(|text| view! { <td class="number">{text}</td> }).collect_view();
        view! { <tr><th scope="row">{name}</th>{cells}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <table class="mini has-heads">
            <thead><tr><td></td>{heads}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> })}
    }
    .into_any()
}

/// Lists environment differences, each of which may explain different times. Differences after the first [`MAX_OPEN`]
/// are folded.
pub(super) fn differences(facts: Vec<FactDifference>) -> Option<AnyView> {
    let lines = facts.into_iter().map(|one| {
        let name = one.words().into_any();
        let value = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        (name, vec![value(one.a), value(one.b)])
    });
    let mut lines: Vec<Row> = lines.collect();
    let folded = lines.split_off(lines.len().min(MAX_OPEN));
    (!lines.is_empty()).then(|| {
        let heads = ["A", "B"];
        let more = (!folded.is_empty()).then(|| {
            let text = format!("and {} more", format::count(folded.len() as u64));
            view! { <details><summary class="quiet">{text}</summary>{table(&heads, folded, 0)}</details> }
        });
        let table = table(&heads, lines, 0);
        view! { <Card title="Different conditions" testid="compare-differences" wide=true>{table}{more}</Card> }
            .into_any()
    })
}

pub(super) fn figures(figures: Vec<FigureChange>) -> Option<AnyView> {
    let lines = figures.into_iter().filter(FigureChange::is_changed).map(|one| {
        let cells = vec![figures_of(&one.a, one.unit), figures_of(&one.b, one.unit), figure_change(&one)];
        (one.words().into_any(), cells)
    });
    table_card(["Metrics that differ", "compare-figures"], &["A", "B", "Change"], lines.collect())
}

pub(super) fn lines(rows: &[ComparedRow], is_swapped: bool) -> Option<AnyView> {
    let lines = by_line(rows).into_iter().map(|line| {
        let times = format::durations([line.a_ns as f64, line.b_ns as f64]);
        let by = change(line.b_ns as i64 - line.a_ns as i64);
        (line_name(line, is_swapped), times.into_iter().chain([by]).collect())
    });
    table_card(["Source lines", "compare-lines"], &HEADS, lines.collect())
}

/// Returns a link to the line in the page's own trace, and the place in the other one where it differs.
fn line_name(line: Line, is_swapped: bool) -> AnyView {
    let [a, b] = line.places();
    let (own, other, side) = if is_swapped { (b, a, "A") } else { (a, b, "B") };
    let own_text = own.as_ref().map(short_place);
    let other = other.filter(|other| own_text.as_ref() != Some(&short_place(other)));
    let other = other.map(|other| {
        view! { <span class="quiet">{format!(" in {side}: {}", words::place(&other))}</span> }
    });
    view! { {own.map(|location| view! { <PlaceLink location/> })}{other} }.into_any()
}

pub(super) fn loops(loops: Vec<ComparedLoop>) -> Option<AnyView> {
    let lines = loops.into_iter().map(|one| {
        let name = view! { {one.name}" "<LineLink location=one.location/> }.into_any();
        (name, [one.a_rounds, one.b_rounds, one.times].map(format::count).to_vec())
    });
    table_card(
        ["Loops that differ", "compare-loops"],
        &["Rounds in A", "Rounds in B", "Times"],
        lines.collect(),
    )
}

pub(super) fn edges(edges: Vec<ComparedEdges>) -> Option<AnyView> {
    let lines = edges.into_iter().map(|one| {
        let (source, target) = one.names;
        let became = reason_words(one.presence, edge_reason(one.reason), one.new_reason.map(edge_reason));
        (format!("{source} → {target}").into_any(), vec![became, format::count(one.count)])
    });
    table_card(["Dependences that differ", "compare-edges"], &["Change", "Count"], lines.collect())
}

pub(super) fn memory(memory: Vec<ComparedMemory>) -> Option<AnyView> {
    let lines = memory.into_iter().map(|one| {
        let mut cells = allocated(&one);
        cells.push(pair(one.a_peak_bytes, one.b_peak_bytes, bytes));
        cells.push(pair(one.a_unreleased_bytes, one.b_unreleased_bytes, bytes));
        (place(one.location), cells)
    });
    let heads = ["Kind", "Allocations", "Bytes", "At the peak", "Never released"];
    table_card(["Memory that differs", "compare-memory"], &heads, lines.collect())
}

pub(super) fn live_places(memory: Vec<ComparedMemory>, more: u64) -> Option<AnyView> {
    let lines = memory.into_iter().map(|one| {
        let cells = allocated(&one);
        (place(one.location), cells)
    });
    let lines: Vec<Row> = lines.collect();
    (!lines.is_empty()).then(|| table(&["Kind", "Allocations", "Bytes"], lines, more))
}

fn allocated(one: &ComparedMemory) -> Vec<String> {
    let kind = one.kind.as_str().to_owned();
    vec![kind, pair(one.a_count, one.b_count, format::count), pair(one.a_bytes, one.b_bytes, bytes)]
}

fn pair(a: u64, b: u64, form: fn(u64) -> String) -> String {
    format!("{} → {}", form(a), form(b))
}

fn bytes(size: u64) -> String {
    format::bytes(size as f64)
}

fn place(location: Option<LocationInfo>) -> AnyView {
    match location {
        Some(location) if !location.file.is_empty() => view! { <PlaceLink location/> }.into_any(),
        location => location.as_ref().map_or_else(|| "no known place".to_owned(), short_place).into_any(),
    }
}
