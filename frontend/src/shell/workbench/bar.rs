//! The bar above a view that shares the screen with others.

use crate::components::icons::{Icon, IconKind};
use crate::reactive::*;
use crate::state::session::{use_session, with_key};
use crate::state::view::View;
use crate::views::title;

#[component]
pub(super) fn PaneBar(view: View) -> impl IntoView {
    let session = use_session();
    let title = title(view);
    view! {
        <div class="pane-bar">
            <h2>{title}</h2>
            <button
                type="button"
                class="bar-button"
                title=with_key("page.only", "Show only this view (Shift+M)")
                aria-label=format!("Show only {title}")
                on:click=move |_| session.only(view)
            >
                <Icon kind=IconKind::Only/>
            </button>
            <button
                type="button"
                class="bar-button"
                title=with_key("page.close", "Close this pane (Shift+X)")
                aria-label=format!("Close {title}")
                data-testid=format!("close-{}", view.as_str())
                on:click=move |_| session.close(view)
            >
                <Icon kind=IconKind::Close/>
            </button>
        </div>
    }
}
