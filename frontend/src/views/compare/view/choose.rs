//! Choice of the other trace: a local file, or a trace of the server.

use syclscope_language::api::ListedTrace;

use super::beside::Beside;
use crate::browser::unix_seconds;
use crate::components::choose_file::ChooseFile;
use crate::components::states::{Nothing, show_answer};
use crate::components::view_body::ViewBody;
use crate::data::client::{self, ClientError};
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::hooks::answer::use_text;
use crate::reactive::*;
use crate::state::listing::Filters;
use crate::views::compare::ID;
use crate::views::compare::state::Other;

/// Maximum number of traces in an answer of the server.
const LISTED: usize = 100;

#[component]
pub(super) fn Choose(beside: Beside, missing: Option<String>, error: Option<ClientError>) -> impl IntoView {
    let is_hosted = matches!(beside.session.home(), Some(TraceSource::Server(_)));
    let failure = error.map(|error| {
        view! {
            <div class="notice" role="alert" data-testid="compare-failure">
                <span><b>"The other trace could not be opened. "</b>{error.message}</span>
                <button type="button" class="button" on:click=move |_| beside.retry()>"Try again"</button>
            </div>
        }
    });
    let missing = missing.map(|name| {
        view! {
            <div class="notice" role="status" data-testid="compare-wanted">
                <span>
                    "This link compares with the local file " <code>{name}</code>
                    ". Browsers do not keep local files: choose it again, or drop it here."
                </span>
            </div>
        }
    });
    view! {
        {failure}
        {missing}
        <ViewBody view=ID label="Choose a trace to compare with" testid="compare-choose">
            <div class="compare-choose">
                <h2>"Compare with another run"</h2>
                <p class="quiet">
                    "Choose what this run is compared with: what changed, which commands are faster or slower, and why. "
                    "Or drop a recording here, or several runs of the same program: they stay on this computer."
                </p>
                <p class="message-actions"><ChooseFile
                    label="Choose files"
                    testid="compare-file"
                    input_testid="compare-input"
                    take=Callback::new(move |files| beside.take(files))
                    several=true
                /></p>
                {is_hosted.then(|| view! { <TraceList beside line=line/> })}
            </div>
        </ViewBody>
    }
}

fn program_of(trace: &ListedTrace) -> Option<&String> {
    trace.figures.as_ref().map(|figures| &figures.program).filter(|program| !program.is_empty())
}

/// Lists traces, with a heading if there are several parts.
fn part(
    beside: Beside,
    head: Option<String>,
    traces: Vec<ListedTrace>,
    line: fn(Beside, ListedTrace) -> AnyView,
) -> Option<AnyView> {
    (!traces.is_empty()).then(|| {
        let lines = traces.into_iter().map(|trace| line(beside, trace)).collect_view();
        let head = head.map(|head| view! { <tr><th scope="rowgroup" colspan="4">{head}</th></tr> });
        view! { <tbody>{head}{lines}</tbody> }.into_any()
    })
}

/// The server's traces, traces of the same program first, then newest first, each rendered by `line`.
#[component]
pub(super) fn TraceList(beside: Beside, line: fn(Beside, ListedTrace) -> AnyView) -> impl IntoView {
    let search = RwSignal::new(String::new());
    let query = use_text::<Vec<ListedTrace>>(move || {
        let mut filters = Filters::default();
        search.with(|search| filters.set("q", search));
        Some(client::trace_list(filters.query()))
    });
    let own = match beside.session.home() {
        Some(TraceSource::Server(id)) => id,
        _ => String::new(),
    };
    let program = beside.session.info().program.clone();
    let list = show_answer(query, "traces", move |traces| {
        let is_cut = traces.len() >= LISTED;
        let others = traces.into_iter().filter(|trace| trace.id != own);
        let (same, others): (Vec<_>, Vec<_>) = others.partition(|trace| program_of(trace) == Some(&program));
        if same.is_empty() && others.is_empty() {
            let text = "The server has no other trace like this. Upload one, or choose a file.";
            return view! { <Nothing title="No other trace">{text}</Nothing> }.into_any();
        }
        // The program of a trace without metrics is unknown.
        let is_known = !same.is_empty() || others.iter().any(|trace| trace.figures.is_some());
        let is_other = others.iter().all(|trace| trace.figures.is_some());
        let other = if is_other { "Runs of other programs" } else { "Other runs" };
        view! {
            <table class="mini has-heads" class:is-unread=!is_known data-testid="compare-traces">
                <thead>
                    <tr><th scope="col">"Trace"</th><th scope="col">"Program"</th><th scope="col" class="number">"Run"</th>
                    <th scope="col" class="number">"Stored"</th></tr>
                </thead>
                {part(beside, Some(format!("Runs of {program}")), same, line)}
                {part(beside, is_known.then(|| other.to_owned()), others, line)}
            </table>
            {is_cut.then(|| view! { <p class="quiet">"Of the newest 100. Search for others."</p> })}
        }
        .into_any()
    });
    view! {
        <input
            type="search"
            class="field"
            placeholder="Search traces"
            aria-label="Search traces"
            data-testid="compare-search"
            prop:value=move || search.get()
            on:input=move |event| search.set(event_target_value(&event))
        />
        {list}
    }
}

fn line(beside: Beside, trace: ListedTrace) -> AnyView {
    let cells = cells(&trace);
    let ListedTrace { id, name, .. } = trace;
    let full = name.clone();
    let choose = move |_| beside.choose(Some(Other::Trace(id.clone())));
    view! {
        <tr>
            <th scope="row"><button type="button" class="name-button" title=full on:click=choose>{name}</button></th>
            {cells}
        </tr>
    }
    .into_any()
}

pub(super) fn cells(trace: &ListedTrace) -> AnyView {
    let ago = format::ago((unix_seconds() - trace.stored_unix_ns as f64 / 1e9).max(0.0));
    let figures = trace.figures.as_ref();
    let (program, run) = figures
        .map(|figures| (figures.program.clone(), format::duration(figures.duration_ns as f64)))
        .unwrap_or_default();
    view! { <td>{program}</td><td class="number">{run}</td><td class="number quiet">{ago}</td> }.into_any()
}
