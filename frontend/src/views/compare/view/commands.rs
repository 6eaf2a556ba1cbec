use std::sync::Arc;

use syclscope_language::api::ComparedRow;

use super::beside::Beside;
use crate::browser::{save, text_address};
use crate::components::states::Nothing;
use crate::components::table::{SortableTable, TableModel};
use crate::format;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::table::{Order, csv};
use crate::views::compare::columns::{COLUMNS, matches};

#[component]
pub(super) fn Commands(beside: Beside, rows: Vec<ComparedRow>, more_rows: u64) -> impl IntoView {
    if rows.is_empty() {
        return view! {
            <Nothing title="No commands">"Neither run has commands or slices that could be compared."</Nothing>
        }
        .into_any();
    }
    // Default order: largest change on the critical path first, as in the answer.
    let order = Memo::new(move |_| beside.state().with(|state| Order::from_text(&state.order)));
    let filter = Memo::new(move |_| beside.state().with(|state| state.filter.clone()));
    let rows = Memo::new(move |_| {
        let filter = filter.get();
        let mut rows: Vec<ComparedRow> = rows.iter().filter(|row| matches(row, &filter)).cloned().collect();
        order.with(|order| order.sort(&COLUMNS, &mut rows));
        rows
    });
    Effect::new(move |_| beside.list(rows.get()));
    let on_order = Callback::new(move |order: Order| {
        beside.state().update(|state| state.order = order.to_text());
        beside.session.record_change(Change::Detail);
    });
    let model = TableModel {
        columns: &COLUMNS,
        label: "Compared commands",
        testid: "compare-commands",
        on_row: Some(Arc::new(move |row: &ComparedRow| beside.pick(row))),
        is_selected: Arc::new(move |row: &ComparedRow| beside.marked_row() == Some(row.row)),
    };
    let save_rows = move |_| {
        save("comparison.csv", &text_address("text/csv", &csv(&COLUMNS, &rows.get_untracked())));
    };
    let more = (more_rows > 0).then(|| format!(", {} more are not listed", format::count(more_rows)));
    view! {
        <p class="log-count quiet">
            <span role="status" data-testid="compare-count">
                {move || format::counted(rows.with(Vec::len) as u64, "kind of command", "kinds of commands")}
                {more}
            </span>
            <button type="button" class="tool" data-testid="compare-csv" on:click=save_rows>"Save as CSV"</button>
        </p>
        <SortableTable model rows order on_order/>
        {move || rows.with(Vec::is_empty).then(|| view! {
            <Nothing title="No matches">"Change the filter, or clear it."</Nothing>
        })}
    }
    .into_any()
}
