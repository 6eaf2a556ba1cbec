//! A button that chooses a file.

use leptos::html;
use web_sys::File;

use crate::reactive::*;

/// A button that chooses a file; for tests, the button and the input behind it have names of their own.
#[component]
pub(crate) fn ChooseFile(
    label: &'static str,
    testid: &'static str,
    input_testid: &'static str,
    take: Callback<File>,
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
            tabindex="-1"
            aria-hidden="true"
            data-testid=input_testid
            on:change=move |_| {
                if let Some(file) = input.get_untracked().and_then(|input| input.files()?.get(0)) {
                    take.run(file);
                }
            }
        />
    }
}
