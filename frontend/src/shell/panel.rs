//! The panel below the views: details of the selection, kernels, problems.

mod area;
pub(crate) mod comments;
mod details;
mod kernels;
mod later;
mod problems;
mod recording;

use std::time::Duration;

use crate::browser::{focus, is_chord, scroll_into_sight};
use crate::components::icons::{Icon, IconKind};
use crate::components::splitter::{Axis, Splitter, use_size};
use crate::format;
use crate::hooks::rested::use_late;
use crate::reactive::*;
use crate::shell::panel::details::Details;
use crate::shell::panel::kernels::Kernels;
use crate::state::problems as found;
use crate::state::session::{Session, use_session};
use crate::state::url::Panel;
use crate::views::TABLE;

#[component]
pub(crate) fn BottomPanel() -> impl IntoView {
    let height = use_size("syclscope.panel-height", 250.0, (80.0, 900.0));
    let session = use_session();
    let open_tab = use_open_tab(session);
    let stop = Memo::new(move |_| stop(session));
    let tabs = Panel::ALL
        .iter()
        .copied()
        .map(|tab| {
            let is_shown = move || open_tab.get() == Some(tab);
            view! {
                <button
                    type="button"
                    role="tab"
                    id=format!("tab-{}", tab.as_str())
                    aria-selected=move || is_shown().to_string()
                    aria-controls="panel-content"
                    tabindex=move || if stop.get() == tab { "0" } else { "-1" }
                    hidden=move || is_hidden(session, tab)
                    data-testid=format!("tab-{}", tab.as_str())
                    on:click=move |_| session.open_panel(tab)
                    on:keydown=move |event| walk_tabs(session, tab, &event)
                >
                    {move || tab_name(session, tab)}
                </button>
            }
        })
        .collect_view();
    // In a narrow window the tabs scroll.
    Effect::new(move |_| {
        if let Some(tab) = open_tab.get() {
            scroll_into_sight(&format!("#tab-{}", tab.as_str()));
        }
    });
    let is_open = move || open_tab.get().is_some();
    let keymap = session.keymap;
    let words = move || {
        let text = if is_open() { "Close the panel (V)" } else { "Open the panel (V)" };
        keymap.with(|keymap| keymap.titled("page.panel", text))
    };
    view! {
        {move || is_open().then(|| view! {
            <Splitter axis=Axis::Vertical size=height label="Panel height"/>
        })}
        <section
            class="panel"
            class:is-closed=move || !is_open()
            style:height=move || open_tab.get().map(|_| format!("{}px", height.get()))
            aria-label="Details"
        >
            <div class="panel-head">
                <div class="tabs" role="tablist" aria-label="Panels">{tabs}</div>
                <button
                    type="button"
                    class="bar-button"
                    title=words
                    aria-label=words
                    aria-expanded=move || is_open().to_string()
                    data-testid="close-panel"
                    on:click=move |_| toggle(session)
                >
                    {move || view! { <Icon kind=if is_open() { IconKind::Close } else { IconKind::Up }/> }}
                </button>
            </div>
            <div
                class="panel-content"
                id="panel-content"
                role="tabpanel"
                aria-labelledby=move || format!("tab-{}", stop.get().as_str())
                hidden=move || !is_open()
                data-testid="panel"
            >
                {move || open_tab.get().map(|panel| view! { <h2 class="visually-hidden">{tab_name(session, panel)}</h2> })}
                {move || match open_tab.get() {
                    Some(Panel::Selection) => view! { <Details/> }.into_any(),
                    Some(Panel::Kernels) => view! { <Kernels/> }.into_any(),
                    Some(Panel::Area) => later::area(),
                    Some(Panel::Recording) => later::recording(),
                    Some(Panel::Problems) => later::problems(),
                    Some(Panel::Comments) => later::comments(),
                    None => ().into_any(),
                }}
            </div>
        </section>
    }
}

const DOUBLE_CLICK: Duration = Duration::from_millis(300);

/// Returns the open tab. A panel that opens by itself appears after a double-click has ended, so as not to cover its
/// target.
fn use_open_tab(session: Session) -> RwSignal<Option<Panel>> {
    let goal = Memo::new(move |_| open_tab(session));
    use_late(goal, DOUBLE_CLICK, move |old, new| {
        let is_by_hand = session.panels.with(|panels| panels.is_closed.is_some());
        !is_by_hand && old.is_none() && new.is_some()
    })
}

/// Returns the open tab, unless it is hidden.
fn open_tab(session: Session) -> Option<Panel> {
    Some(session.panel.get()).filter(|tab| !session.is_panel_closed() && !is_hidden(session, *tab))
}

/// Returns the focusable tab: the most recently open one, or else the first.
fn stop(session: Session) -> Panel {
    let last = session.panel.get();
    let mut there = Panel::ALL.iter().copied().filter(|tab| !is_hidden(session, *tab));
    if is_hidden(session, last) { there.next().unwrap_or(last) } else { last }
}

pub(super) fn toggle(session: Session) {
    match untrack(|| open_tab(session)) {
        Some(_) => session.close_panel(),
        None => session.open_panel(untrack(|| stop(session))),
    }
}

/// True if a visible view shows the tab's content, or there is no content.
fn is_hidden(session: Session, tab: Panel) -> bool {
    let info = session.info();
    if tab == Panel::Kernels && info.is_foreign() && info.kernels.is_empty() {
        return true;
    }
    session.panes.with(|panes| {
        TABLE.iter().any(|descriptor| descriptor.repeats.contains(&tab) && panes.shows(descriptor.view))
    })
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
        Panel::Comments => session.talk.with(|talk| match (talk.count(), talk.news.len()) {
            (0, _) => "Comments".to_owned(),
            (count, 0) => format!("Comments ({count})"),
            (count, news) => format!("Comments ({count}, {news} new)"),
        }),
    }
}

fn walk_tabs(session: Session, tab: Panel, event: &web_sys::KeyboardEvent) {
    if is_chord(event) {
        return;
    }
    let tabs: Vec<Panel> = Panel::ALL.iter().copied().filter(|tab| !is_hidden(session, *tab)).collect();
    let index = tabs.iter().position(|candidate| *candidate == tab).unwrap_or(0);
    let next = match event.key().as_str() {
        "ArrowLeft" => index + tabs.len() - 1,
        "ArrowRight" => index + 1,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let next = tabs[next % tabs.len()];
    session.open_panel(next);
    focus(&format!("#tab-{}", next.as_str()));
}
