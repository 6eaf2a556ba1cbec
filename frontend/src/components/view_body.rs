//! The scrolling part of a view. Its scroll position is in the address.

use leptos::html;

use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::state::view::View;

/// Maximum number of frames to wait until the content is long enough for a position.
const MAX_FRAMES: u32 = 300;

/// A scrolling, focusable part that starts at the scroll position in a link.
#[component]
pub(crate) fn ViewBody(
    view: View,
    label: &'static str,
    #[prop(optional)] testid: &'static str,
    #[prop(default = "view-body")] class: &'static str,
    #[prop(optional)] scroller: NodeRef<html::Div>,
    #[prop(optional)] on_scroll: Option<Callback<f64>>,
    /// True if the content has its final height.
    #[prop(default = Signal::stored(true))]
    is_ready: Signal<bool>,
    /// True if the view scrolls to the selection.
    #[prop(default = Signal::stored(false))]
    shows_selection: Signal<bool>,
    children: Children,
) -> impl IntoView {
    let session = use_session();
    // Scrolling before the user's first input is the view's own, and repeats when the link is opened.
    let is_touched = StoredValue::new(false);
    let own_top = StoredValue::new(0);
    let touch = move || is_touched.set_value(true);
    let kept = move || session.scrolls.with_untracked(|scrolls| scrolls.get(view)).map(u32::cast_signed);
    Effect::new(move |before: Option<u32>| {
        let arrivals = session.arrivals.get();
        let has_arrived = before.is_some_and(|before| before != arrivals);
        let was_touched = has_arrived && is_touched.get_value();
        if has_arrived {
            is_touched.set_value(false);
        }
        // Back may lead to an address from before the user's first input.
        let has_own_top = was_touched && !shows_selection.get_untracked();
        let goal = kept().or_else(|| has_own_top.then(|| own_top.get_value()));
        if let (true, Some(goal), Some(scroller)) = (is_ready.get(), goal, scroller.get()) {
            let selection = session.selection.get_untracked();
            let goes_on = move || {
                is_touched.try_get_value() == Some(false)
                    && session.arrivals.try_with_untracked(|now| *now == arrivals) == Some(true)
                    && session.selection.try_with_untracked(|now| *now == selection) == Some(true)
            };
            reach(scroller.into(), goal, goes_on, MAX_FRAMES);
        }
        arrivals
    });
    let scrolled = move |event: leptos::ev::Event| {
        let top = event_target::<web_sys::HtmlElement>(&event).scroll_top();
        if let Some(on_scroll) = on_scroll {
            on_scroll.run(f64::from(top));
        }
        match (is_touched.get_value(), kept()) {
            (true, place) if place != Some(top) => {
                session.scrolls.update_untracked(|scrolls| scrolls.put(view, u32::try_from(top).ok()));
                session.record_change(Change::Detail);
            }
            (false, None) => own_top.set_value(top),
            _ => {}
        }
    };
    view! {
        <div
            class=class
            node_ref=scroller
            tabindex="0"
            role="region"
            aria-label=label
            data-testid=(!testid.is_empty()).then_some(testid)
            on:scroll=scrolled
            on:wheel=move |_| touch()
            on:pointerdown=move |_| touch()
            on:keydown=move |_| touch()
        >{children()}</div>
    }
}

/// Scrolls to a position as soon as the content is long enough, while `goes_on` is true.
fn reach(scroller: web_sys::HtmlElement, goal: i32, goes_on: impl Fn() -> bool + 'static, frames: u32) {
    scroller.set_scroll_top(goal);
    // Pixels of a screen may be fractions of the page's.
    if scroller.scroll_top() + 1 < goal && frames > 0 && goes_on() {
        request_animation_frame(move || {
            if goes_on() {
                reach(scroller, goal, goes_on, frames - 1);
            }
        });
    }
}
