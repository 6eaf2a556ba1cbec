//! Filters of edges and of node kinds.

use syclscope_language::event::{EdgeReason, NodeKind};

use super::super::use_graph;
use crate::canvas::palette::reason_colour;
use crate::components::theme::use_scheme;
use crate::components::toolbar::ToolMenu;
use crate::format;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::{use_session, with_key};
use crate::state::words;
use crate::views::graph::ID;
use crate::views::graph::labels;
use crate::views::graph::question::LIMITS;
use crate::views::graph::state::{GraphState, RedundantEdges};
use syclscope_language::sorting::Sorting as _;

#[component]
pub(super) fn Edges() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let without =
        Memo::new(move |_| session.slot::<GraphState>().with(|state| state.without_reasons.clone()));
    let treatment = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.redundant));
    let has_order = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.has_order));
    let scheme = use_scheme();
    let reasons = Memo::new(move |_| {
        graph
            .signals
            .model
            .with(|model| model.as_ref().map(|model| model.reasons.clone()).unwrap_or_default())
    });
    let toggle = move |reason: EdgeReason| {
        graph.with(|controller| {
            controller.change(Change::Detail, |state| {
                let list = &mut state.without_reasons;
                match list.iter().position(|other| *other == reason) {
                    Some(place) => {
                        list.remove(place);
                    }
                    None => list.push(reason),
                }
            });
        });
    };
    let lines = move || {
        let lines = reasons.get().into_iter().map(|(reason, count)| {
            view! {
                <label>
                    <input
                        type="checkbox"
                        data-testid=format!("reason-{}", reason.as_str())
                        prop:checked=move || without.with(|without| !without.contains(&reason))
                        on:change=move |_| toggle(reason)
                    />
                    <span class="chip" style:background-color=move || reason_colour(scheme.get(), reason).css()></span>
                    {words::edge_reason(reason)}
                    <span class="quiet graph-menu-count">{format::count(count)}</span>
                </label>
            }
        });
        lines.collect_view()
    };
    let redundant =
        move || graph.signals.model.with(|model| model.as_ref().map_or(0, |model| model.redundant));
    let treatments = RedundantEdges::ALL.map(|one| {
        let text = match one {
            RedundantEdges::Show => "Show redundant edges",
            RedundantEdges::Mark => "Dim redundant edges",
            RedundantEdges::Hide => "Hide redundant edges (R)",
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="graph-redundant"
                    data-testid=format!("redundant-{}", one.as_str())
                    prop:checked=move || treatment.get() == one
                    on:change=move |_| {
                        graph.with(|controller| controller.change(Change::Detail, |state| state.redundant = one));
                    }
                />
                {with_key("graph.redundant", text)}
            </label>
        }
    });
    view! {
        <ToolMenu
            view=ID
            text=Signal::derive(move || {
                let text = if without.with(Vec::is_empty) { "Edges" } else { "Edges (some)" };
                text.to_owned()
            })
            title="Select which edges to draw"
            testid="graph-edges"
            class="tool-menu is-left"
        >
                {lines}
                <hr/>
                {treatments.collect_view()}
                {move || (treatment.get() != RedundantEdges::Show).then(|| view! {
                    <span class="quiet" data-testid="graph-redundant">{format::counted(redundant(), "redundant edge", "redundant edges")}</span>
                })}
                <hr/>
                <label title="Add edges implied by in-order queues but not recorded">
                    <input
                        type="checkbox"
                        data-testid="graph-order"
                        prop:checked=move || has_order.get()
                        on:change=move |_| {
                            graph.with(|controller| controller.redraw(|state| state.has_order ^= true));
                        }
                    />
                    "Implied by in-order queues"
                </label>
        </ToolMenu>
    }
}

#[component]
pub(super) fn Kinds() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let chosen = Memo::new(move |_| session.slot::<GraphState>().with(|state| state.kinds.clone()));
    let all_kinds = Memo::new(move |_| {
        let all_kinds = graph.signals.kinds.get();
        if all_kinds.is_empty() { NodeKind::ALL.iter().map(|kind| (*kind, 0)).collect() } else { all_kinds }
    });
    let toggle = move |kind: NodeKind| {
        let all: Vec<NodeKind> =
            all_kinds.with_untracked(|all_kinds| all_kinds.iter().map(|(kind, _)| *kind).collect());
        graph.with(|controller| {
            controller.redraw(|state| {
                let mut kinds = if state.kinds.is_empty() { all.clone() } else { state.kinds.clone() };
                match kinds.iter().position(|other| *other == kind) {
                    Some(place) => {
                        kinds.remove(place);
                    }
                    None => kinds.push(kind),
                }
                // All selected, or none, is the same as no filter.
                state.kinds = if all.iter().all(|kind| kinds.contains(kind)) { Vec::new() } else { kinds };
            });
        });
    };
    let lines = move || {
        let lines = all_kinds.get().into_iter().map(|(kind, count)| {
            view! {
                <label>
                    <input
                        type="checkbox"
                        data-testid=format!("kind-{}", kind.as_str())
                        prop:checked=move || chosen.with(|chosen| chosen.is_empty() || chosen.contains(&kind))
                        on:change=move |_| toggle(kind)
                    />
                    <span class="graph-letter">{labels::letter(kind)}</span>
                    {labels::kind(kind)}
                    {(count > 0).then(|| view! { <span class="quiet graph-menu-count">{format::count(count)}</span> })}
                </label>
            }
        });
        lines.collect_view()
    };
    let limit =
        Memo::new(move |_| session.slot::<GraphState>().with(|state| state.limit.unwrap_or(LIMITS[0])));
    let mut limits = LIMITS;
    limits.arrange();
    let limits = limits.map(|one| {
        view! {
            <option value=one.to_string() prop:selected=move || limit.get() == one>
                {format!("≤ {} nodes", format::count(one.into()))}
            </option>
        }
    });
    view! {
        <ToolMenu
            view=ID
            text=Signal::derive(move || {
                let text = if chosen.with(Vec::is_empty) { "Nodes" } else { "Nodes (some)" };
                text.to_owned()
            })
            title="Select which nodes to draw"
            testid="graph-kinds"
            class="tool-menu is-left"
        >
                {lines}
                <hr/>
                <select
                    class="tool-input"
                    data-testid="graph-limit"
                    aria-label="Maximum number of nodes"
                    on:change=move |event| {
                        let chosen = event_target_value(&event).parse().ok().filter(|limit| *limit != LIMITS[0]);
                        graph.with(|controller| controller.redraw(|state| state.limit = chosen));
                    }
                >{limits.collect_view()}</select>
        </ToolMenu>
    }
}
