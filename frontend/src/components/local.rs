//! The page's local file, and the ways to choose one.

use std::sync::Arc;

use leptos::html;
use leptos::task::spawn_local;
use syclscope_language::api::TraceInfo;
use web_sys::File;

use crate::components::drop_area::{AttachTarget, CompareTarget, UploadTarget};
use crate::components::icons::{Icon, IconKind};
use crate::components::links::RouteContext;
use crate::data::client::ClientError;
use crate::data::trace_source::TraceSource;
use crate::data::worker::{Import, LocalTrace};
use crate::reactive::*;
use crate::state::route::local_path;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LocalState {
    None,
    Importing { name: String, read_bytes: f64, size_bytes: f64 },
    Ready { name: String, info: Arc<TraceInfo> },
    Failed { name: String, error: ClientError },
}

#[derive(Clone, Copy)]
pub(crate) struct LocalFiles {
    pub(crate) state: RwSignal<LocalState>,
    trace: StoredValue<Option<LocalTrace>>,
    /// Number of the current choice; messages of earlier files are ignored.
    number: StoredValue<u32>,
    input: NodeRef<html::Input>,
    routes: RouteContext,
}

impl LocalFiles {
    pub(crate) fn provide() {
        provide_context(UploadTarget(RwSignal::new(None)));
        provide_context(AttachTarget(RwSignal::new(None)));
        provide_context(CompareTarget(RwSignal::new(None)));
        provide_context(Self {
            state: RwSignal::new(LocalState::None),
            trace: StoredValue::new(None),
            number: StoredValue::new(0),
            input: NodeRef::new(),
            routes: expect_context(),
        });
    }

    pub(crate) fn home(self) -> Option<TraceSource> {
        self.trace.with_value(|trace| trace.clone().map(TraceSource::Worker))
    }

    /// Imports a file and shows its page. An earlier file is dropped.
    pub(crate) fn open(self, file: File) {
        let (name, size_bytes) = (file.name(), file.size());
        self.number.update_value(|number| *number += 1);
        let own = self.number.get_value();
        self.state.set(LocalState::Importing { name: name.clone(), read_bytes: 0.0, size_bytes });
        let heard = {
            let name = name.clone();
            move |import| {
                if self.number.get_value() == own {
                    self.hear(&name, size_bytes, import);
                }
            }
        };
        match LocalTrace::open(&file, heard) {
            Ok(trace) => self.trace.set_value(Some(trace)),
            Err(error) => self.state.set(LocalState::Failed { name: name.clone(), error }),
        }
        self.routes.show_local(&local_path(&name), &name);
    }

    /// Cancels an import, or closes the file.
    pub(crate) fn close(self) {
        self.number.update_value(|number| *number += 1);
        self.trace.set_value(None);
        self.state.set(LocalState::None);
    }

    pub(crate) fn choose(self) {
        if let Some(input) = self.input.get_untracked() {
            input.click();
        }
    }

    fn hear(self, name: &str, size_bytes: f64, import: Import) {
        let name = name.to_owned();
        match import {
            Import::Read(read_bytes) => {
                self.state.set(LocalState::Importing { name, read_bytes, size_bytes })
            }
            Import::Failed(error) => {
                self.trace.set_value(None);
                self.state.set(LocalState::Failed { name, error });
            }
            Import::Opened => {
                let (Some(home), own) = (self.home(), self.number.get_value()) else { return };
                spawn_local(async move {
                    let info = home.info().await;
                    if self.number.get_value() == own {
                        self.state.set(match info {
                            Ok(info) => LocalState::Ready { name, info: Arc::new(info) },
                            Err(error) => LocalState::Failed { name, error },
                        });
                    }
                });
            }
        }
    }
}

/// The input behind every button that chooses a local file.
#[component]
pub(crate) fn LocalInput() -> impl IntoView {
    let local = expect_context::<LocalFiles>();
    view! {
        <input
            node_ref=local.input
            class="visually-hidden"
            type="file"
            tabindex="-1"
            aria-hidden="true"
            data-testid="local-input"
            on:change=move |_| {
                if let Some(input) = local.input.get_untracked() {
                    if let Some(file) = input.files().and_then(|files| files.get(0)) {
                        local.open(file);
                    }
                    // Clears the value, so that choosing the same file again sends an event.
                    input.set_value("");
                }
            }
        />
    }
}

#[component]
pub(crate) fn OpenButton() -> impl IntoView {
    let local = expect_context::<LocalFiles>();
    view! {
        <button type="button" class="button" data-testid="open-file" on:click=move |_| local.choose()>
            <Icon kind=IconKind::File/>
            "Open a file"
        </button>
    }
}
