use syclscope_language::api::{ComparedRow, WaterfallPart};

use super::beside::Beside;
use super::cards::Card;
use crate::components::facts::LineLink;
use crate::format;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::words::short_place;
use crate::views::compare::steps::{Step, own_location, steps};
use crate::views::compare::words::change;

/// Maximum number of steps before the rest is summed.
const MAX_STEPS: usize = 14;

#[component]
pub(super) fn Waterfall(
    beside: Beside,
    a_ns: u64,
    b_ns: u64,
    parts: Vec<WaterfallPart>,
    rows: StoredValue<Vec<ComparedRow>>,
) -> impl IntoView {
    let steps = steps(&parts, MAX_STEPS);
    if steps.is_empty() {
        return ().into_any();
    }
    let [a, b] = format::durations([a_ns as f64, b_ns as f64]);
    let lines = steps.into_iter().map(|step| line(beside, step, rows)).collect_view();
    let sum = |name: &'static str, text: String| {
        view! { <tr class="is-sum"><th scope="row">{name}</th><td class="number">{text}</td><td></td></tr> }
    };
    view! {
        <Card title="Why: from A's time to B's, by what decided it" testid="compare-waterfall" wide=true>
            <table class="mini">
                <caption class="visually-hidden">"Parts of the run's time that grew or shrank"</caption>
                <tbody>{sum("A", a)}{lines}{sum("B", b)}</tbody>
            </table>
        </Card>
    }
    .into_any()
}

fn line(beside: Beside, step: Step, rows: StoredValue<Vec<ComparedRow>>) -> AnyView {
    let Step { title, change_ns, left, width, part } = step;
    let own = usize::from(untrack(|| beside.is_swapped()));
    let location = part.as_ref().and_then(|part| rows.with_value(|rows| own_location(part, rows, own)));
    // Only the page's own trace has views to link to.
    let other = part.as_ref().filter(|_| location.is_none()).and_then(|part| part.location.as_ref());
    let other = other.map(|other| {
        view! { <span class="quiet">{format!("in {}: {}", ["B", "A"][own], short_place(other))}</span> }
    });
    let numbers = part.as_ref().map(|part| {
        let [a, b] = format::durations([part.a_ns as f64, part.b_ns as f64]);
        let steps = |count| format::counted(count, "step", "steps");
        format!("{title}\nA: {a} in {}\nB: {b} in {}", steps(part.a_count), steps(part.b_count))
    });
    // The part's longest command in this trace.
    let node = part.as_ref().and_then(|part| [&part.a_nodes, &part.b_nodes][own].first().copied());
    let row = part.and_then(|part| part.row);
    let name = match (node, row) {
        (None, None) => view! { {title} }.into_any(),
        _ => {
            let pick = move |_| beside.pick_row(row, node.map(Selection::Node));
            view! { <button type="button" class="name-button" on:click=pick><span>{title}</span></button> }
                .into_any()
        }
    };
    let class = if change_ns > 0 { "step-bar is-slower" } else { "step-bar is-faster" };
    view! {
        <tr title=numbers>
            <th scope="row">{name}" "<LineLink location/>{other}</th>
            <td class="number">{change(change_ns)}</td>
            <td class="step-cell" aria-hidden="true">
                <span class=class style:left=format!("{:.2}%", left * 100.0) style:width=format!("{:.2}%", width * 100.0)></span>
            </td>
        </tr>
    }
    .into_any()
}
