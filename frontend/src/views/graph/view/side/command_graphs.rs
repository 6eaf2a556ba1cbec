//! Command graphs: their partitions with the commands in recorded order, and the first executions.

use syclscope_language::api::{NodeRef, ViewFrame};

use crate::components::facts::Jump;
use crate::components::states::Nothing;
use crate::format;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;
use crate::views::graph::labels;
use crate::views::graph::model::Model;
use crate::views::graph::view::use_graph;

#[component]
pub(super) fn CommandGraphs() -> impl IntoView {
    let graph = use_graph();
    move || {
        let Some(model) = graph.signals.model.get() else { return ().into_any() };
        if model.view.frames.is_empty() {
            return view! {
                <Nothing title="No command graphs">
                    "The program created no command graphs (sycl_ext_oneapi_graph), or their commands are not shown."
                </Nothing>
            }
            .into_any();
        }
        let frames = model.view.frames.iter().map(|frame| one(&model, frame));
        view! { <ul class="graph-list">{frames.collect_view()}</ul> }.into_any()
    }
}

fn one(model: &Model, frame: &ViewFrame) -> impl IntoView + use<> {
    let (graph, session) = (use_graph(), use_session());
    let [title, _] = labels::region(frame);
    let mut facts = vec![format::counted(frame.commands, "command", "commands")];
    facts.push(
        if frame.is_in_order { "in recorded order" } else { "in any order that edges allow" }.to_owned(),
    );
    if frame.is_updatable {
        facts.push("updatable".to_owned());
    }
    let device = frame.device.and_then(|device| model.view.names.get(device as usize)).cloned();
    facts.extend(device.filter(|device| !device.is_empty()));
    let place = frame.location.and_then(|location| model.view.locations.get(location as usize));
    facts.extend(place.map(words::short_place).filter(|place| !place.is_empty()));
    let commands = frame.nodes.iter().filter_map(|number| Some((*number, model.node(*number)?)));
    let commands = commands.map(|(number, node)| {
        let name = labels::title(model, node).to_owned();
        view! {
            <li>
                <button
                    type="button"
                    class="jump"
                    data-testid="graph-command"
                    on:click=move |_| {
                        graph.with(|controller| {
                            controller.select_node(number);
                            controller.reveal(number);
                        });
                    }
                >{name}</button>
                <span class="quiet">{labels::kind(node.kind)}</span>
            </li>
        }
    });
    let hidden = (frame.hidden > 0).then(|| {
        view! { <p class="quiet">{format!("{} not shown", format::counted(frame.hidden, "command", "commands"))}</p> }
    });
    let more = frame.run_count.saturating_sub(frame.runs.len() as u64);
    let runs = frame.runs.iter().enumerate().map(|(number, run)| {
        let NodeRef { node, at, .. } = run;
        let text = format!("execution {}", number + 1);
        match at {
            Some(at) => view! { <li><Jump at=*at text/><span class="quiet">{format::duration(at.duration_ns as f64)}</span></li> }.into_any(),
            None => {
                let node = Selection::Node(*node);
                view! {
                    <li>
                        <button
                            type="button"
                            class="jump"
                            title="Select in all views"
                            on:click=move |_| session.select(Some(node.clone()))
                        >{text}</button>
                        <span class="quiet">"no device time recorded"</span>
                    </li>
                }
                .into_any()
            }
        }
    });
    view! {
        <li data-testid="command-graph">
            <h4>{title}</h4>
            <p class="quiet">{facts.join(" · ")}</p>
            <ol class="graph-list">{commands.collect_view()}</ol>
            {hidden}
            <ul class="graph-list">{runs.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="quiet">{format!("and {}", format::counted(more, "more execution", "more executions"))}</p> })}
        </li>
    }
}
