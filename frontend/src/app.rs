//! The application: theme, routes and shared state of all pages.

use leptos::ev;

use crate::browser::{count_acts, leave_composition, page_path, query};
use crate::components::drop_area::DropArea;
use crate::components::links::RouteContext;
use crate::components::local::{LocalFiles, LocalInput};
use crate::components::theme::provide_theme;
use crate::pages::list::ListPage;
use crate::pages::local::LocalPage;
use crate::pages::not_found::NotFoundPage;
use crate::pages::trace::TracePage;
use crate::reactive::*;
use crate::state::route::Route;

pub fn mount() {
    leptos::mount::mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    provide_theme();
    count_acts();
    leave_composition();
    let route = RwSignal::new(Route::parse(&page_path(), &query()));
    provide_context(RouteContext::new(route));
    LocalFiles::provide();
    // Back and Forward between pages. Within a trace's page only the query changes, and its session listens.
    let _for_ever = window_event_listener(ev::popstate, move |_| {
        let now = Route::parse(&page_path(), &query());
        if route.get_untracked() != now {
            route.set(now);
        }
    });
    let page = move || match route.get() {
        Route::List => view! { <ListPage/> }.into_any(),
        Route::Local(name) => view! { <LocalPage name/> }.into_any(),
        Route::Trace(id) => view! { <TracePage id/> }.into_any(),
        Route::Unknown(path) => view! { <NotFoundPage path/> }.into_any(),
    };
    view! {
        {page}
        <LocalInput/>
        <DropArea/>
    }
}
