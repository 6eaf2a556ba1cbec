//! An address that names no page.

use crate::browser::set_title;
use crate::components::header::Header;
use crate::components::links::PageLink;
use crate::reactive::*;
use crate::state::route::LIST_PATH;

#[component]
pub(crate) fn NotFoundPage(path: String) -> impl IntoView {
    set_title("Not found · syclscope");
    view! {
        <Header><span></span></Header>
        <main class="message-page" data-testid="not-found">
            <h1>"Page not found"</h1>
            <p>"There is no page at " <code>{path}</code> ". A trace's page is at " <code>"/t/…"</code> "."</p>
            <p><PageLink href=LIST_PATH class="button">"All traces"</PageLink></p>
        </main>
    }
}
