use crate::browser::query;
use crate::components::icons::{Icon, IconKind};
use crate::components::links::PageLink;
use crate::components::theme::ThemeSwitch;
use crate::reactive::*;
use crate::state::call::Overlay;
use crate::state::route::LIST_PATH;
use crate::state::session::{Session, with_key};
use crate::state::url::is_embedded;

/// The logo, which links to the list of traces.
#[component]
pub(crate) fn Mark() -> impl IntoView {
    view! {
        <PageLink href=LIST_PATH class="mark" label="syclscope: all traces">
            <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
                <rect class="mark-kernel" x="2" y="5" width="16" height="5.5" rx="1.2"/>
                <rect class="mark-copy" x="20" y="5" width="9" height="5.5" rx="1.2"/>
                <rect class="mark-host" x="8" y="13.25" width="21" height="5.5" rx="1.2"/>
                <rect class="mark-copy" x="2" y="21.5" width="8" height="5.5" rx="1.2"/>
                <rect class="mark-kernel" x="12" y="21.5" width="12" height="5.5" rx="1.2"/>
            </svg>
            <span class="mark-name">"syclscope"</span>
        </PageLink>
    }
}

/// The bar at the top: logo, the page's own parts, switches. Embedded pages show only their own parts.
#[component]
pub(crate) fn Header(children: Children) -> impl IntoView {
    let session = use_context::<Session>();
    if is_embedded(&query()) {
        return view! { <header class="header embedded">{children()}</header> }.into_any();
    }
    view! {
        <header class="header">
            <Mark/>
            <div class="header-content">{children()}</div>
            <nav class="header-tools" aria-label="Tools">
                {session.map(|session| view! {
                    <button
                        class="quiet-button"
                        type="button"
                        title=with_key("page.help", "Keys and mouse (?)")
                        data-testid="help-button"
                        on:click=move |_| session.overlay.set(Some(Overlay::Help))
                    >
                        <Icon kind=IconKind::Help/>
                        <span class="button-text">"Help"</span>
                    </button>
                })}
                <ThemeSwitch/>
            </nav>
        </header>
    }
    .into_any()
}
