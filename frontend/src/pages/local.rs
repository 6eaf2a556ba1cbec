use super::open_trace::OpenTrace;
use crate::browser::set_title;
use crate::components::header::Header;
use crate::components::links::{PageLink, RouteContext};
use crate::components::local::{LocalFiles, LocalState, OpenButton};
use crate::data::client::ClientError;
use crate::format;
use crate::reactive::*;
use crate::state::route::LIST_PATH;

#[component]
pub(crate) fn LocalPage(name: String) -> impl IntoView {
    let local = expect_context::<LocalFiles>();
    set_title(&format!("{name} · syclscope"));
    // The page is rebuilt when the stage changes, not at every step of the progress.
    let stage = Memo::new(move |_| match local.state.get() {
        LocalState::Importing { name, size_bytes, .. } => {
            LocalState::Importing { name, read_bytes: 0.0, size_bytes }
        }
        other => other,
    });
    move || match stage.get() {
        LocalState::Importing { name, size_bytes, .. } => view! { <Importing name size_bytes/> }.into_any(),
        LocalState::Ready { name: own_name, info } if own_name == name => match local.home() {
            Some(home) => {
                view! { <OpenTrace home info file_name=Signal::stored(Some(own_name))/> }.into_any()
            }
            None => view! { <Asking name=name.clone()/> }.into_any(),
        },
        LocalState::Failed { name: own_name, error } if own_name == name => {
            view! { <Failed name=own_name error/> }.into_any()
        }
        _ => view! { <Asking name=name.clone()/> }.into_any(),
    }
}

/// Shown for the address of a local file: browsers forget files, so it must be chosen again.
#[component]
fn Asking(name: String) -> impl IntoView {
    view! {
        <Header><span></span></Header>
        <main class="message-page" data-testid="local-asking">
            <h1>{format!("Open {name} again")}</h1>
            <p>
                "This link shows a view of the local file " <code>{name}</code>
                ". Browsers do not keep local files: choose the file again, or drop it here, to restore the view."
            </p>
            <p class="message-actions">
                <OpenButton/>
                <PageLink href=LIST_PATH class="button">"All traces"</PageLink>
            </p>
        </main>
    }
}

#[component]
fn Importing(name: String, size_bytes: f64) -> impl IntoView {
    let local = expect_context::<LocalFiles>();
    let routes = expect_context::<RouteContext>();
    let read_bytes = Memo::new(move |_| match local.state.get() {
        LocalState::Importing { read_bytes, .. } => read_bytes,
        _ => 0.0,
    });
    let share = move || if size_bytes > 0.0 { read_bytes.get() / size_bytes } else { 1.0 };
    let text = move || {
        let (read, size) = (format::bytes(read_bytes.get()), format::bytes(size_bytes));
        if share() < 1.0 { format!("{read} of {size} read") } else { format!("{size} read; importing…") }
    };
    let (title, label) = (format!("Opening {name}"), format!("Reading {name}"));
    let heading = title.clone();
    view! {
        <Header><span class="quiet">{heading}</span></Header>
        <main class="message-page" data-testid="local-importing">
            <h1>{title}</h1>
            <p class="quiet">"The file stays on this computer."</p>
            <div
                class="progress is-large"
                role="progressbar"
                aria-label=label
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=move || format!("{:.0}", share() * 100.0)
            >
                <div style:width=move || format!("{:.1}%", share() * 100.0)></div>
            </div>
            <p role="status">{text}</p>
            <p class="message-actions">
                <button
                    type="button"
                    class="button"
                    data-testid="local-cancel"
                    on:click=move |_| {
                        local.close();
                        routes.go(LIST_PATH);
                    }
                >"Cancel"</button>
            </p>
        </main>
    }
}

#[component]
fn Failed(name: String, error: ClientError) -> impl IntoView {
    view! {
        <Header><span></span></Header>
        <main class="message-page" data-testid="local-failure">
            <h1>{format!("{name} could not be opened")}</h1>
            <p role="alert">{error.message}</p>
            <p class="message-actions">
                <OpenButton/>
                <PageLink href=LIST_PATH class="button">"All traces"</PageLink>
            </p>
        </main>
    }
}
