//! The panel below the timeline: details of the selection, kernels, problems.

mod area;
mod details;
mod kernels;
mod problems;
mod recording;

use crate::components::splitter::{Axis, Splitter, use_size};
use crate::format;
use crate::reactive::*;
use crate::shell::panel::area::AreaTable;
use crate::shell::panel::details::Details;
use crate::shell::panel::kernels::Kernels;
use crate::shell::panel::problems::Problems;
use crate::shell::panel::recording::Recording;
use crate::state::problems as found;
use crate::state::session::{Session, use_session};
use crate::state::url::Panel;

#[component]
pub(crate) fn BottomPanel() -> impl IntoView {
    let height = use_size("syclscope.panel-height", 250.0, (80.0, 900.0));
    let session = use_session();
    let panel = session.panel;
    let tabs = Panel::ALL
        .into_iter()
        .map(|tab| {
            let is_shown = move || panel.get() == tab;
            view! {
                <button
                    type="button"
                    role="tab"
                    id=format!("tab-{}", tab.as_str())
                    aria-selected=move || is_shown().to_string()
                    aria-controls="panel-content"
                    tabindex=move || if is_shown() { "0" } else { "-1" }
                    data-testid=format!("tab-{}", tab.as_str())
                    on:click=move |_| session.show_panel(tab)
                    on:keydown=move |event| walk_tabs(session, tab, &event)
                >
                    {tab_name(session, tab)}
                </button>
            }
        })
        .collect_view();
    view! {
        <Splitter axis=Axis::Vertical size=height label="Panel height"/>
        <section class="panel" style:height=move || format!("{}px", height.get()) aria-label="Details">
            <div class="tabs" role="tablist" aria-label="Panels">{tabs}</div>
            <div
                class="panel-content"
                id="panel-content"
                role="tabpanel"
                aria-labelledby=move || format!("tab-{}", panel.get().as_str())
                data-testid="panel"
            >
                <h2 class="visually-hidden">{move || tab_name(session, panel.get())}</h2>
                {move || match panel.get() {
                    Panel::Selection => view! { <Details/> }.into_any(),
                    Panel::Kernels => view! { <Kernels/> }.into_any(),
                    Panel::Area => view! { <AreaTable/> }.into_any(),
                    Panel::Problems => view! { <Problems/> }.into_any(),
                    Panel::Recording => view! { <Recording/> }.into_any(),
                }}
            </div>
        </section>
    }
}

fn tab_name(session: Session, tab: Panel) -> String {
    let info = session.info();
    let (kernels, problems) = (info.kernels.len() as u64, found::problems(&info).len() as u64);
    match tab {
        Panel::Selection => "Selection".to_owned(),
        Panel::Kernels => format!("Kernels and commands ({})", format::count(kernels)),
        Panel::Area => "Area".to_owned(),
        Panel::Problems => format!("Problems ({})", format::count(problems)),
        Panel::Recording => "Recording".to_owned(),
    }
}

fn walk_tabs(session: Session, tab: Panel, event: &web_sys::KeyboardEvent) {
    let index = Panel::ALL.iter().position(|candidate| *candidate == tab).unwrap_or(0);
    let next = match event.key().as_str() {
        "ArrowLeft" => index + Panel::ALL.len() - 1,
        "ArrowRight" => index + 1,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let next = Panel::ALL[next % Panel::ALL.len()];
    session.show_panel(next);
    crate::browser::focus(&format!("#tab-{}", next.as_str()));
}
