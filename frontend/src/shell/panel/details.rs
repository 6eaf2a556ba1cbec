pub(super) mod gap;
mod graphs;
mod handles;
mod life;
mod objects;
mod slices;
mod stack;
mod things;

use syclscope_language::api::{
    ArgValue, EdgeDetail, HostTaskEstimate, LocationInfo, NodeDetail, SliceDetail, SliceRef,
};
use syclscope_language::event::Category;
use syclscope_language::units::unbroken;

use crate::browser::hint;
use crate::components::category::{category_name, chip_category, kind_name, order_name};
use crate::components::facts::{Fact, Jump, PlaceLink, argument_lines};
use crate::components::kernel_link::KernelLink;
use crate::components::theme::slice_colour;
use crate::format;
use crate::reactive::*;
use crate::shell::panel::details::graphs::CommandGraphs;
use crate::shell::panel::details::handles::NativeHandles;
use crate::shell::panel::details::life::LifeTable;
use crate::shell::panel::details::objects::{MemoryObjects, ObjectLink};
use crate::shell::panel::details::stack::Stack;
use crate::shell::panel::details::things::{MemoryThing, ThingDetails};
use crate::state::detail::Detail;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;

const USUAL_EDGES: usize = 12;

#[component]
pub(crate) fn Details() -> impl IntoView {
    let session = use_session();
    move || {
        match (session.detail.get(), session.selection.get()) {
        (_, None) => view! {
            <p class="panel-empty" data-testid="no-selection">
                {hint(
                    "Click a slice for its details, or idle time for its cause. Press . to select the first visible slice.",
                    "Tap a slice for its details, or idle time for its cause.",
                )}
            </p>
        }
        .into_any(),
        (Detail::Loading, _) => view! { <p class="panel-empty" aria-busy="true">"Loading details…"</p> }.into_any(),
        (Detail::Failed(error), _) => {
            view! { <p class="panel-empty is-error" role="alert">{error.message}</p> }.into_any()
        }
        (Detail::Slice(detail), _) => view! { <SliceDetails detail=*detail/> }.into_any(),
        (Detail::Object(history), Some(selection)) => {
            view! { <MemoryThing history=*history selection/> }.into_any()
        }
        (Detail::None | Detail::Missing, Some(selection)) => view! { <ThingDetails selection/> }.into_any(),
    }
    }
}

#[component]
fn SliceDetails(detail: SliceDetail) -> impl IntoView {
    let SliceDetail {
        at, name, category, unfinished, location, args, mut stack, node, native_handles, ..
    } = detail;
    let is_wait = category == Category::Wait;
    // For a wait, the command's stack would be that of its submission, not of the wait.
    if stack.is_empty()
        && !is_wait
        && let Some(node) = &node
    {
        stack = node.stack.clone();
    }
    let reason = barrier_reason(category, &args);
    let colour = slice_colour(category, &name);
    let session = use_session();
    let (info, same_name) = (session.info(), name.clone());
    let kernel = node.as_ref().map_or(&name, |node| &node.name).clone();
    // A wait or a call has another name than its command.
    let is_other = kernel != name && info.kernels.iter().any(|known| known.name == kernel);
    let executions =
        if is_other { format!("Executions of {}", session.short_name(&kernel)) } else { String::new() };
    let track = info.tracks.get(at.track as usize).map(|track| track.name.clone()).unwrap_or_default();
    let node_args = node.as_ref().map(|node| node.args.clone()).unwrap_or_default();
    // A wait's location differs from the location of its command's submission.
    let of_node = || node.as_ref().filter(|_| !is_wait)?.location.clone();
    let location = location.or_else(of_node);
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span class="chip" style:background-color=colour></span>
                    <span data-testid="details-name">{name}</span>
                </h2>
                <dl class="facts">
                    <Fact name="Category">{category_name(category)}</Fact>
                    <Fact name="Duration">
                        <b data-testid="details-duration">{format::exact_duration(at.duration_ns)}</b>
                        {unfinished.then_some(" (unfinished when the recording ended)")}
                    </Fact>
                    <Fact name="Start">{format::exact_duration(at.start_ns)}</Fact>
                    <Fact name="Track">{track}</Fact>
                    <Fact name="Same name">
                        <button type="button" class="jump" data-testid="same-name" on:click=move |_| {
                            session.select(Some(Selection::Name(same_name.clone())));
                        }>"Select all"</button>
                        " "
                        <KernelLink name=kernel text=executions/>
                    </Fact>
                    {reason.map(|reason| view! { <Fact name="Reason"><span data-testid="barrier-reason">{reason}</span></Fact> })}
                    {location.map(|location| view! { <Source location/> })}
                </dl>
            </section>
            {(!stack.is_empty()).then(|| view! { <Stack stack/> })}
            {(!native_handles.is_empty()).then(|| view! { <NativeHandles handles=native_handles/> })}
            {node.is_some().then(|| view! { <LifeTable slice=at.slice/> })}
            {node.map(|node| view! { <Command node selected=at.slice/> })}
            <div class="details-column">
                <Arguments title="Arguments" args/>
                <Arguments title="Command metadata" args=node_args/>
            </div>
        </div>
    }
}

fn barrier_reason(category: Category, args: &[(String, ArgValue)]) -> Option<String> {
    let reason = args.iter().find(|(name, _)| category == Category::Barrier && name == "reason")?;
    Some(reason.1.to_string())
}

#[component]
fn Source(location: LocationInfo) -> impl IntoView {
    let function = location.function.clone();
    view! {
        {(!location.file.is_empty()).then(|| view! {
            <Fact name="Source"><span data-testid="details-source"><PlaceLink location/></span></Fact>
        })}
        {(!function.is_empty()).then(|| view! { <Fact name="Function"><code>{function}</code></Fact> })}
    }
}

#[component]
fn Command(node: NodeDetail, selected: u32) -> impl IntoView {
    let queue = node.queue.and_then(|queue| {
        let info = use_session().info();
        let queue = info.queues.iter().find(|candidate| candidate.id == queue)?.clone();
        let name = info.queue_name(queue.id);
        Some((queue.id, format!("{name} · {} · {}", order_name(queue.order), queue.device)))
    });
    let session = use_session();
    let execution = node.execution;
    let has_objects = !node.accessors.is_empty() || !node.objects.is_empty();
    let has_graphs = !node.graph_commands.is_empty() || !node.graph_runs.is_empty();
    let delay = execution.and_then(|execution| execution.queueing_delay_ns);
    let untimed = untimed(&node);
    let steps = [
        execution.and_then(|execution| execution.queued_ns).map(|at_ns| ("Queued", at_ns)),
        execution.and_then(|execution| execution.submitted_ns).map(|at_ns| ("Submitted to device", at_ns)),
    ];
    view! {
        <section class="details-command">
            <h3>{format!("{} · node {}", kind_name(node.kind), node.id)}</h3>
            <dl class="facts">
                {queue.map(|(queue, text)| view! {
                    <Fact name="Queue">
                        <button type="button" class="jump" on:click=move |_| session.select(Some(Selection::Queue(queue)))>
                            {text}
                        </button>
                    </Fact>
                })}
                <Fact name="Created">{format::exact_duration(node.created_ns)}</Fact>
                {node.submission.map(|at| view! { <Partner name="Submission" at selected/> })}
                {steps.into_iter().flatten().map(|(name, at_ns)| view! {
                    <Fact name=name>{format::exact_duration(at_ns)}</Fact>
                }).collect_view()}
                {execution.map(|execution| view! { <Partner name="Execution" at=execution.at selected/> })}
                {node.estimate.map(|HostTaskEstimate { from_ns, to_ns, .. }| {
                    let [max, from, to] = [to_ns - from_ns, from_ns, to_ns].map(|ns| format::duration(ns as f64));
                    let text = format!("at most {max}, between {from} and {to}");
                    view! { <Fact name="Body"><span data-testid="estimate">{text}</span></Fact> }
                })}
                {untimed.map(|why| view! { <Fact name="Device time"><span data-testid="untimed">{why}</span></Fact> })}
                {delay.map(|delay_ns| view! {
                    <Fact name="Queueing delay">
                        <span data-testid="queueing-delay" title="Execution start minus submission end">
                            {words::queueing_delay(delay_ns)}
                        </span>
                    </Fact>
                })}
            </dl>
        </section>
        <div class="details-column">
            <Edges title="Waits for" testid="waits-for" edges=node.waits_for/>
            <Edges title="Waited for by" testid="waited-by" edges=node.waited_by/>
        </div>
        {has_objects.then(|| view! { <MemoryObjects accessors=node.accessors objects=node.objects/> })}
        {has_graphs.then(|| view! { <CommandGraphs commands=node.graph_commands runs=node.graph_runs/> })}
    }
}

/// Returns the reason for missing device times, as far as recorded.
fn untimed(node: &NodeDetail) -> Option<String> {
    if node.execution.is_some() {
        return None;
    }
    let reason = node.args.iter().find(|(name, _)| name == "device_time").map(|(_, why)| why.to_string());
    let is_of_graph = !node.graph_commands.is_empty();
    reason.or_else(|| {
        is_of_graph.then(|| "none: the runtime reports no device times within command graphs".to_owned())
    })
}

#[component]
fn Partner(name: &'static str, at: SliceRef, selected: u32) -> impl IntoView {
    let text =
        format!("{} at {}", format::duration(at.duration_ns as f64), format::moment(at.start_ns as f64));
    let text = unbroken(&text);
    view! {
        <Fact name=name>
            {if at.slice == selected {
                view! { <span>{text}</span> }.into_any()
            } else {
                view! { <Jump at text/> }.into_any()
            }}
        </Fact>
    }
}

#[component]
fn Edges(title: &'static str, testid: &'static str, edges: Vec<EdgeDetail>) -> impl IntoView {
    let shows_all = RwSignal::new(edges.len() <= USUAL_EDGES);
    let count = edges.len() as u64;
    let lines = move || {
        let count = if shows_all.get() { edges.len() } else { USUAL_EDGES };
        edges.iter().take(count).cloned().map(|edge| view! { <Edge edge/> }).collect_view()
    };
    view! {
        <section class="details-edges" data-testid=testid>
            <h3>{title}" "<span class="quiet">{format::count(count)}</span></h3>
            {(count == 0).then(|| view! { <p class="quiet">"None"</p> })}
            <ul class="edges">{lines}</ul>
            {move || (!shows_all.get()).then(|| view! {
                <button type="button" class="jump" on:click=move |_| shows_all.set(true)>
                    {format!("Show all {}", format::count(count))}
                </button>
            })}
        </section>
    }
}

#[component]
fn Edge(edge: EdgeDetail) -> impl IntoView {
    let EdgeDetail { node, kind, name, reason, access_mode, memory_object, object, at } = edge;
    let colour = slice_colour(chip_category(kind), &name);
    let name = if name.is_empty() { format!("{} {node}", kind_name(kind)) } else { name };
    let memory_object = if object.is_some() { String::new() } else { memory_object };
    let why: Vec<String> =
        [words::edge_reason(reason).to_owned(), access_mode.replace('_', " "), memory_object]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
    view! {
        <li>
            <span class="chip" style:background-color=colour></span>
            {match at {
                Some(at) => view! { <Jump at text=name/> }.into_any(),
                None => view! { <span title="Neither submission nor execution was recorded">{name}</span> }.into_any(),
            }}
            <span class="quiet">{why.join(" · ")}</span>
            {object.map(|object| view! { <ObjectLink object text=format!("object {object}")/> })}
        </li>
    }
}

#[component]
fn Arguments(title: &'static str, args: Vec<(String, ArgValue)>) -> impl IntoView {
    (!args.is_empty()).then(|| {
        view! {
            <section class="details-args">
                <h3>{title}</h3>
                <dl class="facts">{argument_lines(args)}</dl>
            </section>
        }
    })
}
