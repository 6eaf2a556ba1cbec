//! A way to a kernel's own view, from wherever its name stands.

use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::session::use_session;

/// A button that shows the executions of a kernel or another command; nothing where the name is none's.
#[component]
pub(crate) fn KernelLink(name: String) -> impl IntoView {
    let session = use_session();
    let is_known = session.info().kernels.iter().any(|kernel| kernel.name == name);
    is_known.then(|| {
        view! {
            <button
                type="button"
                class="jump"
                title="Its executions by duration, over time, by queue and by size"
                data-testid="kernel-link"
                on:click=move |_| session.go(Goal::Kernel(name.clone()))
            >"Executions"</button>
        }
    })
}
