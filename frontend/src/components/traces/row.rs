use leptos::task::spawn_local;
use syclscope_language::api::ListedTrace;

use super::compare::{Compare, TraceChoice};
use super::delete::{Delete, focus_later};
use super::labels::{Labels, LabelsButton};
use crate::browser::{local_time, unix_seconds};
use crate::components::icons::{Icon, IconKind};
use crate::components::links::PageLink;
use crate::data::client;
use crate::format;
use crate::reactive::*;
use crate::state::listing::Filters;
use crate::state::route::trace_path;

const DAY_S: f64 = 86_400.0;

#[component]
pub(super) fn Row(
    entry: ListedTrace,
    entries: RwSignal<Vec<ListedTrace>>,
    filters: RwSignal<Filters>,
    is_writable: Memo<bool>,
    edited: RwSignal<Option<String>>,
    chosen: RwSignal<Option<TraceChoice>>,
) -> impl IntoView {
    let cells = cells(&entry);
    let ListedTrace { id, name, project, is_pinned, leaves_unix_ns, labels, figures, stored_unix_ns, .. } =
        entry;
    let own = TraceChoice { id: id.clone(), name: name.clone(), stored_unix_ns };
    let file = format!("./api/v1/traces/{id}/file");
    let (path, row_id) = (trace_path(&id), id.clone());
    // The server draws pictures of indexed traces only; for others it would have to read the whole file.
    let picture = figures.is_some().then(|| {
        let source = format!("./api/v1/traces/{id}/picture.svg#activity");
        view! { <img src=source alt="" loading="lazy" width="128" height="40"/> }
    });
    let leaves = leaves_unix_ns.map(|at| {
        let days = ((at as f64 / 1e9 - unix_seconds()) / DAY_S).ceil().max(0.0) as u64;
        let said = format!("deleted in {}, unless pinned", format::counted(days, "day", "days"));
        view! { <span class="leaves" data-testid="leaves">{said}</span> }
    });
    let cells = cells
        .into_iter()
        .map(|(class, text, title)| view! { <td role="cell" class=class title=title>{text}</td> });
    let (link_name, file_name) = (name.clone(), name.clone());
    view! {
        <tr role="row" data-testid="trace" data-trace=row_id>
            <td role="cell" class="column-picture">{picture}</td>
            <th role="rowheader" scope="row">
                <PageLink href=path class="trace-link">{link_name}</PageLink>
                {leaves}
                <Labels id=id.clone() project labels entries filters edited/>
            </th>
            {cells.collect_view()}
            <td role="cell" class="actions">
                <Compare own chosen/>
                <a
                    class="quiet-button"
                    href=file
                    download=file_name.clone()
                    aria-label=format!("Download {file_name}")
                    title="Download"
                >
                    <Icon kind=IconKind::Download/>
                </a>
                {move || {
                    let (id, name) = (id.clone(), name.clone());
                    is_writable.get().then(|| view! {
                        <LabelsButton id=id.clone() name=name.clone() edited/>
                        <Pin id=id.clone() name=name.clone() is_pinned entries/>
                        <Delete id name entries/>
                    })
                }}
            </td>
        </tr>
    }
}

/// Returns the cells of the columns: class, text, and tooltip.
fn cells(entry: &ListedTrace) -> [(&'static str, String, Option<String>); 9] {
    let figures = entry.figures.as_ref();
    let text = |text: String| (text.clone(), Some(text));
    let (program, program_title) = text(figures.map(|figures| figures.program.clone()).unwrap_or_default());
    let (device, device_title) = text(figures.map(|figures| figures.devices.join(", ")).unwrap_or_default());
    let busiest = figures.and_then(|figures| figures.busiest.as_ref());
    let (kernel, kernel_title) = text(
        busiest.map_or_else(String::new, |kernel| format!("{:.0} % {}", kernel.share * 100.0, kernel.name)),
    );
    let amount =
        |form: &dyn Fn(&syclscope_language::api::Figures) -> String| figures.map(form).unwrap_or_default();
    let age_s = unix_seconds() - entry.stored_unix_ns as f64 / 1e9;
    [
        ("column-program", program, program_title),
        ("column-duration number", amount(&|figures| format::duration(figures.duration_ns as f64)), None),
        ("column-launches number", amount(&|figures| format::count(figures.launches)), None),
        ("column-device", device, device_title),
        ("column-busiest", kernel, kernel_title),
        ("column-findings number", amount(&|figures| format::count(figures.findings)), None),
        ("column-size number", format::bytes(entry.size_bytes as f64), None),
        ("column-by", entry.by.clone().unwrap_or_default(), None),
        ("column-stored", format::ago(age_s), Some(local_time(entry.stored_unix_ns))),
    ]
}

#[component]
fn Pin(id: String, name: String, is_pinned: bool, entries: RwSignal<Vec<ListedTrace>>) -> impl IntoView {
    let failure = RwSignal::new(None::<String>);
    let press = move |_| {
        let id = id.clone();
        spawn_local(async move {
            match client::pin(&id, !is_pinned).await {
                Ok(()) => {
                    let _gone = entries.try_update(|entries| {
                        for entry in entries.iter_mut().filter(|entry| entry.id == id) {
                            (entry.is_pinned, entry.leaves_unix_ns) = (!is_pinned, None);
                        }
                    });
                    focus_later(format!("[data-trace=\"{id}\"] [data-testid=pin]"));
                }
                Err(error) => {
                    let _gone = failure.try_set(Some(error.message));
                }
            }
        });
    };
    view! {
        <button
            type="button"
            class="quiet-button"
            data-testid="pin"
            aria-label=format!("Pin {name}")
            aria-pressed=is_pinned.to_string()
            title="Keep regardless of age"
            on:click=press
        >
            <Icon kind=IconKind::Pin/>
        </button>
        {move || failure.get().map(|message| view! { <span class="is-error" role="alert">{message}</span> })}
    }
}
