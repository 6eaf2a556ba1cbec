//! A virtual table: only the rows on screen are in the document, and only their pages are requested. The query sorts
//! it. It has keyboard navigation and export.

mod marked;

use std::pin::Pin;
use std::rc::Rc;

use leptos::html;
use leptos::task::spawn_local;
use web_sys::KeyboardEvent;

use self::marked::Marked;
pub(crate) use self::marked::Marks;
use crate::browser::{focus, save, text_address};
use crate::components::states::{Nothing, Waiting};
use crate::components::view_body::ViewBody;
use crate::data::client::ClientError;
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::hooks::size::watch_size;
use crate::ordered::OrderedMap;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::long_list::{LongList, PAGE_ROWS, VisibleRows};
use crate::state::rows::{Cell, Head, Link, Page, Row, csv, direction, pressed};
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::state::view::View;

const ROW_CSS_PX: f64 = 26.0;
const MOST_PAGES: usize = 32;
/// Maximum rows in an export, and rows per request of an export.
const MOST_SAVED: u64 = 200_000;
const SAVED_AT_ONCE: u32 = 5_000;

pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Page, ClientError>>>>;
/// Requests rows: trace source, first row, number of rows.
pub(crate) type Ask = dyn Fn(TraceSource, u64, u32) -> Answering;

pub(crate) struct LongModel {
    pub(crate) view: View,
    /// Label for screen readers and tests.
    pub(crate) label: &'static str,
    pub(crate) words: (&'static str, &'static str),
    pub(crate) heads: &'static [Head],
    pub(crate) ask: Rc<Ask>,
    /// Title and text of the empty table.
    pub(crate) empty: (&'static str, &'static str),
}

#[derive(Default)]
struct Pages {
    total: Option<u64>,
    pages: OrderedMap<u64, Option<Vec<Row>>>,
    failure: Option<ClientError>,
}

#[derive(Clone, Copy)]
struct Rows {
    session: Session,
    ask: StoredValue<Rc<Ask>>,
    pages: RwSignal<Pages>,
    /// Version of the query that the pages belong to.
    version: StoredValue<u32>,
}

impl Rows {
    /// Requests a page, unless it is cached or pending.
    fn want(self, page: u64) {
        let Some(home) = self.session.home() else { return };
        if self.pages.with_untracked(|pages| pages.pages.contains_key(&page)) {
            return;
        }
        self.pages.update_untracked(|pages| pages.pages.insert(page, None));
        let version = self.version.get_value();
        let answering = self.ask.with_value(|ask| ask(home, page * PAGE_ROWS, PAGE_ROWS as u32));
        spawn_local(async move {
            let answer = answering.await;
            // The table may be unmounted, or show something else.
            if self.version.try_get_value() != Some(version) {
                return;
            }
            let _gone = self.pages.try_update(|pages| match answer {
                Ok(Page { total, rows }) => {
                    pages.total = Some(total);
                    pages.pages.insert(page, Some(rows));
                    while pages.pages.len() > MOST_PAGES {
                        // Evict the page farthest from this one.
                        let farthest = pages
                            .pages
                            .iter()
                            .map(|(page, _)| *page)
                            .max_by_key(|known| known.abs_diff(page));
                        let Some(farthest) = farthest else { break };
                        pages.pages.remove(&farthest);
                    }
                }
                Err(error) => {
                    pages.pages.remove(&page);
                    pages.failure = Some(error);
                }
            });
        });
    }

    fn begin_anew(self) {
        self.version.update_value(|version| *version += 1);
        self.pages.set(Pages::default());
        self.want(0);
    }

    fn row(self, row: u64) -> Option<Row> {
        self.pages.with(|pages| {
            let page = pages.pages.get(&(row / PAGE_ROWS))?.as_ref()?;
            page.get((row % PAGE_ROWS) as usize).cloned()
        })
    }

    fn save(self, heads: &'static [Head], name: &'static str) {
        let Some(home) = self.session.home() else { return };
        let ask = self.ask.get_value();
        spawn_local(async move {
            let mut rows = Vec::new();
            loop {
                match ask(home.clone(), rows.len() as u64, SAVED_AT_ONCE).await {
                    Ok(page) => {
                        let is_last = page.rows.is_empty();
                        rows.extend(page.rows);
                        if is_last || rows.len() as u64 >= page.total.min(MOST_SAVED) {
                            break;
                        }
                    }
                    Err(error) => return self.session.announcement.set(error.message),
                }
            }
            save(&format!("{name}.csv"), &text_address("text/csv", &csv(heads, &rows)));
        });
    }
}

/// The table; `question` changes whenever other rows are wanted.
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
    let rows = Rows {
        session,
        ask: StoredValue::new(ask),
        pages: RwSignal::new(Pages::default()),
        version: StoredValue::new(0),
    };
    Effect::new(move |before: Option<String>| {
        let question = question.get();
        if before.as_ref() != Some(&question) {
            rows.begin_anew();
        }
        question
    });
    let scroller = NodeRef::<html::Div>::new();
    let (scroll, room) = (RwSignal::new(0.0_f64), RwSignal::new(600.0_f64));
    let list = Memo::new(move |_| LongList {
        rows: rows.pages.with(|pages| pages.total.unwrap_or(0)),
        row_css_px: ROW_CSS_PX,
    });
    let seen = Memo::new(move |_| list.get().seen(scroll.get(), room.get()));
    Effect::new(move |_| {
        let seen = seen.get();
        if list.get().rows > 0 {
            seen.pages().for_each(|page| rows.want(page));
        }
    });
    watch_size(scroller, move || {
        let height = scroller.get_untracked().map_or(0.0, |scroller| f64::from(scroller.client_height()));
        if height > 0.0 && (height - room.get_untracked()).abs() >= 1.0 {
            room.set(height);
        }
    });
    let tracks: Vec<&str> = heads.iter().map(|head| head.width).collect();
    let tracks = tracks.join(" ");
    let columns = heads.iter().map(move |head| {
        let aria_sort = move || order.with(|order| direction(order, head));
        view! {
            <span role="columnheader" class:number=head.is_number aria-sort=aria_sort>
                {if head.sort.is_some() {
                    view! {
                        <button type="button" on:click=move |_| on_order.run(order.with_untracked(|order| pressed(order, head)))>
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
        let VisibleRows { first, end, top_css_px } = seen.get();
        let shown = (first..end).map(|number| match rows.row(number) {
            Some(row) => view! { <LongRow number row heads marks/> }.into_any(),
            None => {
                view! { <div class="long-row quiet" role="row"><span role="cell">"…"</span></div> }.into_any()
            }
        });
        let shown = shown.collect_view();
        view! { <div role="presentation" style:transform=format!("translateY({top_css_px}px)")>{shown}</div> }
    };
    let go_to = move |row: u64| {
        if let Some(scroller) = scroller.get_untracked() {
            let (list, room) = (list.get_untracked(), room.get_untracked());
            // Keep one row of margin above it.
            scroller.set_scroll_top(list.scroll_to_css_px(row.saturating_sub(1), room) as i32);
        }
    };
    let is_ready = Signal::derive(move || list.get().rows > 0);
    let marked = marks.map(
        |marks| view! { <Marked marks words seen place=(scroll, room) is_ready go_to=Callback::new(go_to)/> },
    );
    let state = move || {
        let (total, failure) = rows.pages.with(|pages| (pages.total, pages.failure.clone()));
        match (failure, total) {
            (Some(error), _) => view! {
                <div class="state is-error" role="alert" data-testid="view-failure">
                    <p>{error.message}</p>
                    <button type="button" class="button" on:click=move |_| rows.begin_anew()>"Try again"</button>
                </div>
            }
            .into_any(),
            (None, None) => view! { <Waiting text=format!("Loading {}…", words.1)/> }.into_any(),
            (None, Some(0)) => view! { <Nothing title=empty.0>{empty.1}</Nothing> }.into_any(),
            (None, Some(total)) => view! {
                <p class="long-count quiet">
                    <span role="status" data-testid="long-count">{format::counted(total, words.0, words.1)}</span>
                    <button type="button" class="tool" data-testid="long-csv" on:click=move |_| rows.save(heads, words.1)>"Save as CSV"</button>
                </p>
            }
            .into_any(),
        }
    };
    view! {
        {marked}
        {state}
        <div class="long-holder" class:is-empty=move || list.get().rows == 0>
        <ViewBody
            view
            label
            class="log-scroll long-scroll"
            scroller
            on_scroll=Callback::new(move |top| scroll.set(top))
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
fn LongRow(number: u64, row: Row, heads: &'static [Head], marks: Option<Marks>) -> impl IntoView {
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
        view! { <span role="cell" class:number=head.is_number title=title>{content}</span> }
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
