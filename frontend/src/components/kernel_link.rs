use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::session::use_session;

/// A button that opens the kernel's view, labelled `text` if given. If no kernel has the name, only the text is shown.
#[component]
pub(crate) fn KernelLink(name: String, #[prop(optional)] text: String) -> impl IntoView {
    let session = use_session();
    let is_known = session.info().kernels.iter().any(|kernel| kernel.name == name);
    if !is_known {
        return text.into_any();
    }
    let text = if text.is_empty() { "Executions".to_owned() } else { text };
    view! {
            <button
                type="button"
                class="jump"
                title="Its executions by duration, over time, by queue and by size"
                data-testid="kernel-link"
                on:click=move |_| session.go(Goal::Kernel(name.clone()))
            >{text}</button>
    }
    .into_any()
}
