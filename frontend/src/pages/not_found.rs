use crate::browser::set_title;
use crate::components::header::Header;
use crate::components::links::PageLink;
use crate::components::local::OpenButton;
use crate::reactive::*;
use crate::state::route::LIST_PATH;

#[component]
pub(crate) fn NotFoundPage(path: String) -> impl IntoView {
    set_title("Not found · syclscope");
    view! {
        <Header><span></span></Header>
        <main class="message-page" data-testid="not-found">
            <div class="empty">
                <h1>"Page not found"</h1>
                <p>"There is nothing at " <code>{path}</code> ". The link may be incomplete."</p>
                <p class="quiet">"The list of traces is at " <code>"/"</code> ", each trace at " <code>"/t/…"</code> "."</p>
                <p class="message-actions">
                    <PageLink href=LIST_PATH class="button">"All traces"</PageLink>
                    <OpenButton/>
                </p>
            </div>
        </main>
    }
}
