//! A virtual table: only the rows on screen are in the document, and only their pages are requested. The query sorts
//! it. It has keyboard navigation and export. Columns without a value are hidden.

mod marked;

use std::rc::Rc;

use leptos::task::spawn_local;
use web_sys::KeyboardEvent;

use self::marked::Marked;
pub(crate) use self::marked::Marks;
use crate::browser::{focus, save, text_address};
use crate::components::long_list::{Ask, LazyRows, ListScroll};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::long_list::VisibleRows;
use crate::state::rows::{Cell, Head, Link, Row, csv, direction, next_order, shown};
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::view::View;

const ROW_CSS_PX: f64 = 30.0;
/// Number of letters in a line; longer texts may take two lines.
const LINE_LETTERS: usize = 20;
const MAX_EXPORT_ROWS: u64 = 200_000;
/// Rows per request of an export.
const EXPORT_PAGE_ROWS: u32 = 5_000;

pub(crate) struct LongModel {
    pub(crate) view: View,
    /// Label for screen readers and tests.
    pub(crate) label: &'static str,
    pub(crate) words: (&'static str, &'static str),
    pub(crate) heads: &'static [Head],
    /// Returns the function that requests rows of the current query.
    pub(crate) ask: Rc<dyn Fn() -> Rc<Ask<Row>>>,
    /// Title and text of the empty table.
    pub(crate) empty: (&'static str, &'static str),
}

/// Requests all rows and saves them as a file. `ask` keeps its query, whatever the table shows meanwhile.
fn save_csv(session: Session, ask: Rc<Ask<Row>>, heads: &'static [Head], name: &'static str) {
    let Some(home) = session.home() else { return };
    spawn_local(async move {
        let mut rows = Vec::new();
        let total = loop {
            match ask(home.clone(), rows.len() as u64, EXPORT_PAGE_ROWS).await {
                Ok(page) => {
                    let is_last = page.rows.is_empty();
                    rows.extend(page.rows);
                    if is_last || rows.len() as u64 >= page.total.min(MAX_EXPORT_ROWS) {
                        break page.total;
                    }
                }
                Err(error) => return session.fail(error.message),
            }
        };
        save(&format!("{name}.csv"), &text_address("text/csv", &csv(heads, &rows)));
        let saved = rows.len() as u64;
        if saved < total {
            let [saved, total] = [saved, total].map(format::count);
            session.fail(format!(
                "{name}.csv has the first {saved} of {total} {name}. Use a filter for the others."
            ));
        }
    });
}

/// True if a column is among those that are shown, as bits.
fn is_shown(shown: u32, place: usize) -> bool {
    (shown >> place) & 1 == 1
}

/// The table; it reloads when `question` changes.
#[component]
pub(crate) fn LongTable(
    model: LongModel,
    #[prop(into)] question: Signal<String>,
    #[prop(into)] order: Signal<String>,
    on_order: Callback<String>,
    #[prop(optional)] marks: Option<Marks>,
) -> impl IntoView {
    let session = use_session();
    let LongModel { view, label, words, heads, ask, empty } = model;
    let testid = label.replace(' ', "-").to_lowercase();
    let present = ask.clone();
    let rows = LazyRows::new(session, Rc::new(move |home, offset, limit| present()(home, offset, limit)));
    let ask = StoredValue::new(ask);
    Effect::new(move |before: Option<String>| {
        let question = question.get();
        if before.as_ref() != Some(&question) {
            rows.reload();
        }
        question
    });
    let scroll = rows.scroll(ROW_CSS_PX);
    let ListScroll { scroller, top_css_px, room_css_px, list, visible } = scroll;
    let shown = Memo::new(move |_| shown(heads, rows.filled(), rows.is_whole()));
    let tracks = move || {
        let shown = shown.get();
        let heads = heads.iter().enumerate().filter(|(place, _)| is_shown(shown, *place));
        heads.map(|(_, head)| head.width).collect::<Vec<_>>().join(" ")
    };
    let columns = heads.iter().enumerate().map(move |(place, head)| {
        let aria_sort = move || order.with(|order| direction(order, head));
        let is_hidden = move || !is_shown(shown.get(), place);
        view! {
            <span
                role="columnheader"
                class:number=head.is_number
                aria-sort=aria_sort
                hidden=is_hidden
            >
                {if head.sort.is_some() {
                    view! {
                        <button type="button" on:click=move |_| on_order.run(order.with_untracked(|order| next_order(order, head)))>
                            {head.title}
                        </button>
                    }
                    .into_any()
                } else {
                    view! { {head.title} }.into_any()
                }}
            </span>
        }
    });
    let columns = columns.collect_view();
    let body = move || {
        let VisibleRows { first, end, top_css_px } = visible.get();
        let shown = shown.get();
        let lines = (first..end).map(|number| match rows.row(number) {
            Some(row) => view! { <LongRow number row heads shown marks/> }.into_any(),
            None => {
                view! { <div class="long-row quiet" role="row"><span role="cell">"…"</span></div> }.into_any()
            }
        });
        let lines = lines.collect_view();
        view! { <div role="presentation" style:transform=format!("translateY({top_css_px}px)")>{lines}</div> }
    };
    let go_to = move |row: u64| {
        if let Some(scroller) = scroller.get_untracked() {
            let (list, room) = (list.get_untracked(), room_css_px.get_untracked());
            // Keep one row of margin above it.
            scroller.set_scroll_top(list.scroll_to_css_px(row.saturating_sub(1), room) as i32);
        }
    };
    let is_ready = Signal::derive(move || list.get().rows > 0);
    let marked =
        marks.map(|marks| view! { <Marked marks words scroll is_ready go_to=Callback::new(go_to)/> });
    let state = rows.state(words.1, empty, move |total| {
        let save = move |_| save_csv(session, ask.with_value(|ask| ask()), heads, words.1);
        view! {
            <p class="long-count quiet">
                <span role="status" data-testid="long-count">{format::counted(total, words.0, words.1)}</span>
                <button type="button" class="tool" data-testid="long-csv" on:click=save>"Save as CSV"</button>
            </p>
        }
        .into_any()
    });
    view! {
        {marked}
        {state}
        <div class="long-holder" class:is-empty=move || list.get().rows == 0>
        <ViewBody
            view
            label
            class="log-scroll long-scroll"
            scroller
            on_scroll=Callback::new(move |top| top_css_px.set(top))
            is_ready
        >
            <div
                class="long-table"
                role="table"
                aria-label=label
                aria-rowcount=move || list.get().rows.to_string()
                data-testid=testid
                style:--tracks=tracks
                on:keydown=walk_rows
            >
                <div role="rowgroup"><div class="long-row long-head" role="row">{columns}</div></div>
                <div role="rowgroup" class="log-content" style:height=move || format!("{}px", list.get().height_css_px())>
                    {body}
                </div>
            </div>
        </ViewBody>
        </div>
    }
}

#[component]
fn LongRow(number: u64, row: Row, heads: &'static [Head], shown: u32, marks: Option<Marks>) -> impl IntoView {
    let session = use_session();
    let Row { cells, selections, at, objects } = row;
    let is_marked = Memo::new(move |_| marks.is_some_and(|marks| marks.is_marked.run(objects.clone())));
    let first = selections.first().cloned();
    let thing = first.as_ref().map(ToString::to_string);
    let is_selected = Memo::new(move |_| {
        session
            .selection
            .with(|selection| selection.as_ref().is_some_and(|selected| selections.contains(selected)))
    });
    let select = {
        let first = first.clone();
        move || {
            if let Some(first) = first.clone() {
                session.select(Some(first));
            }
        }
    };
    let press = select.clone();
    let cells = cells.into_iter().zip(heads).enumerate().map(move |(place, (cell, head))| {
        let Cell { text, link, .. } = cell;
        let title = text.clone();
        let is_hidden = !is_shown(shown, place);
        let is_long = text.chars().count() > LINE_LETTERS;
        let content = if place == 0 {
            let select = select.clone();
            view! {
                <button
                    type="button"
                    class="name-button"
                    data-row=number.to_string()
                    data-thing=thing.clone()
                    aria-pressed=move || is_selected.get().to_string()
                    on:click=move |_| select()
                >{text}</button>
            }
            .into_any()
        } else if let Some(link) = link {
            view! {
                <button type="button" class="jump" on:click=move |event| {
                    event.stop_propagation();
                    follow(session, &link);
                }>{text}</button>
            }
            .into_any()
        } else {
            view! { {text} }.into_any()
        };
        view! {
            <span
                role="cell"
                class:number=head.is_number
                class:is-long=is_long
                title=title
                hidden=is_hidden
            >{content}</span>
        }
    });
    let cells = cells.collect_view();
    view! {
        <div
            class="long-row"
            class:is-selected=move || is_selected.get()
            class:is-marked=move || is_marked.get()
            role="row"
            aria-rowindex=(number + 1).to_string()
            on:click=move |_| press()
            on:dblclick=move |_| at.into_iter().for_each(|at| session.go_to(at))
        >{cells}</div>
    }
}

pub(crate) fn follow(session: Session, link: &Link) {
    match link {
        Link::Slice(at) => session.go_to(*at),
        Link::Lane(object) => session.go(Goal::Object(*object)),
        Link::Select(line @ Selection::Line { .. }) => {
            session.select(Some(line.clone()));
            session.go(Goal::Line);
        }
        Link::Select(selection) => session.select(Some(selection.clone())),
    }
}

/// Arrow keys move between rows. Rows that scroll into view exist by the time they are needed.
fn walk_rows(event: KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowDown" => 1_i64,
        "ArrowUp" => -1,
        _ => return,
    };
    let target =
        event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
    let Some(row) = target.and_then(|target| target.get_attribute("data-row")?.parse::<i64>().ok()) else {
        return;
    };
    event.prevent_default();
    event.stop_propagation();
    focus(&format!("[data-row='{}']", row + by));
}
