//! The tooltip beside the pointer.

use crate::reactive::*;
use crate::stage::pointer::Point;

/// How far from the pointer it is.
const OFFSET_CSS_PX: f64 = 14.0;
/// It goes to the pointer's left where there is less room to the right, and as much to the left.
const ROOM_CSS_PX: f64 = 320.0;

/// A box beside a point of a stage that is so wide.
#[component]
pub(crate) fn Bubble(
    at: Point,
    width_css_px: f64,
    testid: &'static str,
    children: Children,
) -> impl IntoView {
    let is_flipped = at.x > width_css_px - ROOM_CSS_PX && at.x > ROOM_CSS_PX;
    let shift = format!("translate({}px, {}px)", at.x + OFFSET_CSS_PX, at.y + OFFSET_CSS_PX);
    view! {
        <div class="tooltip-place" style:transform=shift style:--pointer-x=format!("{}px", at.x)>
            <div class="tooltip" role="tooltip" data-testid=testid class:is-flipped=is_flipped>{children()}</div>
        </div>
    }
}
