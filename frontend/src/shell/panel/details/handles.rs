//! Native handles of SYCL interop calls.

use syclscope_language::api::NativeHandleDetail;

use crate::components::facts::{Fact, PlaceLink};
use crate::reactive::*;
use crate::state::words;

#[component]
pub(super) fn NativeHandles(handles: Vec<NativeHandleDetail>) -> impl IntoView {
    let handles =
        handles.into_iter().map(|handle| {
            let NativeHandleDetail {
                object,
                handle,
                native,
                direction,
                ownership,
                at_ns,
                released_ns,
                location,
            } = handle;
            let location = location.filter(|location| !words::place(location).is_empty());
            view! {
                <h3>{format!("Native {object}")}</h3>
                <dl class="facts">
                    <Fact name="Native handle"><code>{native}</code></Fact>
                    <Fact name="Handle"><code>{handle}</code></Fact>
                    <Fact name="Direction">{words::direction(direction)}</Fact>
                    <Fact name="Ownership">{words::ownership(ownership)}</Fact>
                    <Fact name="Held by SYCL">{words::lifetime(at_ns, released_ns, "released")}</Fact>
                    {location.map(|location| view! { <Fact name="Source"><PlaceLink location/></Fact> })}
                </dl>
            }
        });
    view! { <section class="details-handles" data-testid="native-handles">{handles.collect_view()}</section> }
}
