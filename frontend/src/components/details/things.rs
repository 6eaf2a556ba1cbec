//! Selected things that the trace's own facts tell all of: kernels, queues, source lines, parts of time.

use leptos::prelude::*;
use syclscope_trace::api::{KernelSummary, QueueInfo};

use super::Fact;
use crate::components::category::{kind_name, order_name};
use crate::components::theme::slice_colour;
use crate::format;
use crate::state::selection::Selection;
use crate::state::session::{Goal, use_session};
use crate::state::view::View;

#[component]
pub(super) fn ThingDetails(selection: Selection) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    match selection {
        Selection::Name(name) => {
            let kernels = info.kernels.iter().filter(|kernel| kernel.name == name).cloned().collect();
            view! { <Kernel name kernels/> }.into_any()
        }
        Selection::Queue(number) => match info.queues.iter().find(|queue| queue.id == number).cloned() {
            Some(queue) => view! { <Queue queue/> }.into_any(),
            None => view! { <Missing what=format!("queue {number}")/> }.into_any(),
        },
        Selection::Line { file, line } => view! { <Line file line/> }.into_any(),
        Selection::Range { start_ns, end_ns } => view! { <Range start_ns end_ns/> }.into_any(),
        Selection::Slice(slice) => view! { <Missing what=format!("slice {slice}")/> }.into_any(),
        Selection::Node(node) => view! { <Missing what=format!("command {node}")/> }.into_any(),
        Selection::Allocation(allocation) => {
            view! { <Missing what=format!("allocation {allocation}")/> }.into_any()
        }
        Selection::Object(object) => view! { <Missing what=format!("memory object {object}")/> }.into_any(),
    }
}

/// An address may name what this trace does not have.
#[component]
fn Missing(what: String) -> impl IntoView {
    view! { <p class="panel-empty" data-testid="no-such-thing">{format!("This trace tells nothing of {what}.")}</p> }
}

#[component]
fn Kernel(name: String, kernels: Vec<KernelSummary>) -> impl IntoView {
    if kernels.is_empty() {
        return view! { <Missing what=format!("executions of {name}")/> }.into_any();
    }
    let parts = kernels.into_iter().map(|kernel| {
        let KernelSummary { kind, count, total_ns, min_ns, max_ns, .. } = kernel;
        let mean_ns = total_ns as f64 / count.max(1) as f64;
        view! {
            <dl class="facts">
                <Fact name="Kind">{kind_name(kind)}</Fact>
                <Fact name="Executions">{format::count(count)}</Fact>
                <Fact name="Device time"><b>{format::duration(total_ns as f64)}</b></Fact>
                <Fact name="Mean">{format::duration(mean_ns)}</Fact>
                <Fact name="Shortest, longest">
                    {format!("{}, {}", format::duration(min_ns as f64), format::duration(max_ns as f64))}
                </Fact>
            </dl>
        }
    });
    let parts = parts.collect_view();
    let colour = slice_colour(syclscope_trace::event::Category::Kernel, &name);
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span class="chip" style:background-color=colour></span>
                    <span data-testid="details-name">{name}</span>
                </h2>
                {parts}
                <p class="quiet">"Its slices stand out in the timeline."</p>
            </section>
        </div>
    }
    .into_any()
}

#[component]
fn Queue(queue: QueueInfo) -> impl IntoView {
    let QueueInfo { id, order, device, device_type, created_ns, destroyed_ns, .. } = queue;
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name"><span data-testid="details-name">{format!("Queue {id}")}</span></h2>
                <dl class="facts">
                    <Fact name="Order">{order_name(order)}</Fact>
                    <Fact name="Device">{device}</Fact>
                    <Fact name="Type">{device_type}</Fact>
                    <Fact name="Lifetime">
                        {crate::state::words::lifetime(created_ns, destroyed_ns, "destroyed")}
                    </Fact>
                </dl>
            </section>
        </div>
    }
}

#[component]
fn Line(file: String, line: u32) -> impl IntoView {
    let session = use_session();
    let place = format!("{file}:{line}");
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name"><span data-testid="details-name">{format!("Line {line}")}</span></h2>
                <dl class="facts">
                    <Fact name="Source"><code class="source">{place}</code></Fact>
                </dl>
                <button type="button" class="jump" on:click=move |_| session.show(View::Source)>"Show the source"</button>
            </section>
        </div>
    }
}

#[component]
fn Range(start_ns: u64, end_ns: u64) -> impl IntoView {
    let session = use_session();
    let length_ns = end_ns - start_ns;
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span data-testid="details-name">{format::duration(length_ns as f64)}</span>
                </h2>
                <dl class="facts">
                    <Fact name="Start">{format::exact_duration(start_ns)}</Fact>
                    <Fact name="End">{format::exact_duration(end_ns)}</Fact>
                    <Fact name="Length"><b>{format::exact_duration(length_ns)}</b></Fact>
                </dl>
                <button
                    type="button"
                    class="jump"
                    on:click=move |_| session.go(Goal::Range(start_ns as f64, end_ns as f64))
                >"Show it in the timeline"</button>
            </section>
        </div>
    }
}
