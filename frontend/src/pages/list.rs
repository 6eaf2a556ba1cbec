//! The list of a server's traces.

use leptos::task::spawn_local;
use syclscope_language::api::TraceEntry;

use crate::browser::set_title;
use crate::components::drop_area::UploadTarget;
use crate::components::header::Header;
use crate::components::local::OpenButton;
use crate::components::traces::Traces;
use crate::components::uploads::{UploadButton, UploadList, Uploads};
use crate::data::client::{self, ClientError};
use crate::reactive::*;
use crate::sorting::sort_by_key;

/// What is known of the list.
#[derive(Clone)]
enum Loaded {
    Loading,
    Ready,
    /// There is no server behind this page, only its files.
    NoServer,
    Failed(ClientError),
}

#[component]
pub(crate) fn ListPage() -> impl IntoView {
    set_title("Traces · syclscope");
    let entries = RwSignal::new(Vec::<TraceEntry>::new());
    let loaded = RwSignal::new(Loaded::Loading);
    let limit_bytes = RwSignal::new(None::<u64>);
    let is_writable = Memo::new(move |_| limit_bytes.get().is_some());
    let reload = move || {
        spawn_local(async move {
            let answer = client::traces().await;
            // The user may have left the page meanwhile.
            let _gone = match answer {
                Ok(mut answer) => {
                    sort_by_key(&mut answer, |entry| std::cmp::Reverse(entry.stored_unix_ns));
                    entries.try_set(answer);
                    loaded.try_set(Loaded::Ready)
                }
                Err(error) if error.is_no_server() => loaded.try_set(Loaded::NoServer),
                Err(error) => loaded.try_set(Loaded::Failed(error)),
            };
        });
    };
    reload();
    spawn_local(async move {
        let _gone = limit_bytes.try_set(client::upload_limit_bytes().await);
    });
    let uploads = Uploads::new(limit_bytes, move |entry| {
        entries.update(|entries| {
            entries.retain(|known| known.id != entry.id);
            entries.insert(0, entry);
        });
    });
    let UploadTarget(target) = expect_context::<UploadTarget>();
    Effect::new(move |_| target.set(is_writable.get().then_some(uploads)));
    on_cleanup(move || target.set(None));
    view! {
        <Header><span></span></Header>
        <main class="list-page">
            <div class="list-head">
                <h1>"Traces"</h1>
                <OpenButton/>
                {move || is_writable.get().then(|| view! { <UploadButton uploads/> })}
            </div>
            <UploadList uploads/>
            {move || match loaded.get() {
                Loaded::Loading => view! { <p class="quiet" aria-busy="true">"Loading…"</p> }.into_any(),
                Loaded::NoServer => view! { <NoServer/> }.into_any(),
                Loaded::Failed(error) => view! {
                    <div class="notice is-error" role="alert" data-testid="list-failure">
                        <span>{error.message}</span>
                        <button type="button" class="button" on:click=move |_| reload()>"Try again"</button>
                    </div>
                }
                .into_any(),
                Loaded::Ready => {
                    let is_empty = Memo::new(move |_| entries.with(Vec::is_empty));
                    (move || if is_empty.get() {
                        view! { <Empty is_writable/> }.into_any()
                    } else {
                        view! { <Traces entries is_writable/> }.into_any()
                    })
                    .into_any()
                }
            }}
        </main>
    }
}

/// The page's files alone: it opens local files, and nothing else.
#[component]
fn NoServer() -> impl IntoView {
    view! {
        <section class="empty" data-testid="no-server">
            <h2>"Open a local trace"</h2>
            <p>
                "Drop a trace anywhere on this page, or choose a file. It stays on your computer."
            </p>
            <p><OpenButton/></p>
            <p class="quiet">
                "The page opens Perfetto traces (.pftrace) and Chrome traces (.json), compressed or not. To record a \
                 SYCL program:"
            </p>
            <pre><code>"syclscope record -o run.pftrace -- ./program arguments…"</code></pre>
        </section>
    }
}

/// How to get a first trace.
#[component]
fn Empty(is_writable: Memo<bool>) -> impl IntoView {
    view! {
        <section class="empty" data-testid="empty">
            <h2>"No traces yet"</h2>
            <p>"Record a SYCL program, without recompiling it:"</p>
            <pre><code>"syclscope record -o run.pftrace -- ./program arguments…"</code></pre>
            {move || if is_writable.get() {
                view! {
                    <p>"Then drop " <code>"run.pftrace"</code> " anywhere on this page, or upload it from a terminal:"</p>
                    <pre><code>{upload_command()}</code></pre>
                    <p class="quiet">
                        "Perfetto traces (.pftrace) and Chrome traces (.json) from other tools open too."
                    </p>
                }
                .into_any()
            } else {
                view! {
                    <p>"Then open it:"</p>
                    <pre><code>"syclscope open run.pftrace"</code></pre>
                }
                .into_any()
            }}
        </section>
    }
}

fn upload_command() -> String {
    let folder = crate::browser::folder_address();
    format!("curl --data-binary @run.pftrace '{folder}api/v1/traces?name=run.pftrace'")
}
