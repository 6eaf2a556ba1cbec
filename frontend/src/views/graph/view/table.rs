use std::sync::Arc;

use super::use_graph;
use crate::browser::{save, text_address};
use crate::components::table::{SortableTable, TableModel};
use crate::components::view_body::ViewBody;
use crate::format;
use crate::reactive::*;
use crate::state::history::Change;
use crate::state::session::use_session;
use crate::state::table::{Order, csv};
use crate::views::graph::ID;
use crate::views::graph::columns::{COLUMNS, Row, rows};
use crate::views::graph::model::{EdgeChoice, group_name};
use crate::views::graph::state::GraphState;

/// Maximum number of rows in the document; the exported file has all.
const MAX_ROWS: usize = 1_000;

#[component]
pub(super) fn Table() -> impl IntoView {
    let session = use_session();
    let graph = use_graph();
    let signals = graph.signals;
    let choice = Memo::new(move |_| {
        session
            .slot::<GraphState>()
            .with(|state| EdgeChoice { without: state.without_reasons.clone(), redundant: state.redundant })
    });
    let order = Memo::new(move |_| session.slot::<GraphState>().with(|state| Order::from_text(&state.order)));
    let all = Memo::new(move |_| {
        let found = signals.matches.get();
        let model = signals.model.get();
        let mut rows =
            model.map(|model| choice.with(|choice| rows(&model, choice, &found))).unwrap_or_default();
        order.with(|order| order.sort(&COLUMNS, &mut rows));
        rows
    });
    let rows = Memo::new(move |_| all.with(|rows| rows.iter().take(MAX_ROWS).cloned().collect::<Vec<_>>()));
    let more = move || all.with(Vec::len).saturating_sub(MAX_ROWS) as u64;
    let model = TableModel {
        columns: &COLUMNS,
        label: "Graph table",
        testid: "graph-table",
        on_row: Some(Arc::new(move |row: &Row| {
            let number = row.number;
            graph.with(|controller| {
                controller.select_node(number);
                controller.reveal(number);
            });
        })),
        is_selected: Arc::new(move |row: &Row| {
            let name = group_name(&row.node);
            session.slot::<GraphState>().with(|state| state.cursor == Some(name))
        }),
    };
    let on_order = Callback::new(move |order: Order| {
        session.slot::<GraphState>().update(|state| state.order = order.to_text());
        session.record_change(Change::Detail);
    });
    view! {
        <ViewBody view=ID class="view-body graph-table" label="Table of the graph">
            <SortableTable model rows order on_order/>
            {move || (more() > 0).then(|| view! {
                <p class="quiet graph-more">{format!("{} more; the file has all.", format::counted(more(), "row", "rows"))}</p>
            })}
            <p class="graph-more">
                <button
                    type="button"
                    class="tool"
                    data-testid="graph-csv"
                    on:click=move |_| save("graph.csv", &text_address("text/csv", &all.with_untracked(|rows| csv(&COLUMNS, rows))))
                >"Save as CSV"</button>
            </p>
        </ViewBody>
    }
}
