use syclscope_language::api::{ComparedEdge, ComparedGraph, ComparedNode};
use syclscope_language::question::CompareQuestion;

use super::beside::Beside;
use super::cards::Card;
use crate::format;
use crate::hooks::answer::Answer;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::views::compare::merged::{edge_class, edge_title, node_class, node_words, path};

const MAX_NODES: u32 = 40;
/// Distance of a row's neighbourhood, in edges.
const AROUND: u32 = 2;

#[component]
pub(super) fn Graph(beside: Beside) -> impl IntoView {
    let is_around = Memo::new(move |_| beside.state().with(|state| state.is_around));
    let around = Memo::new(move |_| if is_around.get() { beside.marked_row() } else { None });
    let query = beside.ask::<ComparedGraph>(move || {
        Some(CompareQuestion::Graph { around: around.get(), width: AROUND, limit: MAX_NODES })
    });
    let toggle = move |_| {
        beside.state().update(|state| state.is_around = !state.is_around);
        beside.session.record_change(Change::Detail);
    };
    move || {
        // It is below the table, so it needs no placeholder while loading or without commands.
        let Answer::Ready(graph) = query.answer.get() else { return ().into_any() };
        if graph.nodes.is_empty() {
            return ().into_any();
        }
        view! {
            <Card title="Task graph of both" testid="compare-graph" wide=true>
                <p class="quiet">
                    <button
                        type="button"
                        class="tool"
                        aria-pressed=move || is_around.get().to_string()
                        data-testid="compare-around"
                        on:click=toggle
                    >"Around the marked row"</button>
                    " "{summary(&graph)}
                </p>
                {picture(beside, graph)}
            </Card>
        }
        .into_any()
    }
}

fn summary(graph: &ComparedGraph) -> String {
    let count = |class: &str| graph.edges.iter().filter(|edge| edge_class(edge) == class).count() as u64;
    let arrows = [("is-added", "added"), ("is-removed", "removed"), ("is-changed", "changed")]
        .map(|(class, word)| format!("{} {word}", format::count(count(class))))
        .join(", ");
    let more = match (graph.more_nodes, graph.more_edges) {
        (0, 0) => String::new(),
        (nodes, edges) => format!(
            " Not drawn: {}, {}.",
            format::counted(nodes, "kind of command", "kinds of commands"),
            format::counted(edges, "dependence", "dependences")
        ),
    };
    format!("Commands of a row are one node. Arrows: {arrows}.{more}")
}

fn picture(beside: Beside, graph: ComparedGraph) -> AnyView {
    let ComparedGraph { nodes, edges, width, height, node_width, node_height, .. } = graph;
    let name = |place: u32| nodes.get(place as usize).map_or("", |node| node.name.as_str());
    let lines = edges.iter().map(|edge| line(edge, name(edge.source), name(edge.target))).collect_view();
    let nodes =
        nodes.into_iter().map(|node| node_box(beside, node, [node_width, node_height])).collect_view();
    view! {
        <div class="merged">
            <div class="merged-whole" style:width=format!("{width}px") style:height=format!("{height}px")>
                <svg width=width height=height aria-hidden="true">{lines}</svg>
                {nodes}
            </div>
        </div>
    }
    .into_any()
}

fn line(edge: &ComparedEdge, source: &str, target: &str) -> AnyView {
    view! {
        <path class=format!("merged-line {}", edge_class(edge)) d=path(&edge.points)>
            <title>{edge_title(edge, source, target)}</title>
        </path>
    }
    .into_any()
}

fn node_box(beside: Beside, node: ComparedNode, [width, height]: [i32; 2]) -> AnyView {
    let words = node_words(&node);
    let class = node_class(&node);
    let ComparedNode { row, name, a_node, b_node, x, y, .. } = node;
    let title = format!("{name}\n{words}");
    let is_selected = Memo::new(move |_| beside.marked_row() == Some(row));
    let pick = move |_| {
        let own = if untrack(|| beside.is_swapped()) { b_node } else { a_node };
        beside.pick_row(Some(row), own.map(Selection::Node));
    };
    view! {
        <button
            type="button"
            class=class
            class:is-selected=move || is_selected.get()
            aria-pressed=move || is_selected.get().to_string()
            style:left=format!("{}px", x - width / 2)
            style:top=format!("{}px", y - height / 2)
            style:width=format!("{width}px")
            style:height=format!("{height}px")
            title=title
            on:click=pick
        ><b>{beside.session.short_name(&name)}</b><span>{words}</span></button>
    }
    .into_any()
}
