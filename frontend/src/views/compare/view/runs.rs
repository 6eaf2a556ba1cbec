//! Further runs of each side: traces of the server, or local files. The shown run of a side does not change.

use syclscope_language::api::ListedTrace;

use super::beside::Beside;
use super::choose::{TraceList, cells};
use crate::components::choose_file::ChooseFile;
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::reactive::*;
use crate::views::compare::state::Other;

#[component]
pub(super) fn Runs(beside: Beside) -> impl IntoView {
    let other = untrack(|| beside.state().with(|state| state.other.clone()));
    if !matches!((other, beside.session.home()), (Some(Other::Trace(_)), Some(TraceSource::Server(_)))) {
        return view! { <Files beside/> }.into_any();
    }
    let is_open = RwSignal::new(false);
    let counts = move || {
        let [a, b] =
            [0, 1].map(|side| beside.state().with(|state| state.more[place(beside, side)].len() as u64 + 1));
        format!("{} of A, {} of B", format::counted(a, "run", "runs"), format::count(b))
    };
    view! {
        <details class="compare-runs" data-testid="compare-runs" on:toggle=move |_| is_open.update(|is_open| *is_open = !*is_open)>
            <summary>{counts}</summary>
            {move || is_open.get().then(|| view! {
                <p class="quiet">
                    "Five runs of each side tell a change from chance. Choose further runs of A and of B; what is shown of them stays."
                </p>
                <TraceList beside line=line/>
            })}
        </details>
    }
    .into_any()
}

#[component]
fn Files(beside: Beside) -> impl IntoView {
    let names = move |side: usize| beside.run_names(place(beside, side));
    let counts = move || {
        let [a, b] = [0, 1].map(|side| names(side).len() as u64 + 1);
        format!("{} of A, {} of B", format::counted(a, "run", "runs"), format::count(b))
    };
    let choosers = [
        (0, "Add runs to A", "compare-more-a", "compare-input-a"),
        (1, "Add runs to B", "compare-more-b", "compare-input-b"),
    ];
    let choosers = choosers.map(|(side, label, testid, input_testid)| {
        let take = Callback::new(move |files| beside.add_runs(untrack(|| place(beside, side)), files));
        view! {
            <p class="compare-files">
                <ChooseFile label testid input_testid take several=true/>
                " "{move || names(side).join(", ")}
            </p>
        }
    });
    let has_some = move || (0..2).any(|side| !names(side).is_empty());
    view! {
        <details class="compare-runs" data-testid="compare-runs">
            <summary>{counts}</summary>
            <p class="quiet">
                "Five runs of each side tell a change from chance. Choose further recordings of A and of B; what is shown of them \
                 stays. They stay on this computer, and no link holds them."
            </p>
            {choosers.collect_view()}
            {move || has_some().then(|| view! {
                <p><button
                    type="button"
                    class="button"
                    data-testid="compare-forget-runs"
                    on:click=move |_| beside.forget_runs()
                >"One run each again"</button></p>
            })}
        </details>
    }
}

/// Returns the index of a side's runs in the state: the page's own side is first.
fn place(beside: Beside, side: usize) -> usize {
    if beside.is_swapped() { 1 - side } else { side }
}

fn line(beside: Beside, trace: ListedTrace) -> AnyView {
    let is_shown = untrack(|| {
        beside.state().with(|state| matches!(&state.other, Some(Other::Trace(other)) if *other == trace.id))
    });
    let buttons = [(0, "A"), (1, "B")].map(|(side, letter)| {
        let id = StoredValue::new(trace.id.clone());
        let is_run = move || {
            let place = place(beside, side);
            id.with_value(|id| beside.state().with(|state| state.more[place].contains(id)))
        };
        let toggle = move |_| {
            let place = untrack(|| place(beside, side));
            beside.toggle_run(place, id.get_value());
        };
        view! {
            <button
                type="button"
                class="tool"
                aria-label=format!("A run of {letter}: {}", trace.name)
                aria-pressed=move || is_run().to_string()
                on:click=toggle
            >{letter}</button>
        }
    });
    let buttons = if is_shown { "shown".into_any() } else { buttons.collect_view().into_any() };
    view! { <tr><th scope="row">{trace.name.clone()}" "{buttons}</th>{cells(&trace)}</tr> }.into_any()
}
