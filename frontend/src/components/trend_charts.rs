//! Trends of the main metrics of the listed traces. Pressing a point opens its trace.

use syclscope_language::api::ListedTrace;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, MouseEvent};

use crate::components::links::RouteContext;
use crate::reactive::*;
use crate::state::listing::Filters;
use crate::state::trends::charts;

/// Links to the history of each project that has traces here. The server renders that page.
#[component]
pub(crate) fn HistoryLinks(entries: RwSignal<Vec<ListedTrace>>, filters: RwSignal<Filters>) -> impl IntoView {
    let projects = Memo::new(move |_| {
        let mut projects: Vec<String> = Vec::new();
        entries.with(|entries| {
            for entry in entries.iter().filter(|entry| entry.figures.is_some()) {
                if !projects.contains(&entry.project) {
                    projects.push(entry.project.clone());
                }
            }
        });
        projects
    });
    let links = move || {
        let projects = projects.get();
        let is_one = projects.len() == 1;
        let link = |project: String| {
            let href = filters.with(|filters| filters.history_path(&project));
            let text =
                if is_one { "History of these traces".to_owned() } else { format!("History of {project}") };
            view! { <a href=href data-testid="history">{text}</a>" " }
        };
        projects.into_iter().map(link).collect_view()
    };
    view! { <p>{links}</p> }
}

#[component]
pub(crate) fn TrendCharts(entries: RwSignal<Vec<ListedTrace>>) -> impl IntoView {
    let routes = expect_context::<RouteContext>();
    let html = Memo::new(move |_| entries.with(|entries| charts(entries)));
    let open = move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let link = target.and_then(|target| target.closest("a").ok().flatten());
        let Some(path) = link.and_then(|link| link.get_attribute("href")) else { return };
        // The browser handles new tabs and windows.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key()) {
            event.prevent_default();
            routes.go(&path);
        }
    };
    view! {
        <section
            class="trends"
            aria-label="Trends of the traces below"
            data-testid="trends"
            hidden=move || html.with(String::is_empty)
            inner_html=move || html.get()
            on:click=open
        ></section>
    }
}
