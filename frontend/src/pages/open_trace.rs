//! The page of an open trace: header, views, panel.

use std::sync::Arc;

use syclscope_language::api::TraceInfo;
use web_sys::{HtmlAnchorElement, MouseEvent};

use crate::browser::local_time;
use crate::browser::set_title;
use crate::components::facts::severity_class;
use crate::components::header::Header;
use crate::components::icons::{Icon, IconKind};
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::hooks::turn::use_turn;
use crate::reactive::*;
use crate::shell;
use crate::shell::help::HelpOverlay;
use crate::shell::menu::ContextMenu;
use crate::shell::palette::Palette;
use crate::shell::panel::BottomPanel;
use crate::shell::share::{ContentsDialog, Notices, ShareDialog, ShareMenu};
use crate::shell::view_switch::ViewSwitch;
use crate::shell::workbench::{Started, Workbench, start_guest};
use crate::state::problems::{alerts, is_cut_short, problems, why_empty};
use crate::state::session::{Session, use_session};
use crate::state::url::Panel;
use crate::views::VIEWS;

#[component]
pub(super) fn OpenTrace(
    home: TraceSource,
    info: Arc<TraceInfo>,
    #[prop(into)] file_name: Signal<Option<String>>,
) -> impl IntoView {
    let session = Session::provide(info.clone(), home, VIEWS, start_guest);
    let started = Started::all(session);
    shell::keys::listen(session);
    let program = match info.program.clone() {
        title if title.is_empty() => "Trace".to_owned(),
        title => title,
    };
    set_title(&format!("{program} · syclscope"));
    let is_empty = info.counts.slices == 0;
    let empty = why_empty(&info);
    // The frame of the page is built first, then its views.
    let turn = use_turn();
    view! {
        <Header>
            <Title info=info.clone() program file_name/>
            {if session.is_embedded() {
                view! { <OpenWhole/> }.into_any()
            } else {
                view! {
                    <ViewSwitch/>
                    <Alerts info=info.clone()/>
                    <Facts info/>
                    <ShareMenu/>
                }
                .into_any()
            }}
        </Header>
        <main class="trace-page">
            {is_empty.then(|| view! {
                <p class="notice" data-testid="empty-trace">{empty}</p>
            })}
            {move || turn.get().then(|| view! {
                <Workbench started/>
                {(!session.is_embedded()).then(|| view! { <BottomPanel/> })}
            })}
        </main>
        {move || turn.get().then(|| view! {
            <HelpOverlay/>
            <ContentsDialog/>
            <Palette/>
            <ShareDialog/>
            <ContextMenu/>
        })}
        <Notices/>
        <div class="visually-hidden" role="status" data-testid="announcement">
            {move || session.announcement.get()}
        </div>
    }
}

#[component]
fn Title(info: Arc<TraceInfo>, program: String, file_name: Signal<Option<String>>) -> impl IntoView {
    let process = info.process.clone();
    let mut hint = process.command_line.clone();
    if process.start_unix_ns > 0 {
        hint += &format!("\nrecorded {}", local_time(process.start_unix_ns));
    }
    for (label, text) in [("on", &process.host), ("by", &process.recorder)] {
        if !text.is_empty() {
            hint += &format!(" {label} {text}");
        }
    }
    view! {
        <div class="title" title=hint>
            <h1 data-testid="trace-name">{program}</h1>
            <span class="quiet title-file">{move || file_name.get()}</span>
        </div>
    }
}

/// Link from an embedded page to the full one, with the current state.
#[component]
fn OpenWhole() -> impl IntoView {
    let session = use_session();
    let follow = move |event: MouseEvent| {
        event_target::<HtmlAnchorElement>(&event).set_href(&session.link());
    };
    view! {
        <a class="open-whole" href=session.link() target="_blank" rel="noopener" on:click=follow>"Open in syclscope"</a>
    }
}

#[component]
fn Facts(info: Arc<TraceInfo>) -> impl IntoView {
    let counts = info.counts;
    let mut facts = vec![
        (format::duration(info.duration_ns as f64), "Duration of the run"),
        (format::counted(counts.executions, "execution", "executions"), "Commands with device times"),
        (format::counted(counts.commands, "command", "commands"), "Commands in the task graph"),
        (format::counted(counts.edges, "edge", "edges"), "Dependences between commands"),
        (
            format::counted(counts.calls + counts.native_calls, "call", "calls"),
            "Calls of the runtime and of the native API",
        ),
        (format::counted(counts.allocations, "allocation", "allocations"), "Memory allocations"),
    ];
    if info.is_foreign() {
        facts.truncate(if counts.executions > 0 { 2 } else { 1 });
        facts.push((format::counted(counts.slices, "slice", "slices"), "From another tool"));
    }
    let facts = facts.into_iter().map(|(text, hint)| view! { <li title=hint>{text}</li> }).collect_view();
    let unreleased = (counts.unreleased > 0).then(|| {
        let text = format!("{} never released", format::count(counts.unreleased));
        view! { <li class="fact-warning" title="Allocations not released before the run ended">{text}</li> }
    });
    view! { <ul class="header-facts" data-testid="facts">{facts}{unreleased}</ul> }
}

#[component]
fn Alerts(info: Arc<TraceInfo>) -> impl IntoView {
    let session = use_session();
    let problems = problems(&info);
    let (count, worst) = alerts(&problems)?;
    let mut text = Vec::new();
    if info.counts.dropped > 0 {
        text.push(format!("{} dropped", format::counted(info.counts.dropped, "event", "events")));
    }
    if is_cut_short(&info) {
        text.push("recording was cut short".to_owned());
    }
    if text.is_empty() {
        text.push(format::counted(count as u64, "problem", "problems"));
    }
    let text = text.join(" · ");
    let hint = format!("{text}: show problems");
    let class = format!("alert-button {}", severity_class(worst));
    Some(view! {
        <button
            type="button"
            class=class
            data-testid="alerts"
            title=hint
            on:click=move |_| session.open_panel(Panel::Problems)
        >
            <Icon kind=IconKind::Warning/>
            <span>{text}</span>
        </button>
    })
}
