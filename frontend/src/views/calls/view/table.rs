use std::sync::Arc;

use syclscope_language::api::CallSummary;
use syclscope_language::question::{CallsQuestion, Question};

use crate::browser::{save, text_address};
use crate::components::states::{Nothing, show_answer};
use crate::components::table::{SortableTable, TableModel};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::table::{Order, csv};
use crate::views::calls::ID;
use crate::views::calls::columns::{COLUMNS, matches, shown};
use crate::views::calls::state::CallsState;

const STANDARD: &str = "total";

#[component]
pub(super) fn Table(filter: Memo<String>) -> impl IntoView {
    let query = use_answer::<Vec<CallSummary>>(|| Some(Question::Calls(CallsQuestion::default())));
    show_answer(query, "calls", move |calls| view! { <Calls calls filter/> })
}

#[component]
fn Calls(calls: Vec<CallSummary>, filter: Memo<String>) -> impl IntoView {
    let session = use_session();
    if calls.is_empty() {
        return view! {
            <Nothing title="No calls were recorded">
                "Record with the stream " <code>"calls"</code> " (on by default, unless "
                <code>"--streams"</code> " excludes it)."
            </Nothing>
        }
        .into_any();
    }
    let order = Memo::new(move |_| {
        session
            .slot::<CallsState>()
            .with(|calls| Order::from_text(if calls.order.is_empty() { STANDARD } else { &calls.order }))
    });
    let columns = shown(&calls);
    let rows = Memo::new(move |_| {
        let filter = filter.get();
        calls.iter().filter(|call| matches(&call.name, &filter)).cloned().collect::<Vec<_>>()
    });
    let on_order = Callback::new(move |order: Order| {
        session.slot::<CallsState>().update(|calls| calls.order = order.to_text());
        session.record_change(Change::Detail);
    });
    let model = TableModel {
        columns,
        label: "Calls by name",
        testid: "calls-by-name",
        on_row: Some(Arc::new(move |call: &CallSummary| {
            session.select(Some(Selection::Name(call.name.clone())));
        })),
        is_selected: Arc::new(move |call: &CallSummary| {
            session.selection.with(|selection| *selection == Some(Selection::Name(call.name.clone())))
        }),
    };
    let save_rows = move |_| {
        let mut sorted = rows.get_untracked();
        order.with_untracked(|order| order.sort(&COLUMNS, &mut sorted));
        save("calls.csv", &text_address("text/csv", &csv(&COLUMNS, &sorted)));
    };
    view! {
        <p class="log-count quiet">
            <span role="status" data-testid="calls-count">
                {move || format::counted(rows.with(Vec::len) as u64, "function", "functions")}
            </span>
            <button type="button" class="tool" data-testid="calls-csv" on:click=save_rows>"Save as CSV"</button>
        </p>
        <ViewBody view=ID label="Table of calls">
            <SortableTable model rows order on_order/>
            {move || rows.with(Vec::is_empty).then(|| view! {
                <Nothing title="No matches">"Change the filter, or clear it."</Nothing>
            })}
        </ViewBody>
    }
    .into_any()
}
