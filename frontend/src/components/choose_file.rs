use leptos::html;
use web_sys::{File, FileList};

use crate::reactive::*;

/// A button to choose one file, or `several`. Button and input have separate test ids.
#[component]
pub(crate) fn ChooseFile(
    label: &'static str,
    testid: &'static str,
    input_testid: &'static str,
    take: Callback<Vec<File>>,
    #[prop(optional)] several: bool,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    view! {
        <button
            type="button"
            class="button"
            data-testid=testid
            on:click=move |_| if let Some(input) = input.get_untracked() { input.click() }
        >{label}</button>
        <input
            node_ref=input
            class="visually-hidden"
            type="file"
            multiple=several
            tabindex="-1"
            aria-hidden="true"
            data-testid=input_testid
            on:change=move |_| {
                let Some(input) = input.get_untracked() else { return };
                let files = input.files().map_or_else(Vec::new, |files| list(&files));
                // Clears the value, so that choosing the same file again sends an event.
                input.set_value("");
                if !files.is_empty() {
                    take.run(files);
                }
            }
        />
    }
}

pub(crate) fn list(files: &FileList) -> Vec<File> {
    (0..files.length()).filter_map(|place| files.get(place)).collect()
}
