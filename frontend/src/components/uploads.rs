//! Uploads with progress, cancellation, and resumption after a lost connection.

use leptos::html;
use syclscope_language::api::TraceEntry;
use web_sys::{File, FileList};

use crate::components::icons::{Icon, IconKind};
use crate::components::keyed::keyed;
use crate::components::links::PageLink;
use crate::data::upload::{Outcome, Progress, Upload};
use crate::format;
use crate::reactive::*;
use crate::state::route::trace_path;

#[derive(Clone, Debug, PartialEq)]
enum UploadState {
    Running(Progress),
    Stored(TraceEntry),
    Failed(String),
    /// The connection was lost; the upload can be resumed.
    Interrupted,
}

#[derive(Clone)]
struct Item {
    number: u32,
    name: String,
    size_bytes: f64,
    state: RwSignal<UploadState>,
    upload: StoredValue<Option<Upload>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Uploads {
    items: RwSignal<Vec<Item>>,
    next_number: StoredValue<u32>,
    limit_bytes: RwSignal<Option<u64>>,
    project: Memo<Option<String>>,
    on_stored: Callback<TraceEntry>,
    /// Owner of the uploads' signals: they live as long as the list, wherever the file was dropped.
    owner: StoredValue<Owner>,
}

impl Uploads {
    pub(crate) fn new(
        limit_bytes: RwSignal<Option<u64>>,
        project: Memo<Option<String>>,
        on_stored: impl Fn(TraceEntry) + Send + Sync + 'static,
    ) -> Self {
        Self {
            limit_bytes,
            project,
            items: RwSignal::new(Vec::new()),
            next_number: StoredValue::new(0),
            on_stored: Callback::new(on_stored),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        }
    }

    pub(crate) fn send(self, files: &FileList) {
        for index in 0..files.length() {
            if let Some(file) = files.get(index) {
                self.owner.get_value().with(|| self.send_one(file));
            }
        }
    }

    fn send_one(self, file: File) {
        let number = self.next_number.get_value();
        self.next_number.set_value(number + 1);
        let state = RwSignal::new(UploadState::Running(Progress::Sending(0.0)));
        let on_stored = self.on_stored;
        // The list may be unmounted.
        let set = move |now| drop(state.try_set(now));
        let done = move |outcome| match outcome {
            Outcome::Stored(entry) => {
                set(UploadState::Stored(entry.clone()));
                let _gone = on_stored.try_run(entry);
            }
            Outcome::Failed(error) => set(UploadState::Failed(error.message)),
            Outcome::Interrupted => set(UploadState::Interrupted),
        };
        let upload = match self.refusal(&file) {
            Some(message) => {
                set(UploadState::Failed(message));
                None
            }
            None => {
                let tell = move |progress| set(UploadState::Running(progress));
                Some(Upload::start(file.clone(), self.project.get_untracked(), tell, done))
            }
        };
        let item = Item {
            number,
            name: file.name(),
            size_bytes: file.size(),
            state,
            upload: StoredValue::new(upload),
        };
        self.items.update(|items| items.push(item));
    }

    fn refusal(self, file: &File) -> Option<String> {
        if file.size() == 0.0 {
            return Some(
                "The file is empty. A recording that was killed in its first moment looks like this: record it again."
                    .to_owned(),
            );
        }
        let limit_bytes = self.limit_bytes.get_untracked()? as f64;
        (file.size() > limit_bytes).then(|| {
            format!(
                "Too large: this server accepts at most {}. Open the file with `syclscope open`, or have the \
                 server's --max-upload-bytes raised.",
                format::bytes(limit_bytes)
            )
        })
    }

    fn remove(self, number: u32) {
        self.items.update(|items| items.retain(|item| item.number != number));
    }
}

#[component]
pub(crate) fn UploadButton(uploads: Uploads) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    view! {
        <input
            node_ref=input
            class="visually-hidden"
            type="file"
            multiple=true
            tabindex="-1"
            aria-hidden="true"
            data-testid="upload-input"
            on:change=move |_| {
                if let Some(input) = input.get() {
                    if let Some(files) = input.files() {
                        uploads.send(&files);
                    }
                    // Clears the value, so that choosing the same file again sends an event.
                    input.set_value("");
                }
            }
        />
        <button
            type="button"
            class="button"
            data-testid="upload"
            on:click=move |_| if let Some(input) = input.get() { input.click() }
        >
            <Icon kind=IconKind::Upload/>
            "Upload"
        </button>
        <span class="quiet upload-hint">"or drop files anywhere"</span>
    }
}

#[component]
pub(crate) fn UploadList(uploads: Uploads) -> impl IntoView {
    view! {
        <ul class="uploads" aria-label="Uploads">
            {keyed(move || uploads.items.get(), |item| item.number.to_string(), move |item| item_view(uploads, item))}
        </ul>
    }
}

fn item_view(uploads: Uploads, item: Item) -> impl IntoView {
    let Item { number, name, size_bytes, state, upload } = item;
    let share = move || match state.get() {
        UploadState::Running(Progress::Sending(share)) => share,
        _ => 1.0,
    };
    let has_bar = Memo::new(move |_| {
        state.with(|state| matches!(state, UploadState::Running(progress) if *progress != Progress::Waiting))
    });
    // The server's own steps can only be dismissed.
    let can_stop = Memo::new(move |_| {
        state
            .with(|state| matches!(state, UploadState::Running(progress) if *progress != Progress::Importing))
    });
    let is_bad =
        move || state.with(|state| matches!(state, UploadState::Failed(_) | UploadState::Interrupted));
    let with_upload = move |act: fn(&Upload)| upload.with_value(|upload| upload.iter().for_each(act));
    let name_label = name.clone();
    view! {
        <li class="upload" class:is-failed=is_bad data-testid="upload-item">
            <div class="upload-line">
                <b>{name}</b>
                <span class="quiet">{format::bytes(size_bytes)}</span>
                {move || match state.get() {
                    UploadState::Running(progress) => {
                        let words = match progress {
                            Progress::Sending(share) => format!("{:.0} %", share * 100.0),
                            Progress::Waiting => "the connection broke; trying again…".into(),
                            Progress::Sent | Progress::Importing => "importing…".into(),
                        };
                        view! { <span class="quiet" data-testid="upload-progress">{words}</span> }.into_any()
                    }
                    UploadState::Stored(entry) => view! {
                        <PageLink href=trace_path(&entry.id) class="button">"Open"</PageLink>
                    }
                    .into_any(),
                    UploadState::Failed(message) => view! {
                        <span class="is-error" role="alert" data-testid="upload-error">{message}</span>
                    }
                    .into_any(),
                    UploadState::Interrupted => view! {
                        <span class="is-error" role="alert" data-testid="upload-error">
                            "Connection lost. Try again to finish it."
                        </span>
                        <button type="button" class="button" data-testid="upload-again"
                            on:click=move |_| {
                                state.set(UploadState::Running(Progress::Waiting));
                                with_upload(Upload::go_on);
                            }
                        >
                            "Try again"
                        </button>
                    }
                    .into_any(),
                }}
                <button
                    type="button"
                    class="quiet-button"
                    data-testid="upload-close"
                    aria-label=move || {
                        format!("{} {name_label}", if can_stop.get() { "Cancel" } else { "Dismiss" })
                    }
                    on:click=move |_| {
                        if can_stop.get_untracked() {
                            with_upload(Upload::cancel);
                            state.set(UploadState::Failed("Cancelled; nothing was stored.".into()));
                        } else {
                            if is_bad() {
                                with_upload(Upload::cancel);
                            }
                            uploads.remove(number);
                        }
                    }
                >
                    {move || if can_stop.get() {
                        view! { "Cancel" }.into_any()
                    } else {
                        view! { <Icon kind=IconKind::Close/> }.into_any()
                    }}
                </button>
            </div>
            {move || has_bar.get().then(|| view! {
                <div class="progress" role="progressbar" aria-valuemin="0" aria-valuemax="100"
                    aria-valuenow=move || format!("{:.0}", share() * 100.0)>
                    <div style:width=move || format!("{:.1}%", share() * 100.0)></div>
                </div>
            })}
        </li>
    }
}
