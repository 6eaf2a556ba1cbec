use leptos::ev;
use leptos::task::spawn_local;
use syclscope_language::api::{ListedTrace, ProjectEntry};
use wasm_bindgen::JsValue;
use web_sys::{Event, HtmlElement};

use crate::browser::{focus, is_chord, key_is_taken, query, set_title, sleep, window};
use crate::components::drop_area::UploadTarget;
use crate::components::header::Header;
use crate::components::list_filters::ListFilters;
use crate::components::local::OpenButton;
use crate::components::mentions::Mentions;
use crate::components::traces::Traces;
use crate::components::trend_charts::{HistoryLinks, TrendCharts};
use crate::components::uploads::{UploadButton, UploadList, Uploads};
use crate::data::client::{self, ClientError};
use crate::idle::Busy;
use crate::reactive::*;
use crate::state::listing::Filters;
use crate::state::route::LIST_PATH;

#[derive(Clone)]
enum Loaded {
    Loading,
    Ready,
    /// No server answers; only local files can be opened.
    NoServer,
    Failed(ClientError),
}

/// Distance from the end at which the next page is loaded, in CSS pixels.
const NEAR_END: i32 = 800;
/// Debounce time for typing, in ms.
const REST_MS: i32 = 200;
/// First and longest pause between requests for missing metrics, in ms.
const FIRST_REST_MS: i32 = 500;
const LAST_REST_MS: i32 = 64_000;

#[derive(Clone, Copy)]
struct List {
    entries: RwSignal<Vec<ListedTrace>>,
    projects: RwSignal<Vec<ProjectEntry>>,
    loaded: RwSignal<Loaded>,
    next: RwSignal<Option<String>>,
    filters: RwSignal<Filters>,
    /// Number of the current request; responses to earlier ones are ignored.
    number: StoredValue<u32>,
    /// Address of the first page, and the number of listed pages.
    pages: StoredValue<(String, usize)>,
}

impl List {
    fn new() -> Self {
        Self {
            entries: RwSignal::new(Vec::new()),
            projects: RwSignal::new(Vec::new()),
            loaded: RwSignal::new(Loaded::Loading),
            next: RwSignal::new(None),
            filters: RwSignal::new(Filters::read(&query())),
            number: StoredValue::new(0),
            pages: StoredValue::new((String::new(), 0)),
        }
    }

    fn reload(self, rest_ms: i32) {
        let address = format!("./api/v1/traces{}", self.filters.with_untracked(Filters::query));
        // Scrolling must not load more of the list with the earlier filters.
        self.next.set(None);
        self.ask(address, rest_ms, false);
        spawn_local(async move {
            // Without the projects, only their quota use is missing.
            if let Ok(projects) = client::projects().await {
                let _gone = self.projects.try_set(projects);
            }
        });
    }

    fn go_on(self) {
        if let Some(address) = self.next.get_untracked() {
            self.next.set(None);
            self.ask(address, 0, true);
        }
    }

    fn ask(self, address: String, rest_ms: i32, is_more: bool) {
        self.number.update_value(|number| *number += 1);
        let own = self.number.get_value();
        let busy = Busy::start();
        spawn_local(async move {
            let _busy = busy;
            // The user may have left the page meanwhile, or have changed the query.
            let is_late = || self.number.try_get_value() != Some(own);
            if rest_ms > 0 {
                sleep(rest_ms).await;
            }
            if is_late() {
                return;
            }
            let listed = self.entries.with_untracked(Vec::len);
            let answer = client::traces(&address).await;
            if is_late() {
                return;
            }
            // A trace that was deleted meanwhile may be in the answer.
            if self.entries.with_untracked(Vec::len) != listed {
                self.ask(address, 0, is_more);
                return;
            }
            match answer {
                Ok((more, next)) => {
                    self.entries.update(|entries| {
                        if !is_more {
                            entries.clear();
                        }
                        entries.extend(more);
                    });
                    self.next.set(next);
                    // Rendered rows stay, with any text being typed in them.
                    if !matches!(self.loaded.get_untracked(), Loaded::Ready) {
                        self.loaded.set(Loaded::Ready);
                    }
                    if is_more {
                        self.pages.update_value(|(_, count)| *count += 1);
                    } else {
                        self.pages.set_value((address, 1));
                    }
                    self.await_metrics(own);
                }
                Err(error)
                    if error.is_no_server() && !is_more && self.filters.with_untracked(Filters::is_all) =>
                {
                    self.loaded.set(Loaded::NoServer);
                }
                Err(error) => self.loaded.set(Loaded::Failed(error)),
            }
        });
    }
}

impl List {
    /// Requests metrics, which arrive a moment after their traces, until none is missing or `own` is no longer the
    /// current request. The pauses grow while none arrive.
    fn await_metrics(self, own: u32) {
        let missing =
            |entries: &[ListedTrace]| entries.iter().filter(|entry| entry.figures.is_none()).count();
        spawn_local(async move {
            let mut rest_ms = FIRST_REST_MS;
            while rest_ms <= LAST_REST_MS {
                let Some(before @ 1..) = self.entries.try_with_untracked(|entries| missing(entries)) else {
                    return;
                };
                sleep(rest_ms).await;
                if self.number.try_get_value() != Some(own) {
                    return;
                }
                let listed = self.entries.with_untracked(Vec::len);
                let Some((first, count)) = self.pages.try_get_value() else { return };
                let (mut entries, mut next) = (Vec::new(), Some(first));
                for _ in 0..count {
                    let Some(address) = next.take() else { break };
                    let Ok((more, then)) = client::traces(&address).await else { return };
                    entries.extend(more);
                    next = then;
                }
                if self.number.try_get_value() != Some(own) {
                    return;
                }
                if self.entries.with_untracked(Vec::len) != listed {
                    continue;
                }
                if missing(&entries) < before {
                    rest_ms = FIRST_REST_MS;
                    self.entries.set(entries);
                } else {
                    rest_ms *= 2;
                }
            }
        });
    }
}

#[component]
pub(crate) fn ListPage() -> impl IntoView {
    set_title("Traces · syclscope");
    let list = List::new();
    let List { entries, loaded, filters, projects, .. } = list;
    let limit_bytes = RwSignal::new(None::<u64>);
    let has_tries = RwSignal::new(false);
    let is_writable = Memo::new(move |_| limit_bytes.get().is_some());
    let last = StoredValue::new(filters.get_untracked());
    Effect::new(move |_| {
        let now = filters.get();
        let before = last.get_value();
        last.set_value(now.clone());
        if before != now {
            let is_typed = before.get("q") != now.get("q");
            show_address(&now, is_typed);
            list.reload(if is_typed { REST_MS } else { 0 });
        }
    });
    list.reload(0);
    let back = window_event_listener(ev::popstate, move |_| {
        let now = Filters::read(&query());
        // Back and Forward have already changed the address.
        last.set_value(now.clone());
        filters.set(now);
        list.reload(0);
    });
    let search = window_event_listener(ev::keydown, |event| {
        if event.key() == "/" && !is_chord(&event) && !key_is_taken(&event) {
            event.prevent_default();
            focus("[data-testid=search]");
        }
    });
    on_cleanup(move || {
        back.remove();
        search.remove();
    });
    spawn_local(async move {
        let client::Health { max_upload_bytes, has_tries: has } = client::health().await;
        let _gone = limit_bytes.try_set(max_upload_bytes);
        let _gone = has_tries.try_set(has);
    });
    // Project of uploads: the listed one, or the only one, else the server's default.
    let project = Memo::new(move |_| {
        let listed = filters.with(|filters| filters.get("project").to_owned());
        let is_id = |id: &String| {
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let only = || {
            projects.with(|projects| <&[_; 1]>::try_from(&projects[..]).ok().map(|[only]| only.id.clone()))
        };
        Some(listed).filter(is_id).or_else(only)
    });
    let uploads = Uploads::new(limit_bytes, project, move |_| list.reload(0));
    let UploadTarget(target) = expect_context::<UploadTarget>();
    Effect::new(move |_| target.set(is_writable.get().then_some(uploads)));
    on_cleanup(move || target.set(None));
    let scrolled = move |event: Event| {
        let element = event_target::<HtmlElement>(&event);
        if element.scroll_height() - element.scroll_top() - element.client_height() < NEAR_END {
            list.go_on();
        }
    };
    view! {
        <Header><span></span></Header>
        <main class="list-page" on:scroll=scrolled>
            <div class="list-head">
                <h1>"Traces"</h1>
                <OpenButton/>
                {move || is_writable.get().then(|| view! { <UploadButton uploads/> })}
                {move || has_tries.get().then(|| view! { <a href="./tries" data-testid="tries">"Tries"</a> })}
            </div>
            <UploadList uploads/>
            {move || match loaded.get() {
                Loaded::Loading => view! { <p class="quiet" aria-busy="true">"Loading…"</p> }.into_any(),
                Loaded::NoServer => view! { <NoServer/> }.into_any(),
                Loaded::Failed(error) => view! {
                    {(!filters.with_untracked(Filters::is_all)).then(|| view! { <ListFilters filters projects/> })}
                    <div class="notice is-error" role="alert" data-testid="list-failure">
                        <span>{error.message}</span>
                        <button type="button" class="button" on:click=move |_| list.reload(0)>"Try again"</button>
                    </div>
                }
                .into_any(),
                Loaded::Ready => {
                    let is_empty = Memo::new(move |_| entries.with(Vec::is_empty));
                    // A change of filters must not redraw the field in which they are typed.
                    let is_blank =
                        Memo::new(move |_| is_empty.get() && filters.with_untracked(Filters::is_all));
                    (move || if is_blank.get() {
                        view! { <Empty is_writable/> }.into_any()
                    } else {
                        view! {
                            <Mentions/>
                            <ListFilters filters projects/>
                            <TrendCharts entries/>
                            <HistoryLinks entries filters/>
                            <Traces entries filters is_writable/>
                            {move || is_empty.get().then(|| view! { <NoneSuch filters/> })}
                            {move || list.next.get().map(|_| view! {
                                <p>
                                    <button type="button" class="button" data-testid="more" on:click=move |_| list.go_on()>
                                        "Show more"
                                    </button>
                                </p>
                            })}
                        }
                        .into_any()
                    })
                    .into_any()
                }
            }}
        </main>
    }
}

/// Writes the filters to the address. Typing adds no history entries.
fn show_address(filters: &Filters, is_typed: bool) {
    let address = format!("{LIST_PATH}{}", filters.query());
    if let Ok(history) = window().history() {
        // If the browser refuses, only the address is out of date.
        let _ = if is_typed {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
        } else {
            history.push_state_with_url(&JsValue::NULL, "", Some(&address))
        };
    }
}

#[component]
fn NoneSuch(filters: RwSignal<Filters>) -> impl IntoView {
    view! {
        <section class="empty" data-testid="none-such">
            <h2>"No trace matches"</h2>
            <p>"Every word must occur in a trace's name, program, device, kernels, labels or uploader."</p>
            <p>
                <button type="button" class="button" on:click=move |_| filters.set(Filters::default())>
                    "Show all traces"
                </button>
            </p>
        </section>
    }
}

/// Shown without a server: the page opens only local files.
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
