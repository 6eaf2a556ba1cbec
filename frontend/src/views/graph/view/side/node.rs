//! The node at the cursor: facts, edges, members.

use syclscope_language::api::{GraphMember, GraphMembers, ViewNode};
use syclscope_language::question::{MembersQuestion, Question};

use crate::browser::hint;
use crate::components::facts::{Fact, Jump};
use crate::components::kernel_link::KernelLink;
use crate::components::states::show_answer;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::session::use_session;
use crate::views::graph::keys::Command;
use crate::views::graph::labels;
use crate::views::graph::model::{Model, group_name};
use crate::views::graph::state::GraphState;
use crate::views::graph::view::use_graph;

const PAGE: u64 = 50;

#[component]
pub(super) fn NodePanel() -> impl IntoView {
    let graph = use_graph();
    move || {
        let found = graph.signals.cursor.get().zip(graph.signals.model.get());
        let Some((number, model)) = found else {
            return view! {
                <p class="quiet">"No node selected. "{hint("Click one or press an arrow key in the drawing.", "Tap one in the drawing.")}</p>
            }
            .into_any();
        };
        let Some(node) = model.node(number).cloned() else { return ().into_any() };
        let before = neighbours(&model, model.incoming(number), true);
        let after = neighbours(&model, model.outgoing(number), false);
        view! {
            <Facts node=node.clone() name=labels::title(&model, &node).to_owned() device=model.device(&node).to_owned() place=labels::place(&model, &node)/>
            <Edges title="Waits for" edges=before/>
            <Edges title="Waited for by" edges=after/>
            {(node.count > 1).then(|| view! { <Members node/> })}
        }
        .into_any()
    }
}

#[component]
fn Facts(node: ViewNode, name: String, device: String, place: Option<String>) -> impl IntoView {
    let graph = use_graph();
    let run = move |command: Command| {
        graph.with(|controller| controller.command(command));
    };
    let ns = |value: u64| format::duration(value as f64);
    let critical = match (node.critical, node.count) {
        (0, _) => format!("{} of slack", ns(node.slack_ns)),
        (_, 1) => "on the critical path".to_owned(),
        (critical, count) => {
            format!("{} of {} on the critical path", format::count(critical), format::count(count))
        }
    };
    let is_group = node.count > 1;
    let [ran, queued] = [node.total_ns, node.delay_ns].map(|ns| labels::summed(&node, ns));
    view! {
        <h4 class="graph-node-name" data-testid="graph-node-name">{name.clone()}</h4>
        {labels::remark(&node).map(|remark| view! { <p class="quiet">{remark}</p> })}
        <dl class="facts">
            <Fact name="Kind">{labels::kind(node.kind)}</Fact>
            {is_group.then(|| view! { <Fact name="Commands">{format::count(node.count)}</Fact> })}
            {(!device.is_empty()).then(|| view! { <Fact name="Device">{device}</Fact> })}
            {node.queue.map(|queue| view! { <Fact name="Queue">{queue.to_string()}</Fact> })}
            {place.map(|place| view! { <Fact name="Source"><code>{place}</code></Fact> })}
            <Fact name="Device time">{ran}</Fact>
            {is_group.then(|| view! { <Fact name="Longest">{ns(node.max_ns)}</Fact> })}
            <Fact name="Queueing delay">{queued}</Fact>
            {(node.bytes > 0).then(|| view! { <Fact name="Bytes">{format::bytes(node.bytes as f64)}</Fact> })}
            {labels::direction(&node).map(|direction| view! { <Fact name="Direction">{direction}</Fact> })}
            <Fact name="Schedule">{critical}</Fact>
        </dl>
        <p class="graph-actions">
            <KernelLink name/>
            {is_group.then(|| view! {
                <button type="button" class="tool" data-testid="graph-unfold" on:click=move |_| run(Command::Open)>"Unfold"</button>
            })}
            {node.inside.is_some().then(|| view! {
                <button type="button" class="tool" data-testid="graph-fold" on:click=move |_| run(Command::Fold)>"Fold"</button>
            })}
            <button type="button" class="tool" on:click=move |_| run(Command::Around)>"Neighbourhood"</button>
            <button type="button" class="tool" data-testid="graph-to-timeline" on:click=move |_| run(Command::Timeline)>"Show in timeline"</button>
        </p>
    }
}

fn neighbours(model: &Model, edges: &[u32], is_incoming: bool) -> Vec<(u32, String, String)> {
    let edges = edges.iter().filter_map(|edge| model.edge(*edge));
    let other = |edge: &syclscope_language::api::ViewEdge| {
        let number = if is_incoming { edge.source } else { edge.target };
        let node = model.node(number)?;
        let name = format!("{} {}", labels::title(model, node), labels::times(node));
        Some((number, name.trim_end().to_owned(), labels::edge_words(edge)))
    };
    edges.filter_map(other).collect()
}

#[component]
fn Edges(title: &'static str, edges: Vec<(u32, String, String)>) -> impl IntoView {
    let graph = use_graph();
    let count = edges.len() as u64;
    let more = count.saturating_sub(PAGE);
    let lines = edges.into_iter().take(PAGE as usize).map(|(number, name, why)| {
        view! {
            <li>
                <button
                    type="button"
                    class="jump"
                    on:click=move |_| {
                        graph.with(|controller| {
                            controller.select_node(number);
                            controller.reveal(number);
                        });
                    }
                >{name}</button>
                <span class="quiet">{why}</span>
            </li>
        }
    });
    view! {
        <h4>{title}" "<span class="quiet">{format::count(count)}</span></h4>
        <ul class="graph-list">{lines.collect_view()}</ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> })}
    }
}

#[component]
fn Members(node: ViewNode) -> impl IntoView {
    let session = use_session();
    let from = RwSignal::new(0_u64);
    let query = use_answer::<GraphMembers>(move || {
        let (level, component) = session.slot::<GraphState>().with(|state| (state.level, state.component));
        let group = group_name(&node);
        Some(Question::GraphMembers(MembersQuestion {
            level,
            group,
            component,
            from: from.get(),
            count: Some(PAGE),
        }))
    });
    let show = move |answer: GraphMembers| {
        let GraphMembers { count, from: first, members } = answer;
        let last = first + members.len() as u64;
        let (is_first, is_last) = (first == 0, last >= count);
        let range =
            format!("{} to {} of {}", format::count(first + 1), format::count(last), format::count(count));
        view! {
            <p class="graph-actions">
                <button type="button" class="tool" aria-label="Earlier commands" disabled=is_first on:click=move |_| from.set(first.saturating_sub(PAGE))>"‹"</button>
                <span class="quiet" data-testid="graph-members">{range}</span>
                <button type="button" class="tool" aria-label="Later commands" disabled=is_last on:click=move |_| from.set(last)>"›"</button>
            </p>
            <ul class="graph-list">{members.into_iter().map(member).collect_view()}</ul>
        }
    };
    view! {
        <h4>"Commands"</h4>
        {show_answer(query, "commands", show)}
    }
}

fn member(member: GraphMember) -> impl IntoView {
    let GraphMember { node, begin_ns, duration_ns, slack_ns, is_critical, .. } = member;
    let name = format!("{} at {}", node.node, format::moment(begin_ns as f64));
    let facts = if is_critical {
        "critical".to_owned()
    } else {
        format!("slack {}", format::duration(slack_ns as f64))
    };
    view! {
        <li>
            {match node.at {
                Some(at) => view! { <Jump at text=name/> }.into_any(),
                None => view! { <span>{name}</span> }.into_any(),
            }}
            <span class="quiet">{format!("{} · {facts}", format::duration(duration_ns as f64))}</span>
        </li>
    }
}
