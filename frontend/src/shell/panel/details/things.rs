//! Details of entities that need no query: kernels, queues, source lines, parts of time.

use syclscope_language::api::{ObjectHistory, QueueInfo};
use syclscope_language::event::Category;

use super::slices::{Numbers, SliceLists};
use crate::components::category::{chip_category, order_name};
use crate::components::facts::Fact;
use crate::components::kernel_link::KernelLink;
use crate::components::states::show_pending;
use crate::components::theme::slice_colour;
use crate::format;
use crate::hooks::answer::Answer;
use crate::hooks::code::load;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::view_descriptor::Code;
use crate::state::words::{lifetime, queue_title};
use crate::views;

#[component]
pub(super) fn ThingDetails(selection: Selection) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    match selection {
        Selection::Name(name) => view! { <Name name/> }.into_any(),
        Selection::Queue(number) => match info.queues.iter().find(|queue| queue.id == number).cloned() {
            Some(queue) => view! { <Queue queue/> }.into_any(),
            None => view! { <Missing what=format!("queue {number}")/> }.into_any(),
        },
        Selection::Line { file, line } => view! { <Line file line/> }.into_any(),
        Selection::Gap { track, at_ns } => crate::shell::panel::later::gap(track, at_ns),
        Selection::Range { start_ns, end_ns } => view! { <Range start_ns end_ns/> }.into_any(),
        Selection::Slice(slice) => view! { <Missing what=format!("slice {slice}")/> }.into_any(),
        Selection::Node(node) => {
            view! { <Other title=format!("Command {node}") selection=Selection::Node(node)/> }.into_any()
        }
        Selection::Allocation(_) => view! { <Missing what="such allocation".to_owned()/> }.into_any(),
        Selection::Object(object) => view! { <Missing what=format!("object {object}")/> }.into_any(),
    }
}

/// A buffer or image with the slices that use it, or an allocation.
#[component]
pub(super) fn MemoryThing(history: ObjectHistory, selection: Selection) -> impl IntoView {
    let slices = matches!(selection, Selection::Object(_)).then(|| {
        let selection = selection.clone();
        view! { <div class="details"><SliceLists selection/></div> }
    });
    let details = views::TABLE.into_iter().find(|descriptor| descriptor.tells_of_objects).map(|descriptor| {
        let code = RwSignal::new(Answer::None);
        let ask = move || load(descriptor, code, Box::new(|_| ()));
        ask();
        let show = move |code: Code| (code.object_details)(history.clone(), selection.clone());
        show_pending(code, descriptor.title, Callback::new(move |()| ask()), show)
    });
    view! { {details}{slices} }
}

/// Shown if an address names an entity that is missing in this trace.
#[component]
fn Missing(what: String) -> impl IntoView {
    view! { <p class="panel-empty" data-testid="no-such-thing">{format!("This trace has no {what}.")}</p> }
}

#[component]
fn Name(name: String) -> impl IntoView {
    let info = use_session().info();
    let kernel = info.kernels.iter().find(|kernel| kernel.name == name);
    let category = kernel.map_or(Category::Call, |kernel| chip_category(kernel.kind));
    let colour = slice_colour(category, &name);
    let selection = Selection::Name(name.clone());
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name">
                    <span class="chip" style:background-color=colour></span>
                    <span data-testid="details-name">{name.clone()}</span>
                </h2>
                <KernelLink name/>
                <Numbers selection=selection.clone()/>
            </section>
            <SliceLists selection/>
        </div>
    }
}

#[component]
fn Queue(queue: QueueInfo) -> impl IntoView {
    let QueueInfo { id, order, device, device_type, created_ns, destroyed_ns, .. } = queue;
    let info = use_session().info();
    // Other tools record neither the order of queues nor their lifetimes.
    let ours = (!info.is_foreign()).then(|| {
        let lifetime = lifetime(created_ns, destroyed_ns, "destroyed");
        view! { <Fact name="Order">{order_name(order)}</Fact><Fact name="Lifetime">{lifetime}</Fact> }
    });
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name"><span data-testid="details-name">{queue_title(&info, id)}</span></h2>
                <dl class="facts">
                    <Fact name="Device">{device}</Fact>
                    <Fact name="Type">{device_type}</Fact>
                    {ours}
                </dl>
                <Numbers selection=Selection::Queue(id)/>
            </section>
            <SliceLists selection=Selection::Queue(id)/>
        </div>
    }
}

#[component]
fn Line(file: String, line: u32) -> impl IntoView {
    let session = use_session();
    let place = format!("{file}:{line}");
    let selection = Selection::Line { file, line };
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name"><span data-testid="details-name">{format!("Line {line}")}</span></h2>
                <dl class="facts">
                    <Fact name="Source"><code class="source">{place}</code></Fact>
                </dl>
                <Numbers selection=selection.clone()/>
                <button type="button" class="jump" on:click=move |_| session.go(Goal::Line)>"Show source"</button>
            </section>
            <SliceLists selection/>
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
                    <Fact name="Duration"><b>{format::exact_duration(length_ns)}</b></Fact>
                </dl>
                <button
                    type="button"
                    class="jump"
                    on:click=move |_| session.go(Goal::Range(start_ns as f64, end_ns as f64))
                >"Show in timeline"</button>
                <Numbers selection=Selection::Range { start_ns, end_ns }/>
            </section>
            <SliceLists selection=Selection::Range { start_ns, end_ns }/>
        </div>
    }
}

#[component]
fn Other(title: String, selection: Selection) -> impl IntoView {
    view! {
        <div class="details" data-testid="details">
            <section class="details-main">
                <h2 class="details-name"><span data-testid="details-name">{title}</span></h2>
                <Numbers selection=selection.clone()/>
            </section>
            <SliceLists selection/>
        </div>
    }
}
