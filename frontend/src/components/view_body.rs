//! The part of a view that scrolls. Where a user scrolled it is in the address.

use leptos::html;

use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::state::view::View;

/// A part that scrolls, can be reached by the keyboard, and opens where a link's sender saw it.
#[component]
pub(crate) fn ViewBody(
    /// Whose part it is.
    view: View,
    /// What a screen reader calls it.
    label: &'static str,
    /// What tests call it.
    #[prop(optional)]
    testid: &'static str,
    /// Its classes.
    #[prop(default = "view-body")]
    class: &'static str,
    /// The element, where the view needs it.
    #[prop(optional)]
    scroller: NodeRef<html::Div>,
    /// Hears of each new position.
    #[prop(optional)]
    on_scroll: Option<Callback<f64>>,
    /// Whether the content is as tall as it will be.
    #[prop(default = Signal::stored(true))]
    is_ready: Signal<bool>,
    children: Children,
) -> impl IntoView {
    let session = use_session();
    // What scrolls before a hand touched it is the view's own doing, and comes again when somebody opens the link.
    let is_touched = StoredValue::new(false);
    let touch = move || is_touched.set_value(true);
    Effect::new(move |_| {
        session.arrivals.track();
        let goal = session.scrolls.with_untracked(|scrolls| scrolls.of(view));
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
        if is_touched.get_value() && session.scrolls.with_untracked(|scrolls| scrolls.of(view) != place) {
            session.scrolls.update_untracked(|scrolls| scrolls.put(view, place));
            session.changed(Change::Detail);
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
