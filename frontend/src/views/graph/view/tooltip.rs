use super::signals::Hovered;
use super::use_graph;
use crate::format;
use crate::reactive::*;
use crate::stage::tooltip::Bubble;
use crate::views::graph::labels;
use crate::views::graph::model::Model;

#[component]
pub(super) fn Tooltip() -> impl IntoView {
    let graph = use_graph();
    move || {
        let hover = graph.signals.hover.get()?;
        let model = graph.signals.model.get()?;
        let content = match hover.what {
            Hovered::Node(number) => node(&model, number).into_any(),
            Hovered::Edge(number) => edge(&model, number).into_any(),
        };
        Some(view! { <Bubble at=hover.at testid="graph-tooltip">{content}</Bubble> })
    }
}

fn node(model: &Model, number: u32) -> Option<impl IntoView + use<>> {
    let node = model.node(number)?;
    let mut facts = vec![labels::kind(node.kind).to_owned()];
    facts.extend(Some(labels::times(node)).filter(|times| !times.is_empty()));
    facts.extend(labels::figures(node));
    let within = labels::within(model, node).map(str::to_owned);
    let mut lines: Vec<String> = within.into_iter().chain(labels::direction(node)).collect();
    if node.count > 1 && node.total_ns > 0 {
        // No mean, because the number of commands with a device time is unknown.
        lines.push(format!("summed, max {}", format::duration(node.max_ns as f64)));
    }
    if node.delay_ns > 0 {
        lines.push(format!("queueing delay {}", labels::summed(node, node.delay_ns)));
    }
    lines.push(match (node.critical, node.slack_ns) {
        (0, slack_ns) => format!("{} of slack", format::duration(slack_ns as f64)),
        (critical, _) if node.count > 1 => {
            format!("{} of {} on the critical path", format::count(critical), format::count(node.count))
        }
        _ => "on the critical path".to_owned(),
    });
    let mut rounds = Vec::new();
    let mut at = node.in_loop;
    while let Some(found) = at.and_then(|at| model.view.loops.get(at as usize)) {
        rounds.push(format::count(found.times));
        at = found.parent.filter(|_| rounds.len() < 16);
    }
    if !rounds.is_empty() {
        rounds.reverse();
        lines.push(format!("loop iterations: {}", rounds.join(" × ")));
    }
    let device = model.device(node).to_owned();
    let queue = node.queue.map(|queue| format!("queue {queue}"));
    let where_to: Vec<String> = Some(device)
        .filter(|device| !device.is_empty())
        .into_iter()
        .chain(queue)
        .chain(labels::place(model, node))
        .collect();
    lines.push(where_to.join(" · "));
    lines.extend(labels::remark(node).map(str::to_owned));
    if node.hidden_edges > 0 {
        lines.push(format!("{} to nodes not shown", format::counted(node.hidden_edges, "edge", "edges")));
    }
    let lines = lines
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| view! { <div class="quiet">{line}</div> });
    Some(view! {
        <div class="tooltip-title"><span>{labels::title(model, node).to_owned()}</span></div>
        <div class="tooltip-facts"><b>{facts.join(" · ")}</b></div>
        {lines.collect_view()}
    })
}

fn edge(model: &Model, number: u32) -> Option<impl IntoView + use<>> {
    let edge = model.edge(number)?;
    let (source, target) = (model.node(edge.source)?, model.node(edge.target)?);
    let ends = format!("{} → {}", labels::title(model, source), labels::title(model, target));
    let critical = (edge.critical > 0).then(|| view! { <div class="quiet">"on the critical path"</div> });
    Some(view! {
        <div class="tooltip-title"><span>{ends}</span></div>
        <div class="tooltip-facts"><b>{labels::edge_words(edge)}</b></div>
        {critical}
    })
}
