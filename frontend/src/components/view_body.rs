//! The scrolling part of a view. Its scroll position is in the address.

use leptos::html;

use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::state::view::View;

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
    children: Children,
) -> impl IntoView {
    let session = use_session();
    // Scrolling before the user's first input is the view's own, and repeats when the link is opened.
    let is_touched = StoredValue::new(false);
    let touch = move || is_touched.set_value(true);
    Effect::new(move |_| {
        session.arrivals.track();
        let goal = session.scrolls.with_untracked(|scrolls| scrolls.get(view));
        if let (true, Some(goal), Some(scroller)) = (is_ready.get(), goal, scroller.get()) {
            scroller.set_scroll_top(goal.cast_signed());
        }
    });
    let scrolled = move |event: leptos::ev::Event| {
        let top = event_target::<web_sys::HtmlElement>(&event).scroll_top();
        if let Some(on_scroll) = on_scroll {
            on_scroll.run(f64::from(top));
        }
        let place = u32::try_from(top).ok();
        if is_touched.get_value() && session.scrolls.with_untracked(|scrolls| scrolls.get(view) != place) {
            session.scrolls.update_untracked(|scrolls| scrolls.put(view, place));
            session.record_change(Change::Detail);
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
