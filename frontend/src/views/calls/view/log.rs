//! Calls one by one, by time. Only the rows on screen are in the document, and only their pages are requested.

use leptos::html;
use leptos::task::spawn_local;
use syclscope_language::api::{SliceItem, SliceList};
use syclscope_language::question::{ListQuestion, Question, Selection as Slices, SliceOrder};

use crate::components::states::{Nothing, Waiting};
use crate::components::theme::slice_colour;
use crate::components::view_body::ViewBody;
use crate::data::client::ClientError;
use crate::format;
use crate::hooks::size::watch_size;
use crate::ordered::OrderedMap;
use crate::reactive::*;
use crate::state::filters;
use crate::state::long_list::{LongList, PAGE_ROWS, VisibleRows};
use crate::state::selection::Selection;
use crate::state::session::{Session, use_session};
use crate::views::calls::ID;

const ROW_CSS_PX: f64 = 24.0;
const MOST_PAGES: usize = 64;

#[derive(Clone, Default)]
struct Pages {
    total: Option<u64>,
    pages: OrderedMap<u64, Option<Vec<SliceItem>>>,
    failure: Option<ClientError>,
}

#[component]
pub(super) fn Log(filter: Memo<String>, range: Memo<Option<(u64, u64)>>) -> impl IntoView {
    let parsed = Memo::new(move |_| {
        let (from_ns, to_ns) = range.get().unzip();
        let filter = filters::calls(&filter.get())?;
        Ok::<_, String>(Slices { from_ns, to_ns, filter, ..Slices::default() })
    });
    move || {
        match parsed.get() {
        Ok(slices) => view! { <Rows slices/> }.into_any(),
        Err(error) => view! {
            <div class="state is-error" role="alert" data-testid="filter-error">
                <p>{error}</p>
                <p class="quiet">"For example: " <code>"urEnqueue duration>1ms"</code> ", " <code>"error:true"</code></p>
            </div>
        }
        .into_any(),
    }
    }
}

#[component]
fn Rows(slices: Slices) -> impl IntoView {
    let session = use_session();
    let pages = RwSignal::new(Pages::default());
    let scroller = NodeRef::<html::Div>::new();
    let (scroll, room) = (RwSignal::new(0.0_f64), RwSignal::new(600.0_f64));
    let slices = StoredValue::new(slices);
    let list = Memo::new(move |_| LongList {
        rows: pages.with(|pages| pages.total.unwrap_or(0)),
        row_css_px: ROW_CSS_PX,
    });
    let seen = Memo::new(move |_| list.get().seen(scroll.get(), room.get()));
    let wanted = Memo::new(move |_| seen.get().pages().collect::<Vec<_>>());
    Effect::new(move |_| {
        for page in wanted.get() {
            ask(session, pages, slices.get_value(), page);
        }
    });
    keep_room(scroller, room);
    let body = move || {
        let VisibleRows { first, end, top_css_px } = seen.get();
        let rows = (first..end).map(|row| {
            let item = pages.with(|pages| {
                let page = pages.pages.get(&(row / PAGE_ROWS))?.as_ref()?;
                page.get((row % PAGE_ROWS) as usize).cloned()
            });
            match item {
                Some(item) => view! { <Row row item/> }.into_any(),
                None => view! { <div class="log-row quiet" role="row"><span role="cell">"…"</span></div> }
                    .into_any(),
            }
        });
        view! { <div role="presentation" style:transform=format!("translateY({top_css_px}px)")>{rows.collect_view()}</div> }
    };
    view! {
        {move || {
            let (total, failure) = pages.with(|pages| (pages.total, pages.failure.clone()));
            match (failure, total) {
                (Some(error), _) => view! {
                    <div class="state is-error" role="alert" data-testid="view-failure">
                        <p>{error.message}</p>
                        <button type="button" class="button" on:click=move |_| {
                            pages.set(Pages::default());
                            ask(session, pages, slices.get_value(), 0);
                        }>"Try again"</button>
                    </div>
                }
                .into_any(),
                (None, None) => view! { <Waiting text="Loading calls…".to_owned()/> }.into_any(),
                (None, Some(0)) => view! {
                    <Nothing title="No matches">"Change the filter, or clear it."</Nothing>
                }
                .into_any(),
                (None, Some(total)) => view! {
                    <p class="log-count quiet" role="status" data-testid="log-count">
                        {format::counted(total, "call", "calls")}
                    </p>
                }
                .into_any(),
            }
        }}
        <ViewBody
            view=ID
            class="log-scroll"
            label="Call log"
            scroller
            on_scroll=Callback::new(move |top| scroll.set(top))
            is_ready=Signal::derive(move || list.get().rows > 0)
        >
            <div
                role="table"
                aria-label="Calls"
                aria-rowcount=move || list.get().rows.to_string()
                data-testid="calls-list"
            >
                <Head/>
                <div role="rowgroup" class="log-content" style:height=move || format!("{}px", list.get().height_css_px())>
                    {body}
                </div>
            </div>
        </ViewBody>
    }
}

fn keep_room(scroller: NodeRef<html::Div>, room: RwSignal<f64>) {
    let measure = move || {
        if let Some(scroller) = scroller.get_untracked() {
            let height = f64::from(scroller.client_height());
            if height > 0.0 && (height - room.get_untracked()).abs() >= 1.0 {
                room.set(height);
            }
        }
    };
    watch_size(scroller, measure);
}

fn ask(session: Session, pages: RwSignal<Pages>, selection: Slices, page: u64) {
    if pages.with_untracked(|pages| pages.pages.contains_key(&page)) {
        return;
    }
    pages.update_untracked(|pages| {
        pages.pages.insert(page, None);
    });
    let Some(home) = session.home() else { return };
    let (offset, limit) = (page * PAGE_ROWS, PAGE_ROWS as u32);
    let question =
        Question::Slices(ListQuestion { selection, sort: SliceOrder::Start, offset, limit, args: true });
    spawn_local(async move {
        let answer = home.ask::<SliceList>(&question).await;
        let _gone = pages.try_update(|pages| match answer {
            Ok(list) => {
                pages.total = Some(list.total);
                pages.pages.insert(page, Some(list.slices));
                while pages.pages.len() > MOST_PAGES {
                    // Evict the page farthest from this one.
                    let farthest =
                        pages.pages.iter().map(|(page, _)| *page).max_by_key(|known| known.abs_diff(page));
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

#[component]
fn Head() -> impl IntoView {
    let heads = ["Start", "Function", "Duration", "Result and arguments"];
    let heads = heads.map(|head| view! { <span role="columnheader">{head}</span> });
    view! { <div role="rowgroup"><div class="log-row log-head" role="row">{heads.collect_view()}</div></div> }
}

#[component]
fn Row(row: u64, item: SliceItem) -> impl IntoView {
    let session = use_session();
    let SliceItem { at, name, category, args, .. } = item;
    let colour = slice_colour(category, &name);
    let arguments: Vec<String> = args.into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let arguments = arguments.join(", ");
    let title = arguments.clone();
    let is_selected =
        move || session.selection.with(|selection| *selection == Some(Selection::Slice(at.slice)));
    view! {
        <div
            class="log-row"
            data-slice=at.slice.to_string()
            class:is-selected=is_selected
            role="row"
            aria-rowindex=(row + 1).to_string()
            on:click=move |_| session.select(Some(Selection::Slice(at.slice)))
            on:dblclick=move |_| session.go_to(at)
        >
            <span role="cell" class="number">{format::time_on_grid(at.start_ns as f64, 100.0)}</span>
            <span role="cell" class="log-name">
                <span class="log-indent" style:width=format!("{}px", at.lane.min(12) * 12)></span>
                <span class="chip" style:background-color=colour></span>
                <button type="button" class="name-button" on:click=move |_| session.select(Some(Selection::Slice(at.slice)))>
                    {name}
                </button>
            </span>
            <span role="cell" class="number">{format::duration(at.duration_ns as f64)}</span>
            <span role="cell" class="log-args" title=title>{arguments}</span>
        </div>
    }
}
