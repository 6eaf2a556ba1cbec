//! Calls one by one, by time. Only the rows on screen are in the document, and only their pages are requested.

use std::rc::Rc;

use syclscope_language::api::{SliceItem, SliceList};
use syclscope_language::question::{ListQuestion, Question, Selection as Slices, SliceOrder};

use crate::components::long_list::{LazyRows, ListScroll, PendingPage};
use crate::components::theme::slice_colour;
use crate::components::view_body::ViewBody;
use crate::data::trace_source::TraceSource;
use crate::format;
use crate::reactive::*;
use crate::state::filters;
use crate::state::long_list::VisibleRows;
use crate::state::rows::Page;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::views::calls::ID;

const ROW_CSS_PX: f64 = 24.0;

#[component]
pub(super) fn Log(filter: Memo<String>, range: Memo<Option<(u64, u64)>>) -> impl IntoView {
    let parsed = Memo::new(move |_| {
        let (from_ns, to_ns) = range.get().unzip();
        let filter = filters::calls(&filter.get())?;
        Ok::<_, String>(Slices { from_ns, to_ns, filter, ..Slices::default() })
    });
    move || match parsed.get() {
        Ok(slices) => view! { <Rows slices/> }.into_any(),
        Err(error) => filter_failure(error).into_any(),
    }
}

pub(super) fn filter_failure(error: String) -> impl IntoView {
    view! {
        <div class="state is-error" role="alert" data-testid="filter-error">
            <p>{error}</p>
            <p class="quiet">"For example: " <code>"urEnqueue duration>1ms"</code> ", " <code>"error:true"</code></p>
        </div>
    }
}

#[component]
fn Rows(slices: Slices) -> impl IntoView {
    let rows = LazyRows::<SliceItem>::new(
        use_session(),
        Rc::new(move |home: TraceSource, offset, limit| {
            let (selection, sort) = (slices.clone(), SliceOrder::Start);
            let question = Question::Slices(ListQuestion { selection, sort, offset, limit, args: true });
            let answer = async move {
                let list = home.ask::<SliceList>(&question).await?;
                Ok(Page { total: list.total, rows: list.slices })
            };
            Box::pin(answer) as PendingPage<_>
        }),
    );
    rows.reload();
    let ListScroll { scroller, top_css_px, list, visible, .. } = rows.scroll(ROW_CSS_PX);
    let body = move || {
        let VisibleRows { first, end, top_css_px } = visible.get();
        let lines = (first..end).map(|row| match rows.row(row) {
            Some(item) => view! { <Row row item/> }.into_any(),
            None => {
                view! { <div class="log-row quiet" role="row"><span role="cell">"…"</span></div> }.into_any()
            }
        });
        let lines = lines.collect_view();
        view! { <div role="presentation" style:transform=format!("translateY({top_css_px}px)")>{lines}</div> }
    };
    let state = rows.state("calls", ("No matches", "Change the filter, or clear it."), |total| {
        view! {
            <p class="log-count quiet" role="status" data-testid="log-count">
                {format::counted(total, "call", "calls")}
            </p>
        }
        .into_any()
    });
    view! {
        {state}
        <ViewBody
            view=ID
            class="log-scroll"
            label="Call log"
            scroller
            on_scroll=Callback::new(move |top| top_css_px.set(top))
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
