//! Live memory at a moment as tables: by allocation site, and block by block.

use std::sync::Arc;

use syclscope_language::api::{LocationInfo, MemoryAt, MemoryPlace, PlaceChange};

use super::super::related::use_selected_memory;
use crate::components::states::Nothing;
use crate::components::table::{SortableTable, TableModel};
use crate::format;
use crate::reactive::*;
use crate::state::call::Goal;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::table::Order;
use crate::views::memory::columns::{BLOCKS, BlockRow, CHANGES, PLACES, Row};
use crate::views::memory::state::MemoryState;

/// Maximum number of blocks in the list; the row shows all.
const MAX_BLOCKS: usize = 200;

#[component]
pub(super) fn Lists(memory: MemoryAt) -> impl IntoView {
    let session = use_session();
    let info = session.info();
    let related = use_selected_memory().related;
    let order =
        Memo::new(move |_| session.slot::<MemoryState>().with(|memory| Order::from_text(&memory.order)));
    let on_order = Callback::new(move |order: Order| {
        session.slot::<MemoryState>().update(|memory| memory.order = order.to_text());
        session.record_change(Change::Detail);
    });
    let select_line = move |location: &Option<LocationInfo>| {
        if let Some(location) = location {
            session.select(Some(Selection::Line { file: location.file.clone(), line: location.line }));
            session.go_in_sight(Goal::Line);
        }
    };
    let is_line = move |location: &Option<LocationInfo>| {
        location.as_ref().is_some_and(|location| {
            let line = Selection::Line { file: location.file.clone(), line: location.line };
            session.selection.with(|selection| *selection == Some(line))
        })
    };
    let count = memory.blocks.len().min(MAX_BLOCKS);
    let blocks: Vec<BlockRow> =
        memory.blocks[..count].iter().map(|block| BlockRow::new(&info, &memory, block)).collect();
    let left_out = (memory.total > count as u64).then(|| {
        let more = format::counted(memory.total - count as u64, "block", "blocks");
        view! { <p class="quiet moment-note">{format!("{more} more; the list of objects has all.")}</p> }
    });
    let by_place = match &memory.change {
        Some(change) => {
            let rows: Vec<_> = change.places.iter().map(|place| Row::<PlaceChange>::new(&info, place)).collect();
            let model = TableModel {
                columns: &CHANGES,
                label: "Differences by source line",
                testid: "what-differs-by-place",
                on_row: Some(Arc::new(move |row: &Row<PlaceChange>| select_line(&row.entry.location))),
                is_selected: Arc::new(move |row: &Row<PlaceChange>| is_line(&row.entry.location)),
            };
            view! { <SortableTable model rows=Signal::stored(rows) order on_order/> }.into_any()
        }
        None if memory.live.count == 0 => view! {
            <Nothing title="No live memory">"No allocation was live at this time. P goes to the peak."</Nothing>
        }
        .into_any(),
        None => {
            let rows: Vec<_> = memory.places.iter().map(|place| Row::<MemoryPlace>::new(&info, place)).collect();
            let model = TableModel {
                columns: &PLACES,
                label: "Live memory by source line",
                testid: "what-was-alive-by-place",
                on_row: Some(Arc::new(move |row: &Row<MemoryPlace>| select_line(&row.entry.location))),
                is_selected: Arc::new(move |row: &Row<MemoryPlace>| is_line(&row.entry.location)),
            };
            view! { <SortableTable model rows=Signal::stored(rows) order on_order/> }.into_any()
        }
    };
    let model = TableModel {
        columns: &BLOCKS,
        label: "Blocks",
        testid: "blocks",
        on_row: Some(Arc::new(move |row: &BlockRow| {
            session.select(Some(Selection::Allocation(row.allocation)));
        })),
        is_selected: Arc::new(move |row: &BlockRow| {
            related.with(|related| related.has_memory(row.allocation))
        }),
    };
    let has_blocks = !blocks.is_empty();
    view! {
        <div class="moment-tables">
            {by_place}
            {has_blocks.then(|| view! { <SortableTable model rows=Signal::stored(blocks) order on_order/> })}
            {left_out}
        </div>
    }
}
