use leptos::html;

use crate::browser::window;
use crate::components::theme::use_text_scale;
use crate::reactive::*;
use crate::stage::pointer::Point;

const OFFSET_CSS_PX: f64 = 14.0;
const MARGIN_CSS_PX: f64 = 4.0;

/// A tooltip next to a point of its stage. It covers everything around the stage, and stays inside the window if
/// possible.
#[component]
pub(crate) fn Bubble(at: Point, testid: &'static str, children: Children) -> impl IntoView {
    let (place, bubble) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    Effect::new(move |_| {
        let (Some(place), Some(bubble)) = (place.get(), bubble.get()) else { return };
        let (origin, own) = (place.get_bounding_client_rect(), bubble.get_bounding_client_rect());
        let room = |length: Result<wasm_bindgen::JsValue, _>| length.ok().and_then(|value| value.as_f64());
        let (Some(width), Some(height)) = (room(window().inner_width()), room(window().inner_height()))
        else {
            return;
        };
        let x = beside(origin.x(), own.width(), width);
        let y = beside(origin.y(), own.height(), height);
        // A screen reader reads the tooltip wherever it is.
        let _ = web_sys::HtmlElement::style(&bubble).set_property("translate", &format!("{x}px {y}px"));
    });
    let scale = use_text_scale().get_untracked();
    let shift = format!("translate({}px, {}px)", at.x * scale, at.y * scale);
    view! {
        <div class="tooltip-place" style:transform=shift node_ref=place></div>
        <div class="tooltip" role="tooltip" data-testid=testid node_ref=bubble>{children()}</div>
    }
}

/// Returns the start of a box along one axis: after a point if there is space, else before it, but always within the
/// window.
fn beside(at: f64, length: f64, room: f64) -> f64 {
    let after = at + OFFSET_CSS_PX;
    let begin = if after + length + MARGIN_CSS_PX <= room { after } else { at - OFFSET_CSS_PX - length };
    begin.clamp(MARGIN_CSS_PX, (room - length - MARGIN_CSS_PX).max(MARGIN_CSS_PX)).round()
}
