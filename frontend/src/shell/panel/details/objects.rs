//! The accessors of a command, with their buffers and images.

use syclscope_language::api::{AccessorDetail, ObjectDetail, ObjectMemory};

use crate::components::facts::{Fact, PlaceLink, argument_lines};
use crate::format;
use crate::reactive::*;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;

#[component]
pub(super) fn MemoryObjects(accessors: Vec<AccessorDetail>, objects: Vec<ObjectDetail>) -> impl IntoView {
    let count = accessors.len() as u64;
    view! {
        <section class="details-objects" data-testid="accessors">
            <h3>"Accessors "<span class="quiet">{format::count(count)}</span></h3>
            {(count == 0).then(|| view! { <p class="quiet">"None"</p> })}
            <ul class="edges">{accessors.into_iter().map(accessor).collect_view()}</ul>
            {objects.into_iter().map(object).collect_view()}
        </section>
    }
}

fn accessor(accessor: AccessorDetail) -> impl IntoView {
    let AccessorDetail { object, mode, target, location, .. } = accessor;
    let location = location.filter(|location| !words::place(location).is_empty());
    view! {
        <li>
            <span>{format!("{} on {}", mode.replace('_', " "), target.replace('_', " "))}</span>
            <ObjectLink object text=format!("object {object}")/>
            {location.map(|location| view! { <PlaceLink location/> })}
        </li>
    }
}

#[component]
pub(super) fn ObjectLink(object: u64, text: String) -> impl IntoView {
    let session = use_session();
    view! {
        <button type="button" class="jump" data-thing=Selection::Object(object).to_string() data-testid="object-link" on:click=move |_| session.select(Some(Selection::Object(object)))>{text}</button>
    }
}

fn object(object: ObjectDetail) -> impl IntoView {
    let title = words::object_title(&object);
    let ObjectDetail {
        object: number,
        address,
        host_pointer,
        created_ns,
        destroyed_ns,
        location,
        args,
        memory,
        accessors,
        ..
    } = object;
    let location = location.filter(|location| !words::place(location).is_empty());
    view! {
        <div class="details-object" data-testid="memory-object">
            <h4><ObjectLink object=number text=title/></h4>
            <dl class="facts">
                <Fact name="Lifetime">{words::lifetime(created_ns, destroyed_ns, "destroyed")}</Fact>
                {location.map(|location| view! { <Fact name="Created in"><PlaceLink location/></Fact> })}
                <Fact name="Address"><code>{address}</code></Fact>
                {(!host_pointer.is_empty()).then(|| view! { <Fact name="Host pointer"><code>{host_pointer}</code></Fact> })}
                <Fact name="Accessors">{format::count(accessors)}</Fact>
                {memory.into_iter().map(|memory| view! { <Fact name="Memory">{memory_line(&memory)}</Fact> }).collect_view()}
                {argument_lines(args)}
            </dl>
        </div>
    }
}

fn memory_line(memory: &ObjectMemory) -> String {
    let bound = match (memory.bound_ns, memory.unbound_ns) {
        (Some(from), to) => Some(words::lifetime(from, to, "released")),
        (None, to) => to.map(|to| format!("released at {}", format::exact_duration(to))),
    };
    let size = memory.size_bytes.map(|size| format::bytes(size as f64));
    let parts = [size, Some(memory.handle.clone()), bound];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
