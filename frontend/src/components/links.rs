//! Links between the application's pages, followed without reloading.

use wasm_bindgen::JsValue;
use web_sys::MouseEvent;

use crate::browser::window;
use crate::reactive::*;
use crate::state::route::Route;

#[derive(Clone, Copy)]
pub(crate) struct RouteContext {
    route: RwSignal<Route>,
}

impl RouteContext {
    pub(crate) fn new(route: RwSignal<Route>) -> Self {
        Self { route }
    }

    /// Opens the page of a local file, unless it is open already.
    pub(crate) fn show_local(self, path: &str, name: &str) {
        if self.route.get_untracked() != Route::Local(name.to_owned()) {
            self.go(path);
        }
    }

    pub(crate) fn go(self, path: &str) {
        let pushed = window()
            .history()
            .and_then(|history| history.push_state_with_url(&JsValue::NULL, "", Some(path)));
        if pushed.is_ok() {
            let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
            self.route.set(Route::parse(path, query));
        }
    }
}

#[component]
pub(crate) fn PageLink(
    #[prop(into)] href: String,
    #[prop(into, optional)] class: String,
    #[prop(into, optional)] label: String,
    children: Children,
) -> impl IntoView {
    let routes = expect_context::<RouteContext>();
    let target = href.clone();
    let follow = move |event: MouseEvent| {
        // The browser handles new tabs and windows.
        let is_plain = event.button() == 0
            && !event.ctrl_key()
            && !event.meta_key()
            && !event.shift_key()
            && !event.alt_key();
        if is_plain && !event.default_prevented() {
            event.prevent_default();
            routes.go(&target);
        }
    };
    let label = (!label.is_empty()).then_some(label);
    view! { <a href=href class=class aria-label=label on:click=follow>{children()}</a> }
}
