//! The source view: a tree of files by cost, and the text of one with the costs of its lines.

mod missing;
mod text;

use std::rc::Rc;

use syclscope_language::api::{FileCost, LineCost, SourceInfo};
use syclscope_language::event::SourceState;
use syclscope_language::question::Question;

use self::missing::MissingText;
use self::text::Text;
use super::costs::weight;
use super::files::{Entry, tree};
use crate::components::states::{Nothing, show_answer};
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::call::{Call, Goal};
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::view_descriptor::Running;
use crate::views::source::ID;
use crate::views::source::state::OpenedFile;

#[derive(Clone, Debug, PartialEq)]
struct File {
    path: String,
    /// Source number, if its text can be queried.
    source: Option<u32>,
    state: SourceState,
    cost: LineCost,
}

pub(crate) fn start(session: Session) -> Running {
    let handle = move |call| match call {
        Call::Go(goal) => {
            if let Goal::File(path) = goal {
                session.slot::<OpenedFile>().update(|state| state.file = Some(path));
                session.mark(None);
                session.record_change(Change::Jump);
            }
            true
        }
        Call::BreakOff | Call::Command(..) => false,
    };
    Running { mount: Box::new(|| view! { <SourceView/> }.into_any()), handle: Rc::new(handle) }
}

#[component]
fn SourceView() -> impl IntoView {
    let query = use_answer::<Vec<FileCost>>(|| Some(Question::Files));
    show_answer(query, "source files", |costs| view! { <Browser costs/> })
}

/// Returns the files with a cost, then the other recorded ones.
fn files_of(costs: Vec<FileCost>, sources: &[SourceInfo]) -> Vec<File> {
    let state_of = |source: Option<u32>| {
        let info = source.and_then(|source| sources.get(source as usize));
        info.map_or(SourceState::Other, |info| info.state)
    };
    let mut files: Vec<File> = costs
        .into_iter()
        .filter(|file| !file.path.is_empty())
        .map(|FileCost { path, source, cost, .. }| File { state: state_of(source), path, source, cost })
        .collect();
    for (number, source) in (0_u32..).zip(sources) {
        if files.iter().all(|file| file.path != source.path) {
            let (path, state, cost) = (source.path.clone(), source.state, LineCost::default());
            files.push(File { path, source: Some(number), state, cost });
        }
    }
    files
}

#[component]
fn Browser(costs: Vec<FileCost>) -> impl IntoView {
    let session = use_session();
    let files = files_of(costs, &session.info().sources);
    if files.is_empty() {
        return view! {
            <Nothing title="No source files">
                "No command, call or allocation has a source location. Compile the program with "
                <code>"-g"</code> " or " <code>"-gline-tables-only"</code>
                " to get them; precompiled libraries such as dpnp have none."
            </Nothing>
        }
        .into_any();
    }
    let all = StoredValue::new(files.clone());
    let current = Memo::new(move |_| all.with_value(|files| open_file(session, files)));
    view! {
        <div class="source-view" data-testid="source-view">
            <Files files current/>
            {move || {
                let file = all.with_value(|files| files.get(current.get()).cloned())?;
                Some(match (file.source, file.state) {
                    (Some(source), SourceState::Whole) => view! { <Text source path=file.path/> }.into_any(),
                    _ => view! { <MissingText file/> }.into_any(),
                })
            }}
        </div>
    }
    .into_any()
}

/// Returns the open file: the selected line's, else the one in the address, else the most expensive one with a text.
fn open_file(session: Session, files: &[File]) -> usize {
    let number_of = |path: &str| files.iter().position(|file| file.path == path);
    let selected = session.selection.with(|selection| match selection {
        Some(Selection::Line { file, .. }) => number_of(file),
        _ => None,
    });
    let opened = session.slot::<OpenedFile>().with(|source| source.file.as_deref().and_then(number_of));
    let costliest = || {
        let here = files.iter().enumerate().filter(|(_, file)| file.state == SourceState::Whole);
        here.max_by(|(_, one), (_, other)| weight(&one.cost).total_cmp(&weight(&other.cost)))
            .map(|(place, _)| place)
    };
    selected.or(opened).or_else(costliest).unwrap_or(0)
}

#[component]
fn Files(files: Vec<File>, current: Memo<usize>) -> impl IntoView {
    let session = use_session();
    let costs: Vec<(String, f64)> =
        files.iter().map(|file| (file.path.clone(), weight(&file.cost))).collect();
    let whole = costs.iter().map(|(_, cost)| cost).sum::<f64>().max(1.0);
    let entries = tree(&costs).into_iter().map(|entry| {
        let Entry { name, depth, file, cost } = entry;
        let indent = format!("{}px", 12 + depth * 14);
        let Some(number) = file.map(|file| file as usize) else {
            return view! { <li class="file-folder quiet" style:padding-left=indent title=name.clone()>{name.clone()}</li> }
                .into_any();
        };
        let File { path, state, cost: costs, .. } = files[number].clone();
        // Devices run while the host waits, so there are two numbers and no sum.
        let figure = |(name, ns): (&str, u64)| (ns > 0).then(|| format!("{name} {}", format::duration(ns as f64)));
        let figures = [("device", costs.device_ns), ("waits", costs.wait_ns)].into_iter().filter_map(figure);
        let note = figures.collect::<Vec<_>>().join(", ");
        let place = if state == SourceState::Whole { path.clone() } else { format!("{path}\nnot in the recording") };
        let title = format!("{place}\n{note}");
        view! {
            <li>
                <button
                    type="button"
                    class="file-button"
                    class:is-active=move || current.get() == number
                    class:quiet=state != SourceState::Whole
                    aria-current=move || (current.get() == number).then_some("true")
                    style:padding-left=indent
                    style:--share=format!("{:.2}%", cost / whole * 100.0)
                    title=title
                    on:click=move |_| open(session, &path)
                >
                    <span class="file-name">{name}</span>
                    <span class="file-cost">{note}</span>
                </button>
            </li>
        }
        .into_any()
    });
    view! { <nav class="source-files" aria-label="Source files"><ul>{entries.collect_view()}</ul></nav> }
}

fn open(session: Session, path: &str) {
    let is_elsewhere = session
        .selection
        .with_untracked(|selection| matches!(selection, Some(Selection::Line { file, .. }) if file != path));
    if is_elsewhere {
        session.mark(None);
    }
    session.scrolls.update_untracked(|scrolls| scrolls.put(ID, None));
    session.slot::<OpenedFile>().update(|source| source.file = Some(path.to_owned()));
    session.record_change(Change::Jump);
}
