//! Files dropped anywhere. They open on this page, are compared with its trace, are uploaded to a server that accepts
//! them, or supply the text of a source file missing from the recording.

use leptos::ev;
use wasm_bindgen::JsCast as _;
use web_sys::{DataTransfer, DragEvent, Element};

use crate::components::choose_file::list;
use crate::components::icons::{Icon, IconKind};
use crate::components::local::LocalFiles;
use crate::components::uploads::Uploads;
use crate::reactive::*;

/// Upload destination for dropped files, as a context.
#[derive(Clone, Copy)]
pub(crate) struct UploadTarget(pub(crate) RwSignal<Option<Uploads>>);

/// Source file whose text is missing, and a callback for files that have it, as a context.
#[derive(Clone, Copy)]
pub(crate) struct AttachTarget(pub(crate) RwSignal<Option<(String, Callback<Vec<web_sys::File>>)>>);

/// Callback that compares the page's trace with files, while that view is on screen, as a context.
#[derive(Clone, Copy)]
pub(crate) struct CompareTarget(pub(crate) RwSignal<Option<Callback<Vec<web_sys::File>>>>);

#[component]
pub(crate) fn DropArea() -> impl IntoView {
    let local = expect_context::<LocalFiles>();
    let UploadTarget(target) = expect_context::<UploadTarget>();
    let AttachTarget(attach_target) = expect_context::<AttachTarget>();
    let CompareTarget(comparing) = expect_context::<CompareTarget>();
    // Every element that the pointer crosses sends enter and leave events. Files are over the page while there are more
    // enters than leaves.
    let depth = RwSignal::new(0_i32);
    let entered = window_event_listener(ev::dragenter, move |event: DragEvent| {
        if has_files(&event) {
            depth.update(|depth| *depth += 1);
        }
    });
    let left = window_event_listener(ev::dragleave, move |event: DragEvent| {
        if has_files(&event) {
            depth.update(|depth| *depth = (*depth - 1).max(0));
        }
    });
    // A dropped file must not replace the page.
    let keep = |event: &DragEvent| {
        if !is_for_field(event) {
            event.prevent_default();
        }
    };
    let over = window_event_listener(ev::dragover, move |event: DragEvent| keep(&event));
    let dropped = window_event_listener(ev::drop, move |event: DragEvent| {
        keep(&event);
        depth.set(0);
        if let Some(file) = files_of(&event).and_then(|files| files.get(0)) {
            local.open(file);
        }
    });
    on_cleanup(move || {
        entered.remove();
        left.remove();
        over.remove();
        dropped.remove();
    });
    let upload = move |event: DragEvent| {
        if let (Some(uploads), Some(files)) = (target.get_untracked(), files_of(&event)) {
            event.prevent_default();
            event.stop_propagation();
            depth.set(0);
            uploads.send(&files);
        }
    };
    let give = move |event: DragEvent, take: Option<Callback<Vec<web_sys::File>>>| {
        let files = files_of(&event).map_or_else(Vec::new, |files| list(&files));
        if let (Some(take), false) = (take, files.is_empty()) {
            event.prevent_default();
            event.stop_propagation();
            depth.set(0);
            take.run(files);
        }
    };
    let attach = move |event: DragEvent| give(event, attach_target.get_untracked().map(|(_, take)| take));
    let compare = move |event: DragEvent| give(event, comparing.get_untracked());
    move || {
        (depth.get() > 0).then(|| {
            view! {
                <div class="drop-area" data-testid="drop-area">
                    <div data-testid="drop-open">
                        <Icon kind=IconKind::File/>
                        <span>
                            <b>"Open here"</b>
                            <span class="quiet">"The file stays on this computer."</span>
                        </span>
                    </div>
                    {comparing.get().map(|_| view! {
                        <div data-testid="drop-compare" on:drop=compare>
                            <Icon kind=IconKind::File/>
                            <span>
                                <b>"Compare"</b>
                                <span class="quiet">"Compares with the open trace. Several files are runs of one side. Files stay on this computer."</span>
                            </span>
                        </div>
                    })}
                    {attach_target.get().map(|(path, _)| view! {
                        <div data-testid="drop-attach" on:drop=attach>
                            <Icon kind=IconKind::File/>
                            <span>
                                <b>"Attach source"</b>
                                <span class="quiet">{format!("as the text of {path}")}</span>
                            </span>
                        </div>
                    })}
                    {target.get().map(|_| view! {
                        <div data-testid="drop-upload" on:drop=upload>
                            <Icon kind=IconKind::Upload/>
                            <span>
                                <b>"Upload"</b>
                                <span class="quiet">"Everyone with access to the server can open it."</span>
                            </span>
                        </div>
                    })}
                </div>
            }
        })
    }
}

fn files_of(event: &DragEvent) -> Option<web_sys::FileList> {
    event.data_transfer()?.files()
}

/// True if a text is dragged to a field, which takes it.
fn is_for_field(event: &DragEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is_field = |target: Element| target.closest("input, textarea").is_ok_and(|field| field.is_some());
    target.is_some_and(is_field) && !has_files(event)
}

fn has_files(event: &DragEvent) -> bool {
    let has = |data: DataTransfer| (0..data.types().length()).any(|index| data.types().get(index) == "Files");
    event.data_transfer().is_some_and(has)
}
