//! A command's nodes in command graphs, and the commands of a graph's run.

use syclscope_language::api::{GraphCommandDetail, GraphRunDetail, NodeRef, PartitionDetail};

use crate::components::category::kind_name;
use crate::components::facts::{Fact, Jump, argument_lines};
use crate::format;
use crate::reactive::*;
use crate::state::words;

#[component]
pub(super) fn CommandGraphs(commands: Vec<GraphCommandDetail>, runs: Vec<GraphRunDetail>) -> impl IntoView {
    let commands = commands.into_iter().map(|command| {
        let GraphCommandDetail { partition, position, sync_point, runs } = command;
        let all = partition.runs;
        view! {
            <h3>{format!("Command of {}", words::partition_title(&partition))}</h3>
            <dl class="facts">
                <Fact name="Position">{format!("{} of {}", format::count(position.saturating_add(1)), format::count(partition.commands))}</Fact>
                {sync_point.map(|point| view! { <Fact name="Sync point">{point.to_string()}</Fact> })}
                {facts(partition)}
            </dl>
            <Nodes title="Executions" all nodes=runs/>
        }
    });
    let runs = runs.into_iter().map(|run| {
        let GraphRunDetail { partition, run, commands } = run;
        let all = partition.commands;
        view! {
            <h3>{format!("Execution of {}", words::partition_title(&partition))}</h3>
            <dl class="facts">
                <Fact name="Execution">{format!("{} of {}", format::count(run + 1), format::count(partition.runs))}</Fact>
                {facts(partition)}
            </dl>
            <Nodes title="Commands" all nodes=commands/>
        }
    });
    view! {
        <section class="details-graphs" data-testid="command-graphs">
            {commands.collect_view()}
            {runs.collect_view()}
        </section>
    }
}

fn facts(partition: PartitionDetail) -> impl IntoView {
    let made = partition.location.as_ref().map(words::place).filter(|place| !place.is_empty());
    let order =
        if partition.is_in_order { "in recorded order" } else { "in any order that sync points allow" };
    let changes = words::changes(&partition);
    view! {
        <Fact name="Commands run">{order}</Fact>
        {partition.is_updatable.then(|| view! { <Fact name="Updatable">"yes"</Fact> })}
        {(!partition.device.is_empty()).then(|| view! { <Fact name="Device">{partition.device}</Fact> })}
        <Fact name="Created">{format::exact_duration(partition.created_ns)}</Fact>
        {made.map(|place| view! { <Fact name="Created in"><code class="source">{place}</code></Fact> })}
        {changes.into_iter().map(|change| view! { <Fact name="Change">{change}</Fact> }).collect_view()}
        <Fact name="Command buffer"><code>{partition.handle}</code></Fact>
        {argument_lines(partition.args)}
    }
}

/// Links to nodes, with the number of all if there are more.
#[component]
fn Nodes(title: &'static str, all: u64, nodes: Vec<NodeRef>) -> impl IntoView {
    let more = all.saturating_sub(nodes.len() as u64);
    let lines = nodes.into_iter().map(|node| {
        let NodeRef { node, kind, name, at } = node;
        let name = if name.is_empty() { kind_name(kind).to_owned() } else { name };
        let text = format!("{name} · node {node}");
        match at {
            Some(at) => view! { <li><Jump at text/></li> }.into_any(),
            None => view! { <li>{text}</li> }.into_any(),
        }
    });
    view! {
        <h4>{title}" "<span class="quiet">{format::count(all)}</span></h4>
        <ul class="edges">{lines.collect_view()}</ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {} more", format::count(more))}</p> })}
    }
}
