//! Slices one by one in a table: the canvas as text, for screen readers and the keyboard.

use std::sync::Arc;

use syclscope_language::api::SliceList;
use syclscope_language::question::Selection as Slices;

use crate::components::states::{Nothing, show_answer};
use crate::components::table::{SortableTable, TableModel};
use crate::format;
use crate::hooks::answer::use_answer;
use crate::reactive::*;
use crate::state::area::{ListedSlice, slice_order};
use crate::state::filters::list;
use crate::state::selection::Selection;
use crate::state::session::use_session;
use crate::state::table::{Column, Order};

/// Maximum number of slices in the list, which shows the number of the others.
const MAX_SLICES: u32 = 500;

#[component]
pub(crate) fn SlicesOneByOne(
    #[prop(into)] slices: Signal<Option<Slices>>,
    #[prop(into)] order: Signal<Order>,
    on_order: Callback<Order>,
    columns: &'static [Column<ListedSlice>],
    label: &'static str,
    testid: &'static str,
) -> impl IntoView {
    let session = use_session();
    let query =
        use_answer::<SliceList>(move || Some(list(slices.get()?, slice_order(&order.get()), 0, MAX_SLICES)));
    show_answer(query, "slices", move |SliceList { total, slices, .. }| {
        if slices.is_empty() {
            return view! { <Nothing title="No slices">"Change what is selected, or the filter."</Nothing> }
                .into_any();
        }
        let left_out = total - slices.len() as u64;
        let info = session.info();
        let track =
            |track: u32| info.tracks.get(track as usize).map_or_else(String::new, |track| track.name.clone());
        let rows: Vec<ListedSlice> =
            slices.into_iter().map(|item| ListedSlice { track: track(item.at.track), item }).collect();
        let model = TableModel {
            columns,
            label,
            testid,
            on_row: Some(Arc::new(move |row: &ListedSlice| {
                session.mark(Some(Selection::Slice(row.item.at.slice)));
            })),
            is_selected: Arc::new(move |row: &ListedSlice| {
                let slice = Selection::Slice(row.item.at.slice);
                session.selection.with(|selection| *selection == Some(slice))
            }),
        };
        let rows = Signal::stored(rows);
        view! {
            {(left_out > 0).then(|| view! {
                <p class="log-count quiet">
                    {format!("{} more not listed; select less, or add a filter.", format::count(left_out))}
                </p>
            })}
            <SortableTable model rows order on_order/>
        }
        .into_any()
    })
}
