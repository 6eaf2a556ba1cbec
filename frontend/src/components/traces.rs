//! The table of stored traces: sortable, filtered by labels, with keyboard navigation.

mod compare;
mod delete;
mod labels;
mod row;

use syclscope_language::api::ListedTrace;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, KeyboardEvent};

use self::compare::{Comparing, TraceChoice};
use self::row::Row;
use crate::components::keyed::keyed;
use crate::components::table::walk_rows;
use crate::reactive::*;
use crate::state::listing::Filters;

/// A column: its name in addresses, its title, and true for amounts, which sort largest first.
type Column = (&'static str, &'static str, bool);

const COLUMNS: [Column; 9] = [
    ("program", "Program", false),
    ("duration", "Duration", true),
    ("launches", "Launches", true),
    ("device", "Device", false),
    ("busiest", "Busiest kernel", false),
    ("findings", "Findings", true),
    ("size", "Size", true),
    ("by", "By", false),
    ("stored", "Stored", false),
];

#[component]
pub(crate) fn Traces(
    entries: RwSignal<Vec<ListedTrace>>,
    filters: RwSignal<Filters>,
    is_writable: Memo<bool>,
) -> impl IntoView {
    // Metrics may still be missing, and without sign-in there are no user names.
    let has_figures = Memo::new(move |_| entries.with(|all| all.iter().any(|trace| trace.figures.is_some())));
    let has_names = Memo::new(move |_| entries.with(|all| all.iter().any(|trace| trace.by.is_some())));
    // Id of the trace whose labels are being edited.
    let edited = RwSignal::new(None::<String>);
    let chosen = RwSignal::new(None::<TraceChoice>);
    let head = move |(key, title, is_amount): Column| {
        view! {
            <th
                role="columnheader"
                scope="col"
                class=format!("column-{key}")
                class:number=is_amount
                aria-sort=move || filters.with(|filters| filters.direction(key))
            >
                <button
                    type="button"
                    on:click=move |_| filters.update(|filters| filters.press(key, is_amount || key == "stored"))
                >
                    {title}
                </button>
            </th>
        }
    };
    view! {
        <Comparing chosen/>
        // The roles are explicit, because a narrow page shows rows as cards.
        <table
            role="table"
            class="table traces"
            class:has-no-figures=move || !has_figures.get()
            class:has-no-names=move || !has_names.get()
            data-testid="traces"
            on:keydown=walk
        >
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col" class="column-picture"><span class="visually-hidden">"Picture"</span></th>
                    {head(("name", "Name", false))}
                    {COLUMNS.into_iter().map(head).collect_view()}
                    <th role="columnheader" scope="col"><span class="visually-hidden">"Actions"</span></th>
                </tr>
            </thead>
            <tbody role="rowgroup">
                {keyed(
                    move || entries.get(),
                    // A change of the key redraws the row.
                    key,
                    move |entry| view! { <Row entry entries filters is_writable edited chosen/> },
                )}
            </tbody>
        </table>
    }
}

/// Returns the key of a row: the parts of its trace that can change.
fn key(entry: &ListedTrace) -> String {
    let mut key = format!("{} {} {}", entry.id, entry.is_pinned, entry.figures.is_some());
    for label in &entry.labels {
        key += &format!(" {:?}", (&label.key, &label.value));
    }
    key
}

/// Arrow keys move between traces, Enter opens one, and Delete asks for confirmation.
fn walk(event: KeyboardEvent) {
    if event.key() != "Delete" {
        return walk_rows(event);
    }
    let element = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let row = element.and_then(|element| element.closest("tbody tr").ok().flatten());
    let button = row.and_then(|row| row.query_selector("[data-testid=delete]").ok().flatten());
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        event.prevent_default();
        button.click();
    }
}
