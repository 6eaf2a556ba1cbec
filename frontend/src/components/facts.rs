//! Lists of facts about an entity, with links to other entities.

use syclscope_language::api::{ArgValue, LocationInfo, Severity, SliceRef};

use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::words;

#[component]
pub(crate) fn Fact(name: &'static str, children: Children) -> impl IntoView {
    view! { <dt>{name}</dt><dd>{children()}</dd> }
}

/// A link to the line of a source location, or only its function if the file is unknown.
#[component]
pub(crate) fn PlaceLink(location: LocationInfo) -> impl IntoView {
    let session = use_session();
    let place = words::place(&location);
    let LocationInfo { file, line, .. } = location;
    if file.is_empty() {
        return view! { <code class="source">{place}</code> }.into_any();
    }
    let thing = Selection::Line { file: file.clone(), line }.to_string();
    let show = move |_| session.go_to_line(file.clone(), line);
    view! {
        <button type="button" class="jump" data-thing=thing title="Show the line and its slices" on:click=show>
            <code class="source">{place}</code>
        </button>
    }
    .into_any()
}

/// Like [`PlaceLink`], but short, and shows the line immediately.
#[component]
pub(crate) fn LineLink(location: Option<LocationInfo>) -> impl IntoView {
    let session = use_session();
    location.filter(|location| !location.file.is_empty()).map(|location| {
        let (text, full) = (words::short_place(&location), words::place(&location));
        let line = Selection::Line { file: location.file, line: location.line };
        view! {
            <button
                type="button"
                class="jump"
                data-thing=line.to_string()
                title=full
                on:click=move |_| {
                    session.select(Some(line.clone()));
                    session.go(Goal::Line);
                }
            ><code>{text}</code></button>
        }
    })
}

#[component]
pub(crate) fn Jump(at: SliceRef, #[prop(into)] text: String) -> impl IntoView {
    let session = use_session();
    view! {
        <button
            type="button"
            class="jump"
            data-testid="jump"
            data-slice=at.slice.to_string()
            on:click=move |_| session.go_to(at)
        >{text}</button>
    }
}

pub(crate) fn argument_lines(args: Vec<(String, ArgValue)>) -> impl IntoView {
    let lines = args.into_iter().map(|(name, value)| {
        view! { <dt>{name}</dt><dd><code>{value.to_string()}</code></dd> }
    });
    lines.collect_view()
}

pub(crate) fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "severity-info",
        Severity::DataLoss => "severity-loss",
        Severity::Error => "severity-error",
    }
}
