//! The source view.

mod text;

use leptos::prelude::*;
use syclscope_trace::api::SourceInfo;
use syclscope_trace::event::SourceState;

use self::text::Text;
use super::files::{Entry, tree};
use crate::components::states::Nothing;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};

#[component]
pub(crate) fn SourceView() -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let files = StoredValue::new(info.sources.clone());
    if info.sources.is_empty() {
        return view! {
            <Nothing title="No source files were recorded">
                "The program was built without source locations. Compile it with " <code>"-g"</code>
                " or with " <code>"-fsycl -gline-tables-only"</code> ", and record without "
                <code>"--no-sources"</code> "."
            </Nothing>
        }
        .into_any();
    }
    let shown = Memo::new(move |_| shown_file(session, &files.get_value()));
    view! {
        <div class="source-view" data-testid="source-view">
            <Files files=info.sources.clone() shown/>
            {move || shown.get().map(|number| {
                let file = files.with_value(|files| files.get(number as usize).cloned()).unwrap_or_default();
                if file.state == SourceState::Whole {
                    view! { <Text number file/> }.into_any()
                } else {
                    view! { <NotHere file/> }.into_any()
                }
            })}
        </div>
    }
    .into_any()
}

/// The file that is open: the selected line's, else the one in the address, else the first that is here.
fn shown_file(session: Session, files: &[SourceInfo]) -> Option<u32> {
    let number_of = |path: &str| files.iter().position(|file| file.path == path);
    let selected = session.selection.with(|selection| match selection {
        Some(Selection::Line { file, .. }) => number_of(file),
        _ => None,
    });
    let opened = session.source.with(|source| source.file.as_deref().and_then(number_of));
    let first = || files.iter().position(|file| file.state == SourceState::Whole).unwrap_or(0);
    u32::try_from(selected.or(opened).unwrap_or_else(first)).ok()
}

/// The tree of files.
#[component]
fn Files(files: Vec<SourceInfo>, shown: Memo<Option<u32>>) -> impl IntoView {
    let session = use_session();
    let costs: Vec<(String, f64)> = files.iter().map(|file| (file.path.clone(), 0.0)).collect();
    let entries = tree(&costs).into_iter().map(|entry| {
        let Entry { name, depth, file, .. } = entry;
        let indent = format!("{}px", 10 + depth * 14);
        match file {
            None => view! { <li class="file-folder quiet" style:padding-left=indent>{name}</li> }.into_any(),
            Some(number) => {
                let info = files[number as usize].clone();
                let is_here = info.state == SourceState::Whole;
                let path = info.path.clone();
                view! {
                    <li>
                        <button
                            type="button"
                            class="file-button"
                            class:is-active=move || shown.get() == Some(number)
                            class:quiet=!is_here
                            aria-current=move || (shown.get() == Some(number)).then_some("true")
                            style:padding-left=indent
                            title=path.clone()
                            on:click=move |_| open(session, &path)
                        >{name}</button>
                    </li>
                }
                .into_any()
            }
        }
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
    session.source.update(|source| source.file = Some(path.to_owned()));
    session.changed(Change::Jump);
}

/// A file that the recording names and does not hold.
#[component]
fn NotHere(file: SourceInfo) -> impl IntoView {
    let why = match file.state {
        SourceState::TooLarge => {
            "The file was larger than the recorder keeps. Record again with SYCLSCOPE_SOURCES_MAX set to more."
        }
        SourceState::Unreadable => {
            "The recorder could not read it: the program ran where its sources are not. Record where they are, at the \
             path above."
        }
        SourceState::Whole | SourceState::Other => {
            "The recording names this file and does not hold it. Record without --no-sources where the sources are."
        }
    };
    view! {
        <Nothing title=format!("{} is not in the recording", file.path)>{why}</Nothing>
    }
}
