//! A comparison on screen: its sides, caveats, and the result, from the whole to its parts.

use syclscope_language::api::{ComparedSide, Comparison, ComparisonNote};

use super::beside::Beside;
use super::calls::Calls;
use super::cards::{Card, differences, edges, figures, lines, loops, memory};
use super::commands::Commands;
use super::graph::Graph;
use super::live::Live;
use super::part::PartChoice;
use super::selected::{Counterparts, Pairs, ask_pairs};
use super::source::Source;
use super::timelines::Timelines;
use super::waterfall::Waterfall;
use crate::components::links::PageLink;
use crate::components::prose::prose;
use crate::components::view_body::ViewBody;
use crate::format;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::with_key;
use crate::views::compare::ID;
use crate::views::compare::words::sentence;

#[component]
pub(super) fn Bar(beside: Beside) -> impl IntoView {
    let filter = Memo::new(move |_| beside.state().with(|state| state.filter.clone()));
    view! {
        <div class="view-bar">
            <button
                type="button"
                class="tool"
                title=with_key("compare.swap", "Swap the sides: before and now (X)")
                aria-pressed=move || beside.is_swapped().to_string()
                data-testid="compare-swap"
                on:click=move |_| beside.swap()
            >"Swap A and B"</button>
            <button
                type="button"
                class="tool"
                title=with_key("compare.other", "Choose another trace to compare with (O)")
                data-testid="compare-other"
                on:click=move |_| beside.leave()
            >"Other trace…"</button>
            <input
                type="search"
                class="field"
                placeholder="Filter commands"
                aria-label="Filter the compared commands"
                data-testid="compare-filter"
                prop:value=move || filter.get()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    beside.state().update(|state| state.filter = text);
                    beside.session.record_change(Change::Detail);
                }
            />
            <PartChoice beside/>
            <Counterparts beside/>
        </div>
    }
}

#[component]
pub(super) fn Compared(beside: Beside, comparison: Comparison) -> impl IntoView {
    let duration = comparison.duration.clone();
    let of_part = match comparison.part.as_str() {
        "" => String::new(),
        part => format!(" ({part})"),
    };
    let mut facts = vec![format!("Verdict{of_part}: {}.", duration.verdict.as_str())];
    if let (Some(low), Some(high)) = (duration.low, duration.high) {
        facts.push(format!("In 95 of 100 cases the ratio is between {low:.3} and {high:.3}."));
    }
    facts.push(format!("{} on both sides.", format::counted(comparison.matched, "command", "commands")));
    if comparison.a.runs.max(comparison.b.runs) > 1 {
        let [a, b] = [comparison.a.runs, comparison.b.runs].map(|runs| format::count(runs.into()));
        facts.push(format!("Statistics of {a} and {b} runs; commands are those of the two named runs."));
    }
    facts.extend(comparison.iterations.map(|found| found.message));
    let (a_ns, b_ns) = (comparison.a.duration_ns, comparison.b.duration_ns);
    let own = if untrack(|| beside.is_swapped()) { "B" } else { "A" };
    let sides = [("A", "before", comparison.a), ("B", "now", comparison.b)].map(|(letter, when, side)| {
        let ComparedSide { name, duration_ns, commands, .. } = side;
        let is_own = letter == own;
        let title =
            if is_own { format!("{letter}, {when}: this trace") } else { format!("{letter}, {when}") };
        let name = match beside.mirrored().filter(|_| !is_own) {
            Some(href) => view! { <PageLink href class="jump">{name}</PageLink> }.into_any(),
            None => view! { <code>{name}</code> }.into_any(),
        };
        let numbers = format!(
            "{} · {}",
            format::duration(duration_ns as f64),
            format::counted(commands, "command", "commands")
        );
        view! { <dt>{title}</dt><dd>{name}" "<span class="quiet">{numbers}</span></dd> }
    });
    let pairs = ask_pairs(beside);
    let Comparison { notes, differences: facts_that_differ, waterfall, rows, more_rows, .. } = comparison;
    let by_line = lines(&rows, untrack(|| beside.is_swapped()));
    let submitted = StoredValue::new(rows.clone());
    view! {
        <ViewBody view=ID label="Comparison" testid="compare-body">
            <div class="cards" data-testid="compare-result">
                <Card title="Verdict" testid="compare-verdict" wide=true>
                    {notes_of(notes)}
                    <p class="big">{prose(&sentence(&duration))}</p>
                    <p data-testid="compare-facts">{prose(&facts.join(" "))}</p>
                    <dl class="in-short">{sides.collect_view()}</dl>
                </Card>
                <Waterfall beside a_ns b_ns parts=waterfall rows=submitted/>
                {differences(facts_that_differ)}
            </div>
            <Commands beside rows more_rows/>
            <div class="cards">
                // The details of a selection are below the timelines, in which the user selects.
                <Timelines beside pairs/>
                <Pairs beside query=pairs/>
                <Graph beside/>
                {by_line}
                <Source beside rows=submitted/>
                {figures(comparison.figures)}
                {loops(comparison.loops)}
                {edges(comparison.edges)}
                {memory(comparison.memory)}
                <Live beside/>
                <Calls beside/>
            </div>
        </ViewBody>
    }
}

fn notes_of(notes: Vec<ComparisonNote>) -> Option<AnyView> {
    let lines = notes.iter().map(|note| {
        let class = if note.is_severe { "finding severity-error" } else { "finding severity-loss" };
        view! { <li class=class>{prose(&note.message)}</li> }
    });
    let lines = lines.collect_view();
    (!notes.is_empty()).then(|| {
        let role = notes.iter().any(|note| note.is_severe).then_some("alert");
        view! { <ul class="findings" role=role data-testid="compare-notes">{lines}</ul> }.into_any()
    })
}
