use syclscope_language::api::{GraphComponent, GraphComponents};
use syclscope_language::question::Question;

use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::views::graph::labels;
use crate::views::graph::state::GraphState;
use crate::views::graph::view::use_graph;

#[component]
pub(super) fn Components() -> impl IntoView {
    let query = use_answer::<GraphComponents>(|| Some(Question::Components));
    show_answer(query, "components", |answer: GraphComponents| {
        let GraphComponents { count, single, components, left_out } = answer;
        let intro = format!(
            "{}, {} with a single command. Select one to show only it.",
            format::counted(count, "component", "components"),
            format::count(single)
        );
        let more = (left_out > 0).then(|| {
            view! { <p class="quiet">{format!("and {}", format::counted(left_out, "smaller one", "smaller ones"))}</p> }
        });
        view! {
            <p class="quiet">{intro}</p>
            <ul class="graph-list">{components.into_iter().map(|one| view! { <Component one/> }).collect_view()}</ul>
            {more}
        }
    })
}

#[component]
fn Component(one: GraphComponent) -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let GraphComponent { node, nodes, edges, total_ns, bytes, kinds, .. } = one;
    let is_selected =
        Memo::new(move |_| session.slot::<GraphState>().with(|state| state.component == Some(node)));
    let mut facts = vec![format::counted(edges, "edge", "edges")];
    if total_ns > 0 {
        facts.push(format::duration(total_ns as f64));
    }
    if bytes > 0 {
        facts.push(format::bytes(bytes as f64));
    }
    let kinds: Vec<String> =
        kinds.iter().take(4).map(|(kind, count)| labels::counted(*kind, *count)).collect();
    view! {
        <li>
            <button
                type="button"
                class="jump"
                data-testid="component"
                aria-pressed=move || is_selected.get().to_string()
                on:click=move |_| {
                    let component = (!is_selected.get_untracked()).then_some(node);
                    graph.with(|controller| controller.redraw(|state| {
                        state.component = component;
                        state.open.clear();
                    }));
                }
            >{format::counted(nodes, "command", "commands")}</button>
            <span class="quiet">{facts.join(" · ")}</span>
            <span class="quiet graph-list-line">{kinds.join(", ")}</span>
        </li>
    }
}
